/* When Dst can be accessed, in timed mode (units/timing.h): which of its blocks of 8 rows cannot be read yet, and how
   the Matrix Unit and the Vector Unit take turns.
   Sources: ISA documentation Dst.md, MOVA2D.md, SFPLOAD.md; measured: pairs of an instruction of the Matrix Unit and a
   load or store of the Vector Unit, of one thread and of two. */
#ifndef BHEMU_TENSIX_UNITS_DST_TIMING_H
#define BHEMU_TENSIX_UNITS_DST_TIMING_H

#include <stdbool.h>
#include <stdint.h>

#include "tensix/num/registers.h"
#include "tensix/units/issue.h"

enum { DST_BLOCK_ROWS = 8, DST_BLOCKS = DST_ROWS / DST_BLOCK_ROWS };

enum dst_user { DST_NOBODY, DST_MATRIX, DST_VECTOR };

/* Plain data, all zero at first. Times are absolute. */
struct dst_timing {
    uint64_t readable[DST_BLOCKS]; /* from when on */
    uint64_t moved;                /* when all that the Matrix Unit has moved to Dst is there */
    uint64_t accessed;             /* when an instruction last accessed Dst, plus 1 */
    uint64_t claimed;              /* when one of the Vector Unit that waits for its turn is going to */
    struct dst_turn {
        uint64_t last; /* when the thread's last instruction accessed Dst */
        uint8_t user;  /* enum dst_user: of that instruction ... */
        bool turned;   /* ... which came right behind one of the other unit */
    } turn[TENSIX_THREADS];
};

/* The earliest time at which an instruction of `thread` can access Dst. `reads`: it reads rows of it. */
uint64_t dst_accessible(const struct dst_timing *dst, unsigned thread, enum dst_user user, bool reads);

/* An instruction of `thread` accesses Dst at `time`. */
void dst_access(struct dst_timing *dst, unsigned thread, enum dst_user user, uint64_t time);

/* The earliest time at which the Vector Unit accepts an instruction of `thread` that leaves Dst alone: one right behind
   the first access after a turn waits as a second access would. */
uint64_t dst_follows_turn(const struct dst_timing *dst, unsigned thread);

/* Such an instruction has its result at `time`: from there on it takes to turn back. */
void dst_end_turn(struct dst_timing *dst, unsigned thread, uint64_t time);

#endif
