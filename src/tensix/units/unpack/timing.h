/* When the unpackers accept instructions, and when what they unpack is there, in timed mode (units/timing.h).
   UNPACR computes its addresses before its thread, or any UNPACR, goes on; then its unpacker fetches as many bytes a
   cycle as its throttle and its mode allow, one instruction after the other, both unpackers at the same time, while the
   bank may be the Matrix Unit's still: only the writes wait for it, which take as long as the fetch. An unpacker so has
   the data of two that wait. An UNPACR stays at its gate until then, though, so that what it fetches lies in the past.
   The bank is handed over when the last datum is in it.
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
struct timing_word;
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

/* Plain data, all zero at first. Times are absolute. */
struct unpack_timing {
    uint64_t accepts;                      /* when an instruction is accepted */
    uint64_t fetching[UNPACKERS];          /* until when each unpacker fetches */
    uint64_t filled[UNPACKERS][SRC_BANKS]; /* when each bank of SrcA and SrcB is there for the Matrix Unit */
    uint8_t bank_before[TENSIX_THREADS];   /* of the next instruction's unpacker */
    uint64_t tried[TENSIX_THREADS]; /* when the thread's next instruction first found its gate open; 0: not yet */
    uint64_t late[TENSIX_THREADS];  /* how much later the thread's last one passed than if banks had been free */
    uint64_t kept[TENSIX_THREADS];  /* until when it kept the thread */
    uint64_t count[TENSIX_THREADS]; /* what the thread had passed with it */
    uint64_t passed[UNPACKERS][2];  /* when the unpacker's last two UNPACRs had their banks */
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

/* timing_holds() and timing_passed() for instructions of the unit. */
bool unpack_holds(struct tensix *tensix, unsigned thread, const struct timing_word *next);
void unpack_passed(struct tensix *tensix, unsigned thread, const struct timing_word *passed);

#endif
