/* Cycles that performance counters count in timed mode (frontend/counts.h counts them; which counter shows which:
   tables/perf_counters.def). */
#ifndef BHEMU_TENSIX_UNITS_COUNTS_H
#define BHEMU_TENSIX_UNITS_COUNTS_H

#include <stdbool.h>
#include <stdint.h>

#include "tensix/units/issue.h"

/* What a latched wait waits for, in the order of the selects. */
enum wait_reason {
    WAITS_THCON_IDLE,
    WAITS_UNPACK_IDLE,
    WAITS_PACK_IDLE,
    WAITS_MATH_IDLE,
    WAITS_NONZERO_SEM,
    WAITS_NONFULL_SEM,
    WAITS_MOVE_IDLE,
    WAITS_CFG_IDLE,
    WAITS_SFPU_IDLE,
    WAIT_REASONS
};

/* The same of a bank of SrcA or SrcB, for which hardware does not tell threads apart. */
enum { WAITS_SRCA_CLEAR, WAITS_SRCB_CLEAR, WAITS_SRCA_VALID, WAITS_SRCB_VALID, BANK_REASONS };

/* Cycles in which an instruction for the Matrix Unit or the Vector Unit stands at a gate that no latched wait keeps
   closed: all of them, and those in which it is not held by ... */
enum math_valid { MATH_VALID, MATH_HAS_SOURCES, MATH_NOT_DST_TO_SRC, MATH_NOT_SCOREBOARD, MATH_VALIDS };

/* Indices of struct timing_counts' count[]. */
enum timing_count {
    COUNT_NOTHING,      /* not modelled */
    COUNT_INSTRUCTIONS, /* not counted here, but in struct issue_counts */
    COUNT_FIRST_AVAILABLE,
    COUNT_FIRST_STALL = COUNT_FIRST_AVAILABLE + ISSUE_CLASSES * TENSIX_THREADS,
    COUNT_FIRST_WAIT = COUNT_FIRST_STALL + TENSIX_THREADS,
    COUNT_FIRST_BANK_WAIT = COUNT_FIRST_WAIT + WAIT_REASONS * TENSIX_THREADS,
    COUNT_ANY_STALL = COUNT_FIRST_BANK_WAIT + BANK_REASONS,
    COUNT_FPU,
    COUNT_SFPU,
    COUNT_FPU_OR_SFPU,
    COUNT_FIRST_VALID,
    COUNT_FIRST_UNPACK_BUSY = COUNT_FIRST_VALID + MATH_VALIDS, /* unpacker 0 of each thread, then 1 */
    COUNT_FIRST_FETCH = COUNT_FIRST_UNPACK_BUSY + 2 * TENSIX_THREADS,
    COUNT_PACK_BUSY = COUNT_FIRST_FETCH + 2 * 3, /* unpacker 0: all, of even threads, of odd threads; then 1 */
    COUNT_PACK_READS,
    TIMING_COUNTS
};
#define COUNT_AVAILABLE(class, thread) (COUNT_FIRST_AVAILABLE + TENSIX_THREADS * ISSUE_##class + (thread))
#define COUNT_STALL(thread) (COUNT_FIRST_STALL + (thread))
#define COUNT_WAIT(reason, thread) (COUNT_FIRST_WAIT + TENSIX_THREADS * WAITS_##reason + (thread))
#define COUNT_BANK_WAIT(reason) (COUNT_FIRST_BANK_WAIT + WAITS_##reason)
#define COUNT_VALID(which) (COUNT_FIRST_VALID + MATH_##which)
#define COUNT_UNPACK_BUSY(unpacker, thread) (COUNT_FIRST_UNPACK_BUSY + TENSIX_THREADS * (unpacker) + (thread))
#define COUNT_FETCH(unpacker) (COUNT_FIRST_FETCH + 3 * (unpacker))
#define COUNT_FETCH_EVEN(unpacker) (COUNT_FETCH(unpacker) + 1)
#define COUNT_FETCH_ODD(unpacker) (COUNT_FETCH(unpacker) + 2)

/* Plain data, all zero at first. Only up to date while a bank of performance counters is on, except for `held`. */
struct timing_counts {
    uint64_t since;                        /* all counts are those at this time */
    uint64_t passes_until[TENSIX_THREADS]; /* the last instruction that has passed is at the gate until then */
    uint32_t passed[TENSIX_THREADS];       /* that instruction */
    bool held[TENSIX_THREADS];             /* what stands at the gate has been tried, and has to wait */
    uint32_t count[TIMING_COUNTS];
};

#endif
