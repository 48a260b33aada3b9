/* Which programs run on a device, found by their contents: for hosts that write programs into tiles themselves, and
   know nothing but the folders in which the ELFs are. What is in memory around a pc is compared with the code of the
   ELFs, at the address that they were linked to or at any other: words that tt-metal changes when it moves a kernel
   (those with relocations, which --emit-relocs keeps in the file) may differ. All of an ELF's code has to be there, so
   that a program that was overwritten is not found any more. */
#ifndef BHEMU_SYMBOLS_H
#define BHEMU_SYMBOLS_H

#include "bhemu/device.h"
#include "bhemu/error.h"

#ifdef __cplusplus
extern "C" {
#endif

struct bh_symbols;

/* `folders` are separated by ':'; in their names it has a '\' before it. They are read when first needed, with the
   folders in them (links to folders are not followed), and again for what is not found. BH_ERROR_IO: one can not be
   read, or is no folder. */
BH_API enum bh_status bh_symbols_open(const char *folders, struct bh_symbols **symbols, struct bh_error *error);
BH_API void bh_symbols_close(struct bh_symbols *symbols); /* null: nothing */

/* The folders are to be read again before anything is said not to be found: for results that can not be had later.
   Without, they are read again after some time only, of which reading them is a small part. */
BH_API void bh_symbols_refresh(struct bh_symbols *symbols);

/* The program that is in memory now at the place of a Tensix tile, which is named by its coordinates of NoC 0: a number
   that stays the same for the same ELF at the same address. 0: not found. Changes nothing on the device, and may be
   called from its callbacks and observers. Of several ELFs with the same code: that of which more words are the same,
   then that which was linked to where it is, then the first one in the order of the folders and of paths in them. */
BH_API unsigned bh_symbols_program(struct bh_symbols *symbols, const struct bh_device *device, unsigned x, unsigned y,
                                   const struct bh_place *place);

struct bh_symbols_program {
    const char *path; /* of the ELF; until bh_symbols_close() */
    uint32_t address; /* where its code is, and ... */
    uint32_t linked;  /* ... where it was linked to be */
    uint32_t size;    /* bytes of code */
};

/* false: there is no such program. */
BH_API bool bh_symbols_describe(const struct bh_symbols *symbols, unsigned program,
                                struct bh_symbols_program *description);

/* Where in the source `place` is: of the program that bh_symbols_program() finds, or of one that it has found. As
   bh_job_source() of job.h. */
BH_API bool bh_symbols_source(struct bh_symbols *symbols, const struct bh_device *device, unsigned x, unsigned y,
                              const struct bh_place *place, char *buffer, unsigned size);
BH_API bool bh_symbols_program_source(struct bh_symbols *symbols, unsigned program, const struct bh_place *place,
                                      char *buffer, unsigned size);

#ifdef __cplusplus
}
#endif
#endif
