#include "tensix/units/unpack/timing.h"

#include "isa/tensix_isa.h"
#include "tensix/units/src_banks.h"
#include "tensix/units/state.h"
#include "tensix/units/unpack/job.h"
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

bool unpack_holds(struct tensix *tensix, unsigned thread, const struct timing_word *next)
{
    struct tensix_state *state = tensix->state;
    struct tensix_timing *timing = &state->timing;
    unsigned unpacker = unpacker_of(next->word);
    const struct src_register_file *source = source_of(state, unpacker);
    uint64_t time = timing->unpack.accepts, *tried = &timing->unpack.tried[thread];
    *tried = *tried ? *tried : timing->now[thread];
    if (moves_data(next->word) && timing->unpack.fetching[unpacker] > TIMING_UNPACK_SETUP) {
        time = clock_later(time, timing->unpack.fetching[unpacker] - TIMING_UNPACK_SETUP);
    }
    if (src_unpacker_may_fill(source)) {
        time = clock_later(time, timing->matrix.released[unpacker][source->unpacker_bank]);
    }
    timing->unpack.bank_before[thread] = source->unpacker_bank;
    return timing_wait_until(timing, thread, time);
}

struct unpack_fetch unpack_fetch_of(const struct tensix *tensix, const struct unpack_job *job)
{
    enum { X1, X2, X4 };
    static const uint16_t bytes_per_cycle[] = {
        [X1] = TIMING_UNPACK_X1_BYTES, [X2] = TIMING_UNPACK_X2_BYTES, [X4] = TIMING_UNPACK_X4_BYTES};
    struct unpack_config config = unpack_config_of(tensix, job->thread, job->unpacker);
    unsigned speed = CONFIG_GET(config.section, THCON_SEC0_REG2_Throttle_mode);
    bool bfp2 = job->in == FORMAT_BFP2 || job->in == FORMAT_BFP2A;
    bool bfp4_to_dst = job->to_dst && (job->in == FORMAT_BFP4 || job->in == FORMAT_BFP4A);
    if (job->discontiguous) {
        speed = X4;
    } else if (!job->uncompressed || job->upsample_zeroes >= 3 || bfp2) {
        speed = X1;
    } else if ((job->upsample_zeroes == 1 || bfp4_to_dst) && speed > X2) {
        speed = X2;
    }
    return (struct unpack_fetch){.bytes = unpack_fetched_bytes(job->count, format_bits(job->in), job->has_exponents),
                                 .bytes_per_cycle = bytes_per_cycle[speed < X4 ? speed : X4],
                                 .to_dst = job->to_dst};
}

static void note_fetch(struct unpack_timing *unpack, unsigned unpacker, struct unpack_span span)
{
    if (!unpack->fetch.to_dst) {
        unpack->fetches[unpacker][1] = unpack->fetches[unpacker][0];
        unpack->fetches[unpacker][0] = span;
    }
}

/* When the instruction that passes now would have passed, had all of the thread's found their banks free: only the
   writes of their data wait for banks. It stood behind the thread's last one if those between took no longer than they
   do without waiting, a wait two cycles. `keeps`: for how long its thread cannot go on. */
static uint64_t could_pass(struct tensix_state *state, unsigned thread, unsigned keeps)
{
    enum { MOST_CYCLES = 2 };
    struct unpack_timing *unpack = &state->timing.unpack;
    const uint64_t now = state->timing.now[thread], tried = unpack->tried[thread];
    const uint64_t between = state->frontend[thread].passed - unpack->count[thread] - 1;
    const bool in_a_row = tried <= unpack->kept[thread] + MOST_CYCLES * between;
    const uint64_t could = in_a_row ? tried - unpack->late[thread] : tried;
    unpack->late[thread] = now - could;
    unpack->count[thread] = state->frontend[thread].passed;
    unpack->kept[thread] = now + keeps;
    return could;
}

/* When the UNPACR that passes now begins. Its unpacker holds the data of two that wait for banks. */
static uint64_t could_begin(struct tensix_state *state, unsigned thread, unsigned unpacker)
{
    struct unpack_timing *unpack = &state->timing.unpack;
    const uint64_t now = state->timing.now[thread];
    const uint64_t could = clock_later(could_pass(state, thread, TIMING_UNPACK_SETUP), unpack->passed[unpacker][1]);
    unpack->passed[unpacker][1] = unpack->passed[unpacker][0];
    unpack->passed[unpacker][0] = now;
    return could < now && !unpack->fetch.to_dst ? could : now;
}

void unpack_passed(struct tensix *tensix, unsigned thread, const struct timing_word *passed)
{
    struct tensix_state *state = tensix->state;
    struct tensix_timing *timing = &state->timing;
    struct unpack_timing *unpack = &timing->unpack;
    unsigned unpacker = unpacker_of(passed->word), bank = unpack->bank_before[thread];
    uint64_t now = timing->now[thread], done = clock_later(now + 1, unpack->fetching[unpacker]);
    if (moves_data(passed->word)) {
        const struct unpack_fetch *fetch = &unpack->fetch;
        const uint64_t begin =
            clock_later(could_begin(state, thread, unpacker) + TIMING_UNPACK_SETUP, unpack->fetching[unpacker]);
        const uint64_t cycles = (fetch->bytes + fetch->bytes_per_cycle - 1) / fetch->bytes_per_cycle;
        const uint64_t counted = clock_later(begin, now); /* what has gone by is told no earlier than now */
        unpack->fetching[unpacker] = begin + cycles + state->lag.delay;
        done = begin + cycles + (fetch->to_dst ? TIMING_UNPACK_LATENCY_DST : TIMING_UNPACK_LATENCY);
        done = fetch->to_dst ? done : clock_later(done, now + cycles + TIMING_UNPACK_WRITE);
        done += state->lag.delay;
        note_fetch(unpack, unpacker, (struct unpack_span){counted, counted + cycles, (uint8_t)thread});
        unpack->accepts = now + TIMING_UNPACK_SETUP;
        timing_hold_thread(timing, thread, unpack->accepts);
    } else {
        (void)could_pass(state, thread, 1);
        unpack->accepts = now + 1;
    }
    unpack->tried[thread] = 0;
    if (source_of(state, unpacker)->unpacker_bank != bank) {
        unpack->filled[unpacker][bank] = done;
    }
    timing_busy(timing, unpacker ? BUSY_UNPACK1 : BUSY_UNPACK0, thread, done);
}
