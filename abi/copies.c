/* How often this library is loaded in the process: modules with the same build-id. */
#include <elf.h>
#include <link.h>
#include <stdint.h>
#include <string.h>

#include "abi.h"
#include "libttsim.h"

enum { ID_SIZE = 64, ALIGNMENT = 4 };

struct build_id {
    uint8_t bytes[ID_SIZE];
    uint32_t size; /* 0: the module has none */
};

struct search {
    struct build_id own;
    bool counts; /* the own one is known */
    bool passed; /* this copy was seen: modules come in the order in which they were loaded */
    unsigned before, all;
};

static uint32_t aligned(uint32_t size)
{
    return (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

static struct build_id id_in_notes(const uint8_t *notes, size_t size)
{
    struct build_id id = {.size = 0};
    for (size_t at = 0; at + sizeof(ElfW(Nhdr)) <= size;) {
        const ElfW(Nhdr) *note = (const void *)(notes + at);
        const uint8_t *name = notes + at + sizeof *note, *bytes = name + aligned(note->n_namesz);
        if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == 4 && !memcmp(name, "GNU", 4) &&
            note->n_descsz <= ID_SIZE) {
            memcpy(id.bytes, bytes, note->n_descsz);
            id.size = note->n_descsz;
            return id;
        }
        at += sizeof *note + aligned(note->n_namesz) + aligned(note->n_descsz);
    }
    return id;
}

static struct build_id id_of(const struct dl_phdr_info *module)
{
    struct build_id id = {.size = 0};
    for (unsigned i = 0; i < module->dlpi_phnum && !id.size; i++) {
        const ElfW(Phdr) *header = &module->dlpi_phdr[i];
        if (header->p_type == PT_NOTE) {
            id = id_in_notes((const uint8_t *)(module->dlpi_addr + header->p_vaddr), header->p_memsz);
        }
    }
    return id;
}

static bool is_this(const struct dl_phdr_info *module)
{
    uintptr_t here = (uintptr_t)libttsim_init;
    for (unsigned i = 0; i < module->dlpi_phnum; i++) {
        const ElfW(Phdr) *header = &module->dlpi_phdr[i];
        uintptr_t begin = module->dlpi_addr + header->p_vaddr;
        if (header->p_type == PT_LOAD && here >= begin && here - begin < header->p_memsz) {
            return true;
        }
    }
    return false;
}

static int look(struct dl_phdr_info *module, size_t size, void *context)
{
    struct search *search = context;
    struct build_id id = id_of(module);
    bool own = is_this(module);
    if (own) {
        search->own = id;
    }
    if (search->counts && id.size && id.size == search->own.size && !memcmp(id.bytes, search->own.bytes, id.size)) {
        search->all++;
        search->before += !search->passed && !own;
        search->passed |= own;
    }
    return 0;
}

unsigned abi_copies(unsigned *before)
{
    struct search search = {.counts = false};
    (void)dl_iterate_phdr(look, &search);
    search.counts = true;
    (void)dl_iterate_phdr(look, &search);
    *before = search.before;
    return search.all;
}
