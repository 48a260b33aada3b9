/* When instructions may leave the wait gate, and for how long they occupy what, in timed mode. An instruction executes
   at once when it leaves the gate; what silicon has done only later - a bank that is handed over, a row of Dst that is
   there - is kept here as a time, for which others wait that need it. Each unit says of its own instructions when it
   accepts them: units/UNIT/timing.h. Cycles of instructions: tables/tensix.def; all other constants:
   tables/timing.def. */
#ifndef BHEMU_TENSIX_UNITS_TIMING_H
#define BHEMU_TENSIX_UNITS_TIMING_H

#include <stdbool.h>
#include <stdint.h>

#include "tensix/units/addr/timing.h"
#include "tensix/units/config/timing.h"
#include "tensix/units/counts.h"
#include "tensix/units/issue.h"
#include "tensix/units/late.h"
#include "tensix/units/matrix/timing.h"
#include "tensix/units/mover/timing.h"
#include "tensix/units/pack/timing.h"
#include "tensix/units/scalar/timing.h"
#include "tensix/units/sync/timing.h"
#include "tensix/units/thread.h"
#include "tensix/units/thread_timing.h"
#include "tensix/units/unpack/timing.h"
#include "tensix/units/vector/timing.h"

struct tensix;

/* What a STALLWAIT can wait for until it has drained: conditions C0 to C4 and C9 to C12. */
enum timing_busy {
    BUSY_SCALAR, /* memory requests of the Scalar Unit */
    BUSY_UNPACK0,
    BUSY_UNPACK1,
    BUSY_PACK,
    BUSY_MATRIX,
    BUSY_MOVER,
    BUSY_CORE, /* requests of the thread's core T to GPRs, configuration, or TDMA-RISC */
    BUSY_VECTOR,
    BUSY_CONFIG,
    TIMING_BUSY
};

/* Plain data, all zero at first. Times are absolute. */
struct tensix_timing {
    struct pack_timing pack;                          /* first, since packers write to it in functional mode, too */
    uint64_t now[TENSIX_THREADS];                     /* when each thread passes its next instruction */
    uint64_t retry[TENSIX_THREADS];                   /* timing_holds(): when it is to be asked again */
    uint64_t busy_until[TIMING_BUSY][TENSIX_THREADS]; /* from then on no instruction of the thread is in there */
    uint64_t drained[TENSIX_THREADS]; /* from then on none is in a unit's pipeline, which STALLWAIT does not see */
    struct frontend_timing frontend[TENSIX_THREADS];
    struct sync_timing sync;
    struct scalar_timing scalar;
    struct config_timing config;
    struct addr_timing addr;
    struct unpack_timing unpack;
    struct matrix_timing matrix;
    struct vector_timing vector;
    struct mover_timing mover;
    struct late_results late;
    struct timing_counts counts;
};

/* What UNIT_holds() returns when the thread's next instruction may leave the gate at `time`, not before. */
static inline bool timing_wait_until(struct tensix_timing *timing, unsigned thread, uint64_t time)
{
    if (timing->now[thread] >= time) {
        return false;
    }
    timing->retry[thread] = time;
    return true;
}

/* The thread has an instruction in there until `time`. */
static inline void timing_busy(struct tensix_timing *timing, enum timing_busy what, unsigned thread, uint64_t time)
{
    uint64_t *until = &timing->busy_until[what][thread];
    *until = *until < time ? time : *until;
}

/* TTSync finds an instruction of the thread in a unit until `time`. */
static inline void timing_drains(struct tensix_timing *timing, unsigned thread, uint64_t time)
{
    uint64_t *drained = &timing->drained[thread];
    *drained = *drained < time ? time : *drained;
}

/* The thread passes nothing before `time`. */
static inline void timing_hold_thread(struct tensix_timing *timing, unsigned thread, uint64_t time)
{
    uint64_t *gate = &timing->frontend[thread].gate;
    *gate = *gate < time ? time : *gate;
}

/* For each opcode, what it may change that others wait for. Whose the banks of SrcA and SrcB are is left out. */
enum {
    TIMING_ACTS_ON_L1 = 1,
    TIMING_ACTS_ON_SYNC = 2,      /* semaphores, mutexes, a unit that nobody else could enter */
    TIMING_ACTS_ON_REGISTERS = 4, /* of the tile, which cores may poll */
};
extern const uint8_t timing_acts[256];

/* Facts of an instruction's word that its times depend on. Words repeat, and finding these out takes longer than
   executing an instruction: a coprocessor keeps those of the words that it has seen last. */
struct timing_word {
    enum step (*run)(struct tensix *tensix, unsigned thread, uint32_t word); /* null: it has to be diagnosed first */
    /* What its unit says of it, if not null: timing_holds() and timing_passed(). */
    bool (*holds)(struct tensix *tensix, unsigned thread, const struct timing_word *next);
    void (*passed)(struct tensix *tensix, unsigned thread, const struct timing_word *passed);
    uint32_t word;
    uint32_t product;  /* MAD sub-unit: the LRegs that it is taken to write, one bit for each */
    uint32_t replaces; /* the one that it does write; 0: none, or what LReg[7] says */
    uint32_t awaits;   /* Vector Unit: the LRegs whose product it waits for, ... */
    uint32_t misses;   /* ... and those that it reads without waiting */
    uint8_t issue;     /* cycles until the unit accepts the next instruction, ... */
    uint8_t latency;   /* ... and until its result is there; a cycle where no document says how many */
    uint8_t drain;     /* Matrix Unit: cycles in its pipeline; 0: it never gets there */
    bool known : 1;
    /* Only agents of the tile see what it does: it is of the Vector, the Matrix or the Miscellaneous Unit. */
    bool stays_in_tile : 1;
    bool is_quiet : 1;    /* and none of these waits for that */
    bool is_expanded : 1; /* an expander takes it: it does not come before the gate */
    /* Vector Unit: */
    bool takes_two_cycles : 1; /* SFPSWAP, and SFPSHFT2 where it moves lanes */
    bool is_product : 1;       /* of the MAD sub-unit */
    /* Vector Unit and Matrix Unit: */
    bool reads_dst : 1;
    bool writes_dst : 1; /* not ZEROACC, which clears flags of rows */
    /* Matrix Unit: */
    bool reads_srca : 1;
    bool reads_srcb : 1;
    bool waits_for_src : 1;     /* for the banks that it reads, until the unpackers have filled them */
    bool moves_to_dst : 1;      /* MOVA2D, MOVB2D, and those of the debug bus */
    bool moves_eight_rows : 1;  /* MOVA2D of eight rows */
    bool always_reads_dst : 1;  /* in all of its modes: kept back while a move to Dst is under way */
    bool is_kept_from_srca : 1; /* while MOVB2A is under way */
    bool is_kept_by_move_a : 1; /* while MOVD2A is */
    bool is_kept_by_move_b : 1; /* while MOVD2B is */
};

enum { TIMING_WORD_SETS_LOG2 = 6 };

struct timing_words {
    struct timing_word of[1 << TIMING_WORD_SETS_LOG2][2]; /* the later one of a set first */
};

/* They take the place of others. */
void timing_look_up(struct timing_word set[2], uint32_t word);

/* Until the next call. */
static inline const struct timing_word *timing_word(struct timing_words *words, uint32_t word)
{
    struct timing_word *set = words->of[word * 0x9e3779b1u >> (32 - TIMING_WORD_SETS_LOG2)];
    if (__builtin_expect(set[0].word == word && set[0].known, 1)) {
        return &set[0];
    }
    if (set[1].word != word || !set[1].known) {
        timing_look_up(set, word);
        return &set[0];
    }
    return &set[1];
}

/* Whether `next` has to wait before its thread's gate at timing->now[thread], for time to pass or for somebody else:
   timing->retry[thread] says until when, CLOCK_NEVER: until somebody else acts. */
static inline bool timing_holds(struct tensix *tensix, unsigned thread, const struct timing_word *next)
{
    return next->holds && next->holds(tensix, thread, next);
}

/* `passed` has just left the gate and executed, at timing->now[thread]. */
static inline void timing_passed(struct tensix *tensix, unsigned thread, const struct timing_word *passed)
{
    if (passed->passed) {
        passed->passed(tensix, thread, passed);
    }
}

/* `next` has been executed at timing->now[thread] in vain: it has to wait, and nothing happened. */
void timing_waits(struct tensix *tensix, unsigned thread, const struct timing_word *next);

/* Cycles until the unit accepts the next instruction: a cycle where no document says how many. */
unsigned timing_issue_cycles(uint32_t word);

/* Cycles until its result is there: a cycle where no document says how many. */
unsigned timing_latency(uint32_t word);

#endif
