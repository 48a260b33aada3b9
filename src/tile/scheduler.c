/* Who runs when, in functional mode. A quantum gives each core up to QUANTUM instructions, in the order of their
   numbers, then lets the coprocessor's threads drain, each of which passes at most one instruction a cycle, too; as
   long as somebody got on, cores that had to wait try again with what is left of their quantum. So the order of events
   is the same on every run, and a quantum ends whatever the programs do. */
#include <string.h>

#include "rv32/debug.h"
#include "tile/handlers.h"
#include "tile/spins.h"

enum { QUANTUM = 512 };

static bool core_runnable(const struct tile *tile, unsigned core)
{
    switch (tile->state->core[core].halt) {
    case RV32_RUNNING: return true;
    case RV32_SELF_JUMP: return pic_interrupts(tile, core);
    default: return false;
    }
}

bool tile_active(const struct tile *tile)
{
    const struct tile_state *state = tile->state;
    if (state->diagnostics.stopped) {
        return false;
    }
    for (unsigned core = 0; core < BH_CORE_COUNT; core++) {
        if (core_runnable(tile, core) || rv32_debug_abandoned(&state->core[core])) {
            return true;
        }
    }
    return !tensix_idle(&state->tensix);
}

uint64_t tile_clock(const struct tile *tile, unsigned core)
{
    const struct tile_state *state = tile->state;
    uint64_t clock = state->clock;
    if (core < BH_CORE_COUNT) {
        clock += state->core[core].instret - state->quantum_instret[core];
    }
    return clock;
}

/* Begins a span of `cycles` cycles: what cores and threads do in it is counted from here. What a thread has passed
   beyond the end of the last, to end a REPLAY, it has passed of this one. */
static void begin_span(struct tile_state *state, uint64_t cycles)
{
    for (unsigned core = 0; core < BH_CORE_COUNT; core++) {
        state->quantum_instret[core] = state->core[core].instret;
    }
    for (unsigned thread = 0; thread < TENSIX_THREADS; thread++) {
        struct frontend *frontend = &state->tensix.frontend[thread];
        uint64_t ended = frontend->passed_limit;
        frontend->passed_limit = (ended && frontend->passed > ended ? ended : frontend->passed) + cycles;
    }
}

/* The most instructions that any thread has passed since begin_span(cycles). */
static uint64_t threads_passed(const struct tile_state *state, uint64_t cycles)
{
    uint64_t most = 0;
    for (unsigned thread = 0; thread < TENSIX_THREADS; thread++) {
        const struct frontend *frontend = &state->tensix.frontend[thread];
        uint64_t passed = cycles - (frontend->passed_limit - frontend->passed);
        most = passed > most ? passed : most;
    }
    return most;
}

/* Ends a span: counts what cores have executed since begin_span(cycles). Returns the longest that any core or thread
   has been busy. */
static uint64_t end_span(struct tile_state *state, uint64_t cycles)
{
    uint64_t longest = threads_passed(state, cycles);
    for (unsigned core = 0; core < BH_CORE_COUNT; core++) {
        uint64_t busy = state->core[core].instret - state->quantum_instret[core];
        state->retired += busy;
        longest = busy > longest ? busy : longest;
    }
    return longest;
}

/* A core's turn. Interrupts come between two of them; what raises one ends the turn of whoever did it. */
static uint32_t run_core(struct tile *tile, unsigned core, uint32_t budget)
{
    if (pic_interrupts(tile, core)) {
        pic_take(tile, core);
    }
    return rv32_debug_watches(&tile->state->core[core]) ? rv32_debug_run(&tile->core[core], budget)
                                                        : rv32_run(&tile->core[core], budget);
}

/* The same in a tile that may be about to rest: the core is watched until it is seen to go round; what is left of its
   turn is whole circles, and a part of one. *found: it goes round, or waits. */
static uint32_t watch_core(struct tile *tile, unsigned core, uint32_t budget, bool *found)
{
    struct tile_state *state = tile->state;
    struct rv32 *rv32 = &tile->core[core];
    struct circle circle;
    uint64_t watched = budget;
    *found = false;
    if (pic_interrupts(tile, core) || rv32_debug_watches(rv32->core)) {
        return run_core(tile, core, budget);
    }
    *found = core_circles(rv32, tile_clock(tile, core), &watched, &state->polled[core], &circle) && !circle.restless;
    uint32_t left = budget - (uint32_t)watched;
    if (*found) {
        rest_add(&state->rest, core, &circle);
        state->polled[core].spins = true;
        left = circle.length ? left % circle.length : 0;
        rv32->core->instret += circle.length ? budget - watched - left : 0;
    }
    if (left == 0 || rv32->yield) {
        return *found && circle.length ? budget : (uint32_t)watched;
    }
    state->diagnostics.now.cycle = tile_clock(tile, core);
    uint32_t run = run_core(tile, core, left);
    return *found ? budget : (uint32_t)watched + run;
}

/* One quantum of at most `cycles` cycles. Returns whether anything at all happened in it. With `rest`, it also finds
   out whether all that happened was cores going round. */
static bool run_quantum(struct tile *tile, uint32_t cycles, bool rest)
{
    bool found = rest;
    struct tile_state *state = tile->state;
    uint32_t budget[BH_CORE_COUNT];
    for (unsigned core = 0; core < BH_CORE_COUNT; core++) {
        budget[core] = cycles;
    }
    begin_span(state, cycles);
    memset(state->polled, 0, sizeof state->polled); /* not true any more */
    bool watch = rest;
    if (rest) {
        rest_try(&state->rest);
    }
    bool tried = true; /* at first threads are to drain, whether a core runs or not */
    for (bool again = true; again && !state->diagnostics.stopped; watch = false) {
        again = false;
        for (unsigned core = 0; core < BH_CORE_COUNT; core++) {
            if (budget[core] == 0 || !core_runnable(tile, core)) {
                continue;
            }
            tried = true;
            state->diagnostics.now.cycle = tile_clock(tile, core);
            bool circles = false;
            uint32_t retired =
                watch ? watch_core(tile, core, budget[core], &circles) : run_core(tile, core, budget[core]);
            found &= circles || (!watch && retired == 0);
            watch &= found;
            budget[core] -= retired;
            again |= retired != 0;
            if (state->diagnostics.stopped) {
                (void)end_span(state, cycles);
                return true;
            }
        }
        bool drained = tried && tensix_drain(&tile->tensix) != 0;
        again |= drained;
        found &= !drained;
        tried = false;
    }
    uint64_t busy = end_span(state, cycles); /* what threads did while cores pushed counts, too */
    if (!tile_active(tile)) {
        state->busy_until = state->clock + busy;
    }
    if (rest) {
        rest_tried(&state->rest, found && threads_passed(state, cycles) == 0 && state->registers.outbox.count == 0 &&
                                     state->diagnostics.count == 0);
    }
    return busy != 0;
}

static enum tile_progress run(struct tile *tile, uint64_t cycles, bool rest)
{
    struct tile_state *state = tile->state;
    if (state->diagnostics.stopped) {
        return TILE_STOPPED;
    }
    uint64_t end = state->clock + cycles;
    enum tile_progress progress = TILE_IDLE;
    while (state->clock < end) {
        if (state->rest.resting) {
            state->rest.behind += end - state->clock;
            progress = TILE_RUNNING;
            break;
        }
        if (!tile_active(tile)) {
            progress = TILE_IDLE;
            break;
        }
        uint64_t left = end - state->clock;
        uint32_t quantum = left < QUANTUM ? (uint32_t)left : QUANTUM;
        bool happened = run_quantum(tile, quantum, rest);
        rest = false;
        if (state->diagnostics.stopped) {
            return TILE_STOPPED;
        }
        progress = happened ? TILE_RUNNING : tile_active(tile) ? TILE_BLOCKED : TILE_IDLE;
        if (!happened) {
            break; /* nothing changes before somebody outside acts, however long we wait */
        }
        state->clock += quantum;
    }
    if (progress != TILE_RUNNING) {
        vector_let_time_pass(&tile->tensix);
    }
    state->clock = end;
    return progress;
}

enum tile_progress tile_run(struct tile *tile, uint64_t cycles)
{
    return run(tile, cycles, false);
}

enum tile_progress tile_run_or_rest(struct tile *tile, uint64_t cycles)
{
    return run(tile, cycles, rest_due(&tile->state->rest, cycles));
}

static bool all_cores_spin(struct tile *tile, uint64_t cycles)
{
    if (tensix_drain(&tile->tensix) != 0 || tile->state->diagnostics.stopped) {
        return false;
    }
    for (unsigned core = 0; core < BH_CORE_COUNT; core++) {
        if (!core_runnable(tile, core)) {
            continue;
        }
        if (pic_interrupts(tile, core) || rv32_debug_watches(&tile->state->core[core]) ||
            !core_spins(&tile->core[core], tile_clock(tile, core), cycles, &tile->state->polled[core])) {
            return false;
        }
        tile->state->polled[core].spins = true;
    }
    /* What the probed cores pushed, or made way for, counts as progress. */
    (void)tensix_drain(&tile->tensix);
    return !threads_passed(tile->state, cycles) && !tile->state->diagnostics.stopped;
}

bool tile_spins(struct tile *tile, uint64_t *cycles)
{
    struct tile_state *state = tile->state;
    begin_span(state, *cycles);
    bool spins = all_cores_spin(tile, *cycles);
    *cycles = end_span(state, *cycles);
    state->clock += *cycles;
    return spins;
}
