#include "tensix/frontend/frontend.h"

#include "isa/tensix_isa.h"
#include "tensix/engine/engine.h"
#include "tensix/frontend/burst.h"
#include "tensix/frontend/replay.h"
#include "tensix/units/observe.h"
#include "tensix/units/state.h"
#include "tensix/units/unpack/operands.h"
#include "tensix/units/vector/operation.h"

bool frontend_mop_idle(const struct frontend *frontend)
{
    return !frontend->mop.active && !fifo_holds_opcode(&frontend->fifo, TENSIX_OPCODE_MOP);
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
    if (tensix->engine) {
        engine_replay_loaded(tensix->engine, thread);
    }
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
    tensix_loaded(tensix, thread, replay->index, instruction);
    if (replay->words[replay->index] != instruction.word) {
        replay->words[replay->index] = instruction.word;
        step = check_loaded(tensix, thread, instruction);
    }
    replay_advance(replay, 1);
    return step;
}

/* A word leaves the MOP expander: it begins a REPLAY, is loaded, or arrives before the wait gate, or both. */
static inline __attribute__((always_inline)) enum step enter_replay_expander(struct tensix *tensix, unsigned thread,
                                                                             struct pushed word, bool *arrived)
{
    struct replay_expander *replay = &tensix->state->frontend[thread].replay;
    if (replay->mode == REPLAY_PASSES) {
        *arrived = !is_replay(word.word);
        return *arrived ? STEP_DONE : start_replay(tensix, thread, replay, word);
    }
    *arrived = replay->mode == REPLAY_LOADS_AND_PASSES;
    return load_word(tensix, thread, word);
}

/* The first word that a thread has moves on by one stage. *arrived: it is *next, which now stands before the wait gate.
   What core B pushed goes first: hardware promises no order between it and what core T pushed at the same time.
   STEP_WAIT: there is none. */
static inline __attribute__((always_inline)) enum step advance(struct tensix *tensix, unsigned thread,
                                                               struct pushed *next, bool *arrived)
{
    struct frontend *frontend = &tensix->state->frontend[thread];
    *arrived = true;
    if (frontend->replay.mode == REPLAY_EXECUTES) {
        *next = take_replayed(&frontend->replay);
        return STEP_DONE;
    }
    if (frontend->after_mop.count) {
        *next = fifo_pop(&frontend->after_mop);
    } else if (frontend->mop.active) {
        *next = mop_next(&frontend->mop);
    } else if (frontend->fifo.count == 0) {
        return STEP_WAIT;
    } else {
        *next = fifo_pop(&frontend->fifo);
        *arrived = false;
        switch (next->word >> 24) {
        case TENSIX_OPCODE_MOP: mop_start(&frontend->mop, next->word, next->pc); return STEP_DONE;
        case TENSIX_OPCODE_MOP_CFG:
            frontend->mop.zmask_high = (uint16_t)decode_MOP_CFG(next->word).zmask_hi16;
            return STEP_DONE;
        default: break;
        }
    }
    return enter_replay_expander(tensix, thread, *next, arrived);
}

static enum step let_others_pass(struct tensix *tensix, unsigned thread);

/* An instruction that cannot be executed now stays before the wait gate. */
static inline enum step stand_at_gate(struct frontend *frontend, struct pushed next, enum step step)
{
    frontend->next = next;
    frontend->at_gate = true;
    return step;
}

/* Whether a latched wait holds `next`, which has come before the wait gate. With jitter a STALLWAIT
   holds until its units have done what they have begun. */
static inline __attribute__((always_inline)) bool is_held(struct tensix *tensix, unsigned thread,
                                                          struct frontend *frontend, struct pushed next, bool jitter)
{
    const uint32_t units = jitter ? wait_gate_units(&frontend->wait) : 0;
    if (!wait_gate_holds(tensix, thread) && !(units && lag_pends(tensix, units, thread))) {
        frontend->wait.latched = false;
    } else if (wait_gate_blocks(&frontend->wait, next.word >> 24)) {
        tensix_held(tensix, thread, next);
        return true;
    }
    return false;
}

/* Executes `next`, which has come before the wait gate, unless a latched wait holds it. */
static inline __attribute__((always_inline)) enum step
pass_gate(struct tensix *tensix, unsigned thread, struct frontend *frontend, struct pushed next, bool jitter)
{
    if (__builtin_expect(frontend->wait.latched, 0) && is_held(tensix, thread, frontend, next, jitter)) {
        return stand_at_gate(frontend, next, STEP_WAIT);
    }
    enum step step = jitter ? lag_dispatch(tensix, thread, next) : tensix_dispatch_told(tensix, thread, next);
    if (__builtin_expect(step != STEP_DONE, 0)) {
        return stand_at_gate(frontend, next, step);
    }
    frontend->at_gate = false;
    frontend->passed++;
    if (__builtin_expect(tensix->state->issue.wanted, 0)) {
        issue_count(&tensix->state->issue, thread, next.word);
    }
    return __builtin_expect(tensix->state->src_given_back, 0) ? let_others_pass(tensix, thread) : STEP_DONE;
}

enum step frontend_advance(struct tensix *tensix, unsigned thread, bool *arrived)
{
    struct frontend *frontend = &tensix->state->frontend[thread];
    enum step step = advance(tensix, thread, &frontend->next, arrived);
    frontend->at_gate = step == STEP_DONE && *arrived;
    return step;
}

/* `thread` has handed a bank over, and what comes behind that is of later cycles, or not pushed yet: others do not get
   further either. Kernels whose matrix unit waits for SrcA alone, and gives back SrcB with it, count on the unpackers'
   handing over SrcB right behind SrcA (llk_unpack_untilize.h with llk_math_eltwise_unary_datacopy.h). */
static void hold_others(struct tensix *tensix, unsigned thread)
{
    for (unsigned i = 0; i < TENSIX_THREADS; i++) {
        struct frontend *other = &tensix->state->frontend[i];
        if (i != thread && other->passed_limit > other->passed && other->passed) {
            other->passed_limit = other->passed;
        }
    }
}

/* Whether the last instruction that a thread has passed is one of `thread` that hands a bank over. */
static inline bool hands_over(const struct tensix *tensix, unsigned thread)
{
    const struct diagnostic_origin *last = &tensix->diagnostics->now;
    const uint32_t word = last->instruction;
    return ((word >> 24 == TENSIX_OPCODE_UNPACR && decode_UNPACR(word).SetDatValid) ||
            (word >> 24 == TENSIX_OPCODE_UNPACR_NOP && decode_UNPACR_NOP(word).Set_Dvalid & 1) ||
            (word >> 24 == TENSIX_OPCODE_SETDVALID && decode_SETDVALID(word).setvalid)) &&
           last->index == thread;
}

static inline bool has_handed_over(const struct tensix *tensix, unsigned thread)
{
    return tensix->state->src_handed_over >> thread & 1;
}

/* `thread` gets no further now, since `step` came of what it tried last; passed: it has passed something before. */
static inline void note_hand_over(struct tensix *tensix, unsigned thread, bool passed, enum step step)
{
    const uint8_t bit = (uint8_t)(1u << thread);
    const bool hands = step == STEP_DONE && (passed ? hands_over(tensix, thread) : has_handed_over(tensix, thread));
    uint8_t *all = &tensix->state->src_handed_over;
    *all = hands ? *all | bit : *all & (uint8_t)~bit;
    if (__builtin_expect(hands && passed, 0)) {
        hold_others(tensix, thread);
    }
}

/* Steps a thread, and again as long as it has handed a bank over last, so that what follows comes as soon. */
static void step_with_what_follows(struct tensix *tensix, unsigned thread)
{
    const struct frontend *frontend = &tensix->state->frontend[thread];
    const uint64_t begin = frontend->passed;
    bool hands = has_handed_over(tensix, thread);
    enum step step;
    do {
        const uint64_t before = frontend->passed;
        step = frontend_step(tensix, thread);
        hands = frontend->passed > before ? hands_over(tensix, thread) : hands;
    } while (step == STEP_DONE && hands && !frontend_exhausted(frontend) && !frontend_idle(frontend));
    note_hand_over(tensix, thread, frontend->passed > begin, step);
}

/* Others that have handed a bank over, in a slice before this one, say, try what comes next before `thread` does. */
static __attribute__((noinline)) void let_others_follow(struct tensix *tensix, unsigned thread)
{
    for (unsigned i = 0; i < TENSIX_THREADS; i++) {
        const struct frontend *other = &tensix->state->frontend[i];
        if (i != thread && has_handed_over(tensix, i) && !frontend_exhausted(other) && !frontend_idle(other) &&
            !tensix->diagnostics->stopped) {
            step_with_what_follows(tensix, i);
        }
    }
}

/* What an instruction of an unpacker waits for that stands at the gate. */
enum bank_wait {
    NO_UNPACKER, /* there is none */
    HAS_BANK,
    AWAITS_BANK /* which is the Matrix Unit's */
};

static enum bank_wait bank_wait(const struct tensix_state *state, const struct frontend *frontend)
{
    const uint32_t word = frontend->next.word, opcode = word >> 24;
    if (!frontend->at_gate || (opcode != TENSIX_OPCODE_UNPACR && opcode != TENSIX_OPCODE_UNPACR_NOP)) {
        return NO_UNPACKER;
    }
    const bool b = opcode == TENSIX_OPCODE_UNPACR ? decode_UNPACR(word).Unpack_block_selection
                                                  : decode_UNPACR_NOP(word).Unpacker_Select;
    const struct src_register_file *src = b ? &state->srcb : &state->srca;
    return src->owner[unpack_awaited_bank(src, word)] == SRC_UNPACKERS ? HAS_BANK : AWAITS_BANK;
}

bool frontend_awaits_begin(const struct tensix_state *state, unsigned thread)
{
    const struct frontend *frontend = &state->frontend[thread];
    const uint32_t word = frontend->next.word, opcode = word >> 24;
    if (__builtin_expect(!frontend->at_gate, 1) || state->unpack.may_begin >> thread & 1 ||
        (frontend->wait.latched && wait_gate_blocks(&frontend->wait, opcode))) {
        return false;
    }
    const bool moves = opcode == TENSIX_OPCODE_UNPACR, nop = opcode == TENSIX_OPCODE_UNPACR_NOP;
    const unsigned unpacker = word >> 23 & 1;
    return ((moves && unpack_moves_data(word)) || (nop && unpack_nop_may_begin(word))) &&
           (bank_wait(state, frontend) == AWAITS_BANK || state->unpack.begun[unpacker]) &&
           unpack_has_room(state, unpacker, moves);
}

bool frontend_awaits_bank(const struct tensix_state *state, unsigned thread)
{
    return bank_wait(state, &state->frontend[thread]) == AWAITS_BANK;
}

/* A thread that has passed nothing since what its unpacker had begun has handed a bank over is one that has handed it
   over last: what follows comes as soon, or nothing comes before it. */
static void note_begun(struct tensix *tensix, unsigned thread, unsigned threads)
{
    struct tensix_state *state = tensix->state;
    threads &= ~(1u << thread);
    state->src_handed_over |= (uint8_t)threads;
    for (unsigned i = 0; i < TENSIX_THREADS; i++) {
        const struct frontend *other = &state->frontend[i];
        if (threads >> i & 1 && (frontend_exhausted(other) || frontend_idle(other))) {
            state->frontend[thread].passed_limit = state->frontend[thread].passed;
        }
    }
}

/* What waits for a bank of SrcA or SrcB goes on as soon as it is given back, before `thread` passes anything more:
   kernels whose matrix unit gives back a bank of SrcB that it never waited for count on the unpacker's being that fast
   (llk_unpack_A.h with llk_math_eltwise_unary_datacopy.h). */
static __attribute__((noinline)) enum step let_others_pass(struct tensix *tensix, unsigned thread)
{
    struct tensix_state *state = tensix->state;
    state->src_given_back = false;
    if (__builtin_expect(unpack_all_begun(&state->unpack), 0)) {
        note_begun(tensix, thread, unpack_go_on(tensix));
    }
    for (unsigned i = 0; i < TENSIX_THREADS; i++) {
        struct frontend *other = &state->frontend[i];
        const bool follows = other->at_gate || (has_handed_over(tensix, i) && !frontend_idle(other));
        if (i == thread || !follows || tensix->diagnostics->stopped) {
            continue;
        }
        if (!frontend_exhausted(other)) {
            step_with_what_follows(tensix, i);
        } else if (tensix->jitter &&
                   bank_wait(state, other) == HAS_BANK) { /* then neither does `thread` get on until it may */
            state->src_handed_over |= (uint8_t)(1u << i);
            state->frontend[thread].passed_limit = state->frontend[thread].passed;
        }
    }
    return tensix->diagnostics->stopped ? STEP_STOP : STEP_DONE;
}

/* frontend_step(), within its caller: threads that run one by one spend most of their time here. */
static inline __attribute__((always_inline)) enum step step_within(struct tensix *tensix, unsigned thread,
                                                                   struct frontend *frontend, bool jitter)
{
    struct pushed next = frontend->next;
    if (!frontend->at_gate) {
        bool arrived;
        enum step step = advance(tensix, thread, &next, &arrived);
        if (step != STEP_DONE || !arrived) {
            return step;
        }
    }
    return pass_gate(tensix, thread, frontend, next, jitter);
}

static __attribute__((noinline)) enum step step_with_jitter(struct tensix *tensix, unsigned thread,
                                                            struct frontend *frontend)
{
    return step_within(tensix, thread, frontend, true);
}

enum step frontend_step(struct tensix *tensix, unsigned thread)
{
    struct frontend *frontend = &tensix->state->frontend[thread];
    return tensix->jitter ? step_with_jitter(tensix, thread, frontend) : step_within(tensix, thread, frontend, false);
}

/* The next instruction comes to stand at the gate, since `step` came of it. */
static enum step stop_at_next(struct tensix *tensix, unsigned thread, struct frontend *frontend, enum step step)
{
    struct pushed next = {0};
    bool arrived = false;
    while (!arrived && advance(tensix, thread, &next, &arrived) == STEP_DONE) {
    }
    tensix_now(tensix, thread, next);
    return stand_at_gate(frontend, next, step);
}

/* What the engine executes of what comes next. false: nothing. */
static bool run_burst(struct tensix *tensix, unsigned thread, struct frontend *frontend, enum step *step)
{
    struct shown shown;
    if (!frontend_may_show(frontend) || vector_schedule_active(&tensix->state->vector) ||
        !frontend_show(frontend, &shown)) {
        return false;
    }
    uint32_t all = shown.burst.length * shown.burst.times;
    uint32_t executed = engine_run(tensix, thread, &shown.burst, all, step);
    if (executed) {
        frontend_leave(frontend, &shown, executed);
    }
    if (__builtin_expect(*step != STEP_DONE, 0)) {
        *step = stop_at_next(tensix, thread, frontend, *step);
    } else if (__builtin_expect(tensix->state->src_given_back, 0)) {
        struct pushed last = {.word = tensix->diagnostics->now.instruction, .pc = tensix->diagnostics->now.pc};
        *step = let_others_pass(tensix, thread);
        tensix_now(tensix, thread, last);
    }
    return executed || *step != STEP_DONE;
}

/* Executes what stands first in the FIFO, which executes by its units, and what follows that does, too; `most` at the
   most. The FIFO gives up all of it at once: this loop is most of what such instructions cost (rows pushed_gpr to
   pushed_semaphore of the benchmark), so that it has all registers of the host. Returns how many have executed; *step:
   what came of the last that was tried. */
static __attribute__((noinline)) uint32_t run_alone(struct tensix *tensix, unsigned thread,
                                                    const struct frontend *frontend, uint64_t most, enum step *step)
{
    const struct tensix_state *state = tensix->state;
    const struct instruction_fifo *fifo = &frontend->fifo;
    const uint32_t all = fifo->count < most ? fifo->count : (uint32_t)most, straight = FIFO_CAPACITY - fifo->head;
    const struct pushed *part = fifo_entry(fifo, 0), *entry = part, *end = entry + (all < straight ? all : straight);
    const struct tensix_dispatch *dispatch = &tensix_dispatch[entry->word >> 24];
    struct diagnostic_origin *now = &tensix->diagnostics->now;
    uint32_t before = 0; /* those of the FIFO's end, once it goes on at the beginning */
    bool alone;
    tensix_now(tensix, thread, *entry);
    do {
        now->pc = entry->pc;
        now->instruction = entry->word;
        const enum step came = dispatch->run(tensix, thread, entry->word);
        if (__builtin_expect(came != STEP_DONE, 0)) {
            *step = came;
            break;
        }
        if (__builtin_expect(++entry == end, 0)) {
            if (before || all <= straight) {
                break;
            }
            before = straight;
            part = entry = fifo->entries;
            end = entry + (all - before);
        }
        if (frontend->wait.latched | state->src_given_back | vector_schedule_active(&state->vector)) {
            break;
        }
        dispatch = &tensix_dispatch[entry->word >> 24];
        alone = dispatch->by_unit && !(entry->word & ~dispatch->fields);
    } while (alone || frontend_executes_alone(fifo, before + (uint32_t)(entry - part)));
    return before + (uint32_t)(entry - part);
}

/* What core T has pushed, as far as it executes by its units, one after the other: nothing but the FIFO's first stage
   has anything to do with it. false: nothing has executed. */
static bool run_pushed(struct tensix *tensix, unsigned thread, struct frontend *frontend, enum step *step)
{
    const struct tensix_state *state = tensix->state;
    struct instruction_fifo *fifo = &frontend->fifo;
    uint64_t left = frontend->passed_limit ? frontend->passed_limit - frontend->passed : UINT64_MAX;
    if (frontend->at_gate || frontend->mop.active || frontend->after_mop.count || frontend->wait.latched ||
        frontend->replay.mode != REPLAY_PASSES || vector_schedule_active(&state->vector) || !fifo->count ||
        !frontend_executes_alone(fifo, 0)) {
        return false;
    }
    uint32_t done = run_alone(tensix, thread, frontend, left, step);
    frontend->passed += done;
    fifo_leave_out(fifo, done);
    if (__builtin_expect(*step != STEP_DONE, 0)) {
        stand_at_gate(frontend, fifo_pop(fifo), *step);
    } else if (__builtin_expect(state->src_given_back, 0)) {
        *step = let_others_pass(tensix, thread);
    }
    return true;
}

/* Whether instructions execute one by one: without an engine, while performance counters count them, or observers are
   told of each. */
static inline bool runs_one_by_one(const struct tensix *tensix)
{
    return !tensix->engine || tensix->state->issue.wanted || tensix->observed;
}

uint32_t frontend_drain(struct tensix *tensix, unsigned thread)
{
    struct frontend *frontend = &tensix->state->frontend[thread];
    if (tensix->timed) {
        return 0;
    }
    if (__builtin_expect(tensix->state->src_handed_over & ~(1u << thread), 0)) {
        let_others_follow(tensix, thread);
    }
    uint64_t before = frontend->passed;
    bool one_by_one = runs_one_by_one(tensix), jitter = tensix->jitter != 0;
    enum step step = STEP_DONE;
    while (step == STEP_DONE && !frontend_exhausted(frontend) && !frontend_idle(frontend)) {
        if (__builtin_expect(jitter, 0)) {
            step = step_with_jitter(tensix, thread, frontend);
        } else if (one_by_one ||
                   !(run_pushed(tensix, thread, frontend, &step) || run_burst(tensix, thread, frontend, &step))) {
            step = step_within(tensix, thread, frontend, false);
        }
    }
    note_hand_over(tensix, thread, frontend->passed > before, step);
    return (uint32_t)(frontend->passed - before);
}

enum step frontend_push(struct tensix *tensix, unsigned thread, uint32_t word, uint32_t pc, bool after_mop)
{
    struct frontend *frontend = &tensix->state->frontend[thread];
    struct instruction_fifo *fifo = after_mop ? &frontend->after_mop : &frontend->fifo;
    if (fifo_push(fifo, word, pc)) {
        return STEP_DONE;
    }
    frontend_drain(tensix, thread);
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
