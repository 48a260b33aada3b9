#include "tile/timed.h"

#include "noc/traffic.h"
#include "rv32/debug.h"
#include "rv32/timed.h"
#include "tensix/frontend/timed.h"
#include "tile/handlers.h"

/* What is known of the agents of a tile during a quantum. The key of an agent orders all of them: its time, then its
   number, since at the same time the agent of the lower number goes first. */
struct schedule {
    uint64_t key[CLOCK_AGENTS]; /* CLOCK_NEVER: it goes on when somebody acts, or not at all */
    uint32_t waiting;           /* those that wait for somebody to act, one bit for each */
};

enum { AGENT_BITS = 3, AGENT_MASK = (1 << AGENT_BITS) - 1 };
_Static_assert(CLOCK_AGENTS <= 1 << AGENT_BITS, "an agent's number is in its key");

static uint64_t key_of(unsigned agent, uint64_t time)
{
    return time == CLOCK_NEVER ? CLOCK_NEVER : time << AGENT_BITS | agent;
}

static uint64_t time_of(uint64_t key)
{
    return key >> AGENT_BITS;
}

static bool is_core(unsigned agent)
{
    return agent < CLOCK_THREAD_0;
}

#define COPROCESSOR_DONE_CHECK 0xFFE80004u

/* Whether a core waits for its thread to have nothing more to do. That comes when the thread's turn ends, so that no
   turn has to end for it. */
static bool waits_for_its_thread(const struct tile *tile, unsigned agent)
{
    const struct rv32_core *core = &tile->state->core[agent];
    return agent >= BH_CORE_T0 && agent <= BH_CORE_T2 && core->waiting &&
           core->wait_address == COPROCESSOR_DONE_CHECK && !pc_buf_override_enabled(tile, thread_of(agent));
}

/* Whether the agent would go on if it were its turn, or find that it has to wait. */
static bool has_work(const struct tile *tile, unsigned agent)
{
    const struct tile_state *state = tile->state;
    if (!is_core(agent)) {
        return !frontend_idle(&state->tensix.frontend[agent - CLOCK_THREAD_0]);
    }
    if (state->core[agent].waiting && waits_for_its_thread(tile, agent)) {
        return frontend_idle(&state->tensix.frontend[thread_of(agent)]);
    }
    return state->core[agent].halt == RV32_RUNNING ||
           (state->core[agent].halt == RV32_SELF_JUMP && pic_interrupts(tile, agent)) ||
           rv32_debug_abandoned(&state->core[agent]);
}

/* An agent that waited, or had nothing to do, may go on at `time`. */
static void wake(struct tile *tile, struct schedule *schedule, unsigned agent, uint64_t time)
{
    if (has_work(tile, agent)) {
        clock_reach(&tile->state->clock, agent, time);
        schedule->key[agent] = key_of(agent, clock_of(&tile->state->clock, agent));
        schedule->waiting &= ~(1u << agent);
    }
}

/* Somebody has acted at `time`: who waits, or had nothing to do, looks whether it can go on. */
static void wake_waiting(struct tile *tile, struct schedule *schedule, unsigned actor, uint64_t time)
{
    for (unsigned agent = 0; agent < CLOCK_AGENTS; agent++) {
        if (schedule->key[agent] == CLOCK_NEVER && agent != actor) {
            wake(tile, schedule, agent, time);
        }
    }
}

/* The lowest key, which is that of the agent furthest behind, and the next one. */
static uint64_t lowest_keys(const struct schedule *schedule, uint64_t *second)
{
    uint64_t first = CLOCK_NEVER;
    *second = CLOCK_NEVER;
    for (unsigned agent = 0; agent < CLOCK_AGENTS; agent++) {
        uint64_t key = schedule->key[agent], more = key < first ? first : key;
        first = key < first ? key : first;
        *second = more < *second ? more : *second;
    }
    return first;
}

/* The time from which on the agent with the key `other` may act before this one does. */
static uint64_t acts_before(uint64_t other, unsigned agent)
{
    return other == CLOCK_NEVER ? CLOCK_NEVER : time_of(other) + ((other & AGENT_MASK) > agent);
}

/* Each returns when the agent goes on; turn->event becomes when it last did what others may wait for, and what it has
   executed is added to the tile's turn. */

static uint64_t run_core(struct tile *tile, unsigned core, struct rv32_turn *turn, struct tile_turn *came)
{
    struct tile_state *state = tile->state;
    if (pic_interrupts(tile, core)) {
        pic_take(tile, core);
    }
    state->diagnostics.now.cycle = clock_of(&state->clock, core);
    uint64_t before = clock_of(&state->clock, core);
    uint32_t retired = 0;
    if (rv32_debug_watches(&state->core[core])) {
        retired = rv32_debug_run(&tile->core[core], 1);
        turn->event = before;
    } else {
        retired = rv32_run_timed(&tile->core[core], turn);
    }
    state->retired += retired;
    came->retired += retired;
    bool waits = state->core[core].waiting || !has_work(tile, core);
    return waits ? CLOCK_NEVER : clock_of(&state->clock, core);
}

static uint64_t run_thread(struct tile *tile, unsigned thread, struct rv32_turn *turn, struct tile_turn *came)
{
    struct clock *clock = &tile->state->clock;
    const struct frontend *frontend = &tile->state->tensix.frontend[thread];
    uint64_t before = frontend->passed;
    unsigned agent = CLOCK_THREAD_0 + thread;
    struct frontend_turn own = {
        .now = clock_of(clock, agent),
        .until = turn->until < turn->end ? turn->until : turn->end,
        .stop_at_event = turn->stop_at_event,
    };
    tile->state->diagnostics.now.cycle = own.now;
    uint64_t next = frontend_run_timed(&tile->tensix, thread, &own);
    clock_reach(clock, agent, next == CLOCK_NEVER ? own.now : next);
    turn->event = own.event;
    came->tensix_instructions += frontend->passed - before;
    return next;
}

/* Finds out who has work. Those who had none still have none if nobody has reached the tile. */
static void begin(struct tile *tile, struct schedule *schedule, bool untouched)
{
    uint32_t unemployed = untouched ? tile->unemployed : 0;
    *schedule = (struct schedule){0};
    for (unsigned agent = 0; agent < CLOCK_AGENTS; agent++) {
        schedule->key[agent] = CLOCK_NEVER;
        if (!(unemployed >> agent & 1)) {
            wake(tile, schedule, agent, tile->state->clock.now);
        }
    }
}

static uint32_t unemployed_agents(const struct schedule *schedule)
{
    uint32_t agents = 0;
    for (unsigned agent = 0; agent < CLOCK_AGENTS; agent++) {
        agents |= (uint32_t)(schedule->key[agent] == CLOCK_NEVER) << agent;
    }
    return agents & ~schedule->waiting;
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
static void run_agent(struct tile *tile, struct schedule *schedule, unsigned agent, struct rv32_turn *turn,
                      struct tile_turn *came)
{
    uint64_t next =
        is_core(agent) ? run_core(tile, agent, turn, came) : run_thread(tile, agent - CLOCK_THREAD_0, turn, came);
    schedule->key[agent] = key_of(agent, next);
    if (next == CLOCK_NEVER && has_work(tile, agent)) {
        schedule->waiting |= 1u << agent;
    }
    if (turn->event != CLOCK_NEVER) {
        wake_waiting(tile, schedule, agent, turn->event);
    }
}

void tile_run_timed(struct tile *tile, const struct tile_span *span, struct tile_turn *came)
{
    struct tile_state *state = tile->state;
    struct schedule schedule;
    uint64_t first, second, end = state->clock.now + span->cycles;
    *came = (struct tile_turn){0};
    tile->plain.cores = 0;
    begin(tile, &schedule, span->untouched);
    for (;;) {
        first = lowest_keys(&schedule, &second);
        uint64_t arrival = inbox_next(tile->inbox);
        if (state->diagnostics.stopped || (time_of(first) >= end && arrival >= end)) {
            break;
        }
        if (arrival <= time_of(first)) {
            inbox_deliver(tile->inbox);
            wake_waiting(tile, &schedule, CLOCK_AGENTS, arrival);
            continue;
        }
        unsigned agent = first & AGENT_MASK;
        uint64_t until = acts_before(second, agent);
        struct rv32_turn turn = {.until = arrival < until ? arrival : until,
                                 .end = end,
                                 .stop_at_event = schedule.waiting != 0,
                                 .event = CLOCK_NEVER};
        run_agent(tile, &schedule, agent, &turn, came);
    }
    tile->passed += came->tensix_instructions;
    tile->unemployed = unemployed_agents(&schedule);
    came->riscv_instructions = came->retired;
    came->active = first != CLOCK_NEVER || tile_active(tile);
    came->progress = progress_of(tile, came, first != CLOCK_NEVER || inbox_next(tile->inbox) != CLOCK_NEVER);
    if (came->progress != TILE_STOPPED) {
        if (!came->active) {
            state->busy_until = state->clock.now + clock_latest(&state->clock);
            late_arrive(&tile->tensix, CLOCK_NEVER); /* nobody is there who could see what was before */
        }
        clock_begin(&state->clock, end);
    }
}
