#include "tensix/units/unpack/timing.h"

#include "isa/tensix_isa.h"
#include "tensix/units/src_banks.h"
#include "tensix/units/state.h"
#include "time/clock.h"
#include "time/timing.h"

static unsigned unpacker_of(uint32_t word)
{
    return word >> 24 == TENSIX_OPCODE_UNPACR ? decode_UNPACR(word).Unpack_block_selection
                                              : decode_UNPACR_NOP(word).Unpacker_Select;
}

static struct src_register_file *source_of(struct tensix_state *state, unsigned unpacker)
{
    return unpacker ? &state->srcb : &state->srca;
}

static bool moves_data(uint32_t word)
{
    struct args_UNPACR args = decode_UNPACR(word);
    return word >> 24 == TENSIX_OPCODE_UNPACR && !args.CfgContextCntInc && !args.SearchCacheFlush;
}

bool unpack_holds(struct tensix *tensix, unsigned thread, struct pushed next)
{
    struct tensix_state *state = tensix->state;
    struct tensix_timing *timing = &state->timing;
    unsigned unpacker = unpacker_of(next.word);
    const struct src_register_file *source = source_of(state, unpacker);
    uint64_t time = timing->unpack.accepts;
    if (moves_data(next.word) && timing->unpack.fetching[unpacker] > TIMING_UNPACK_SETUP) {
        time = clock_later(time, timing->unpack.fetching[unpacker] - TIMING_UNPACK_SETUP);
    }
    if (src_unpacker_may_fill(source)) {
        time = clock_later(time, timing->matrix.released[unpacker][source->unpacker_bank]);
    }
    timing->unpack.bank_before[thread] = source->unpacker_bank;
    return timing_wait_until(timing, thread, time);
}

static void note_fetch(struct unpack_timing *unpack, unsigned unpacker, struct unpack_span span)
{
    if (!unpack->fetch.to_dst) {
        unpack->fetches[unpacker][1] = unpack->fetches[unpacker][0];
        unpack->fetches[unpacker][0] = span;
    }
}

void unpack_passed(struct tensix *tensix, unsigned thread, struct pushed passed)
{
    struct tensix_state *state = tensix->state;
    struct tensix_timing *timing = &state->timing;
    struct unpack_timing *unpack = &timing->unpack;
    unsigned unpacker = unpacker_of(passed.word), bank = unpack->bank_before[thread];
    uint64_t now = timing->now[thread], done = clock_later(now + 1, unpack->fetching[unpacker]);
    if (moves_data(passed.word)) {
        const struct unpack_fetch *fetch = &unpack->fetch;
        uint64_t begin = clock_later(now + TIMING_UNPACK_SETUP, unpack->fetching[unpacker]) + state->lag.delay;
        unpack->fetching[unpacker] = begin + (fetch->bytes + fetch->bytes_per_cycle - 1) / fetch->bytes_per_cycle;
        done = unpack->fetching[unpacker] + (fetch->to_dst ? TIMING_UNPACK_LATENCY_DST : TIMING_UNPACK_LATENCY);
        note_fetch(unpack, unpacker, (struct unpack_span){begin, unpack->fetching[unpacker], (uint8_t)thread});
        unpack->accepts = now + TIMING_UNPACK_SETUP;
        timing_hold_thread(timing, thread, unpack->accepts);
    } else {
        unpack->accepts = now + 1;
    }
    if (source_of(state, unpacker)->unpacker_bank != bank) {
        unpack->filled[unpacker][bank] = done;
    }
    timing_busy(timing, unpacker ? BUSY_UNPACK1 : BUSY_UNPACK0, thread, done);
}
