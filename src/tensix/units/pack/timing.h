/* When the packer accepts instructions, and when what it packs is in L1, in timed mode (units/timing.h).
   A thread goes on as soon as the packer has accepted its PACR, which is one after the other: each read interface moves
   so many bytes a cycle, all of them at the same time. What reads a block of Dst waits until it is readable.
   Sources: ISA documentation Packers/README.md, PACR.md, Dst.md; measured: rows packed by one interface and by four,
   as FP32 and as BF16, with and without accumulation in L1, which takes no longer. */
#ifndef BHEMU_TENSIX_UNITS_PACK_TIMING_H
#define BHEMU_TENSIX_UNITS_PACK_TIMING_H

#include <stdbool.h>
#include <stdint.h>

#include "tensix/units/thread.h"

struct tensix;
struct timing_word;

/* A part of L1 that the packer has written, whose bytes are on their way until `due`. */
struct pack_write {
    uint64_t due;
    uint32_t address, size;
    uint32_t at; /* where its bytes are kept */
};

/* Room for what the packer writes in the cycles that a write takes, and for a PACR more (pack/writes.h). */
enum { PACK_WRITES = 64, PACK_WRITTEN_BYTES = 8192 };

/* In the order in which they arrive. */
struct pack_writes {
    uint32_t count;
    uint32_t fresh; /* so many, the last ones, are of the instruction that executes now */
    uint32_t used;  /* of `bytes` */
    struct pack_write of[PACK_WRITES];
    uint8_t bytes[PACK_WRITTEN_BYTES];
};

/* Plain data, all zero at first. Times are absolute. */
struct pack_timing {
    uint64_t accepts;     /* when the packer accepts its next instruction */
    uint64_t reads_until; /* the last PACR has read its rows of Dst */
    uint32_t row_bytes;   /* that each interface has given to the PACR that has just executed */
    struct pack_writes writes;
};

/* timing_holds() and timing_passed() for instructions of the unit. */
bool pack_holds(struct tensix *tensix, unsigned thread, const struct timing_word *next);
void pack_passed(struct tensix *tensix, unsigned thread, const struct timing_word *passed);

#endif
