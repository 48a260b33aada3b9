/* The part of bhemu disasm that reads ELF files. */
#include <gelf.h>
#include <libelf.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "disasm.h"
#include "host/exit_code.h"

struct label {
    uint32_t address;
    const char *name; /* in the ELF's string table */
};

struct labels {
    struct label *entries;
    size_t count;
};

__attribute__((format(printf, 2, 3))) static int bad(const char *path, const char *format, ...)
{
    va_list arguments;
    fprintf(stderr, "bhemu disasm: %s: ", path);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    return EXIT_WRONG;
}

/* Whether the whole section table is in the file. libelf reports no sections at all if the table is cut off. */
static bool section_table_fits(const GElf_Ehdr *header, size_t size)
{
    return header->e_shoff <= size && header->e_shnum <= (size - header->e_shoff) / sizeof(Elf32_Shdr);
}

static int by_address(const void *a, const void *b)
{
    const struct label *one = a, *other = b;
    return one->address < other->address ? -1 : one->address > other->address;
}

/* Names of places in code; no sections, files, mapping symbols ($x) or the assembler's own labels (.L1). */
static bool is_label(const GElf_Sym *symbol, const char *name)
{
    unsigned type = GELF_ST_TYPE(symbol->st_info);
    return (type == STT_NOTYPE || type == STT_FUNC || type == STT_OBJECT) && symbol->st_shndx != SHN_UNDEF &&
           symbol->st_shndx != SHN_ABS && name && *name && *name != '$' && *name != '.';
}

static bool collect_labels(Elf *elf, struct labels *labels)
{
    for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section));) {
        GElf_Shdr header;
        Elf_Data *data;
        if (!gelf_getshdr(section, &header) || header.sh_type != SHT_SYMTAB || header.sh_entsize == 0 ||
            !(data = elf_getdata(section, NULL))) {
            continue;
        }
        size_t count = data->d_size / sizeof(Elf32_Sym);
        struct label *larger = realloc(labels->entries, (labels->count + count + 1) * sizeof *larger);
        if (!larger) {
            return false;
        }
        labels->entries = larger;
        for (size_t i = 0; i < count; i++) {
            GElf_Sym symbol;
            if (!gelf_getsym(data, (int)i, &symbol)) {
                break;
            }
            const char *name = elf_strptr(elf, header.sh_link, symbol.st_name);
            if (is_label(&symbol, name)) {
                labels->entries[labels->count++] = (struct label){(uint32_t)symbol.st_value, name};
            }
        }
    }
    if (labels->count) {
        qsort(labels->entries, labels->count, sizeof *labels->entries, by_address);
    }
    return true;
}

static void print_section(const char *name, uint32_t address, const unsigned char *bytes, size_t size,
                          const struct labels *labels, enum tensix_text form)
{
    size_t label = 0;
    while (label < labels->count && labels->entries[label].address < address) {
        label++;
    }
    printf("\n%s:\n", name);
    for (size_t i = 0; i + 4 <= size; i += 4) {
        uint32_t at = address + (uint32_t)i;
        for (; label < labels->count && labels->entries[label].address < at + 4; label++) {
            printf("\n%08x <%s>:\n", labels->entries[label].address, labels->entries[label].name);
        }
        uint32_t word = (uint32_t)bytes[i] | (uint32_t)bytes[i + 1] << 8 | (uint32_t)bytes[i + 2] << 16 |
                        (uint32_t)bytes[i + 3] << 24;
        disassemble_program_word(word, at, form);
    }
}

static bool is_executable(const GElf_Shdr *header)
{
    return header->sh_type == SHT_PROGBITS && (header->sh_flags & SHF_EXECINSTR);
}

/* Checks all sections before the first is printed: a bad file gives one error line and no other output. */
static int check_sections(const char *path, Elf *elf, size_t size)
{
    bool executable = false;
    for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section));) {
        GElf_Shdr header;
        if (!gelf_getshdr(section, &header)) {
            return bad(path, "section %zu has no header: %s", elf_ndxscn(section), elf_errmsg(-1));
        }
        if (header.sh_type != SHT_NOBITS && (header.sh_offset > size || header.sh_size > size - header.sh_offset)) {
            return bad(path, "section %zu ends past the end of the file: the file is truncated", elf_ndxscn(section));
        }
        if (is_executable(&header) && header.sh_size % 4) {
            return bad(path, "section %zu of instructions has %llu bytes, no whole number of words",
                       elf_ndxscn(section), (unsigned long long)header.sh_size);
        }
        executable |= is_executable(&header);
    }
    return executable ? 0 : bad(path, "no section holds instructions");
}

static int disassemble(const char *path, Elf *elf, size_t size, enum tensix_text form)
{
    GElf_Ehdr header;
    size_t names;
    if (elf_kind(elf) != ELF_K_ELF || !gelf_getehdr(elf, &header)) {
        return bad(path, "the ELF header is not readable: the file is truncated or damaged");
    }
    if (gelf_getclass(elf) != ELFCLASS32 || header.e_ident[EI_DATA] != ELFDATA2LSB || header.e_machine != EM_RISCV) {
        return bad(path,
                   "not for this machine: 32-bit little-endian RISC-V expected, %s-bit %s-endian machine %u found",
                   gelf_getclass(elf) == ELFCLASS32 ? "32" : "64",
                   header.e_ident[EI_DATA] == ELFDATA2LSB ? "little" : "big", header.e_machine);
    }
    if (!section_table_fits(&header, size)) {
        return bad(path, "the section table ends past the end of the file: the file is truncated");
    }
    if (elf_getshdrstrndx(elf, &names) != 0) {
        return bad(path, "no table of section names: %s", elf_errmsg(-1));
    }
    int code = check_sections(path, elf, size);
    struct labels labels = {};
    if (code == 0 && !collect_labels(elf, &labels)) {
        code = bad(path, "out of memory");
    }
    for (Elf_Scn *section = NULL; code == 0 && (section = elf_nextscn(elf, section));) {
        GElf_Shdr section_header;
        if (!gelf_getshdr(section, &section_header) || !is_executable(&section_header) || !section_header.sh_size) {
            continue;
        }
        Elf_Data *data = elf_rawdata(section, NULL);
        const char *name = elf_strptr(elf, names, section_header.sh_name);
        if (!data || !data->d_buf) {
            code = bad(path, "section %zu is not readable: %s", elf_ndxscn(section), elf_errmsg(-1));
            break;
        }
        print_section(name ? name : "?", (uint32_t)section_header.sh_addr, data->d_buf, data->d_size, &labels, form);
    }
    free(labels.entries);
    return code;
}

int disassemble_elf(const char *path, char *content, size_t size, enum tensix_text form)
{
    if (elf_version(EV_CURRENT) == EV_NONE) {
        return bad(path, "libelf is too old: %s", elf_errmsg(-1));
    }
    Elf *elf = elf_memory(content, size);
    if (!elf) {
        return bad(path, "not readable as ELF: %s", elf_errmsg(-1));
    }
    int code = disassemble(path, elf, size, form);
    elf_end(elf);
    return code;
}
