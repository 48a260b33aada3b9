#include "tensix/units/scalar/timing.h"

#include "isa/tensix_facts.h"
#include "tensix/units/state.h"
#include "time/clock.h"
#include "time/timing.h"

enum { FLUSH_ALL = 0xf };

static bool tries_again(uint32_t word)
{
    return word >> 24 == TENSIX_OPCODE_ATCAS || word >> 24 == TENSIX_OPCODE_ATINCGETPTR;
}

static bool is_atomic(uint32_t word)
{
    return word >> 24 == TENSIX_OPCODE_ATINCGET || word >> 24 == TENSIX_OPCODE_ATSWAP;
}

/* When the unit tries an ATCAS or ATINCGETPTR again that has failed: as long as each try takes after the one before. */
static uint64_t next_try(const struct scalar_timing *scalar, unsigned cycles, uint64_t now)
{
    uint64_t passed = now - scalar->first_try;
    return scalar->first_try + (passed + cycles - 1) / cycles * cycles;
}

static bool computes(uint32_t word)
{
    uint32_t opcode = word >> 24;
    return opcode >= TENSIX_OPCODE_ADDDMAREG && opcode <= TENSIX_OPCODE_CMPDMAREG;
}

bool scalar_holds(struct tensix *tensix, unsigned thread, const struct timing_word *next)
{
    struct tensix_timing *timing = &tensix->state->timing;
    struct scalar_timing *scalar = &timing->scalar;
    uint64_t now = timing->now[thread];
    if (scalar->first_try) {
        if (scalar->tries != thread) {
            return true; /* somebody's instruction occupies the unit until it succeeds */
        }
        return timing_wait_until(timing, thread, next_try(scalar, next->issue, now));
    }
    if (is_atomic(next->word) && timing_wait_until(timing, thread, scalar->accepts_atomics)) {
        return true;
    }
    if (timing_wait_until(timing, thread, timing_port_accepts(&scalar->unit, thread, now))) {
        return true;
    }
    if (timing->late.count && computes(next->word)) {
        late_reads_arrive(tensix, thread, now + TIMING_SCALAR_OPERANDS);
    }
    return false;
}

/* When the units have drained that a FLUSHDMA waits for. */
static uint64_t flushed(const struct tensix_timing *timing, unsigned thread, uint32_t conditions)
{
    static const uint8_t what[] = {BUSY_SCALAR, BUSY_UNPACK0, BUSY_UNPACK1, BUSY_PACK};
    uint64_t time = 0;
    for (unsigned i = 0; i < sizeof what; i++) {
        uint64_t until = timing->busy_until[what[i]][thread];
        time = (conditions ? conditions : FLUSH_ALL) >> i & 1 && time < until ? until : time;
    }
    return time;
}

/* How long requests of an instruction to memory are outstanding; 0: it has none, or waits for them itself. */
static uint64_t outstanding(uint32_t word)
{
    switch (word >> 24) {
    case TENSIX_OPCODE_LOADIND:
    case TENSIX_OPCODE_LOADREG: return TIMING_SCALAR_LOAD;
    case TENSIX_OPCODE_STOREIND:
    case TENSIX_OPCODE_STOREREG: return TIMING_SCALAR_STORE;
    case TENSIX_OPCODE_ATINCGET:
    case TENSIX_OPCODE_ATSWAP: return TIMING_SCALAR_ATOMIC;
    default: return 0;
    }
}

void scalar_passed(struct tensix *tensix, unsigned thread, const struct timing_word *passed)
{
    struct tensix_timing *timing = &tensix->state->timing;
    struct scalar_timing *scalar = &timing->scalar;
    uint64_t now = timing->now[thread], done = now + passed->issue;
    if (passed->word >> 24 == TENSIX_OPCODE_FLUSHDMA) {
        uint64_t time = flushed(timing, thread, decode_FLUSHDMA(passed->word).FlushSpec);
        done = done < time ? time : done;
    }
    if (is_atomic(passed->word)) {
        scalar->accepts_atomics = now + TIMING_SCALAR_ATOMIC_INTERVAL;
    }
    const uint64_t cycles = outstanding(passed->word);
    if (cycles) {
        timing_busy(timing, BUSY_SCALAR, thread, now + cycles + tensix->state->lag.delay);
    }
    scalar->first_try = 0;
    scalar->unit.accepts = done;
    timing_hold_thread(timing, thread, done);
}

void scalar_waits(struct tensix *tensix, unsigned thread, const struct timing_word *next)
{
    struct scalar_timing *scalar = &tensix->state->timing.scalar;
    if (tries_again(next->word) && !scalar->first_try) {
        scalar->first_try = tensix->state->timing.now[thread];
        scalar->tries = (uint8_t)thread;
    }
}
