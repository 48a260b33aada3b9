#include "tensix/units/unpack/timing.h"

#include "isa/tensix_isa.h"
#include "tensix/units/src_banks.h"
#include "tensix/units/state.h"
#include "tensix/units/unpack/job.h"
#include "tensix/units/unpack/operands.h"
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

bool unpack_holds(struct tensix *tensix, unsigned thread, const struct timing_word *next)
{
    struct tensix_state *state = tensix->state;
    struct unpack_timing *unpack = &state->timing.unpack;
    const unsigned unpacker = unpacker_of(next->word), begun = unpack_begun_data(state, unpacker);
    uint64_t time = unpack->accepts;
    if (unpack_moves_data(next->word)) {
        if (unpack->fetching[unpacker] > TIMING_UNPACK_SETUP) {
            time = clock_later(time, unpack->fetching[unpacker] - TIMING_UNPACK_SETUP);
        }
        if (begun < UNPACK_BEGUN_DATA) { /* else it waits for an owner of a bank to act */
            time = clock_later(time, unpack->had_bank[unpacker][UNPACK_BEGUN_DATA - 1 - begun]);
        }
    }
    unpack->before[thread] = (struct unpack_before){.freed = unpack_freed(state, unpacker, next->word),
                                                    .bank = source_of(state, unpacker)->unpacker_bank,
                                                    .begun = state->unpack.begun[unpacker]};
    return timing_wait_until(&state->timing, thread, time);
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

uint64_t unpack_freed(const struct tensix_state *state, unsigned unpacker, uint32_t word)
{
    const struct src_register_file *source = unpacker ? &state->srcb : &state->srca;
    const uint64_t *released = state->timing.matrix.released[unpacker];
    return unpack_awaits_own_bank(word) ? released[source->unpacker_bank] : clock_later(released[0], released[1]);
}

/* An instruction has executed whose data, if it has any, were fetched at one->fetched: it writes when what came before
   it has, and its bank is free. */
static void finish(struct tensix_state *state, unsigned unpacker, const struct unpack_begun_one *one, uint64_t passed,
                   struct unpack_bank_times times)
{
    struct unpack_timing *unpack = &state->timing.unpack;
    const uint64_t writes = clock_later(unpack->written[unpacker], times.freed);
    const uint64_t written = clock_later(one->fetched, writes + one->cycles);
    uint64_t done = written;
    if (one->moves_data) {
        done = clock_later(one->fetched + (one->job.to_dst ? TIMING_UNPACK_LATENCY_DST : TIMING_UNPACK_LATENCY),
                           writes + one->cycles + TIMING_UNPACK_WRITE);
        unpack->had_bank[unpacker][1] = unpack->had_bank[unpacker][0];
        unpack->had_bank[unpacker][0] = clock_later(passed, writes);
    }
    unpack->written[unpacker] = written;
    if (times.hands) {
        unpack->filled[unpacker][times.bank] = done;
    }
    timing_busy(&state->timing, unpacker ? BUSY_UNPACK1 : BUSY_UNPACK0, one->thread,
                done + (one->moves_data ? 0 : TIMING_UNPACK_NOP));
}

void unpack_times_begun(struct tensix_state *state, unsigned unpacker, const struct unpack_begun_one *one,
                        struct unpack_bank_times times)
{
    finish(state, unpacker, one, one->origin.cycle, times);
}

/* Of an UNPACR: when the data are fetched. */
static void fetch(struct tensix_state *state, unsigned thread, unsigned unpacker, struct unpack_begun_one *one)
{
    struct unpack_timing *unpack = &state->timing.unpack;
    const struct unpack_fetch *fetch = &unpack->fetch;
    const uint64_t setup = state->timing.now[thread] + TIMING_UNPACK_SETUP;
    const uint64_t begin = clock_later(setup, unpack->fetching[unpacker]);
    one->cycles = (fetch->bytes + fetch->bytes_per_cycle - 1) / fetch->bytes_per_cycle;
    note_fetch(unpack, unpacker, (struct unpack_span){begin, begin + one->cycles, (uint8_t)thread});
    one->fetched = unpack->fetching[unpacker] = begin + one->cycles + state->lag.delay;
}

void unpack_passed(struct tensix *tensix, unsigned thread, const struct timing_word *passed)
{
    struct tensix_state *state = tensix->state;
    struct tensix_timing *timing = &state->timing;
    struct unpack_timing *unpack = &timing->unpack;
    const struct unpack_before *before = &unpack->before[thread];
    const unsigned unpacker = unpacker_of(passed->word), begun = state->unpack.begun[unpacker];
    struct unpack_begun_one now = {.thread = (uint8_t)thread, .moves_data = unpack_moves_data(passed->word)};
    struct unpack_begun_one *one = begun > before->begun ? &state->begun.of[unpacker][begun - 1] : &now;
    unpack->accepts = timing->now[thread] + (now.moves_data ? TIMING_UNPACK_SETUP : 1);
    if (now.moves_data) {
        now.job.to_dst = unpack->fetch.to_dst;
        fetch(state, thread, unpacker, one);
        timing_hold_thread(timing, thread, unpack->accepts);
    } else {
        one->fetched = clock_later(timing->now[thread] + 1, unpack->fetching[unpacker]);
    }
    if (one == &now) {
        const bool hands = source_of(state, unpacker)->unpacker_bank != before->bank;
        finish(state, unpacker, one, timing->now[thread],
               (struct unpack_bank_times){before->bank, hands, before->freed});
    }
}
