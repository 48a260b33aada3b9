/* When the unpackers accept instructions, and when what they unpack is there, in timed mode (units/timing.h).
   UNPACR computes its addresses before its thread, or any UNPACR, goes on; then its unpacker fetches as many bytes a
   cycle as its throttle and its mode allow, one instruction after the other, both unpackers at the same time, while the
   bank may be the Matrix Unit's still (begun.h): only the writes wait for it, which take as long as the fetch. An
   unpacker so has the data of two that wait. The bank is handed over when the last datum is in it.
   Sources: ISA documentation UNPACR_Regular.md; tt-metal blackhole_fpu_math_kernel_measurements.md, reductions. */
#ifndef BHEMU_TENSIX_UNITS_UNPACK_TIMING_H
#define BHEMU_TENSIX_UNITS_UNPACK_TIMING_H

#include <stdbool.h>
#include <stdint.h>

#include "tensix/num/registers.h"
#include "tensix/units/issue.h"
#include "tensix/units/thread.h"
#include "tensix/units/unpack/unpack.h"

struct tensix;
struct tensix_state;
struct timing_word;
struct unpack_begun_one;
struct unpack_job;

/* What the UNPACR that has just executed fetched. */
struct unpack_fetch {
    uint32_t bytes;
    uint16_t bytes_per_cycle;
    bool to_dst;
};

/* When the data of an UNPACR are fetched for SrcA or SrcB: from `from` on, up to but without `to`. */
struct unpack_span {
    uint64_t from, to;
    uint8_t thread;
};

/* Before the next instruction of a thread. */
struct unpack_before {
    uint64_t freed; /* unpack_freed() */
    uint8_t bank, begun;
};

/* What an instruction does with the next bank of its unpacker. */
struct unpack_bank_times {
    unsigned bank;
    bool hands;     /* it hands it over */
    uint64_t freed; /* when the bank that it waits for was given back */
};

/* Plain data, all zero at first. Times are absolute. */
struct unpack_timing {
    uint64_t accepts;                      /* when an instruction is accepted */
    uint64_t fetching[UNPACKERS];          /* until when each unpacker fetches */
    uint64_t filled[UNPACKERS][SRC_BANKS]; /* when each bank of SrcA and SrcB is there for the Matrix Unit */
    uint64_t written[UNPACKERS];           /* until when each writes, but for what is in its pipeline */
    uint64_t had_bank[UNPACKERS][2];       /* when its last two UNPACRs that need not wait any more had their banks */
    struct unpack_before before[TENSIX_THREADS];
    struct unpack_fetch fetch;
    struct unpack_span fetches[UNPACKERS][2]; /* the last one, and the one before it */
};

/* How much a UNPACR fetches from L1, and how fast it may: UNPACR_Regular.md, "Performance". */
struct unpack_fetch unpack_fetch_of(const struct tensix *tensix, const struct unpack_job *job);

/* Of so many data of `bits` bits, with a byte of exponent for each, or without. */
static inline uint32_t unpack_fetched_bytes(uint32_t count, unsigned bits, bool has_exponents)
{
    return (count * bits + 7) / 8 + (has_exponents ? (count + 15) / 16 : 0);
}

/* An instruction that waited within its unpacker has executed now that its bank is released. */
void unpack_times_begun(struct tensix_state *state, unsigned unpacker, const struct unpack_begun_one *one,
                        struct unpack_bank_times times);

/* When the bank was given back that the instruction waits for. One that waits for the Matrix Unit's next bank waits for
   the Matrix Unit to be done with the other one. */
uint64_t unpack_freed(const struct tensix_state *state, unsigned unpacker, uint32_t word);

/* timing_holds() and timing_passed() for instructions of the unit. */
bool unpack_holds(struct tensix *tensix, unsigned thread, const struct timing_word *next);
void unpack_passed(struct tensix *tensix, unsigned thread, const struct timing_word *passed);

#endif
