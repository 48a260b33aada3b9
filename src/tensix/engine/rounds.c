/* What comes out of the MOP expander again and again, executed many rounds at once: bodies of SFPU kernels that stand
   in a replay buffer, with what moves to the next rows between them, and loops of one instruction. */
#include <string.h>

#include "tensix/dispatch.h"
#include "tensix/frontend/replay.h"
#include "tensix/tensix.h"
#include "tensix/units/matrix/move_plain.h"

/* Whether all that a MOP repeats is one REPLAY: it runs as it stands in its buffer. */
static bool is_one_replay(const struct rounds *rounds)
{
    uint32_t i = 0;
    while (i < rounds->count && rounds->words[i] == rounds->words[0]) {
        i++;
    }
    return i == rounds->count && is_replay(rounds->words[0]);
}

/* Whether tensix_execute_row() takes all of them. */
static bool are_in_a_row(const uint32_t *words, uint32_t count)
{
    uint32_t i = 0;
    while (i < count && tensix_in_a_row(words[i])) {
        i++;
    }
    return i == count;
}

/* Who executes rounds: the vector unit, of which all parts of a round are, or each instruction its own unit. */
enum executor { NOBODY, VECTOR_UNIT, IN_A_ROW };

/* The instructions of one round, as they execute, and how many these are. NOBODY: more than a replay buffer holds, or
   of several kinds, or nothing but a REPLAY of the vector unit that is repeated as it stands in its buffer. */
static enum executor expand(const struct frontend *frontend, const struct rounds *rounds, uint32_t *words,
                            uint32_t *length)
{
    bool vector = true, in_a_row = true;
    *length = 0;
    for (uint32_t i = 0; i < rounds->count; i++) {
        const uint32_t *from = &rounds->words[i];
        uint32_t count = 1;
        if (is_replay(*from)) {
            struct args_REPLAY args = decode_REPLAY(*from);
            count = replay_count(args);
            if (args.load_mode || args.start_idx + count > REPLAY_CAPACITY) {
                return NOBODY;
            }
            from = &frontend->replay.words[args.start_idx];
        }
        vector &= vector_may_be_planned(*from);
        in_a_row &= are_in_a_row(from, count);
        if (*length + count > REPLAY_CAPACITY || !(vector | in_a_row)) {
            return NOBODY;
        }
        memcpy(words + *length, from, count * sizeof *words);
        *length += count;
    }
    return in_a_row ? IN_A_ROW : is_one_replay(rounds) ? NOBODY : VECTOR_UNIT;
}

struct pushed rounds_leave(struct frontend *frontend, uint32_t executed)
{
    struct replay_expander *replay = &frontend->replay;
    struct pushed next = {0};
    while (executed) {
        uint32_t count = 1;
        next = frontend->mop.active ? mop_next(&frontend->mop) : fifo_pop(&frontend->fifo);
        if (replay->mode != REPLAY_PASSES) {
            replay_advance(replay, count);
        } else if (is_replay(next.word)) {
            replay_begin(replay, decode_REPLAY(next.word), next.pc);
            if (replay->mode != REPLAY_EXECUTES) {
                continue;
            }
            count = replay->left < executed ? replay->left : executed;
            next.word = replay->words[replay->index + count - 1];
            replay_advance(replay, count);
        }
        executed -= count;
    }
    return next;
}

/* Many rounds of `length` instructions, with room for REPLAY_CAPACITY of them, some rounds at once if they are short.
   Returns how many have executed. */
static uint32_t run_in_a_row(struct tensix *tensix, unsigned thread, uint32_t *words, uint32_t length, uint32_t times,
                             enum step *step)
{
    enum { ENOUGH = REPLAY_CAPACITY / 2 };
    uint32_t at_once = length < ENOUGH ? ENOUGH / length * length : length, all = times * length, done = 0, left, some;
    for (uint32_t i = length; i < at_once && i < all; i++) {
        words[i] = words[i - length];
    }
    if (all >= at_once && matrix_may_run_all(words, length)) {
        done = matrix_run_moves(tensix, thread, words, at_once, all / at_once);
    }
    for (some = left = 0;
         some == left && done < all && !tensix->state->src_given_back && !tensix->state->frontend[thread].wait.latched;
         done += some) {
        uint32_t first = done % at_once;
        left = all - done < at_once - first ? all - done : at_once - first;
        some = tensix_execute_row(tensix, thread, words + first, left, step);
    }
    return done;
}

static uint32_t run_group(struct tensix *tensix, unsigned thread, const uint32_t *words, uint32_t length,
                          uint32_t times)
{
    uint32_t group = vector_group_find(&tensix->groups[thread], words, length, false);
    return group == VECTOR_GROUPS ? 0 : vector_group_run(tensix, thread, group, times);
}

enum rounds_run frontend_run_rounds(struct tensix *tensix, unsigned thread, enum step *step)
{
    struct frontend *frontend = &tensix->state->frontend[thread];
    struct rounds rounds;
    *step = STEP_DONE;
    if (vector_schedule_active(&tensix->state->vector) || !mop_rounds(&frontend->mop, &rounds)) {
        return NO_ROUNDS_HERE;
    }
    uint32_t words[REPLAY_CAPACITY], length, done;
    enum executor executor = expand(frontend, &rounds, words, &length);
    if (executor == NOBODY || length == 0) {
        return NO_SUCH_ROUNDS;
    }
    uint64_t may_pass = frontend->passed_limit ? frontend->passed_limit - frontend->passed : UINT32_MAX;
    uint64_t may_begin = may_pass / length;
    uint32_t times = rounds.times < may_begin ? rounds.times : (uint32_t)may_begin;
    if (times == 0) {
        return NO_ROUNDS_HERE;
    }
    done = executor == IN_A_ROW ? run_in_a_row(tensix, thread, words, length, times, step)
                                : run_group(tensix, thread, words, length, times);
    if (done) {
        uint32_t whole =
            (done - 1) / length; /* all but the last, to which counts what the replay expander is left with */
        frontend->passed += done;
        if (whole) {
            mop_leave_out_rounds(&frontend->mop, &rounds, whole);
        }
        tensix_now(tensix, thread, rounds_leave(frontend, done - whole * length));
    }
    return done ? RAN_ROUNDS : NO_SUCH_ROUNDS;
}
