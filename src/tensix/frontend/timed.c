#include "tensix/frontend/timed.h"

#include "isa/tensix_isa.h"
#include "tensix/frontend/counts.h"
#include "tensix/frontend/fifo.h"
#include "tensix/frontend/replay.h"
#include "tensix/units/observe.h"
#include "tensix/units/pack/writes.h"
#include "tensix/units/state.h"
#include "time/clock.h"
#include "time/timing.h"

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

/* Instructions that count as held by the first FIFO: one that stands before the gate still does, unless it comes from
   an expansion. */
static uint32_t held_by_fifo(const struct frontend *frontend, const struct frontend_timing *timing)
{
    return frontend->fifo.count + timing->stands;
}

/* Before a word moves on, what that may change. */
struct moved {
    uint32_t count, held;
    bool mop_active;
};

static struct moved before_move(const struct frontend *frontend, const struct frontend_timing *timing)
{
    return (struct moved){frontend->fifo.count, held_by_fifo(frontend, timing), frontend->mop.active};
}

static bool makes_room(uint32_t before, uint32_t held)
{
    return before > FIFO_ACCEPTS_AT && held <= FIFO_ACCEPTS_AT;
}

/* Whether the word has made room in a FIFO, was the last of a MOP, or the last of all. */
static bool lets_cores_go_on(const struct frontend *frontend, const struct frontend_timing *timing, struct moved before)
{
    return makes_room(before.held, held_by_fifo(frontend, timing)) || frontend->after_mop.count == FIFO_ACCEPTS_AT ||
           (before.mop_active && !frontend->mop.active) || frontend_idle(frontend);
}

/* Whether the instruction at the gate may pass it behind turn->until: nobody outside the tile can tell. */
static bool may_go_ahead(struct tensix *tensix, const struct frontend *frontend, const struct frontend_turn *turn)
{
    return turn->now < turn->ahead && !frontend->wait.latched && !counts_wanted(tensix) &&
           timing_word(tensix->words, frontend->next.word)->stays_in_tile;
}

enum brought {
    BROUGHT_NOTHING,    /* not in this turn, or not at all */
    BROUGHT_ON,         /* by a stage */
    BROUGHT_BEFORE_GATE /* where one stands that may pass */
};

/* Brings the next instruction on by a stage, unless one stands before the gate. */
static enum brought bring_next(struct tensix *tensix, unsigned thread, struct frontend_turn *turn, uint64_t *next)
{
    const struct frontend *frontend = &tensix->state->frontend[thread];
    struct frontend_timing *timing = &tensix->state->timing.frontend[thread];
    if (!frontend->at_gate) {
        uint64_t time = advances(frontend, timing);
        timing->came = time;
        if (time != CLOCK_NEVER) {
            time = clock_later(time, timing->gate); /* until then what stands there now is in its way */
        }
        *next = time;
        bool counts = counts_wanted(tensix);
        if (time >= (counts ? turn->until : clock_later(turn->until, turn->ahead))) {
            return BROUGHT_NOTHING;
        }
        turn->now = clock_later(turn->now, time);
        if (__builtin_expect(counts, 0)) {
            counts_reach(tensix, turn->now); /* while it has not moved on */
        }
        bool arrived;
        struct moved before = before_move(frontend, timing);
        if (advance(tensix, thread, &arrived) != STEP_DONE) {
            *next = CLOCK_NEVER;
            return BROUGHT_NOTHING;
        }
        timing->stands = arrived && frontend->fifo.count < before.count;
        bool event = lets_cores_go_on(frontend, timing, before) || turn->core_waits;
        turn->event = event ? turn->now : turn->event;
        turn->lets_go_on |= event;
        if (!arrived) {
            *next = clock_later(turn->now, timing->gate);
            return event && turn->stop_at_event ? BROUGHT_NOTHING : BROUGHT_ON;
        }
    }
    turn->now = clock_later(turn->now, timing->gate);
    *next = turn->now;
    return turn->now < turn->until || may_go_ahead(tensix, frontend, turn) ? BROUGHT_BEFORE_GATE : BROUGHT_NOTHING;
}

/* What stood before the gate has passed it: whether that makes room in the first FIFO. */
static bool leaves_gate(const struct frontend *frontend, struct frontend_timing *timing)
{
    uint32_t before = held_by_fifo(frontend, timing);
    timing->stands = false;
    return makes_room(before, frontend->fifo.count);
}

/* Whose the banks of SrcA and SrcB are, and how many instructions wait for one within the unpackers. */
struct owners {
    uint8_t of[2][SRC_BANKS];
    uint8_t begun[UNPACKERS];
};

static inline struct owners owners_of(const struct tensix_state *state)
{
    struct owners owners;
    memcpy(owners.of[0], state->srca.owner, sizeof owners.of[0]);
    memcpy(owners.of[1], state->srcb.owner, sizeof owners.of[1]);
    memcpy(owners.begun, state->unpack.begun, sizeof owners.begun);
    return owners;
}

/* What stands at the gate executes, unless something holds it. */
static inline __attribute__((always_inline)) enum step pass_gate(struct tensix *tensix, unsigned thread,
                                                                 struct frontend *frontend)
{
    struct tensix_state *state = tensix->state;
    struct pushed next = frontend->next;
    if (__builtin_expect(frontend->wait.latched, 0)) {
        if (!wait_gate_holds_timed(tensix, thread)) {
            frontend->wait.latched = false;
        } else if (wait_gate_blocks(&frontend->wait, next.word >> 24)) {
            tensix_held(tensix, thread, next);
            return STEP_WAIT;
        }
    }
    const struct timing_word *facts = timing_word(tensix->words, next.word);
    if (timing_holds(tensix, thread, facts)) {
        tensix_not_accepted(tensix, thread, next);
        return STEP_WAIT;
    }
    enum step step = __builtin_expect(tensix->jitter != 0, 0) ? lag_dispatch(tensix, thread, next)
                                                              : tensix_dispatch_told(tensix, thread, next);
    if (__builtin_expect(step != STEP_DONE, 0)) {
        if (step == STEP_WAIT) {
            timing_waits(tensix, thread, facts);
        }
        return step;
    }
    frontend->at_gate = false;
    frontend->passed++;
    timing_passed(tensix, thread, facts);
    if (__builtin_expect(tensix->jitter != 0, 0)) {
        lag_passed(tensix, thread);
    }
    tensix_occupied(tensix, thread, next);
    if (__builtin_expect(state->issue.wanted, 0)) {
        issue_count(&state->issue, thread, next.word);
    }
    if (__builtin_expect(state->src_given_back && unpack_all_begun(&state->unpack), 0)) {
        (void)unpack_go_on(tensix);
    }
    state->src_given_back = false; /* who waits for the bank at a gate goes on when it is its time */
    return __builtin_expect(tensix->diagnostics->stopped, 0) ? STEP_STOP : STEP_DONE;
}

/* The same, at turn->now. What is due by then arrives before. */
static inline __attribute__((always_inline)) enum step
try_next(struct tensix *tensix, unsigned thread, struct frontend *frontend, const struct frontend_turn *turn)
{
    struct tensix_timing *timing = &tensix->state->timing;
    timing->now[thread] = tensix->diagnostics->now.cycle = turn->now;
    timing->retry[thread] = CLOCK_NEVER;
    tensix_tells_time(tensix, thread);
    if (__builtin_expect(timing->late.count, 0)) {
        late_arrive(tensix, turn->now);
    }
    if (__builtin_expect(frontend_next_arrival(tensix->state) <= turn->now, 0)) {
        (void)frontend_let_arrive(tensix, turn->now);
    }
    if (__builtin_expect(counts_wanted(tensix), 0)) {
        counts_reach(tensix, turn->now);
    }
    if (__builtin_expect(vector_schedule_active(&tensix->state->vector), 0)) {
        (void)vector_let_time_pass(tensix, turn->now);
        if (tensix->diagnostics->stopped) {
            return STEP_STOP;
        }
    }
    enum step step = pass_gate(tensix, thread, frontend);
    counts_tried(tensix, thread, frontend->next.word, step == STEP_DONE, turn->now);
    return step;
}

/* The same. Whether what has passed did what others may wait for: *acted. */
static inline __attribute__((always_inline)) enum step
try_watched(struct tensix *tensix, unsigned thread, struct frontend *frontend, struct frontend_turn *turn, bool *acted)
{
    struct owners before = owners_of(tensix->state);
    uint8_t acts = timing_acts[frontend->next.word >> 24];
    if (__builtin_expect(turn->spares_registers, 0) && acts & TIMING_ACTS_ON_REGISTERS) {
        turn->blocked = true;
        return STEP_WAIT;
    }
    enum step step = try_next(tensix, thread, frontend, turn);
    struct owners now = owners_of(tensix->state);
    if (step == STEP_DONE) {
        bool more = memcmp(&now, &before, sizeof now) != 0 || frontend_idle(frontend) || turn->core_waits;
        turn->acts |= acts;
        turn->lets_go_on |= more;
        *acted = acts || more;
    }
    return step;
}

/* Whether instructions of a REPLAY pass the gate without anything else to be looked at, as long as they are quiet. */
static inline bool passes_replay(const struct tensix *tensix, const struct frontend *frontend)
{
    return frontend->replay.mode == REPLAY_EXECUTES && !frontend->at_gate && !frontend->wait.latched &&
           !tensix->state->timing.late.count && !counts_wanted(tensix) && !tensix->observed &&
           frontend->fifo.count != FIFO_ACCEPTS_AT && frontend->after_mop.count != FIFO_ACCEPTS_AT;
}

/* As many of them as are quiet, but not the last one of all that the thread has. STEP_DONE: what comes next is not one
   of them, or not for this turn. Else one was tried, and stays at the gate. */
static enum step pass_replay(struct tensix *tensix, unsigned thread, struct frontend *frontend,
                             struct frontend_turn *turn)
{
    struct tensix_timing *timing = &tensix->state->timing;
    struct frontend_timing *own = &timing->frontend[thread];
    struct replay_expander *replay = &frontend->replay;
    uint64_t limit = clock_later(turn->until, turn->ahead), packed = frontend_next_arrival(tensix->state);
    limit = limit < packed ? limit : packed;
    const bool more = frontend->mop.active || frontend->fifo.count || frontend->after_mop.count;
    const struct vector_unit *vector = &tensix->state->vector;
    struct diagnostic_origin *origin = &tensix->diagnostics->now;
    uint64_t time = clock_later(turn->now, clock_later(own->replay, own->gate));
    uint32_t tried = 0, word = 0;
    enum step step = STEP_DONE;
    tensix_now(tensix, thread, (struct pushed){.pc = replay->pc});
    timing->retry[thread] = CLOCK_NEVER;
    while (replay->left > !more && !vector_schedule_active(vector)) {
        const struct timing_word *facts = timing_word(tensix->words, replay->words[replay->index]);
        if (!facts->is_quiet || time >= limit) {
            break;
        }
        timing->now[thread] = origin->cycle = turn->now = time;
        origin->instruction = word = facts->word;
        tried++;
        replay_advance(replay, 1);
        if (timing_holds(tensix, thread, facts)) {
            step = STEP_WAIT;
            break;
        }
        /* vector_holds() may have withheld a product, and so begun a schedule */
        const bool alone = facts->run && !vector_schedule_active(vector);
        step = __builtin_expect(alone, 1) ? facts->run(tensix, thread, facts->word)
                                          : tensix_dispatch_now(tensix, thread, facts->word);
        if (step != STEP_DONE) {
            break;
        }
        timing_passed(tensix, thread, facts);
        time = own->gate = clock_later(own->gate, time + 1); /* own->replay, a cycle later each time, is not later */
    }
    if (tried) {
        own->replay += tried;
        own->came = own->replay - 1;
        frontend->passed += tried - (step != STEP_DONE);
        frontend->next = (struct pushed){.word = word, .pc = replay->pc};
        frontend->at_gate = step != STEP_DONE;
        counts_tried(tensix, thread, word, step == STEP_DONE, turn->now);
    }
    return step;
}

/* Whether what core T has pushed comes before the gate and passes it without anything but the FIFO to be looked at, and
   is not all that the thread has. */
static inline bool passes_pushed(const struct tensix *tensix, const struct frontend *frontend)
{
    return frontend->fifo.count > 1 && frontend->replay.mode == REPLAY_PASSES && !frontend->at_gate &&
           !frontend->mop.active && !frontend->after_mop.count && !counts_wanted(tensix) && !tensix->observed;
}

/* What stands at the gate from turn->now on is tried until it passes, or may not in this turn: at `limit` or later. */
static inline __attribute__((always_inline)) enum step
try_until(struct tensix *tensix, unsigned thread, struct frontend *frontend, struct frontend_turn *turn, uint64_t limit)
{
    const struct tensix_timing *timing = &tensix->state->timing;
    const bool stops = turn->event != CLOCK_NEVER && turn->stop_at_event;
    for (;;) {
        enum step step = try_next(tensix, thread, frontend, turn);
        if (step != STEP_WAIT || timing->retry[thread] == CLOCK_NEVER || stops) {
            return step;
        }
        uint64_t again = clock_later(timing->retry[thread], timing->frontend[thread].gate);
        if (again >= limit) {
            return STEP_WAIT;
        }
        turn->now = again;
    }
}

/* Whether a turn with turn->refill goes on behind an instruction that is an event: what it changes (`acts`, `more`)
   nobody waits for, and where it makes room the core has pushed and waits again. */
static inline bool goes_on(const struct frontend_timing *own, struct frontend_turn *turn, uint8_t acts, bool room,
                           bool more)
{
    return (acts || room) && !more && !(acts & (uint8_t)~TIMING_ACTS_ON_SYNC) && own->gate < turn->until &&
           (!room || turn->refill(turn->context, turn->now, own->gate));
}

/* Passes such instructions one after the other (rows pushed_* of `make bench`): bring_next() and try_watched() for what
   only these may find. STEP_DONE:
   what comes next is none of them, is not for this turn, or an event ends the turn. Else one stays at the gate. */
static enum step pass_pushed(struct tensix *tensix, unsigned thread, struct frontend *frontend,
                             struct frontend_turn *turn)
{
    struct frontend_timing *own = &tensix->state->timing.frontend[thread];
    struct instruction_fifo *fifo = &frontend->fifo;
    do {
        const struct pushed next = *fifo_entry(fifo, 0);
        const struct timing_word *facts = timing_word(tensix->words, next.word);
        const uint8_t acts = timing_acts[next.word >> 24];
        const bool is_quiet = facts->is_quiet;
        const bool goes_ahead = facts->stays_in_tile && !frontend->wait.latched;
        const uint64_t limit = goes_ahead ? clock_later(turn->until, turn->ahead) : turn->until;
        const uint64_t came = mop_takes(frontend, own), time = clock_later(turn->now, clock_later(came, own->gate));
        if (facts->is_expanded || time >= limit || (turn->spares_registers && acts & TIMING_ACTS_ON_REGISTERS)) {
            return STEP_DONE;
        }
        turn->now = time;
        own->came = came;
        own->after_mop = false;
        own->mop = came + 1;
        own->replay = clock_later(came, own->replay) + 1;
        frontend->next = fifo_pop(fifo);
        frontend->at_gate = own->stands = true;
        const struct owners before = owners_of(tensix->state);
        enum step step = try_until(tensix, thread, frontend, turn, limit);
        if (step != STEP_DONE) {
            return step;
        }
        const struct owners now = owners_of(tensix->state);
        const bool room = leaves_gate(frontend, own);
        const bool more = !is_quiet && memcmp(&now, &before, sizeof now) != 0;
        own->gate = clock_later(own->gate, turn->now + 1);
        if (turn->refill && goes_on(own, turn, acts, room, more)) {
            turn->passed_over = turn->now;
        } else {
            turn->acts |= acts;
            turn->lets_go_on |= room || more;
            turn->event = acts || room || more ? turn->now : turn->event;
        }
        if (is_wait(&next)) {
            wait_gate_latched(tensix, thread);
        }
    } while (!(turn->stop_at_event && turn->event != CLOCK_NEVER) && passes_pushed(tensix, frontend));
    return STEP_DONE;
}

uint64_t frontend_run_timed(struct tensix *tensix, unsigned thread, struct frontend_turn *turn)
{
    struct tensix_timing *timing = &tensix->state->timing;
    struct frontend *frontend = &tensix->state->frontend[thread];
    struct frontend_timing *own = &timing->frontend[thread];
    turn->event = CLOCK_NEVER;
    for (;;) {
        uint64_t next;
        bool acted = false;
        enum step step = turn->core_waits                  ? STEP_DONE
                         : passes_replay(tensix, frontend) ? pass_replay(tensix, thread, frontend, turn)
                         : passes_pushed(tensix, frontend) ? pass_pushed(tensix, thread, frontend, turn)
                                                           : STEP_DONE;
        if (step == STEP_DONE && turn->event != CLOCK_NEVER && turn->stop_at_event) {
            return own->gate;
        }
        if (step == STEP_DONE) {
            enum brought brought = bring_next(tensix, thread, turn, &next);
            if (brought == BROUGHT_NOTHING) {
                return next;
            }
            if (brought == BROUGHT_ON) {
                continue;
            }
            step = try_watched(tensix, thread, frontend, turn, &acted);
            if (turn->blocked) {
                return turn->now;
            }
        }
        if (step == STEP_STOP || (step == STEP_WAIT && timing->retry[thread] == CLOCK_NEVER)) {
            return CLOCK_NEVER;
        }
        if (step == STEP_WAIT) {
            turn->now = timing->retry[thread];
            if (turn->event != CLOCK_NEVER && turn->stop_at_event) {
                return turn->now;
            }
            continue;
        }
        if (is_wait(&frontend->next)) {
            wait_gate_latched(tensix, thread);
        }
        own->gate = clock_later(own->gate, turn->now + 1);
        bool room = leaves_gate(frontend, own);
        turn->lets_go_on |= room;
        if (room || acted) {
            turn->event = turn->now;
        }
        if (turn->event != CLOCK_NEVER && turn->stop_at_event) {
            return own->gate;
        }
    }
}

enum step frontend_push_timed(struct tensix *tensix, unsigned thread, struct pushed instruction, bool after_mop,
                              uint64_t time)
{
    struct frontend *frontend = &tensix->state->frontend[thread];
    struct frontend_timing *timing = &tensix->state->timing.frontend[thread];
    bool taken = after_mop ? fifo_takes(&frontend->after_mop, timing->pushed_late, false, instruction, time)
                           : frontend_takes(frontend, timing, instruction, time);
    return taken ? STEP_DONE : STEP_WAIT;
}

uint64_t frontend_done(const struct tensix *tensix, unsigned thread)
{
    const struct tensix_timing *timing = &tensix->state->timing;
    uint64_t done = clock_later(timing->frontend[thread].gate, timing->drained[thread]);
    for (unsigned i = 0; i < TIMING_BUSY; i++) {
        done = i == BUSY_CORE ? done : clock_later(done, timing->busy_until[i][thread]);
    }
    return done;
}
