/* Programs for the RISC-V cores: ELF files as the cross compiler makes them. */
#ifndef BHEMU_PROGRAM_H
#define BHEMU_PROGRAM_H

#include "bhemu/device.h"
#include "bhemu/error.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Loads an ELF32 little-endian RISC-V executable for one core: its PT_LOAD segments go to L1, or, where they lie at the
   core's own view of its local RAM (0xFFB00000), into that RAM. Everything is checked before anything is written.
   *entry becomes the entry point; may be null. Returns BH_ERROR_IO when the file can not be read, BH_ERROR_FORMAT when
   it is not such an ELF, BH_ERROR_ADDRESS when a segment does not fit; *error, which may be null, then says why. */
BH_API enum bh_status bh_load_elf(struct bh_device *device, unsigned x, unsigned y, enum bh_core core, const char *path,
                                  uint32_t *entry, struct bh_error *error);

#ifdef __cplusplus
}
#endif
#endif
