/* Instructions that have passed the wait gate and wait within their unpacker for a bank of SrcA or SrcB. UNPACR starts
   whoever the bank belongs to, and waits midway; UNPACR_NOP comes behind what its unpacker has begun before. So their
   thread goes on, to instructions for the other unpacker, say, which the Matrix Unit may need to give the bank back.
   Configuration and counters of an UNPACR are those of when it began. Its bank is the unpacker's next one when its data
   are written, and so is the row that Unpack_Src_Reg_Set_Upd counts.

   In timed mode each instruction begins that finds room. In functional mode, where nobody sees how long something
   takes, a thread rather stands at its gate, whose way through the unpacker is faster (rows unpack_* of `make bench`),
   until struct unpack_unit's `may_begin` is set: by the tile, when nothing else gets on, or the thread has stood there
   for long. Sources: ISA documentation WaitGate.md, UNPACR_Regular.md, UNPACR_NOP_ZEROSRC.md; that an unpacker takes
   two UNPACRs: tt-metal blackhole_fpu_math_kernel_measurements.md, reductions. */
#ifndef BHEMU_TENSIX_UNITS_UNPACK_BEGUN_H
#define BHEMU_TENSIX_UNITS_UNPACK_BEGUN_H

#include "tensix/units/unpack/job.h"
#include "tensix/units/unpack/unpack.h"

enum { UNPACK_BEGUN = 4, UNPACK_BEGUN_DATA = 2 }; /* instructions of an unpacker at most, and UNPACRs among them */

/* What becomes of the bank of an UNPACR, as configured when it began. */
struct unpack_bank_end {
    bool sets_valid; /* it is handed over */
    bool next_set;   /* if not, the next set of 16 rows is filled: Unpack_Src_Reg_Set_Upd */
    uint8_t base;    /* SRCA_SET_Base or SRCB_SET_Base, in rows */
};

struct unpack_begun_one {
    struct diagnostic_origin origin;
    struct unpack_job job; /* of an UNPACR */
    uint64_t passed;       /* how many instructions its thread had passed with it */
    uint64_t fetched;      /* timed mode: when its data are fetched */
    uint32_t cycles;       /* for which they are fetched, and written */
    uint8_t thread;
    bool moves_data, broadcast;
    struct unpack_bank_end end;
};

struct tensix_state;

struct unpack_begun {
    struct unpack_begun_one of[UNPACKERS][UNPACK_BEGUN]; /* the first `begun` of struct unpack_unit, oldest first */
};

/* Whether an instruction is an UNPACR that moves data. */
static inline bool unpack_moves_data(uint32_t word)
{
    const struct args_UNPACR args = decode_UNPACR(word);
    return word >> 24 == TENSIX_OPCODE_UNPACR && !args.CfgContextCntInc && !args.SearchCacheFlush;
}

/* Whether an UNPACR_NOP may wait within its unpacker: one for the overlay does so at its gate. */
bool unpack_nop_may_begin(uint32_t word);

/* Whether an UNPACR has to wait. */
bool unpack_waits(const struct tensix *tensix, unsigned unpacker);

/* The UNPACRs among those that it has begun. */
unsigned unpack_begun_data(const struct tensix_state *state, unsigned unpacker);

/* Whether it can begin one more. */
bool unpack_has_room(const struct tensix_state *state, unsigned unpacker, bool moves_data);

/* Whether an instruction that has to wait may begin nevertheless. */
bool unpack_may_begin(const struct tensix *tensix, unsigned thread, unsigned unpacker, bool moves_data);

/* The instruction that executes now begins. What is to be kept of an UNPACR is left to the caller. */
struct unpack_begun_one *unpack_begin(struct tensix *tensix, unsigned thread, unsigned unpacker);

/* Whether the unpackers, as bits of 1 << unpacker, have begun what they have to do for the thread yet. */
bool unpack_owes(const struct tensix_state *state, unsigned unpackers, unsigned thread);

/* An UNPACR_NOP whose turn it is, and whose bank is free, executes. */
void unpack_nop_now(struct tensix *tensix, unsigned thread, uint32_t word);

/* Executes those whose banks have been given back. Returns the threads, as bits, that have handed a bank over with the
   last instruction that they have passed. What they diagnose may stop the tile. */
unsigned unpack_go_on(struct tensix *tensix);

#endif
