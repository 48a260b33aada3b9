#include "host/code_file.h"

#include <elf.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { L1_WORDS = 1536 * 1024 / 4, SECTIONS = 4096, SEGMENTS = 64, RELOCATIONS = 1 << 20 };

struct file_identity file_identity(const struct stat *status)
{
    return (struct file_identity){.device = (uint64_t)status->st_dev,
                                  .inode = (uint64_t)status->st_ino,
                                  .size = (uint64_t)status->st_size,
                                  .seconds = (uint64_t)status->st_mtim.tv_sec,
                                  .nanoseconds = (uint64_t)status->st_mtim.tv_nsec};
}

bool file_identity_equal(const struct file_identity *a, const struct file_identity *b)
{
    return a->device == b->device && a->inode == b->inode && a->size == b->size && a->seconds == b->seconds &&
           a->nanoseconds == b->nanoseconds;
}

static bool read_at(int descriptor, uint64_t offset, void *data, size_t size)
{
    return offset <= INT64_MAX && pread(descriptor, data, size, (off_t)offset) == (ssize_t)size;
}

/* `count` entries of a table of the file, to be free()d; null: it is not all there. */
static void *read_table(int descriptor, uint64_t offset, size_t count, size_t size)
{
    void *table = malloc(count * size + 1);
    if (table && !read_at(descriptor, offset, table, count * size)) {
        free(table);
        return NULL;
    }
    return table;
}

static bool is_program(const Elf32_Ehdr *header)
{
    return memcmp(header->e_ident, ELFMAG, SELFMAG) == 0 && header->e_ident[EI_CLASS] == ELFCLASS32 &&
           header->e_ident[EI_DATA] == ELFDATA2LSB && header->e_machine == EM_RISCV && header->e_type == ET_EXEC &&
           header->e_phentsize == sizeof(Elf32_Phdr) && header->e_phnum && header->e_phnum <= SEGMENTS;
}

/* The largest segment with code. */
static bool find_segment(int descriptor, const Elf32_Ehdr *header, Elf32_Phdr *found)
{
    Elf32_Phdr *segments = read_table(descriptor, header->e_phoff, header->e_phnum, sizeof *segments);
    *found = (Elf32_Phdr){0};
    for (unsigned i = 0; segments && i < header->e_phnum; i++) {
        if (segments[i].p_type == PT_LOAD && segments[i].p_flags & PF_X && segments[i].p_filesz > found->p_filesz) {
            *found = segments[i];
        }
    }
    free(segments);
    return found->p_filesz != 0 && found->p_vaddr <= UINT32_MAX - found->p_filesz;
}

static Elf32_Shdr *read_sections(int descriptor, const Elf32_Ehdr *header)
{
    bool there = header->e_shentsize == sizeof(Elf32_Shdr) && header->e_shnum && header->e_shnum <= SECTIONS;
    return there ? read_table(descriptor, header->e_shoff, header->e_shnum, sizeof(Elf32_Shdr)) : NULL;
}

/* From the first section with code of the segment to the last: data that a program writes may be before and behind. */
static void keep_to_code(const Elf32_Shdr *sections, unsigned count, Elf32_Phdr *segment)
{
    uint32_t begin = UINT32_MAX, end = 0, last = segment->p_vaddr + segment->p_filesz;
    for (unsigned i = 0; i < count; i++) {
        const Elf32_Shdr *section = &sections[i];
        if (section->sh_type == SHT_PROGBITS && section->sh_flags & SHF_EXECINSTR && section->sh_flags & SHF_ALLOC &&
            section->sh_size && section->sh_addr >= segment->p_vaddr && section->sh_addr < last &&
            section->sh_size <= last - section->sh_addr) {
            begin = section->sh_addr < begin ? section->sh_addr : begin;
            end = section->sh_addr + section->sh_size > end ? section->sh_addr + section->sh_size : end;
        }
    }
    if (begin < end) {
        segment->p_offset += begin - segment->p_vaddr;
        segment->p_vaddr = begin;
        segment->p_filesz = end - begin;
    }
}

/* Whether tt-metal may change the word when it moves a kernel: also from LUI to AUIPC, and the reverse. */
static bool is_moved(unsigned type)
{
    switch (type) {
    case R_RISCV_32:
    case R_RISCV_HI20:
    case R_RISCV_LO12_I:
    case R_RISCV_LO12_S:
    case R_RISCV_PCREL_HI20:
    case R_RISCV_PCREL_LO12_I:
    case R_RISCV_PCREL_LO12_S: return true;
    default: return false;
    }
}

static void mark_relocations(int descriptor, const Elf32_Shdr *section, struct code_file *code)
{
    size_t count = section->sh_size / sizeof(Elf32_Rela);
    Elf32_Rela *relocations =
        count <= RELOCATIONS ? read_table(descriptor, section->sh_offset, count, sizeof *relocations) : NULL;
    for (size_t i = 0; relocations && i < count; i++) {
        uint32_t at = relocations[i].r_offset - code->linked;
        if (is_moved(ELF32_R_TYPE(relocations[i].r_info)) && at / 4 < code->count) {
            code->moves[at / 4] = true;
        }
    }
    free(relocations);
}

static void mark_moves(int descriptor, const Elf32_Shdr *sections, unsigned count, struct code_file *code)
{
    for (unsigned i = 0; i < count; i++) {
        if (sections[i].sh_type == SHT_RELA && sections[i].sh_info < count &&
            sections[sections[i].sh_info].sh_flags & SHF_ALLOC) {
            mark_relocations(descriptor, &sections[i], code);
        }
    }
}

static bool read_code(int descriptor, struct code_file *code)
{
    Elf32_Ehdr header;
    Elf32_Phdr segment;
    struct stat status;
    if (fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode) ||
        !read_at(descriptor, 0, &header, sizeof header) || !is_program(&header) ||
        !find_segment(descriptor, &header, &segment)) {
        return false;
    }
    code->identity = file_identity(&status);
    Elf32_Shdr *sections = read_sections(descriptor, &header);
    unsigned section_count = sections ? header.e_shnum : 0;
    keep_to_code(sections, section_count, &segment);
    code->linked = segment.p_vaddr;
    code->count = segment.p_filesz / 4;
    bool possible = code->linked % 4 == 0 && code->count && code->count <= L1_WORDS;
    code->words = possible ? read_table(descriptor, segment.p_offset, code->count, 4) : NULL;
    code->moves = code->words ? calloc(code->count, 1) : NULL;
    if (code->moves) {
        mark_moves(descriptor, sections, section_count, code);
    }
    free(sections);
    return code->moves;
}

bool code_file_read(const char *path, struct code_file *code)
{
    *code = (struct code_file){0};
    int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    bool read = descriptor >= 0 && read_code(descriptor, code);
    if (descriptor >= 0) {
        close(descriptor);
    }
    if (!read) {
        code_file_free(code);
    }
    return read;
}

void code_file_free(struct code_file *code)
{
    free(code->words);
    free(code->moves);
    code->words = NULL;
    code->moves = NULL;
}
