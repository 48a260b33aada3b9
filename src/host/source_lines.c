#include "host/source_lines.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/text.h"

/* The symbol that begins last at or before `pc`, in a section of code; null when there is none. */
static const char *symbol_at(Elf *elf, uint32_t pc)
{
    const char *name = NULL;
    uint64_t nearest = 0;
    for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section));) {
        GElf_Shdr header;
        if (!gelf_getshdr(section, &header) || header.sh_type != SHT_SYMTAB || header.sh_entsize == 0) {
            continue;
        }
        Elf_Data *data = elf_getdata(section, NULL);
        GElf_Sym symbol;
        for (int i = 0; data && gelf_getsym(data, i, &symbol); i++) {
            unsigned type = GELF_ST_TYPE(symbol.st_info);
            bool ends = type == STT_FUNC && symbol.st_size && pc >= symbol.st_value + symbol.st_size;
            if ((type != STT_FUNC && type != STT_NOTYPE) || symbol.st_shndx == SHN_UNDEF ||
                symbol.st_shndx == SHN_ABS || symbol.st_value > pc || symbol.st_value < nearest || ends) {
                continue;
            }
            const char *candidate = elf_strptr(elf, header.sh_link, symbol.st_name);
            if (candidate && *candidate && *candidate != '$' && *candidate != '.') {
                name = candidate;
                nearest = symbol.st_value;
            }
        }
    }
    return name;
}

/* Whether a loaded segment with code has an instruction at `pc`. */
static bool holds_code(Elf *elf, uint32_t pc)
{
    size_t count = 0;
    if (elf_getphdrnum(elf, &count) != 0) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        GElf_Phdr segment;
        if (gelf_getphdr(elf, (int)i, &segment) && segment.p_type == PT_LOAD && segment.p_flags & PF_X &&
            pc >= segment.p_vaddr && pc - segment.p_vaddr < segment.p_memsz) {
            return true;
        }
    }
    return false;
}

/* The compilation unit with a line for `pc`. All are asked: not every compiler writes an index of addresses. */
static Dwarf_Line *line_at(Dwarf *dwarf, uint32_t pc, Dwarf_Die *unit)
{
    Dwarf_Off offset = 0, next;
    size_t header_size;
    while (dwarf_nextcu(dwarf, offset, &next, &header_size, NULL, NULL, NULL) == 0) {
        Dwarf_Line *line = dwarf_offdie(dwarf, offset + header_size, unit) ? dwarf_getsrc_die(unit, pc) : NULL;
        if (line) {
            return line;
        }
        offset = next;
    }
    return NULL;
}

static Dwarf_Word constant(Dwarf_Die *die, unsigned attribute)
{
    Dwarf_Attribute place;
    Dwarf_Word value = 0;
    return dwarf_formudata(dwarf_attr(die, attribute, &place), &value) == 0 ? value : 0;
}

/* Bytes of the file; null: it has not so many. They stay until the file is closed. */
static const void *bytes_at(Elf *elf, uint64_t offset, uint64_t size)
{
    Elf_Data *data = elf_getdata_rawchunk(elf, (int64_t)offset, size, ELF_T_BYTE);
    return data && data->d_size == size ? data->d_buf : NULL;
}

/* The word at `pc`; `none` if there is none. */
static uint32_t word_at(Elf *elf, uint32_t pc, uint32_t none)
{
    size_t count = 0;
    (void)elf_getphdrnum(elf, &count);
    for (size_t i = 0; i < count; i++) {
        GElf_Phdr segment;
        uint32_t word;
        if (gelf_getphdr(elf, (int)i, &segment) && segment.p_type == PT_LOAD && pc >= segment.p_vaddr &&
            pc - segment.p_vaddr + sizeof word <= segment.p_filesz) {
            const void *bytes = bytes_at(elf, segment.p_offset + (pc - segment.p_vaddr), sizeof word);
            if (bytes) {
                memcpy(&word, bytes, sizeof word);
                return word;
            }
        }
    }
    return none;
}

/* Whether the assembler has known Tensix instructions: the attributes of its target name their extension. */
static bool knows_tensix(Elf *elf)
{
    enum { RISCV_ATTRIBUTES = 0x70000003 };
    for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section));) {
        GElf_Shdr header;
        if (gelf_getshdr(section, &header) && header.sh_type == RISCV_ATTRIBUTES) {
            const void *bytes = bytes_at(elf, header.sh_offset, header.sh_size);
            return bytes && memmem(bytes, header.sh_size, "xtt", 3);
        }
    }
    return false;
}

/* For other assemblers a Tensix instruction is data, for which they write no line: that which stands for it is written
   behind it, with the first instruction or the next line. */
static Dwarf_Line *line_behind(Elf *elf, Dwarf_Die *unit, Dwarf_Line *line, uint32_t pc)
{
    enum { RISCV_INSTRUCTION = 3 }; /* low two bits */
    Dwarf_Lines *lines;
    size_t count;
    bool assembly = constant(unit, DW_AT_language) == DW_LANG_Mips_Assembler; /* whose data have no lines at all */
    if (assembly || (word_at(elf, pc, RISCV_INSTRUCTION) & 3) == RISCV_INSTRUCTION || knows_tensix(elf) ||
        dwarf_getsrclines(unit, &lines, &count) != 0) {
        return line;
    }
    for (size_t i = 0; i < count; i++) {
        Dwarf_Line *next = dwarf_onesrcline(lines, i);
        Dwarf_Addr address;
        bool ends;
        if (dwarf_lineaddr(next, &address) == 0 && address > pc) {
            return dwarf_lineendsequence(next, &ends) == 0 && !ends ? next : line;
        }
    }
    return line;
}

/* From the innermost function outwards: where `pc` is, and from where what was inlined is called. */
static void add_functions(Dwarf_Die *unit, Dwarf_Line *line, uint32_t pc, const char *symbol, struct text *text)
{
    Dwarf_Die *innermost = NULL, *scopes = NULL;
    Dwarf_Files *files = NULL;
    size_t files_count = 0;
    int number = 0, count = 0;
    if (dwarf_getscopes(unit, pc, &innermost) > 0) { /* leaves out who called what was inlined; the tree has it */
        count = dwarf_getscopes_die(&innermost[0], &scopes);
    }
    (void)dwarf_getsrcfiles(unit, &files, &files_count);
    (void)dwarf_lineno(line, &number);
    const char *file = dwarf_linesrc(line, NULL, NULL);
    bool named = false;
    for (int i = 0; i < count; i++) {
        int tag = dwarf_tag(&scopes[i]);
        if (tag != DW_TAG_inlined_subroutine && tag != DW_TAG_subprogram) {
            continue;
        }
        const char *name = dwarf_diename(&scopes[i]);
        text_add(text, "%s%s (%s:%d)", named ? ", in " : "", name ? name : "?", file ? file : "?", number);
        named = true;
        if (tag == DW_TAG_subprogram) {
            break;
        }
        Dwarf_Word call_file = constant(&scopes[i], DW_AT_call_file);
        file = files && call_file < files_count ? dwarf_filesrc(files, call_file, NULL, NULL) : NULL;
        number = (int)constant(&scopes[i], DW_AT_call_line);
    }
    if (!named) { /* assembly */
        text_add(text, "%s (%s:%d)", symbol ? symbol : "code", file ? file : "?", number);
    }
    free(scopes);
    free(innermost);
}

static bool ends_with(const char *text, const char *end)
{
    size_t length = strlen(text), end_length = strlen(end);
    return length >= end_length && strcmp(text + length - end_length, end) == 0;
}

bool source_strings_end(Elf *elf)
{
    size_t names = 0;
    bool end = elf_getshdrstrndx(elf, &names) == 0;
    for (Elf_Scn *section = NULL; end && (section = elf_nextscn(elf, section));) {
        GElf_Shdr header;
        const char *name = gelf_getshdr(section, &header) ? elf_strptr(elf, names, header.sh_name) : NULL;
        if (name && strstr(name, "debug_") && ends_with(name, "str")) {
            const Elf_Data *data = elf_getdata(section, NULL);
            const char *strings = data ? data->d_buf : NULL;
            end = !strings || data->d_size == 0 || strings[data->d_size - 1] == 0;
        }
    }
    return end;
}

struct source_file {
    int descriptor; /* -1: closed */
    Elf *elf;
    Dwarf *dwarf; /* null: none that can be read */
};

struct source_file *source_file_open(const char *elf_path)
{
    struct source_file *file = malloc(sizeof *file);
    if (!file) {
        return NULL;
    }
    elf_version(EV_CURRENT);
    *file = (struct source_file){.descriptor = open(elf_path, O_RDONLY | O_CLOEXEC)};
    file->elf = file->descriptor >= 0 ? elf_begin(file->descriptor, ELF_C_READ, NULL) : NULL;
    /* All of it is read at once: what later becomes of the file makes no difference, and no descriptor is kept. */
    if (!file->elf || elf_kind(file->elf) != ELF_K_ELF || elf_cntl(file->elf, ELF_C_FDREAD) != 0) {
        source_file_close(file);
        return NULL;
    }
    file->dwarf = source_strings_end(file->elf) ? dwarf_begin_elf(file->elf, DWARF_C_READ, NULL) : NULL;
    (void)elf_cntl(file->elf, ELF_C_FDDONE);
    close(file->descriptor);
    file->descriptor = -1;
    return file;
}

bool source_file_line(const struct source_file *file, uint32_t pc, char *buffer, unsigned size)
{
    struct text text = {.buffer = buffer, .size = size};
    if (size) {
        buffer[0] = 0;
    }
    if (!holds_code(file->elf, pc)) {
        return false;
    }
    const char *symbol = symbol_at(file->elf, pc);
    Dwarf_Die unit;
    Dwarf_Line *line = file->dwarf ? line_at(file->dwarf, pc, &unit) : NULL;
    if (line) {
        line = line_behind(file->elf, &unit, line, pc);
        add_functions(&unit, line, pc, symbol, &text);
    } else if (symbol) {
        text_add(&text, "%s", symbol);
    }
    return text.length != 0;
}

void source_file_close(struct source_file *file)
{
    if (file && file->dwarf) {
        dwarf_end(file->dwarf);
    }
    if (file && file->elf) {
        elf_end(file->elf);
    }
    if (file && file->descriptor >= 0) {
        close(file->descriptor);
    }
    free(file);
}

bool source_line(const char *elf_path, uint32_t pc, char *buffer, unsigned size)
{
    struct source_file *file = source_file_open(elf_path);
    bool found = file && source_file_line(file, pc, buffer, size);
    if (!file && size) {
        buffer[0] = 0;
    }
    source_file_close(file);
    return found;
}
