/* What comes again and again, out of the MOP expander or as a core pushes it, executed many rounds at once: bodies of
   SFPU kernels that stand in a replay buffer, with what moves to the next rows between them, and loops of one
   instruction. */
#include <string.h>

#include "isa/tensix_isa.h"
#include "tensix/dispatch.h"
#include "tensix/tensix.h"
#include "tensix/units/matrix_move_plain.h"
#include "tensix/units/vector_group.h"

static bool is_replay(uint32_t word)
{
    return word >> 24 == TENSIX_OPCODE_REPLAY;
}

/* How many instructions a REPLAY executes. */
static uint32_t replayed(uint32_t word)
{
    struct args_REPLAY args = decode_REPLAY(word);
    return args.len ? args.len : REPLAY_CAPACITY;
}

/* How many instructions a round has that a FIFO begins with: a REPLAY, and what is between it and the next; or what is
   pushed before the core jumps back to where the first came from. 0: more than there is room for, or none begins. */
static uint32_t length_of_round(const struct instruction_fifo *fifo)
{
    const struct pushed *first = fifo_entry(fifo, 0);
    uint32_t count = 1, most = fifo->count < ROUND_WORDS ? fifo->count : ROUND_WORDS;
    if (is_replay(first->word)) {
        while (count < most && vector_may_be_planned(fifo_entry(fifo, count)->word)) {
            count++;
        }
        return count;
    }
    while (count < most && fifo_entry(fifo, count)->pc > fifo_entry(fifo, count - 1)->pc) {
        count++;
    }
    return count < fifo->count && fifo_entry(fifo, count)->pc == first->pc ? count : 0;
}

/* Takes down the round that a FIFO begins with. false: there is none. */
static __attribute__((noinline)) bool learn_round(const struct instruction_fifo *fifo, struct pushed_round *round)
{
    uint32_t count = length_of_round(fifo);
    if (count == 0) {
        return false;
    }
    round->count = count;
    for (uint32_t i = 0; i < count; i++) {
        round->entries[i] = *fifo_entry(fifo, i);
    }
    return true;
}

/* How often a FIFO holds the round that it begins with. From another place in the program, as where a loop has been
   unrolled, it may be pushed, too. */
static uint32_t times_pushed(const struct instruction_fifo *fifo, const struct pushed_round *round)
{
    uint32_t times = 1, count = round->count, same = count;
    while ((times + 1) * count <= fifo->count && fifo_holds(fifo, times * count, round->entries, count)) {
        times++;
    }
    if (times > 1 || !is_replay(round->entries[0].word)) {
        return times;
    }
    while (same < fifo->count && fifo_entry(fifo, same)->word == fifo_entry(fifo, same - count)->word) {
        same++;
    }
    return same / count;
}

/* The rounds that a FIFO begins with. */
static bool pushed_rounds(const struct instruction_fifo *fifo, struct pushed_round *round, struct rounds *rounds)
{
    bool known = round->count && round->count <= fifo->count && fifo_holds(fifo, 0, round->entries, round->count);
    if (!known && !learn_round(fifo, round)) {
        return false;
    }
    for (uint32_t i = 0; i < round->count; i++) {
        rounds->words[i] = round->entries[i].word;
    }
    rounds->count = round->count;
    rounds->times = times_pushed(fifo, round);
    rounds->of = ROUNDS_PUSHED;
    return rounds->times > 1 || (rounds->count > 1 && is_replay(rounds->words[0]));
}

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
    bool vector = true, in_a_row = frontend->mop.active;
    *length = 0;
    for (uint32_t i = 0; i < rounds->count; i++) {
        const uint32_t *from = &rounds->words[i];
        uint32_t count = 1;
        if (is_replay(*from)) {
            struct args_REPLAY args = decode_REPLAY(*from);
            count = replayed(*from);
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
    return in_a_row ? IN_A_ROW : frontend->mop.active && is_one_replay(rounds) ? NOBODY : VECTOR_UNIT;
}

/* What has executed goes out of where it came from: whole rounds at once, but for the last one, to which counts what
   the replay expander is left with. */
static void leave(struct tensix *tensix, unsigned thread, const struct rounds *rounds, uint32_t length,
                  uint32_t executed)
{
    struct frontend *frontend = &tensix->state->frontend[thread];
    struct replay_expander *replay = &frontend->replay;
    uint32_t whole = (executed - 1) / length, left = executed - whole * length;
    struct pushed next = {0};
    frontend->passed += executed;
    if (whole && frontend->mop.active) {
        mop_leave_out_rounds(&frontend->mop, rounds, whole);
    } else if (whole) {
        frontend->fifo.head = (frontend->fifo.head + whole * rounds->count) % FIFO_CAPACITY;
        frontend->fifo.count -= whole * rounds->count;
    }
    while (left) {
        next = frontend->mop.active ? mop_next(&frontend->mop) : fifo_pop(&frontend->fifo);
        if (!is_replay(next.word)) {
            left--;
            continue;
        }
        uint32_t first = decode_REPLAY(next.word).start_idx, count = replayed(next.word);
        uint32_t some = count < left ? count : left;
        replay->first = first;
        replay->index = (first + some) % REPLAY_CAPACITY;
        replay->left = count - some;
        replay->mode = replay->left ? REPLAY_EXECUTES : REPLAY_PASSES;
        replay->pc = next.pc;
        next.word = replay->words[first + some - 1];
        left -= some;
    }
    tensix_now(tensix, thread, next);
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

enum rounds_run frontend_run_rounds(struct tensix *tensix, unsigned thread, enum step *step)
{
    struct frontend *frontend = &tensix->state->frontend[thread];
    struct rounds rounds;
    *step = STEP_DONE;
    if (vector_schedule_active(&tensix->state->vector) ||
        !(frontend->mop.active ? mop_rounds(&frontend->mop, &rounds)
                               : pushed_rounds(&frontend->fifo, &tensix->pushed_rounds[thread], &rounds))) {
        return NO_ROUNDS_HERE;
    }
    uint32_t words[REPLAY_CAPACITY], length, done;
    enum executor executor = expand(frontend, &rounds, words, &length);
    if (executor == NOBODY) {
        return NO_SUCH_ROUNDS;
    }
    uint64_t may_pass = frontend->passed_limit ? frontend->passed_limit - frontend->passed : UINT32_MAX;
    uint64_t may_begin = may_pass / length;
    uint32_t times = rounds.times < may_begin ? rounds.times : (uint32_t)may_begin;
    if (times == 0) {
        return NO_ROUNDS_HERE;
    }
    done = executor == IN_A_ROW ? run_in_a_row(tensix, thread, words, length, times, step)
                                : vector_run_group(tensix, thread, words, length, times);
    if (done) {
        leave(tensix, thread, &rounds, length, done);
    }
    return done ? RAN_ROUNDS : NO_SUCH_ROUNDS;
}
