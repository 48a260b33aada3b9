#include "tensix/units/unpack/begun.h"

#include <string.h>

#include "tensix/units/lag.h"
#include "tensix/units/observe.h"
#include "tensix/units/src_banks.h"
#include "tensix/units/state.h"
#include "tensix/units/unpack/finish.h"
#include "tensix/units/unpack/operands.h"

static struct src_register_file *source_of(struct tensix_state *state, unsigned unpacker)
{
    return unpacker ? &state->srcb : &state->srca;
}

bool unpack_waits(const struct tensix *tensix, unsigned unpacker)
{
    const struct tensix_state *state = tensix->state;
    return state->unpack.begun[unpacker] || !src_unpacker_may_fill(unpacker ? &state->srcb : &state->srca);
}

unsigned unpack_begun_data(const struct tensix_state *state, unsigned unpacker)
{
    unsigned count = 0;
    for (unsigned i = 0; i < state->unpack.begun[unpacker]; i++) {
        count += state->begun.of[unpacker][i].moves_data;
    }
    return count;
}

bool unpack_has_room(const struct tensix_state *state, unsigned unpacker, bool moves_data)
{
    return state->unpack.begun[unpacker] < UNPACK_BEGUN &&
           !(moves_data && unpack_begun_data(state, unpacker) == UNPACK_BEGUN_DATA);
}

bool unpack_may_begin(const struct tensix *tensix, unsigned thread, unsigned unpacker, bool moves_data)
{
    const struct tensix_state *state = tensix->state;
    return (tensix->timed || state->unpack.may_begin >> thread & 1) && unpack_has_room(state, unpacker, moves_data);
}

struct unpack_begun_one *unpack_begin(struct tensix *tensix, unsigned thread, unsigned unpacker)
{
    struct tensix_state *state = tensix->state;
    struct unpack_begun_one *one = &state->begun.of[unpacker][state->unpack.begun[unpacker]++];
    memset(one, 0, sizeof *one); /* padding too, which snapshots save */
    one->origin = tensix->diagnostics->now;
    one->passed = state->frontend[thread].passed + 1;
    one->thread = (uint8_t)thread;
    state->unpack.may_begin &= (uint8_t) ~(1u << thread);
    return one;
}

bool unpack_owes(const struct tensix_state *state, unsigned unpackers, unsigned thread)
{
    for (unsigned unpacker = 0; unpacker < UNPACKERS; unpacker++) {
        for (unsigned i = 0; unpackers >> unpacker & 1 && i < state->unpack.begun[unpacker]; i++) {
            if (state->begun.of[unpacker][i].thread == thread) {
                return true;
            }
        }
    }
    return false;
}

static bool may_go_on(struct tensix_state *state, unsigned unpacker)
{
    const struct src_register_file *src = source_of(state, unpacker);
    const uint32_t word = state->begun.of[unpacker][0].origin.instruction;
    return state->unpack.begun[unpacker] && src->owner[unpack_awaited_bank(src, word)] == SRC_UNPACKERS;
}

/* Moves the data of an UNPACR to the bank that is its unpacker's next one by now. */
static void move_data(struct tensix *tensix, struct unpack_begun_one *one)
{
    struct tensix_state *state = tensix->state;
    struct unpack_job *job = &one->job;
    const struct src_register_file *src = source_of(state, job->unpacker);
    job->bank = src->unpacker_bank;
    job->out_row = unpack_counts_rows(job) ? src->unpacker_row[one->thread] : 0;
    unpack_tell_rows(tensix, job, one->broadcast);
    if (unpack_job_again(tensix, job, one->broadcast) == STEP_DONE) {
        unpack_finish_bank(state, job->unpacker, one->thread, (uint8_t)job->out, one->end);
    }
}

static void execute(struct tensix *tensix, unsigned unpacker, struct unpack_begun_one *one)
{
    struct tensix_state *state = tensix->state;
    const struct src_register_file *src = source_of(state, unpacker);
    const unsigned bank = src->unpacker_bank;
    const uint64_t freed = unpack_freed(state, unpacker, one->origin.instruction);
    if (one->moves_data) {
        move_data(tensix, one);
    } else {
        unpack_nop_now(tensix, one->thread, one->origin.instruction);
    }
    if (tensix->timed) {
        unpack_times_begun(state, unpacker, one, (struct unpack_bank_times){bank, src->unpacker_bank != bank, freed});
    }
}

/* Executes the first one of an unpacker, as if its thread did. Returns whether it hands a bank over and is the last
   that its thread has passed. */
static bool finish_first(struct tensix *tensix, unsigned unpacker)
{
    struct tensix_state *state = tensix->state;
    struct unpack_begun_one *of = state->begun.of[unpacker], one = of[0];
    struct observed *observed = tensix->observed;
    const struct diagnostic_origin now = tensix->diagnostics->now;
    const struct diagnostic_origin *cause = observed ? observed->cause : NULL;
    const unsigned bank = source_of(state, unpacker)->unpacker_bank;
    const uint64_t cycle = observed ? observed->thread[one.thread].cycle : 0;
    state->unpack.begun[unpacker]--;
    memmove(&of[0], &of[1], state->unpack.begun[unpacker] * sizeof *of);
    memset(&of[state->unpack.begun[unpacker]], 0, sizeof *of);
    tensix->diagnostics->now = one.origin;
    if (observed) {
        observed->cause = &one.origin;
    }
    execute(tensix, unpacker, &one);
    if (observed) {
        tensix_tell_changes(tensix);
        observed->cause = cause;
        observed->thread[one.thread].cycle = cycle; /* the thread itself may still be further behind */
    }
    tensix->diagnostics->now = now;
    return source_of(state, unpacker)->unpacker_bank != bank && state->frontend[one.thread].passed == one.passed;
}

unsigned unpack_go_on(struct tensix *tensix)
{
    unsigned threads = 0;
    for (unsigned unpacker = 0; unpacker < UNPACKERS; unpacker++) {
        while (may_go_on(tensix->state, unpacker) && !tensix->diagnostics->stopped) {
            const unsigned thread = tensix->state->begun.of[unpacker][0].thread;
            threads |= (unsigned)finish_first(tensix, unpacker) << thread;
        }
    }
    return threads;
}
