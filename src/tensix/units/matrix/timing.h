/* When the Matrix Unit (FPU) accepts instructions, in timed mode (units/timing.h): one in a cycle, of whichever thread;
   what reads a block of Dst waits until what was written there is readable, and some instructions keep out others for
   a few cycles. What waits for a bank of SrcA or SrcB waits until an unpacker has filled it.
   Sources: ISA documentation MatrixUnit.md, Dst.md, SHIFTXB.md, MOVA2D.md, MOVB2D.md, MOVD2A.md, MOVD2B.md. */
#ifndef BHEMU_TENSIX_UNITS_MATRIX_TIMING_H
#define BHEMU_TENSIX_UNITS_MATRIX_TIMING_H

#include <stdbool.h>
#include <stdint.h>

#include "tensix/num/registers.h"
#include "tensix/units/dst_timing.h"
#include "tensix/units/issue.h"
#include "tensix/units/thread.h"

struct tensix;
struct timing_word;
struct tensix_state;

/* Of an instruction before the gate, what it changes when it executes. */
struct matrix_before {
    uint32_t row;    /* of Dst, that it names */
    uint8_t bank[2]; /* of SrcA and SrcB */
    uint8_t more;    /* cycles that it takes more than others */
};

/* Plain data, all zero at first. Times are absolute. */
struct matrix_timing {
    uint64_t accepts;                /* when the unit accepts its next instruction, */
    uint64_t accepts_readers;        /* one that always reads Dst, */
    uint64_t accepts_others;         /* any but those that copy rows of Dst on, */
    uint64_t accepts_not_to_b;       /* any but MOVD2B, */
    uint64_t accepts_srca_users;     /* any that reads SrcA, which MOVB2A writes */
    uint64_t released[2][SRC_BANKS]; /* when each bank of SrcA and SrcB is given back to the unpackers */
    struct matrix_before before[TENSIX_THREADS];
    struct dst_timing dst;
};

/* timing_holds() and timing_passed() for instructions of the unit. */
bool matrix_holds(struct tensix *tensix, unsigned thread, const struct timing_word *next);
void matrix_passed(struct tensix *tensix, unsigned thread, const struct timing_word *passed);

/* Adds the facts that only instructions of the unit have. */
void matrix_look_up(struct timing_word *facts);

/* Whether an instruction of the unit that waits for its banks of SrcA and SrcB has to. */
bool matrix_lacks_sources(const struct tensix_state *state, uint32_t word);

/* Until when each keeps `word`, which the unit does not accept, from being executed; CLOCK_NEVER: until something
   happens. */
struct matrix_stalls {
    uint64_t sources;    /* banks of SrcA and SrcB that are not filled */
    uint64_t dst_to_src; /* a move from Dst to SrcA or SrcB */
    uint64_t scoreboard; /* rows of Dst that are not readable */
};
struct matrix_stalls matrix_stalls(struct tensix_state *state, unsigned thread, uint32_t word);

#endif
