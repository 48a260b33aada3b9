/* An ELF file that has been opened, and whether it is a program for a baby RISC-V core. */
#ifndef BHEMU_HOST_ELF_FILE_H
#define BHEMU_HOST_ELF_FILE_H

#include <gelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bhemu/device.h"
#include "bhemu/error.h"

enum { L1_BYTES = 1536 * 1024 };

struct elf_file {
    const char *path;
    int descriptor;
    Elf *elf;
    const uint8_t *bytes; /* the whole file */
    size_t size;
};

/* Call elf_close() afterwards, also after a failure. */
enum bh_status elf_open(struct elf_file *file, const char *path, struct bh_error *error);
void elf_close(struct elf_file *file);

/* Refuses what is not a linked 32-bit little-endian RISC-V program. */
enum bh_status elf_check_header(const struct elf_file *file, GElf_Ehdr *header, struct bh_error *error);

/* Whether program header `index` is of a segment that is loaded, and has anything in the file or in memory. */
bool elf_is_loaded(const struct elf_file *file, size_t index, GElf_Phdr *segment);

/* Refuses a segment that has more bytes in the file than in memory, or than the file has. */
enum bh_status elf_check_segment(const struct elf_file *file, const GElf_Phdr *segment, struct bh_error *error);

#endif
