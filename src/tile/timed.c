#include "tile/timed.h"

#include "rv32/debug.h"
#include "rv32/timed.h"
#include "tensix/frontend/timed.h"
#include "tile/handlers.h"

/* What is known of the agents of a tile during a quantum. */
struct schedule {
    uint64_t next[CLOCK_AGENTS]; /* when each goes on; CLOCK_NEVER: when somebody acts, or not at all */
    uint32_t waiting;            /* those that wait for somebody to act, one bit for each */
    bool happened;
};

static bool is_core(unsigned agent)
{
    return agent < CLOCK_THREAD_0;
}

/* Whether the agent would go on if it were its turn, or wait. */
static bool has_work(const struct tile *tile, unsigned agent)
{
    const struct tile_state *state = tile->state;
    if (!is_core(agent)) {
        return !frontend_idle(&state->tensix.frontend[agent - CLOCK_THREAD_0]);
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
        schedule->next[agent] = clock_of(&tile->state->clock, agent);
        schedule->waiting &= ~(1u << agent);
    }
}

/* Somebody has acted at `time`: who waits looks whether it can go on. */
static void wake_waiting(struct tile *tile, struct schedule *schedule, uint64_t time)
{
    for (unsigned agent = 0; agent < CLOCK_AGENTS; agent++) {
        if (schedule->next[agent] == CLOCK_NEVER) {
            wake(tile, schedule, agent, time);
        }
    }
}

static unsigned furthest_behind(const struct schedule *schedule)
{
    unsigned first = 0;
    for (unsigned agent = 1; agent < CLOCK_AGENTS; agent++) {
        first = schedule->next[agent] < schedule->next[first] ? agent : first;
    }
    return first;
}

/* The time from which on another agent may act. At the same time the one of the lower number goes first. */
static uint64_t others_act(const struct schedule *schedule, unsigned agent)
{
    uint64_t until = CLOCK_NEVER;
    for (unsigned other = 0; other < CLOCK_AGENTS; other++) {
        uint64_t next = schedule->next[other];
        if (other != agent && next != CLOCK_NEVER) {
            next += other > agent;
            until = next < until ? next : until;
        }
    }
    return until;
}

/* Each returns when the agent goes on; *event becomes when it last did what others may wait for. */

static uint64_t run_core(struct tile *tile, unsigned core, struct rv32_turn *turn, bool *happened)
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
    *happened |= retired != 0;
    bool waits = state->core[core].waiting || !has_work(tile, core);
    return waits ? CLOCK_NEVER : clock_of(&state->clock, core);
}

static uint64_t run_thread(struct tile *tile, unsigned thread, struct rv32_turn *turn, bool *happened)
{
    struct clock *clock = &tile->state->clock;
    unsigned agent = CLOCK_THREAD_0 + thread;
    bool passed;
    uint64_t before = clock_of(clock, agent), limit = turn->until < turn->end ? turn->until : turn->end;
    tile->state->diagnostics.now.cycle = before;
    uint64_t next = frontend_run_timed(&tile->tensix, thread, before, limit, turn->stop_at_event, &passed);
    uint64_t reached = tile->state->tensix.timing.now[thread];
    clock_reach(clock, agent, next == CLOCK_NEVER ? reached + passed : next);
    turn->event = passed ? reached : CLOCK_NEVER;
    *happened |= passed;
    return next;
}

static void begin(struct tile *tile, struct schedule *schedule)
{
    *schedule = (struct schedule){0};
    for (unsigned agent = 0; agent < CLOCK_AGENTS; agent++) {
        schedule->next[agent] = CLOCK_NEVER;
        wake(tile, schedule, agent, tile->state->clock.now);
    }
}

static enum tile_progress progress_of(const struct tile *tile, const struct schedule *schedule)
{
    bool goes_on = schedule->next[furthest_behind(schedule)] != CLOCK_NEVER; /* after this quantum */
    return tile->state->diagnostics.stopped ? TILE_STOPPED
           : schedule->happened || goes_on  ? TILE_RUNNING
           : tile_active(tile)              ? TILE_BLOCKED
                                            : TILE_IDLE;
}

enum tile_progress tile_run_timed(struct tile *tile, uint64_t end)
{
    struct tile_state *state = tile->state;
    struct schedule schedule;
    uint64_t before = tile_tensix_instructions(tile);
    tile->plain.cores = 0;
    begin(tile, &schedule);
    while (!state->diagnostics.stopped) {
        unsigned agent = furthest_behind(&schedule);
        if (schedule.next[agent] >= end) {
            break;
        }
        struct rv32_turn turn = {.until = others_act(&schedule, agent), .end = end, .event = CLOCK_NEVER};
        turn.stop_at_event = schedule.waiting != 0;
        schedule.next[agent] = is_core(agent) ? run_core(tile, agent, &turn, &schedule.happened)
                                              : run_thread(tile, agent - CLOCK_THREAD_0, &turn, &schedule.happened);
        if (schedule.next[agent] == CLOCK_NEVER && has_work(tile, agent)) {
            schedule.waiting |= 1u << agent;
        }
        if (turn.event != CLOCK_NEVER) {
            uint64_t own = schedule.next[agent];
            wake_waiting(tile, &schedule, turn.event);
            schedule.next[agent] = own;
        }
    }
    tile->passed += tile_tensix_instructions(tile) - before;
    enum tile_progress progress = progress_of(tile, &schedule);
    if (!state->diagnostics.stopped) {
        if (!tile_active(tile)) {
            state->busy_until = state->clock.now + clock_latest(&state->clock);
        }
        clock_begin(&state->clock, end);
    }
    return progress;
}
