#include "tile/timed.h"

#include "noc/traffic.h"
#include "rv32/debug.h"
#include "rv32/timed.h"
#include "tensix/frontend/timed.h"
#include "tensix/units/pack/writes.h"
#include "tile/timed_agents.h"
#include "tile/timed_arrivals.h"
#include "tile/timed_circles.h"
#include "tile/timed_keys.h"
#include "tile/timed_stores.h"
#include "time/jitter.h"

enum { ALL_AGENTS = (1 << CLOCK_AGENTS) - 1, ALL_CORES = (1 << BH_CORE_COUNT) - 1 };

/* What a core has polled so far may have changed; `touched`: also if it has not loaded from L1. */
static void end_polling_of(struct tile *tile, unsigned core, bool touched)
{
    tile->state->timing[core].polling.touched |= touched;
    tile->state->timing[core].polling.unbroken = false;
    tile->state->timing[core].polling.loaded = 0;
}

/* An agent that waited, or had nothing to do, may go on at `time`. */
static void wake(struct tile *tile, struct tile_schedule *schedule, unsigned agent, uint64_t time)
{
    uint32_t bit = 1u << agent;
    if (schedule->out & bit && is_core(agent)) {
        end_polling_of(tile, agent, true);
    }
    schedule->out &= ~bit;
    if (has_work(tile, agent)) {
        schedule->units_rest &= is_core(agent);
        clock_reach(&tile->state->clock, agent, time);
        set_key(schedule, agent, key_of(agent, clock_of(&tile->state->clock, agent)));
        schedule->waiting &= ~bit;
        schedule->quiet &= ~bit;
    } else if (is_out(tile, agent)) {
        schedule->out |= bit;
    }
}

/* Some of the agents, but none that goes on anyway, look whether they can go on, since somebody has acted at `time`. */
static inline void wake_some(struct tile *tile, struct tile_schedule *schedule, uint32_t agents, uint64_t time)
{
    for (uint32_t left = agents & ~schedule->going; left; left &= left - 1) {
        wake(tile, schedule, (unsigned)__builtin_ctz(left), time);
    }
}

void tile_hold_core(struct tile *tile, unsigned core)
{
    struct tile_schedule *schedule = &tile->schedule;
    const uint32_t bit = 1u << core;
    set_key(schedule, core, CLOCK_NEVER);
    schedule->waiting &= ~bit;
    schedule->quiet &= ~bit;
    schedule->out |= bit;
}

/* What some of the cores have polled so far may have changed, but for those that are aside. */
static void end_polling_of_all(struct tile *tile, uint32_t cores, bool touched)
{
    circles_end(tile);
    cores &= ALL_CORES & ~(uint32_t)tile->schedule.out & ~tile->state->doze.aside;
    for (uint32_t left = cores; left; left &= left - 1) {
        end_polling_of(tile, (unsigned)__builtin_ctz(left), touched);
    }
}

void tile_end_polling(struct tile *tile)
{
    end_polling_of_all(tile, ALL_CORES, true);
    if (!tile->state->doze.aside) {
        memset(tile->state->doze.counters, 0, sizeof tile->state->doze.counters);
    }
}

/* The tile has done something up to `time`, wherever the quantum began in which it did. */
static void note_busy(struct tile *tile, uint64_t time)
{
    tile->state->busy_until = clock_later(tile->state->busy_until, time);
}

/* Each returns when the agent goes on; turn->event becomes when it last did what others may wait for, and what it has
   executed is added to the tile's turn. */

static uint64_t run_core(struct tile *tile, unsigned core, struct rv32_turn *turn, struct tile_turn *came)
{
    struct tile_state *state = tile->state;
    if (turn->exact && pic_interrupts(tile, core)) { /* as is the turn of each core that takes interrupts */
        pic_take(tile, core);
    }
    uint64_t before = state->diagnostics.now.cycle = clock_of(&state->clock, core);
    uint32_t retired = 0;
    stores_begin_turn(tile, core);
    if (rv32_debug_watches(&state->core[core])) {
        retired = rv32_debug_run(&tile->core[core], 1);
        state->timing[core].unseen_count = 0; /* steps are seen at once */
        turn->event = before;
        turn->acted = turn->requested = turn->polled = turn->awaited = true;
    } else {
        retired = rv32_run_timed(&tile->core[core], turn);
    }
    stores_end_turn(tile, core, clock_sooner(clock_of(&state->clock, core), clock_sooner(turn->until, turn->end)));
    state->retired += retired;
    came->retired += retired;
    bool waits = state->core[core].waiting || rv32_debug_abandoned(&state->core[core]) || !has_work(tile, core);
    return waits ? CLOCK_NEVER : clock_of(&state->clock, core);
}

/* A core that waits to push, of a thread whose turn it is. */
struct pushes {
    struct tile *tile;
    unsigned core;
    struct tile_turn *came;
};

/* What run_agents() would do if the thread's turn ended: the core's turn, and its result. Neither another agent nor an
   arrival comes before the thread's next instruction. */
static bool refill(void *context, uint64_t time, uint64_t gate)
{
    const struct pushes *pushes = context;
    struct tile *tile = pushes->tile;
    struct tile_state *state = tile->state;
    const unsigned core = pushes->core;
    if (!rv32_only_pushes(&tile->core[core])) {
        return false;
    }
    struct rv32_turn turn = {.until = gate + 1, .end = gate + 1, .exact = true};
    clock_reach(&state->clock, core, time);
    uint32_t retired = rv32_run_pushes(&tile->core[core], &turn);
    state->retired += retired;
    pushes->came->retired += retired;
    if (!state->core[core].waiting) {
        uint64_t next = clock_of(&state->clock, core);
        set_key(&tile->schedule, core, key_of(core, next));
        note_busy(tile, next);
        tile->schedule.waiting &= ~(1u << core);
        tile->schedule.quiet &= ~(1u << core);
    }
    return state->core[core].waiting;
}

/* Whether nobody waits but the thread's core, to push to it. */
static bool only_pushes(const struct tile *tile, unsigned core)
{
    const struct tile_schedule *schedule = &tile->schedule;
    return schedule->waiting == 1u << core && schedule->quiet == schedule->waiting && waits_to_push(tile, core) &&
           !tile->observed && !tile->jitter && !pic_enabled(tile);
}

static uint64_t run_thread(struct tile *tile, unsigned thread, struct rv32_turn *turn, struct tile_turn *came)
{
    struct clock *clock = &tile->state->clock;
    const struct frontend *frontend = &tile->state->tensix.frontend[thread];
    uint64_t before = frontend->passed;
    unsigned agent = CLOCK_THREAD_0 + thread;
    uint64_t ahead = pic_enabled(tile) || turn->exact ? turn->end : turn->end + RV32_AHEAD;
    struct pushes pushes = {.tile = tile, .core = BH_CORE_T0 + thread, .came = came};
    struct frontend_turn own = {
        .now = clock_of(clock, agent),
        .until = turn->until < turn->end ? turn->until : turn->end,
        .ahead = turn->until < ahead ? turn->until : ahead,
        .stop_at_event = turn->stop_at_event || turn->stop_at_awaited,
        .refill = only_pushes(tile, pushes.core) ? refill : NULL,
        .context = &pushes,
        .spares_registers = turn->spares_polled,
        .core_waits = waits_for_passing(tile, thread),
    };
    tile->state->diagnostics.now.cycle = own.now;
    uint64_t next = frontend_run_timed(&tile->tensix, thread, &own);
    clock_reach(clock, agent, next == CLOCK_NEVER ? own.now : next);
    if (own.passed_over) { /* its core has pushed, or tried to */
        clock_reach(clock, BH_CORE_T0 + thread, own.passed_over);
        end_polling_of_all(tile, ~0u, false);
    }
    turn->event = own.event;
    turn->acted = true;
    turn->polled = turn->requested = own.acts & TIMING_ACTS_ON_REGISTERS;
    turn->awaited = own.lets_go_on || own.acts & (TIMING_ACTS_ON_REGISTERS | TIMING_ACTS_ON_SYNC);
    turn->blocked = own.blocked;
    came->tensix_instructions += frontend->passed - before;
    return next;
}

/* Finds out who has work. */
static void begin_anew(struct tile *tile, struct tile_schedule *schedule)
{
    *schedule = (struct tile_schedule){0};
    tile_end_polling(tile);
    for (unsigned agent = 0; agent < CLOCK_AGENTS; agent++) {
        schedule->key[agent] = CLOCK_NEVER;
        wake(tile, schedule, agent, tile->state->clock.now);
    }
}

/* The same if nobody has reached the tile since its last turn: those who had no work still have none, and those who
   wait try again. */
static void begin_again(struct tile *tile, struct tile_schedule *schedule)
{
    uint32_t waiting = schedule->waiting & ~schedule->quiet;
    schedule->waiting = schedule->quiet;
    for (uint32_t left = schedule->going; left; left &= left - 1) {
        unsigned agent = (unsigned)__builtin_ctz(left);
        if (!has_work(tile, agent)) {
            set_key(schedule, agent, CLOCK_NEVER);
        }
    }
    for (uint32_t left = waiting; left; left &= left - 1) {
        wake(tile, schedule, (unsigned)__builtin_ctz(left), tile->state->clock.now);
    }
}

/* goes_on: somebody goes on after this turn. */
static enum tile_progress progress_of(const struct tile *tile, const struct tile_turn *turn, bool goes_on)
{
    bool happened = turn->retired || turn->tensix_instructions;
    return tile->state->diagnostics.stopped ? TILE_STOPPED
           : happened || goes_on            ? TILE_RUNNING
           : turn->active                   ? TILE_BLOCKED
                                            : TILE_IDLE;
}

/* The turn of one agent. */
static void run_agent(struct tile *tile, struct tile_schedule *schedule, unsigned agent, struct rv32_turn *turn,
                      struct tile_turn *came)
{
    uint64_t next =
        is_core(agent) ? run_core(tile, agent, turn, came) : run_thread(tile, agent - CLOCK_THREAD_0, turn, came);
    set_key(schedule, agent, key_of(agent, next));
    uint64_t reached = clock_of(&tile->state->clock, agent), own = clock_sooner(turn->until, turn->end);
    note_busy(tile, next == CLOCK_NEVER ? reached : clock_sooner(reached, own)); /* others may hold it from then on */
    tile->circles.turns++;
    if (turn->acted) { /* maybe on its own RAM alone, which is no event */
        circles_end(tile);
    }
    if (next == CLOCK_NEVER && has_work(tile, agent)) {
        schedule->waiting |= 1u << agent;
        schedule->quiet |= (uint32_t)waits_for_others(tile, agent) << agent;
    }
    if (is_core(agent) && pc_buf_is_awaited(tile, agent)) { /* for which B may wait */
        wake_some(tile, schedule, 1u << BH_CORE_B, clock_of(&tile->state->clock, agent));
    }
    if (turn->event != CLOCK_NEVER) {
        uint32_t given = turn->requested ? ALL_AGENTS : turn->pushed ? pushes_to(agent) : 0;
        uint32_t unmoved = ((uint32_t)schedule->out & ~given) | (turn->awaited ? 0 : schedule->quiet);
        wake_some(tile, schedule, ALL_AGENTS & ~(1u << agent) & ~unmoved, turn->event);
        if (turn->acted) { /* an agent knows itself what it has polled since */
            end_polling_of_all(tile, ~(1u << agent), turn->polled);
        }
    }
}

/* Whether the tile is one that may doze while all that go on are cores that poll. */
static bool may_doze(const struct tile *tile)
{
    const struct vector_unit *vector = &tile->state->tensix.vector;
    return !tile->observed && !tile->jitter && !pic_enabled(tile) &&
           (tile->schedule.units_rest || !(vector_schedule_active(vector) && vector_time_helps(vector)));
}

/* Those that wait for what more than other agents of the tile may bring. */
static uint32_t wait_for_all(const struct tile_schedule *schedule)
{
    return schedule->waiting & ~schedule->quiet;
}

/* Whether a core may be found to poll: all that go on are cores, none of which is run step by step. */
static bool may_poll(const struct tile *tile, const struct tile_schedule *schedule)
{
    bool watched = false;
    for (uint32_t left = schedule->going & ALL_CORES; left; left &= left - 1) {
        watched |= rv32_debug_watches(&tile->state->core[__builtin_ctz(left)]);
    }
    return !watched && !wait_for_all(schedule) && may_doze(tile);
}

/* Of the cores that go on those that do not poll on their own. */
static uint32_t cores_that_meet(const struct tile *tile, const struct tile_schedule *schedule)
{
    uint32_t cores = 0;
    for (uint32_t left = schedule->going & ALL_CORES; left; left &= left - 1) {
        unsigned core = (unsigned)__builtin_ctz(left);
        cores |= (uint32_t)!rv32_polls(&tile->state->core[core], &tile->state->timing[core]) << core;
    }
    return cores;
}

/* Whether nothing changes before somebody outside acts: all that go on are cores that poll, and nobody waits for what
   time alone may bring. */
static bool only_polls(struct tile *tile, const struct tile_schedule *schedule)
{
    if (!schedule->going || schedule->going & ~(uint32_t)ALL_CORES) {
        return false;
    }
    uint32_t meet = cores_that_meet(tile, schedule);
    return !(meet & ~tile->circles.closed) && may_poll(tile, schedule) && circles_closed(tile, meet);
}

/* Until when all agents are ahead of the turn that ends now, so that the tile needs no other one before: 0 if one of
   them waits for what time alone may bring, or each turn is to be seen. */
static uint64_t all_ahead_until(const struct tile *tile, const struct tile_schedule *schedule)
{
    bool knows = schedule->going && !wait_for_all(schedule) && !tile->observed && !pic_enabled(tile);
    return knows ? time_of(lowest_keys(schedule).first) : 0;
}

/* Those that have dozed go on where they are now, and nobody else has got work meanwhile. */
static void begin_after_doze(struct tile *tile, struct tile_schedule *schedule)
{
    for (uint32_t left = schedule->going; left; left &= left - 1) {
        unsigned core = (unsigned)__builtin_ctz(left);
        schedule->key[core] = key_of(core, clock_of(&tile->state->clock, core));
    }
}

static void doze(struct tile *tile, const struct tile_schedule *schedule)
{
    struct tile_doze *doze = &tile->state->doze;
    doze->cores = schedule->going;
    for (uint32_t left = schedule->going & ~doze->aside; left; left &= left - 1) {
        unsigned core = (unsigned)__builtin_ctz(left);
        doze->since[core] = doze->latest[core] = time_of(schedule->key[core]);
    }
    doze->aside = 0;
    circles_begin_doze(tile, cores_that_meet(tile, schedule));
}

/* Brings cores that have polled meanwhile to their last time round before `time`. */
static void go_round_until(struct tile *tile, uint32_t cores, uint64_t time, struct tile_turn *came)
{
    uint64_t instructions = circles_end_doze(tile, cores, time);
    tile->state->retired += instructions;
    came->retired += instructions;
}

static void end_doze(struct tile *tile, uint64_t time, struct tile_turn *came)
{
    go_round_until(tile, tile->state->doze.cores, time, came);
    tile->state->doze.cores = 0;
    tile_end_polling(tile);
}

/* A core that polls need not be run while others only compute and access L1. It still goes on. */
static void set_aside(struct tile *tile, struct tile_schedule *schedule, unsigned core)
{
    struct tile_doze *doze = &tile->state->doze;
    doze->since[core] = doze->latest[core] = time_of(schedule->key[core]);
    doze->aside |= 1u << core;
    schedule->key[core] = CLOCK_NEVER;
}

/* All that are aside are run again: somebody acts at `time` on what they may poll. */
static void take_back(struct tile *tile, struct tile_schedule *schedule, uint64_t time, struct tile_turn *came)
{
    uint32_t cores = tile->state->doze.aside;
    go_round_until(tile, cores, time, came);
    tile->state->doze.aside = 0;
    for (; cores; cores &= cores - 1) {
        unsigned core = (unsigned)__builtin_ctz(cores);
        schedule->key[core] = key_of(core, clock_of(&tile->state->clock, core));
    }
}

/* Whether what arrives next changes what cores poll that are aside: what the packer writes does not. */
static bool arrives_aside(const struct tile *tile)
{
    uint32_t aside = tile->state->doze.aside;
    if (!aside) {
        return false;
    }
    const struct pack_writes *writes = &tile->state->tensix.timing.pack.writes;
    uint64_t packed = tile->schedule.units_rest ? CLOCK_NEVER : pack_writes_next(writes);
    if (clock_sooner(packed, stores_next(tile)) <= inbox_next(tile->inbox)) {
        return false;
    }
    struct noc_watch watch = polled_by(tile, aside);
    return inbox_changes(tile->inbox, &watch);
}

/* It changes: what cores have seen of the tile may not be true any more, but for those that are aside. */
static void deliver(struct tile *tile, struct tile_schedule *schedule, uint64_t time)
{
    struct noc_watch watch = polled_by(tile, schedule->going & ALL_CORES);
    uint32_t *aside = &tile->state->doze.aside, cores = *aside;
    bool seen = true, touched = true;
    watch.l1 = false;
    *aside = 0; /* so that writes of L1 do not rouse the tile */
    if (stores_arrive(tile, time)) {
        touched = false;
    } else if (schedule->units_rest || !frontend_let_arrive(&tile->tensix, time)) {
        touched = inbox_changes(tile->inbox, &watch);
        watch.l1 = true;
        seen = inbox_changes(tile->inbox, &watch);
        tile->state->diagnostics.now.cycle = time; /* of what the overlay may send because of it */
        inbox_deliver(tile->inbox);
    }
    *aside = cores;
    note_busy(tile, time);
    if (touched) {
        tile_end_polling(tile);
    } else if (seen) {
        end_polling_of_all(tile, ALL_CORES, false);
    }
    wake_some(tile, schedule, ALL_AGENTS & (uint32_t)~schedule->out & ~schedule->quiet, time);
}

/* Before `end`, what comes over the NoC to a tile that dozes, as long as it changes nothing that cores poll. */
static void deliver_unseen(struct tile *tile, uint64_t end)
{
    uint64_t own = next_own_arrival(tile), time;
    uint32_t *dozing = &tile->state->doze.cores, cores = *dozing;
    struct noc_watch watch = polled_by(tile, cores);
    *dozing = 0; /* so that writes of L1 do not rouse the tile */
    while ((time = inbox_next(tile->inbox)) < end && time < own && !inbox_changes(tile->inbox, &watch)) {
        tile->state->diagnostics.now.cycle = time; /* of what the overlay may send because of it */
        inbox_deliver(tile->inbox);
        note_busy(tile, time);
    }
    *dozing = cores;
}

/* Whether some agent has no work that this one, a core, may give it. */
static bool may_give_work(const struct tile_schedule *schedule, unsigned agent)
{
    bool pushes_to_one = agent >= BH_CORE_T0 && agent <= BH_CORE_T2;
    unsigned first = pushes_to_one ? CLOCK_THREAD_0 + thread_of(agent) : CLOCK_THREAD_0;
    unsigned last = pushes_to_one ? first : CLOCK_AGENTS - 1;
    uint32_t those = (2u << last) - (1u << first);
    return (schedule->going & those) != those;
}

/* Whether jitter has the agent, whose turn it is, go on later. If not, *end is when it next may. */
static bool is_held(struct tile *tile, struct tile_schedule *schedule, unsigned agent, uint64_t *end)
{
    uint64_t time = time_of(schedule->key[agent]), until, begin = jitter_begin(tile->jitter, time, agent, &until);
    *end = *end < until ? *end : until;
    if (begin == time || (!is_core(agent) && hands_over_in_turn(&tile->state->tensix, agent - CLOCK_THREAD_0))) {
        return false;
    }
    clock_reach(&tile->state->clock, agent, begin);
    set_key(schedule, agent, key_of(agent, begin));
    return true;
}

/* Whether the agent is one of cores that may be found to go round. */
static inline bool seeks_circle(const struct tile *tile, const struct tile_schedule *schedule, unsigned agent)
{
    return circles_are_sought(tile) && is_core(agent) && !(tile->circles.closed >> agent & 1) &&
           !(schedule->going & ~(uint32_t)ALL_CORES) && may_poll(tile, schedule);
}

/* Whether the agent is a core, nobody else goes on, and its circle is not known. */
static inline bool is_alone(const struct tile *tile, const struct tile_schedule *schedule, unsigned agent)
{
    return schedule->going == 1u << agent && is_core(agent) && !(tile->circles.closed >> agent & 1) &&
           !wait_for_all(schedule);
}

/* Returns whether the tile dozes from now on. */
static bool run_agents(struct tile *tile, struct tile_schedule *schedule, uint64_t end, struct tile_turn *came)
{
    const bool ends_later = end > tile->state->clock.now; /* else somebody is about to act from outside */
    for (;;) {
        struct lowest lowest = lowest_keys(schedule);
        uint64_t first = lowest.first, arrival = next_arrival(tile);
        if (tile->state->diagnostics.stopped || (time_of(first) >= end && arrival >= end)) {
            came->active = schedule->going || tile_active(tile);
            came->progress = progress_of(tile, came, schedule->going || arrival != CLOCK_NEVER);
            return came->active && only_polls(tile, schedule);
        }
        if (arrival <= time_of(first)) {
            if (arrives_aside(tile)) {
                take_back(tile, schedule, arrival, came);
            } else {
                deliver(tile, schedule, arrival);
            }
            continue;
        }
        unsigned agent = first & AGENT_MASK;
        uint64_t until = acts_before(lowest.second, agent), end_of_turn = end;
        const bool interrupted = takes_interrupts(tile, agent);
        if (interrupted) {
            end_of_turn = clock_sooner(end, clock_sooner(until, arrival));
        }
        if (__builtin_expect(tile->jitter != 0, 0) && is_held(tile, schedule, agent, &end_of_turn)) {
            continue;
        }
        struct rv32_turn turn = {.until = arrival < until ? arrival : until,
                                 .end = end_of_turn,
                                 .exact = tile->jitter != 0 || interrupted,
                                 .stop_at_event = wait_for_all(schedule) != 0,
                                 .stop_at_awaited = schedule->quiet != 0,
                                 .stop_at_request = may_give_work(schedule, agent),
                                 .stop_at_polling = ends_later && !wait_for_all(schedule),
                                 .stop_at_recurring = ends_later && is_alone(tile, schedule, agent),
                                 .stop_at_round = ends_later && seeks_circle(tile, schedule, agent),
                                 .spares_polled = tile->state->doze.aside != 0,
                                 .event = CLOCK_NEVER};
        run_agent(tile, schedule, agent, &turn, came);
        if (turn.blocked) {
            take_back(tile, schedule, clock_of(&tile->state->clock, agent), came);
        } else if (turn.stop_at_polling && is_core(agent) &&
                   rv32_polls(&tile->state->core[agent], &tile->state->timing[agent]) && may_poll(tile, schedule)) {
            set_aside(tile, schedule, agent);
        } else if ((turn.recurred && may_poll(tile, schedule)) || turn.round) {
            circles_look(tile, cores_that_meet(tile, schedule), agent);
        }
    }
}

/* What SFPLOADMACRO has scheduled executes up to `end`; all of it, if the tile may not run again. */
static void finish_scheduled(struct tile *tile, uint64_t end, struct tile_turn *came)
{
    if (tile->schedule.units_rest && !tile->state->diagnostics.stopped) {
        return;
    }
    if (vector_schedule_active(&tile->state->tensix.vector) &&
        vector_let_time_pass(&tile->tensix, came->active ? end : CLOCK_NEVER)) {
        tile_end_polling(tile);
    }
    if (tile->state->diagnostics.stopped) {
        came->progress = TILE_STOPPED;
    }
}

void tile_run_timed(struct tile *tile, const struct tile_span *span, struct tile_turn *came)
{
    struct tile_state *state = tile->state;
    struct tile_schedule *schedule = &tile->schedule;
    bool known = span->untouched && (schedule->going | schedule->waiting), dozed = state->doze.cores;
    uint64_t end = state->clock.now + span->cycles;
    *came = (struct tile_turn){.progress = TILE_RUNNING, .active = true};
    tile->plain.cores = 0;
    tile->ahead_until = 0;
    if (state->doze.cores) {
        deliver_unseen(tile, end);
    }
    uint64_t arrival = dozed ? next_arrival(tile) : 0;
    if (state->doze.cores && arrival >= end && !state->diagnostics.stopped) {
        clock_begin(&state->clock, end);
        return;
    }
    if (dozed) {
        end_doze(tile, arrival, came);
    } else if (state->doze.aside && !known) {
        take_back(tile, schedule, state->clock.now, came);
    }
    if (known && dozed) {
        begin_after_doze(tile, schedule);
    } else if (known) {
        begin_again(tile, schedule);
    } else {
        begin_anew(tile, schedule);
    }
    bool polls = run_agents(tile, schedule, end, came);
    tile->passed += came->tensix_instructions;
    came->riscv_instructions = came->retired + tile->unreported;
    tile->unreported = 0;
    finish_scheduled(tile, end, came);
    if (came->progress == TILE_STOPPED) {
        return;
    }
    schedule->units_rest = units_rest(tile, schedule);
    if (polls) {
        doze(tile, schedule);
    } else {
        tile->ahead_until = all_ahead_until(tile, schedule);
    }
    clock_begin(&state->clock, end);
}

void tile_rouse(struct tile *tile)
{
    struct tile_state *state = tile->state;
    if (tile_doze_any(&state->doze)) {
        struct tile_turn came = {0}, turn;
        struct diagnostic_origin now = state->diagnostics.now; /* of the access that the tile is roused for */
        if (state->doze.cores) {
            end_doze(tile, state->clock.now, &came);
        }
        take_back(tile, &tile->schedule, state->clock.now, &came);
        tile_end_polling(tile);
        tile_run_timed(tile, &(struct tile_span){.cycles = 0}, &turn);
        tile->unreported += came.retired + turn.riscv_instructions;
        state->diagnostics.now = now;
        tile->state->doze.cores = 0;
    }
}
