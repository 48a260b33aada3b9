#include "tensix/frontend/frontend.h"

#include "isa/tensix_isa.h"
#include "tensix/dispatch.h"
#include "tensix/engine/run.h"
#include "tensix/frontend/replay.h"
#include "tensix/tensix.h"
#include "tensix/units/matrix/move_plain.h"

bool frontend_mop_idle(const struct frontend *frontend)
{
    return !frontend->mop.active && !fifo_holds_opcode(&frontend->fifo, TENSIX_OPCODE_MOP);
}

/* The next instruction in front of the replay expander. What core B pushed goes first: hardware promises no order
   between it and what core T pushed at the same time. */
static bool leave_mop_expander(struct frontend *frontend, struct pushed *next)
{
    for (;;) {
        if (frontend->after_mop.count) {
            *next = fifo_pop(&frontend->after_mop);
            return true;
        }
        if (frontend->mop.active) {
            *next = mop_next(&frontend->mop);
            return true;
        }
        if (frontend->fifo.count == 0) {
            return false;
        }
        struct pushed first = fifo_pop(&frontend->fifo);
        switch (first.word >> 24) {
        case TENSIX_OPCODE_MOP: mop_start(&frontend->mop, first.word, first.pc); break;
        case TENSIX_OPCODE_MOP_CFG: frontend->mop.zmask_high = (uint16_t)decode_MOP_CFG(first.word).zmask_hi16; break;
        default: *next = first; return true;
        }
    }
}

static __attribute__((cold, noinline)) enum step refuse_replay(struct tensix *tensix, unsigned thread,
                                                               struct pushed instruction, struct args_REPLAY args)
{
    tensix_now(tensix, thread, instruction);
    return diagnose(tensix->diagnostics, BH_UNDEFINED_BEHAVIOR,
                    "REPLAY of %u instructions from place %u: the replay buffer has %u places", args.len,
                    args.start_idx, REPLAY_CAPACITY);
}

/* Takes in a REPLAY instruction. A count of more than 32 hardware does not support. */
static inline enum step start_replay(struct tensix *tensix, unsigned thread, struct replay_expander *replay,
                                     struct pushed instruction)
{
    struct args_REPLAY args = decode_REPLAY(instruction.word);
    if (__builtin_expect(args.len > REPLAY_CAPACITY || args.start_idx >= REPLAY_CAPACITY, 0)) {
        enum step step = refuse_replay(tensix, thread, instruction, args);
        if (step != STEP_DONE) {
            return step;
        }
    }
    replay_begin(replay, args, instruction.pc);
    return STEP_DONE;
}

/* The next instruction of the REPLAY that is executing. */
static inline struct pushed take_replayed(struct replay_expander *replay)
{
    struct pushed next = {.word = replay->words[replay->index % REPLAY_CAPACITY], .pc = replay->pc};
    replay_advance(replay, 1);
    return next;
}

/* Another word has come to stand in the replay buffer. It executes in the cycle after that before it, which its unit
   may have to say something about. */
static __attribute__((noinline)) enum step check_loaded(struct tensix *tensix, unsigned thread,
                                                        struct pushed instruction)
{
    const struct replay_expander *replay = &tensix->state->frontend[thread].replay;
    vector_replay_loaded(&tensix->replays[thread]);
    if (replay->index == replay->first) {
        return STEP_DONE;
    }
    tensix_now(tensix, thread, instruction);
    return vector_check_pair(tensix, replay->words[(replay->index + REPLAY_CAPACITY - 1) % REPLAY_CAPACITY],
                             instruction.word);
}

/* Takes a word into the replay buffer that is loading. */
static inline enum step load_word(struct tensix *tensix, unsigned thread, struct pushed instruction)
{
    struct replay_expander *replay = &tensix->state->frontend[thread].replay;
    enum step step = STEP_DONE;
    if (replay->words[replay->index] != instruction.word) {
        replay->words[replay->index] = instruction.word;
        step = check_loaded(tensix, thread, instruction);
    }
    replay_advance(replay, 1);
    return step;
}

/* The next instruction in front of the wait gate, unless it is for the replay buffer to say, which then is executing.
   STEP_WAIT: there is none. */
static inline __attribute__((always_inline)) enum step leave_replay_expander(struct tensix *tensix, unsigned thread,
                                                                             struct pushed *next)
{
    struct frontend *frontend = &tensix->state->frontend[thread];
    struct replay_expander *replay = &frontend->replay;
    while (replay->mode != REPLAY_EXECUTES) {
        struct pushed instruction;
        if (!leave_mop_expander(frontend, &instruction)) {
            return STEP_WAIT;
        }
        if (replay->mode != REPLAY_PASSES) {
            bool passes = replay->mode == REPLAY_LOADS_AND_PASSES;
            if (load_word(tensix, thread, instruction) == STEP_STOP) {
                return STEP_STOP;
            }
            if (!passes) {
                continue;
            }
        } else if (is_replay(instruction.word)) {
            if (start_replay(tensix, thread, replay, instruction) == STEP_STOP) {
                return STEP_STOP;
            }
            continue;
        }
        *next = instruction;
        return STEP_DONE;
    }
    return STEP_DONE;
}

static enum step let_others_pass(struct tensix *tensix, unsigned thread);

/* An instruction that cannot be executed now stays before the wait gate. */
static inline enum step stand_at_gate(struct frontend *frontend, struct pushed next, enum step step)
{
    frontend->next = next;
    frontend->at_gate = true;
    return step;
}

/* Executes `next`, which has come before the wait gate, unless a latched wait holds it. */
static inline __attribute__((always_inline)) enum step pass_gate(struct tensix *tensix, unsigned thread,
                                                                 struct frontend *frontend, struct pushed next)
{
    if (__builtin_expect(frontend->wait.latched, 0)) {
        if (!wait_gate_holds(tensix, thread)) {
            frontend->wait.latched = false;
        } else if (wait_gate_blocks(&frontend->wait, next.word >> 24)) {
            return stand_at_gate(frontend, next, STEP_WAIT);
        }
    }
    enum step step = tensix_dispatch_word(tensix, thread, next);
    if (__builtin_expect(step != STEP_DONE, 0)) {
        return stand_at_gate(frontend, next, step);
    }
    frontend->at_gate = false;
    frontend->passed++;
    return __builtin_expect(tensix->state->src_given_back, 0) ? let_others_pass(tensix, thread) : STEP_DONE;
}

/* What waits for a bank of SrcA or SrcB goes on as soon as it is given back, before `thread` passes anything more:
   kernels whose matrix unit gives back a bank of SrcB that it never waited for count on the unpacker's being that fast
   (llk_unpack_A.h with llk_math_eltwise_unary_datacopy.h). */
static enum step let_others_pass(struct tensix *tensix, unsigned thread)
{
    tensix->state->src_given_back = false;
    for (unsigned i = 0; i < TENSIX_THREADS; i++) {
        struct frontend *other = &tensix->state->frontend[i];
        if (i != thread && other->at_gate && !frontend_exhausted(other) && !tensix->diagnostics->stopped) {
            pass_gate(tensix, i, other, other->next);
        }
    }
    return tensix->diagnostics->stopped ? STEP_STOP : STEP_DONE;
}

enum step frontend_step(struct tensix *tensix, unsigned thread)
{
    struct frontend *frontend = &tensix->state->frontend[thread];
    struct pushed next = frontend->next;
    if (!frontend->at_gate) {
        enum step step = leave_replay_expander(tensix, thread, &next);
        if (step != STEP_DONE) {
            return step;
        }
        if (frontend->replay.mode == REPLAY_EXECUTES) {
            next = take_replayed(&frontend->replay);
        }
    }
    return pass_gate(tensix, thread, frontend, next);
}

/* What is next in the replay buffer, as long as it can execute many in a row. Returns how many have executed; *step:
   STEP_DONE, or what came of the instruction after them. */
static uint32_t replay_many(struct tensix *tensix, unsigned thread, struct frontend *frontend, enum step *step)
{
    struct replay_expander *replay = &frontend->replay;
    uint32_t index = replay->index % REPLAY_CAPACITY, count = REPLAY_CAPACITY - index;
    count = count < replay->left ? count : replay->left;
    const uint32_t *words = &replay->words[index];
    if (vector_may_be_planned(*words)) {
        struct vector_replay *known = &tensix->replays[thread];
        uint32_t done = vector_run_translated(tensix, thread, known, &known->runs[index], count);
        count = done ? done : vector_run_plans(tensix, thread, known, replay->words, index, count);
    } else {
        count = tensix_execute_row(tensix, thread, words, count, step);
    }
    if (count) {
        replay_advance(replay, count);
        frontend->passed += count;
        tensix->diagnostics->now.instruction = words[count - 1];
    }
    return count;
}

/* Whether the next instruction of the replay buffer is of those that may execute many in a row. */
static inline bool may_be_one_of_many(const struct tensix *tensix, unsigned thread,
                                      const struct replay_expander *replay)
{
    uint32_t word = replay->words[replay->index];
    return !vector_schedule_active(&tensix->state->vector) &&
           (vector_may_be_planned(word) ? !vector_known_not_planned(&tensix->replays[thread], replay->index)
                                        : tensix_in_a_row(word));
}

/* What is next comes to stand at the gate, since that is what `step` says of it. */
static enum step stop_at_next(struct tensix *tensix, unsigned thread, struct frontend *frontend, enum step step)
{
    struct pushed next = {0};
    if (leave_replay_expander(tensix, thread, &next) == STEP_DONE && frontend->replay.mode == REPLAY_EXECUTES) {
        next = take_replayed(&frontend->replay);
    }
    tensix_now(tensix, thread, next);
    return stand_at_gate(frontend, next, step);
}

/* After many in a row have executed out of what was pushed at `pc`: the next one has waited or given a diagnostic, or
   others wait for the bank of Src that the last one gave back. */
static inline enum step end_row(struct tensix *tensix, unsigned thread, struct frontend *frontend, enum step step,
                                uint32_t pc)
{
    if (__builtin_expect(step != STEP_DONE, 0)) {
        return stop_at_next(tensix, thread, frontend, step);
    }
    if (__builtin_expect(tensix->state->src_given_back, 0)) {
        struct pushed last = {.word = tensix->diagnostics->now.instruction, .pc = pc};
        step = let_others_pass(tensix, thread);
        tensix_now(tensix, thread, last);
    }
    return step;
}

/* Executes an instruction that has come before the wait gate, while no wait is latched. It comes to stand at the gate
   only if it cannot be executed. tensix_now() knows all about it but its word. */
static inline __attribute__((always_inline)) enum step pass_open_gate(struct tensix *tensix, unsigned thread,
                                                                      struct frontend *frontend, struct pushed next)
{
    tensix->diagnostics->now.instruction = next.word;
    enum step step = tensix_dispatch_now(tensix, thread, next.word);
    if (__builtin_expect(step != STEP_DONE, 0)) {
        return stand_at_gate(frontend, next, step);
    }
    frontend->passed++;
    if (__builtin_expect(tensix->state->src_given_back, 0)) {
        step = let_others_pass(tensix, thread);
        tensix_now(tensix, thread, next);
    }
    return step;
}

/* Executes what comes next out of the MOP expander as long as that is one REPLAY, again and again, of just what its
   unit executes at once. The replay buffer is not executing. */
static void repeat_replay(struct tensix *tensix, unsigned thread, struct frontend *frontend)
{
    struct replay_expander *replay = &frontend->replay;
    const struct vector_replay *known = &tensix->replays[thread];
    uint32_t word,
        times = frontend->mop.active && !frontend->after_mop.count ? mop_repetitions(&frontend->mop, &word) : 0;
    if (!times || !is_replay(word) || frontend->wait.latched) {
        return;
    }
    struct args_REPLAY args = decode_REPLAY(word);
    uint32_t index = args.start_idx % REPLAY_CAPACITY, count = replay_count(args);
    const uint32_t *words = &replay->words[index];
    bool vector = vector_may_be_planned(*words) && known->runs[index].count == count;
    if (args.load_mode || args.start_idx != index || vector_schedule_active(&tensix->state->vector) ||
        (!vector && (index + count > REPLAY_CAPACITY || !matrix_may_run_all(words, count)))) {
        return;
    }
    if (frontend->passed_limit) {
        uint64_t may_begin =
            frontend_exhausted(frontend) ? 0 : (frontend->passed_limit - frontend->passed + count - 1) / count;
        times = times < may_begin ? times : (uint32_t)may_begin;
    }
    uint32_t executed = vector ? count * vector_repeat_translated(tensix, thread, known, &known->runs[index], times)
                               : matrix_run_moves(tensix, thread, words, count, times);
    if (executed) {
        uint32_t last = (executed - 1) % count + 1; /* what the last REPLAY has executed */
        mop_leave_out(&frontend->mop, (executed + count - 1) / count);
        frontend->passed += executed;
        replay->first = index;
        replay->pc = frontend->mop.pc;
        replay->index = (index + last) % REPLAY_CAPACITY;
        replay->left = count - last;
        replay->mode = replay->left ? REPLAY_EXECUTES : REPLAY_PASSES;
        tensix->diagnostics->now.instruction = words[last - 1];
    }
}

/* frontend_step() for as long as the replay buffer is executing, in a loop of its own, since that is where most
   instructions come from. */
static enum step step_through_replay(struct tensix *tensix, unsigned thread, struct frontend *frontend)
{
    struct replay_expander *replay = &frontend->replay;
    enum step step = STEP_DONE;
    tensix_now(tensix, thread, (struct pushed){.pc = replay->pc});
    while (step == STEP_DONE && replay->mode == REPLAY_EXECUTES) {
        if (__builtin_expect(frontend->wait.latched, 0)) {
            step = pass_gate(tensix, thread, frontend, take_replayed(replay));
        } else if (may_be_one_of_many(tensix, thread, replay) &&
                   (replay_many(tensix, thread, frontend, &step) || step != STEP_DONE)) {
            step = end_row(tensix, thread, frontend, step, replay->pc);
        } else {
            step = pass_open_gate(tensix, thread, frontend, take_replayed(replay));
        }
    }
    if (step == STEP_DONE && replay->mode == REPLAY_PASSES) {
        repeat_replay(tensix, thread, frontend);
    }
    return step;
}

/* Whether an instruction is for one of the expanders. */
static inline bool is_for_expander(uint32_t word)
{
    uint32_t opcode = word >> 24;
    return opcode == TENSIX_OPCODE_MOP || opcode == TENSIX_OPCODE_MOP_CFG || opcode == TENSIX_OPCODE_REPLAY;
}

/* frontend_step() for what comes out of the MOP expander up to the next REPLAY, while no wait is latched. */
static enum step step_through_mop(struct tensix *tensix, unsigned thread, struct frontend *frontend)
{
    struct mop_expander *mop = &frontend->mop;
    enum step step = STEP_DONE;
    tensix_now(tensix, thread, (struct pushed){.pc = mop->pc});
    enum rounds_run run = RAN_ROUNDS;
    repeat_replay(tensix, thread, frontend);
    while (step == STEP_DONE && mop->active && frontend->replay.mode == REPLAY_PASSES && !frontend->wait.latched &&
           !frontend_exhausted(frontend)) {
        if (run != NO_SUCH_ROUNDS || mop_long_loop_begins(mop)) {
            run = frontend_run_rounds(tensix, thread, &step);
            step = end_row(tensix, thread, frontend, step, mop->pc);
            if (step != STEP_DONE || frontend->replay.mode == REPLAY_EXECUTES) {
                return step;
            }
            if (run == RAN_ROUNDS) {
                continue;
            }
        }
        struct pushed next = mop_next(mop);
        if (is_replay(next.word)) {
            return start_replay(tensix, thread, &frontend->replay, next);
        }
        step = pass_open_gate(tensix, thread, frontend, next);
    }
    return step;
}

/* Moves that stand first in the FIFO of core T. false: nothing has happened. */
static __attribute__((noinline)) bool run_pushed_moves(struct tensix *tensix, unsigned thread,
                                                       struct frontend *frontend)
{
    struct instruction_fifo *fifo = &frontend->fifo;
    uint64_t limit = frontend->passed_limit ? frontend->passed_limit - frontend->passed : FIFO_CAPACITY;
    uint32_t words[REPLAY_CAPACITY], count = 0;
    while (count < REPLAY_CAPACITY && count < limit && count < fifo->count &&
           matrix_may_run(fifo_entry(fifo, count)->word)) {
        words[count] = fifo_entry(fifo, count)->word;
        count++;
    }
    count = matrix_run_moves(tensix, thread, words, count, 1);
    if (count) {
        tensix_now(tensix, thread, *fifo_entry(fifo, count - 1));
        fifo_leave_out(fifo, count);
        frontend->passed += count;
    }
    return count;
}

/* What stands first in the FIFO of core T, if its unit executes it many in a row. false: nothing has happened. Alone
   before an expander's word, as INCRWC between REPLAYs, it is not worth a search. */
static inline bool run_pushed(struct tensix *tensix, unsigned thread, struct frontend *frontend)
{
    const struct instruction_fifo *fifo = &frontend->fifo;
    uint32_t word = fifo_entry(fifo, 0)->word;
    bool moves = matrix_may_run(word), vector = vector_may_be_planned(word);
    if ((!moves && !vector) || (fifo->count > 1 && is_for_expander(fifo_entry(fifo, 1)->word)) ||
        vector_schedule_active(&tensix->state->vector)) {
        return false;
    }
    return moves ? run_pushed_moves(tensix, thread, frontend) : pushes_run(tensix, thread);
}

/* The same for what core T has pushed, up to what is for an expander. */
static enum step step_through_fifo(struct tensix *tensix, unsigned thread, struct frontend *frontend)
{
    struct instruction_fifo *fifo = &frontend->fifo;
    enum step step = STEP_DONE;
    tensix_now(tensix, thread, (struct pushed){});
    while (step == STEP_DONE && fifo->count && !frontend->wait.latched && !frontend_exhausted(frontend) &&
           !is_for_expander(fifo->entries[fifo->head].word)) {
        if (run_pushed(tensix, thread, frontend)) {
            if (frontend->replay.mode != REPLAY_PASSES) {
                return STEP_DONE;
            }
        } else {
            struct pushed next = fifo_pop(fifo);
            tensix->diagnostics->now.pc = next.pc;
            step = pass_open_gate(tensix, thread, frontend, next);
        }
    }
    return step == STEP_DONE && fifo->count == 0 ? STEP_WAIT : step; /* there is nothing else, either */
}

/* A MOP that stands first in the FIFO begins, or what begins with a REPLAY executes. false: nothing has happened. */
static inline bool enter_expander(struct tensix *tensix, unsigned thread, struct frontend *frontend, uint32_t opcode)
{
    if (opcode == TENSIX_OPCODE_MOP) {
        struct pushed first = fifo_pop(&frontend->fifo);
        mop_start(&frontend->mop, first.word, first.pc);
        return true;
    }
    return opcode == TENSIX_OPCODE_REPLAY && !vector_schedule_active(&tensix->state->vector) &&
           pushes_run(tensix, thread);
}

/* What is next, as long as that comes from one place. false: there is nothing of the kind. */
static inline bool step_through_many(struct tensix *tensix, unsigned thread, struct frontend *frontend, enum step *step)
{
    const struct instruction_fifo *fifo = &frontend->fifo;
    if (frontend->at_gate) {
        return false;
    }
    if (frontend->replay.mode == REPLAY_EXECUTES) {
        *step = step_through_replay(tensix, thread, frontend);
        return true;
    }
    if (frontend->replay.mode != REPLAY_PASSES || frontend->after_mop.count || frontend->wait.latched) {
        return false;
    }
    if (frontend->mop.active) {
        *step = step_through_mop(tensix, thread, frontend);
        return true;
    }
    if (fifo->count == 0) {
        return false;
    }
    uint32_t word = fifo_entry(fifo, 0)->word;
    if (is_for_expander(word)) {
        return enter_expander(tensix, thread, frontend, word >> 24);
    }
    *step = step_through_fifo(tensix, thread, frontend);
    return true;
}

/* frontend_step(), and counts what has passed, of other threads too. */
static enum step step_and_count(struct tensix *tensix, unsigned thread)
{
    struct frontend *frontends = tensix->state->frontend, *frontend = &frontends[thread];
    struct pushed next[TENSIX_THREADS];
    uint64_t passed[TENSIX_THREADS];
    for (unsigned i = 0; i < TENSIX_THREADS; i++) {
        next[i] = frontends[i].next;
        passed[i] = frontends[i].passed;
    }
    if (!frontend->at_gate) {
        enum step step = leave_replay_expander(tensix, thread, &next[thread]);
        if (step != STEP_DONE) {
            return step;
        }
        if (frontend->replay.mode == REPLAY_EXECUTES) {
            next[thread] = take_replayed(&frontend->replay);
        }
    }
    enum step step = pass_gate(tensix, thread, frontend, next[thread]);
    for (unsigned i = 0; i < TENSIX_THREADS; i++) {
        if (frontends[i].passed != passed[i]) {
            issue_count(&tensix->state->issue, i, next[i].word);
        }
    }
    return step;
}

/* frontend_drain() while performance counters run: one instruction after the other. */
static __attribute__((cold, noinline)) uint32_t drain_and_count(struct tensix *tensix, unsigned thread)
{
    struct frontend *frontend = &tensix->state->frontend[thread];
    uint64_t before = frontend->passed;
    enum step step = STEP_DONE;
    while (step == STEP_DONE && !frontend_exhausted(frontend)) {
        step = step_and_count(tensix, thread);
    }
    return (uint32_t)(frontend->passed - before);
}

uint32_t frontend_drain(struct tensix *tensix, unsigned thread)
{
    if (__builtin_expect(tensix->state->issue.wanted, 0)) {
        return drain_and_count(tensix, thread);
    }
    struct frontend *frontend = &tensix->state->frontend[thread];
    uint64_t before = frontend->passed;
    enum step step = STEP_DONE;
    while (step == STEP_DONE && !frontend_exhausted(frontend)) {
        if (step_through_many(tensix, thread, frontend, &step)) {
            continue;
        }
        struct pushed next = frontend->next;
        if (!frontend->at_gate) {
            step = leave_replay_expander(tensix, thread, &next);
            if (step != STEP_DONE || frontend->replay.mode == REPLAY_EXECUTES) {
                continue;
            }
        }
        step = pass_gate(tensix, thread, frontend, next);
    }
    return (uint32_t)(frontend->passed - before);
}

enum step frontend_push(struct tensix *tensix, unsigned thread, uint32_t word, uint32_t pc, bool after_mop)
{
    struct frontend *frontend = &tensix->state->frontend[thread];
    struct instruction_fifo *fifo = after_mop ? &frontend->after_mop : &frontend->fifo;
    if (fifo_push(fifo, word, pc)) {
        return STEP_DONE;
    }
    uint32_t kept = after_mop ? 0 : pushes_begun(fifo); /* to be executed with what follows it */
    fifo->count -= kept;
    frontend_drain(tensix, thread);
    fifo->count += kept;
    if (tensix->diagnostics->stopped) {
        return STEP_STOP;
    }
    return fifo_push(fifo, word, pc) ? STEP_DONE : STEP_WAIT;
}

enum step frontend_write_mop_config(struct tensix *tensix, unsigned thread, unsigned index, uint32_t value)
{
    struct frontend *frontend = &tensix->state->frontend[thread];
    if (!frontend_mop_idle(frontend)) {
        frontend_drain(tensix, thread);
        if (tensix->diagnostics->stopped) {
            return STEP_STOP;
        }
        if (!frontend_mop_idle(frontend) && frontend_exhausted(frontend)) {
            return STEP_WAIT;
        }
        if (!frontend_mop_idle(frontend) &&
            diagnose(tensix->diagnostics, BH_HAZARD,
                     "the configuration of thread T%u's MOP expander is written while a MOP is queued or expanding; "
                     "load from 0xFFE80008 (MOPExpanderDoneCheck) first",
                     thread) == STEP_STOP) {
            return STEP_STOP;
        }
    }
    frontend->mop.config[index] = value;
    return STEP_DONE;
}
