#include "host/elf_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "util/fail.h"

enum bh_status elf_open(struct elf_file *file, const char *path, struct bh_error *error)
{
    *file = (struct elf_file){.path = path, .descriptor = -1};
    elf_version(EV_CURRENT);
    file->descriptor = open(file->path, O_RDONLY | O_CLOEXEC);
    if (file->descriptor < 0) {
        return fail(error, BH_ERROR_IO, "%s: %s", file->path, strerror(errno));
    }
    file->elf = elf_begin(file->descriptor, ELF_C_READ, NULL);
    file->bytes = file->elf ? (const uint8_t *)elf_rawfile(file->elf, &file->size) : NULL;
    if (!file->bytes || elf_kind(file->elf) != ELF_K_ELF) {
        return fail(error, BH_ERROR_FORMAT, "%s: not an ELF file", file->path);
    }
    return BH_OK;
}

void elf_close(struct elf_file *file)
{
    if (file->elf) {
        elf_end(file->elf);
    }
    if (file->descriptor >= 0) {
        close(file->descriptor);
    }
}

enum bh_status elf_check_header(const struct elf_file *file, GElf_Ehdr *header, struct bh_error *error)
{
    if (!gelf_getehdr(file->elf, header)) {
        return fail(error, BH_ERROR_FORMAT, "%s: the ELF header is cut off or damaged", file->path);
    }
    if (header->e_machine != EM_RISCV) {
        return fail(error, BH_ERROR_FORMAT, "%s: made for ELF machine %u, not for RISC-V (%u)", file->path,
                    header->e_machine, EM_RISCV);
    }
    if (header->e_ident[EI_CLASS] != ELFCLASS32 || header->e_ident[EI_DATA] != ELFDATA2LSB) {
        return fail(error, BH_ERROR_FORMAT, "%s: not a 32-bit little-endian ELF", file->path);
    }
    if (header->e_type != ET_EXEC) {
        return fail(error, BH_ERROR_FORMAT, "%s: not an executable (ELF type %u): it has not been linked", file->path,
                    header->e_type);
    }
    return BH_OK;
}

bool elf_is_loaded(const struct elf_file *file, size_t index, GElf_Phdr *segment)
{
    return gelf_getphdr(file->elf, (int)index, segment) && segment->p_type == PT_LOAD &&
           (segment->p_memsz || segment->p_filesz);
}

enum bh_status elf_check_segment(const struct elf_file *file, const GElf_Phdr *segment, struct bh_error *error)
{
    if (segment->p_filesz > segment->p_memsz) {
        return fail(error, BH_ERROR_FORMAT, "%s: a segment takes %llu bytes of the file, but only %llu of memory",
                    file->path, (unsigned long long)segment->p_filesz, (unsigned long long)segment->p_memsz);
    }
    if (segment->p_offset > file->size || segment->p_filesz > file->size - segment->p_offset) {
        return fail(error, BH_ERROR_FORMAT, "%s: truncated: a segment of %llu bytes at offset %llu, the file has %zu",
                    file->path, (unsigned long long)segment->p_filesz, (unsigned long long)segment->p_offset,
                    file->size);
    }
    return BH_OK;
}
