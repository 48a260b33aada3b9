#include "host/metal_print.h"

#include <stdlib.h>
#include <string.h>

#include "host/elf_file.h"
#include "host/metal_print_enum.h"

struct section {
    uint32_t address, size;
    uint8_t *bytes; /* malloc'ed, with a zero behind them */
};

struct metal_format_list {
    struct metal_format_list *next;
    char *path;
    bool any, foreign;
    struct section texts, infos;
    unsigned info_size;                      /* bytes of an entry */
    struct metal_enumeration **enumerations; /* the first of those that were asked for */
};

struct metal_formats {
    struct metal_format_list *first;
};

struct metal_formats *metal_formats_new(void)
{
    return calloc(1, sizeof(struct metal_formats));
}

void metal_formats_free(struct metal_formats *formats)
{
    struct metal_format_list *next;
    for (struct metal_format_list *list = formats ? formats->first : NULL; list; list = next) {
        next = list->next;
        free(list->texts.bytes);
        free(list->infos.bytes);
        for (struct metal_enumeration *it = list->enumerations ? *list->enumerations : NULL, *after; it; it = after) {
            after = it->next;
            metal_enumeration_free(it);
        }
        free(list->enumerations);
        free(list->path);
        free(list);
    }
    free(formats);
}

/* Whether an ELF has a section, and the section if *copy is not null. */
static bool find_section(const struct elf_file *file, const char *name, struct section *copy)
{
    size_t names;
    GElf_Shdr header;
    if (elf_getshdrstrndx(file->elf, &names) != 0) {
        return false;
    }
    for (Elf_Scn *section = NULL; (section = elf_nextscn(file->elf, section));) {
        const char *its = gelf_getshdr(section, &header) ? elf_strptr(file->elf, names, header.sh_name) : NULL;
        if (!its || strcmp(its, name) != 0) {
            continue;
        }
        Elf_Data *data = copy ? elf_rawdata(section, NULL) : NULL;
        if (data && data->d_buf && (copy->bytes = malloc(data->d_size + 1))) {
            memcpy(copy->bytes, data->d_buf, data->d_size);
            copy->bytes[data->d_size] = 0;
            copy->size = (uint32_t)data->d_size;
            copy->address = (uint32_t)header.sh_addr;
        }
        return true;
    }
    return false;
}

static uint32_t word_of(const struct section *section, uint32_t offset)
{
    uint32_t word;
    memcpy(&word, section->bytes + offset, sizeof word);
    return word;
}

/* Whether all entries begin with the addresses of two texts, if an entry has so many bytes. */
static bool fits(const struct metal_format_list *list, unsigned size)
{
    bool all = list->infos.size % size == 0;
    for (uint32_t at = 0; all && at + size <= list->infos.size; at += size) {
        all = metal_format_text(list, word_of(&list->infos, at)) &&
              metal_format_text(list, word_of(&list->infos, at + 4));
    }
    return all;
}

static void read_formats(struct metal_format_list *list)
{
    enum { PACKED = 12, PADDED = 16 }; /* format, file, line; and four bytes, in later versions */
    struct elf_file file;
    if (elf_open(&file, list->path, NULL) == BH_OK) {
        list->foreign = find_section(&file, ".dprint_strings_info", NULL);
        list->any = find_section(&file, ".device_print_strings_info", &list->infos) &&
                    find_section(&file, ".device_print_strings", &list->texts) && list->infos.bytes &&
                    list->texts.bytes;
    }
    elf_close(&file);
    if (list->any) {
        list->info_size = fits(list, PADDED) ? PADDED : PACKED;
        list->enumerations = calloc(1, sizeof(struct metal_enumeration *));
    }
}

const struct metal_format_list *metal_formats_of(struct metal_formats *formats, const char *path, bool *foreign)
{
    struct metal_format_list *list = formats->first;
    while (path && list && strcmp(list->path, path) != 0) {
        list = list->next;
    }
    if (path && !list && (list = calloc(1, sizeof *list))) {
        list->path = strdup(path);
        list->next = formats->first;
        formats->first = list;
        if (list->path) {
            read_formats(list);
        }
    }
    *foreign |= path && list && list->foreign;
    return path && list && list->any ? list : NULL;
}

const char *metal_format_text(const struct metal_format_list *list, uint32_t address)
{
    return address - list->texts.address < list->texts.size
               ? (const char *)list->texts.bytes + (address - list->texts.address)
               : NULL;
}

const char *metal_format(const struct metal_format_list *list, unsigned number)
{
    uint64_t at = (uint64_t)number * list->info_size;
    return at + 4 <= list->infos.size ? metal_format_text(list, word_of(&list->infos, (uint32_t)at)) : NULL;
}

const struct metal_enumeration *metal_format_enumeration(const struct metal_format_list *list, const char *name,
                                                         unsigned size)
{
    struct metal_enumeration *enumeration = list->enumerations ? *list->enumerations : NULL;
    while (enumeration && (strlen(enumeration->name) != size || memcmp(enumeration->name, name, size) != 0)) {
        enumeration = enumeration->next;
    }
    if (!enumeration && list->enumerations && (enumeration = metal_enumeration_read(list->path, name, size))) {
        enumeration->next = *list->enumerations;
        *list->enumerations = enumeration;
    }
    return enumeration;
}

/* Whether those that print are told so depends on the generation; those that nobody reads are told in both. What runs
   already is told only of a change, and keeps what it has printed. */
static enum bh_status write_positions(struct bh_device *device, const struct metal_print_tile *tile, uint32_t address,
                                      bool reads, bool runs)
{
    const uint32_t disabled = (uint32_t)METAL_PRINT_disabled;
    enum bh_status status = BH_OK;
    for (unsigned i = 0; i < BH_CORE_COUNT && status == BH_OK; i++) {
        const uint32_t words[METAL_PRINT_data_behind_lock / 4] = {reads ? (uint32_t)METAL_PRINT_starting
                                                                        : disabled}; /* and nobody has the lock */
        uint32_t at = address + i * METAL_PRINT_size, now = 0;
        status = bh_read(device, tile->x, tile->y, at, &now, sizeof now);
        if (status == BH_OK && (!runs || reads != (now != disabled))) {
            status = bh_write(device, tile->x, tile->y, at, words, sizeof words);
        }
    }
    return status;
}

/* Kernels that print in a way that is not known: says so, and has them not wait for a reader. */
static void complain(struct bh_print *print, const struct metal_print_tile *tile)
{
    struct print_stream stream = {.x = (uint8_t)tile->x, .y = (uint8_t)tile->y};
    struct print_text text = {};
    print_text_complain(&text, "this kernel prints by DPRINT of a version that is not known (section "
                               ".dprint_strings_info): nothing of it is shown");
    print_text_add(&text, "\n", 1);
    print_say(print, &stream, &text);
}

enum bh_status metal_print_add(struct bh_print *print, struct metal_formats *formats, struct bh_device *device,
                               const struct metal_layout *layout, const struct metal_print_tile *tile, bool runs)
{
    uint32_t address = layout->core_info - METAL_PRINT_before_core_info;
    struct metal_core_formats lists[BH_CORE_COUNT] = {};
    bool any = false, foreign = false;
    for (unsigned core = 0; print && core < BH_CORE_COUNT; core++) {
        lists[core].kernel = metal_formats_of(formats, tile->kernels[core], &foreign);
        lists[core].firmware = metal_formats_of(formats, tile->firmware[core], &foreign);
        any |= lists[core].kernel || lists[core].firmware;
    }
    bool reads = print && (any || !foreign);
    enum bh_status status = write_positions(device, tile, address, reads, runs);
    if (status == BH_OK && any) {
        return metal_print_add_messages(print, tile, address, lists);
    }
    if (print && foreign) {
        complain(print, tile);
    }
    for (unsigned i = 0; reads && status == BH_OK && i < BH_CORE_COUNT; i++) {
        status = metal_print_add_stream(print, tile, metal_core(i), address + i * METAL_PRINT_size);
    }
    return status;
}
