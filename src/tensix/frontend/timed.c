#include "tensix/frontend/timed.h"

#include "isa/tensix_isa.h"
#include "tensix/frontend/counts.h"
#include "tensix/frontend/fifo.h"
#include "tensix/frontend/replay.h"
#include "tensix/units/pack/writes.h"
#include "tensix/units/state.h"
#include "time/clock.h"
#include "time/timing.h"

enum { FIFO_ACCEPTS_AT = 28 };

static inline bool is_mop(const struct pushed *instruction)
{
    return instruction->word >> 24 == TENSIX_OPCODE_MOP;
}

static inline bool is_wait(const struct pushed *instruction)
{
    uint32_t opcode = instruction->word >> 24;
    return opcode == TENSIX_OPCODE_STALLWAIT || opcode == TENSIX_OPCODE_SEMWAIT || opcode == TENSIX_OPCODE_STREAMWAIT;
}

/* When the MOP expander takes the first instruction of the FIFO. */
static uint64_t mop_takes(const struct frontend *frontend, const struct frontend_timing *timing)
{
    bool transition = timing->after_mop && !is_mop(fifo_entry(&frontend->fifo, 0));
    return clock_later(timing->pushed[frontend->fifo.head] + TIMING_PUSH_TO_GATE,
                       timing->mop + (transition ? TIMING_MOP_TRANSITION : 0));
}

/* When the first word that the frontend has moves on by one stage, which frontend_advance() does. CLOCK_NEVER: there is
   none. */
static uint64_t advances(const struct frontend *frontend, const struct frontend_timing *timing)
{
    if (frontend->replay.mode == REPLAY_EXECUTES) {
        return timing->replay;
    }
    if (frontend->after_mop.count) {
        return clock_later(timing->pushed_late[frontend->after_mop.head] + TIMING_PUSH_TO_GATE, timing->replay);
    }
    if (frontend->mop.active) {
        return clock_later(timing->mop, timing->replay);
    }
    return frontend->fifo.count ? mop_takes(frontend, timing) : CLOCK_NEVER;
}

uint64_t frontend_next_at(const struct tensix *tensix, unsigned thread)
{
    const struct frontend *frontend = &tensix->state->frontend[thread];
    const struct frontend_timing *timing = &tensix->state->timing.frontend[thread];
    return frontend->at_gate ? timing->came : advances(frontend, timing);
}

/* The replay expander takes a word at `time`: a REPLAY that executes gives its first instruction in the same cycle. */
static void replay_takes(const struct frontend *frontend, struct frontend_timing *timing, uint64_t time)
{
    timing->replay = clock_later(time, timing->replay) + (frontend->replay.mode != REPLAY_EXECUTES);
}

/* The next instruction of the REPLAY that is executing comes before the gate. */
static void replay_next(struct frontend *frontend, struct frontend_timing *timing)
{
    struct replay_expander *replay = &frontend->replay;
    frontend->next = (struct pushed){.word = replay->words[replay->index], .pc = replay->pc};
    frontend->at_gate = true;
    replay_advance(replay, 1);
    timing->replay++;
}

/* frontend_advance(), at the time that advances() has said. */
static enum step advance(struct tensix *tensix, unsigned thread, bool *arrived)
{
    struct frontend *frontend = &tensix->state->frontend[thread];
    struct frontend_timing *timing = &tensix->state->timing.frontend[thread];
    if (frontend->replay.mode == REPLAY_EXECUTES) {
        replay_next(frontend, timing);
        *arrived = true;
        return STEP_DONE;
    }
    bool late = frontend->after_mop.count != 0;
    uint64_t time = late ? timing->pushed_late[frontend->after_mop.head] + TIMING_PUSH_TO_GATE : timing->mop;
    bool from_fifo = !late && !frontend->mop.active;
    uint64_t taken = from_fifo ? mop_takes(frontend, timing) : 0;
    enum step step = frontend_advance(tensix, thread, arrived);
    if (step != STEP_DONE) {
        return step;
    }
    if (!from_fifo) {
        timing->mop += !late;
        replay_takes(frontend, timing, time);
    } else {
        uint32_t opcode = frontend->next.word >> 24;
        timing->after_mop = opcode == TENSIX_OPCODE_MOP;
        timing->mop = taken + !frontend->mop.active; /* a MOP gives its first instruction in the same cycle */
        if (opcode != TENSIX_OPCODE_MOP && opcode != TENSIX_OPCODE_MOP_CFG) {
            replay_takes(frontend, timing, taken);
        }
    }
    return STEP_DONE;
}

/* Whether a word that has just moved on made room in a FIFO, was the last of a MOP, or the last of all. */
static bool lets_cores_go_on(const struct frontend *frontend, bool mop_was_active)
{
    return frontend->fifo.count == FIFO_ACCEPTS_AT || frontend->after_mop.count == FIFO_ACCEPTS_AT ||
           (mop_was_active && !frontend->mop.active) || frontend_idle(frontend);
}

/* Brings the next instruction before the gate. false: not before turn->now, or not at all. */
static bool bring_next(struct tensix *tensix, unsigned thread, struct frontend_turn *turn, uint64_t *next)
{
    const struct frontend *frontend = &tensix->state->frontend[thread];
    struct frontend_timing *timing = &tensix->state->timing.frontend[thread];
    bool arrived = frontend->at_gate;
    while (!arrived) {
        uint64_t time = advances(frontend, timing);
        timing->came = time;
        if (time != CLOCK_NEVER) {
            time = clock_later(time, timing->gate); /* until then what stands there now is in its way */
        }
        if (time >= turn->until) {
            *next = time;
            return false;
        }
        turn->now = clock_later(turn->now, time);
        bool mop_was_active = frontend->mop.active;
        if (advance(tensix, thread, &arrived) != STEP_DONE) {
            *next = CLOCK_NEVER;
            return false;
        }
        if (lets_cores_go_on(frontend, mop_was_active)) {
            turn->event = turn->now;
            if (turn->stop_at_event && !arrived) {
                *next = clock_later(turn->now, timing->gate);
                return false;
            }
        }
    }
    turn->now = clock_later(turn->now, timing->gate);
    *next = turn->now;
    return turn->now < turn->until;
}

/* Whose the banks of SrcA and SrcB are. */
struct owners {
    uint8_t of[2][SRC_BANKS];
};

static inline struct owners owners_of(const struct tensix_state *state)
{
    struct owners owners;
    memcpy(owners.of[0], state->srca.owner, sizeof owners.of[0]);
    memcpy(owners.of[1], state->srcb.owner, sizeof owners.of[1]);
    return owners;
}

/* Whether an instruction that has just passed did what others may wait for. */
static inline bool acts(const struct tensix_state *state, unsigned thread, uint32_t opcode, struct owners before)
{
    struct owners now = owners_of(state);
    return timing_acts[opcode] || memcmp(&now, &before, sizeof now) != 0 || frontend_idle(&state->frontend[thread]);
}

uint64_t frontend_run_timed(struct tensix *tensix, unsigned thread, struct frontend_turn *turn)
{
    struct tensix_timing *timing = &tensix->state->timing;
    struct frontend_timing *own = &timing->frontend[thread];
    uint64_t next;
    turn->event = CLOCK_NEVER;
    while (bring_next(tensix, thread, turn, &next)) {
        struct owners before = owners_of(tensix->state);
        uint32_t opcode = tensix->state->frontend[thread].next.word >> 24;
        timing->now[thread] = turn->now;
        timing->retry[thread] = CLOCK_NEVER;
        if (timing->late.count) {
            late_arrive(tensix, turn->now);
        }
        if (pack_writes_next(&timing->pack.writes) <= turn->now) {
            (void)pack_writes_arrive(tensix, turn->now);
        }
        if (counts_wanted(tensix)) {
            counts_reach(tensix, turn->now);
        }
        enum step step = frontend_pass_gate(tensix, thread);
        counts_tried(tensix, thread, tensix->state->frontend[thread].next.word, step == STEP_DONE, turn->now);
        if (step == STEP_DONE) {
            if (is_wait(&tensix->state->frontend[thread].next)) {
                wait_gate_latched(tensix, thread);
            }
            own->gate = clock_later(own->gate, turn->now + 1);
            if (acts(tensix->state, thread, opcode, before)) {
                turn->event = turn->now;
            }
            if (turn->event != CLOCK_NEVER && turn->stop_at_event) {
                return own->gate;
            }
        } else if (step == STEP_STOP || timing->retry[thread] == CLOCK_NEVER) {
            return CLOCK_NEVER;
        } else {
            turn->now = timing->retry[thread];
        }
    }
    return next;
}

enum step frontend_push_timed(struct tensix *tensix, unsigned thread, struct pushed instruction, bool after_mop,
                              uint64_t time)
{
    struct frontend *frontend = &tensix->state->frontend[thread];
    struct instruction_fifo *fifo = after_mop ? &frontend->after_mop : &frontend->fifo;
    struct frontend_timing *timing = &tensix->state->timing.frontend[thread];
    uint64_t *pushed = after_mop ? timing->pushed_late : timing->pushed;
    uint32_t index = (fifo->head + fifo->count) % FIFO_CAPACITY;
    bool together = fifo->count && pushed[(index + FIFO_CAPACITY - 1) % FIFO_CAPACITY] == time;
    if ((fifo->count > FIFO_ACCEPTS_AT && !together) || !fifo_push(fifo, instruction.word, instruction.pc)) {
        return STEP_WAIT;
    }
    pushed[index] = time;
    return STEP_DONE;
}

uint64_t frontend_done(const struct tensix *tensix, unsigned thread)
{
    const struct tensix_timing *timing = &tensix->state->timing;
    uint64_t done = timing->frontend[thread].gate;
    for (unsigned i = 0; i < TIMING_BUSY; i++) {
        done = i == BUSY_CORE ? done : clock_later(done, timing->busy_until[i][thread]);
    }
    return done;
}
