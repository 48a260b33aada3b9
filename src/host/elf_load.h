/* What jobs need of an ELF besides loading it. */
#ifndef BHEMU_HOST_ELF_LOAD_H
#define BHEMU_HOST_ELF_LOAD_H

#include <stdbool.h>
#include <stdint.h>

#include "bhemu/check.h"

/* Where the NoC, and so a host, sees the local RAM of a core: how much of it there is, and room for it. */
struct local_ram {
    uint32_t base, size, room;
};
struct local_ram elf_local_ram(enum bh_core core);

/* Whether a segment of the program takes any byte of L1 from `first` to before `end`; false when it can not be read. */
bool elf_overlaps(const char *path, uint64_t first, uint64_t end);

/* Tells the checker which data in local RAM are those of a core's program, and, unless it runs elsewhere than where it
   was linked to, which code in L1; x, y: coordinates of NoC 0. What can not be read has none. BH_ERROR_MEMORY. */
enum bh_status elf_own(const char *path, unsigned x, unsigned y, enum bh_core core, bool moved, struct bh_check *check);

#endif
