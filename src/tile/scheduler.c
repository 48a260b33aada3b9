/* Who runs when, in functional mode. A quantum gives each core up to TILE_QUANTUM instructions, in the order of their
   numbers, then lets the coprocessor's threads drain, each of which passes at most one instruction a cycle, too; as
   long as somebody got on, cores that had to wait try again with what is left of their quantum. So the order of events
   is the same on every run, and a quantum ends whatever the programs do. */
#include <string.h>

#include "noc/traffic.h"
#include "rv32/debug.h"
#include "tile/handlers.h"
#include "tile/spins.h"
#include "tile/timed.h"

/* Of a tile that was changed from outside a short while ago: who changed it may soon want to see what came of it. */
enum { SHORTEST_QUANTUM = 8, QUIET_PER_QUANTUM = 4 };

uint32_t tile_quantum(uint64_t quiet, uint32_t longest)
{
    uint64_t length = quiet / QUIET_PER_QUANTUM;
    return length < SHORTEST_QUANTUM ? SHORTEST_QUANTUM : length < longest ? (uint32_t)length : longest;
}

uint64_t tile_whole_quanta(uint64_t quiet, uint32_t longest, uint64_t cycles)
{
    uint64_t sum = 0, length;
    while (length = tile_quantum(quiet + sum, longest), length < longest) {
        if (sum + length > cycles) {
            return sum;
        }
        sum += length;
    }
    return sum + (cycles - sum) / longest * longest;
}

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
    return !tensix_idle(&state->tensix) || inbox_next(tile->inbox) != CLOCK_NEVER;
}

uint64_t tile_clock(const struct tile *tile, unsigned core)
{
    const struct clock *clock = &tile->state->clock;
    return core < BH_CORE_COUNT ? clock_of(clock, core) : clock->now;
}

/* Begins a span of `cycles` cycles: what cores and threads do in it is counted from here. What a thread has passed
   beyond the end of the last, to end a REPLAY, it has passed of this one. */
static void begin_span(struct tile_state *state, uint64_t cycles)
{
    clock_begin(&state->clock, state->clock.now);
    for (unsigned thread = 0; thread < TENSIX_THREADS; thread++) {
        struct frontend *frontend = &state->tensix.frontend[thread];
        uint64_t ended = frontend->passed_limit;
        frontend->passed_limit = (ended && frontend->passed > ended ? ended : frontend->passed) + cycles;
    }
}

/* Sets the clocks of threads, in a span of so many cycles: a cycle for each instruction. Whether any has passed. */
static bool threads_passed(struct tile_state *state, uint64_t cycles)
{
    uint64_t any = 0;
    for (unsigned thread = 0; thread < TENSIX_THREADS; thread++) {
        const struct frontend *frontend = &state->tensix.frontend[thread];
        uint64_t *passed = &state->clock.passed[CLOCK_THREAD_0 + thread];
        *passed = cycles - (frontend->passed_limit - frontend->passed);
        any |= *passed;
    }
    return any != 0;
}

/* What the cores have executed since the tile was created. */
static uint64_t instructions(const struct tile_state *state)
{
    uint64_t sum = 0;
    for (unsigned core = 0; core < BH_CORE_COUNT; core++) {
        sum += state->core[core].instret;
    }
    return sum;
}

/* Ends a span of so many cycles, before which cores had executed so many instructions. Returns the longest that any
   core or thread has been busy. */
static uint64_t end_span(struct tile_state *state, uint64_t cycles, uint64_t instructions_before)
{
    state->retired += instructions(state) - instructions_before;
    (void)threads_passed(state, cycles);
    return clock_latest(&state->clock);
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
    *found = core_circles(rv32, &watched, &state->polled[core], &circle) && !circle.restless;
    uint32_t left = budget - (uint32_t)watched;
    if (*found) {
        rest_add(&state->rest, core, &circle);
        state->polled[core].spins = true;
        left = circle.length ? left % circle.length : 0;
        uint64_t skipped = circle.length ? budget - watched - left : 0;
        rv32->core->instret += skipped;
        clock_pass(&state->clock, core, skipped);
    }
    if (left == 0 || rv32->yield) {
        return *found && circle.length ? budget : (uint32_t)watched;
    }
    state->diagnostics.now.cycle = tile_clock(tile, core);
    uint32_t run = run_core(tile, core, left);
    return *found ? budget : (uint32_t)watched + run;
}

/* Begins a quantum of which is known what runs. */
static void begin_plain(struct tile *tile, uint32_t cycles)
{
    struct tile_state *state = tile->state;
    if (tile->plain.cycles != cycles) {
        for (unsigned thread = 0; thread < TENSIX_THREADS; thread++) {
            struct frontend *frontend = &state->tensix.frontend[thread];
            frontend->passed_limit = frontend->passed + cycles;
        }
        tile->plain.cycles = cycles;
    }
}

/* Whether, after the turn of a core, the quantum still is what it was known to be. */
static bool still_plain(const struct tile *tile, unsigned core)
{
    const struct rv32 *rv32 = &tile->core[core];
    return tile->plain.cores && rv32->core->halt == RV32_RUNNING && !(rv32->pushes && rv32->pushes->count) &&
           !tile->state->diagnostics.stopped;
}

/* What is left of a quantum. */
struct quantum {
    uint32_t budget[BH_CORE_COUNT]; /* of each core, in cycles */
    unsigned next;                  /* the core whose turn it is */
    bool got_on;                    /* whether one before it did, in the same round */
};

/* The turns of those cores that are known to run. BH_CORE_COUNT: that was all; else the core after whose turn the
   quantum goes on as any other, and how many instructions that one has executed. */
static unsigned run_known_cores(struct tile *tile, uint32_t cycles, uint32_t *retired)
{
    struct tile_state *state = tile->state;
    uint64_t executed = 0;
    for (uint32_t cores = tile->plain.cores; cores; cores &= cores - 1) {
        unsigned core = (unsigned)__builtin_ctz(cores);
        state->diagnostics.now.cycle = state->clock.now;
        *retired = rv32_run(&tile->core[core], cycles);
        if (*retired != cycles || !still_plain(tile, core)) {
            return core;
        }
        executed += cycles;
    }
    state->retired += executed;
    return BH_CORE_COUNT;
}

/* The turns of all cores, and of the threads, until nobody gets on any more. Returns whether all that happened was
   cores going round, as far as that is to be found out. */
static bool run_cores(struct tile *tile, struct quantum *quantum, bool rest)
{
    struct tile_state *state = tile->state;
    bool found = rest, watch = rest;
    bool tried = true; /* at first threads are to drain, whether a core runs or not */
    for (bool again = true; again && !state->diagnostics.stopped; watch = false) {
        again = quantum->got_on;
        for (unsigned core = quantum->next; core < BH_CORE_COUNT; core++) {
            uint32_t *budget = &quantum->budget[core];
            if (*budget == 0 || !core_runnable(tile, core)) {
                continue;
            }
            tried = true;
            state->diagnostics.now.cycle = tile_clock(tile, core);
            bool circles = false;
            uint32_t retired = watch ? watch_core(tile, core, *budget, &circles) : run_core(tile, core, *budget);
            found &= circles || (!watch && retired == 0);
            watch &= found;
            *budget -= retired;
            again |= retired != 0;
            if (state->diagnostics.stopped) {
                return false;
            }
        }
        bool drained = tried && tensix_drain(&tile->tensix) != 0;
        again |= drained;
        found &= !drained;
        tried = false;
        quantum->next = 0;
        quantum->got_on = false;
    }
    return found;
}

/* Finds out whether it can be known what runs in the next quantum, after one of so many cycles: struct tile_plain. */
static void see_what_runs(struct tile *tile, uint32_t cycles)
{
    struct tile_state *state = tile->state;
    uint8_t cores = 0;
    for (unsigned core = 0; core < BH_CORE_COUNT; core++) {
        const struct rv32_core *rv32 = &state->core[core];
        if (rv32_debug_watches(rv32) || rv32_debug_abandoned(rv32)) {
            return;
        }
        cores |= (uint8_t)((rv32->halt == RV32_RUNNING) << core);
    }
    for (unsigned thread = 0; thread < TENSIX_THREADS; thread++) {
        const struct frontend *frontend = &state->tensix.frontend[thread];
        if (!frontend_idle(frontend) || frontend->passed_limit != frontend->passed + cycles) {
            return;
        }
    }
    if (pic_enabled(tile)) {
        return;
    }
    tile->plain = (struct tile_plain){.cores = cores, .cycles = cycles};
}

/* The sum of what threads may have passed at the end of the quantum. */
static uint64_t limits(const struct tile_state *state)
{
    uint64_t sum = 0;
    for (unsigned thread = 0; thread < TENSIX_THREADS; thread++) {
        sum += state->tensix.frontend[thread].passed_limit;
    }
    return sum;
}

/* What is left of a quantum when those of `cores` that come before `core` have used up theirs, and that one a part of
   it; all of it, if there is no such core. */
static struct quantum behind(uint32_t cores, unsigned core, uint32_t cycles, uint32_t retired)
{
    bool begun = core < BH_CORE_COUNT;
    uint32_t done = begun ? cores & ((1u << core) - 1) : 0;
    struct quantum quantum = {.next = begun ? core + 1 : 0, .got_on = done || retired};
    for (unsigned i = 0; i < BH_CORE_COUNT; i++) {
        quantum.budget[i] = done >> i & 1 ? 0 : i == core ? cycles - retired : cycles;
    }
    return quantum;
}

/* One quantum of at most `cycles` cycles. Returns whether anything at all happened in it. With `rest`, it also finds
   out whether all that happened was cores going round. */
static bool run_quantum(struct tile *tile, uint32_t cycles, bool rest)
{
    struct tile_state *state = tile->state;
    struct quantum quantum;
    uint64_t passed_before, instructions_before = instructions(state);
    if (tile->observed) {
        tile->observed->cycle = state->clock.now;
    }
    if (tile->plain.cores && !rest) {
        uint32_t cores = tile->plain.cores, retired;
        begin_plain(tile, cycles);
        unsigned core = run_known_cores(tile, cycles, &retired);
        if (core == BH_CORE_COUNT) {
            return true;
        }
        quantum = behind(cores, core, cycles, retired);
        passed_before = limits(state) - (uint64_t)TENSIX_THREADS * cycles;
        tile->plain.cores = 0;
    } else {
        quantum = behind(0, BH_CORE_COUNT, cycles, 0);
        tile->plain.cores = 0;
        passed_before = tile_tensix_instructions(tile);
        begin_span(state, cycles);
        memset(state->polled, 0, sizeof state->polled); /* not true any more */
    }
    if (rest) {
        rest_try(&state->rest);
    }
    bool found = !state->diagnostics.stopped && run_cores(tile, &quantum, rest);
    uint64_t busy = end_span(state, cycles, instructions_before); /* what threads did while cores pushed counts, too */
    tile->passed += tile_tensix_instructions(tile) - passed_before;
    if (state->diagnostics.stopped) {
        return true;
    }
    if (!tile_active(tile)) {
        state->busy_until = state->clock.now + busy;
    }
    if (rest) {
        rest_tried(&state->rest, found && !threads_passed(state, cycles) && state->registers.outbox.count == 0 &&
                                     state->diagnostics.count == 0);
    } else {
        see_what_runs(tile, cycles);
    }
    return busy != 0;
}

/* Nothing happened in a quantum: nothing changes before somebody outside acts, however long we wait, unless what the
   vector unit has scheduled comes to its end. Whether it did. */
static bool time_changes(struct tile *tile)
{
    return vector_let_time_pass(&tile->tensix) && !tile->state->diagnostics.stopped;
}

static enum tile_progress run(struct tile *tile, const struct tile_span *span)
{
    struct tile_state *state = tile->state;
    if (state->diagnostics.stopped) {
        return TILE_STOPPED;
    }
    uint64_t end = state->clock.now + span->cycles, quiet = span->quiet;
    bool rest = span->first;
    enum tile_progress progress = TILE_IDLE;
    while (state->clock.now < end) {
        if (state->rest.resting) {
            state->rest.behind += end - state->clock.now;
            progress = TILE_RUNNING;
            break;
        }
        if (!tile->plain.cores && !tile_active(tile)) {
            progress = TILE_IDLE;
            break;
        }
        uint64_t left = end - state->clock.now;
        uint32_t quantum = tile_quantum(quiet, span->longest);
        quantum = left < quantum ? (uint32_t)left : quantum;
        bool happened = run_quantum(tile, quantum, rest && rest_due(&state->rest, quantum));
        rest = false;
        if (state->diagnostics.stopped) {
            return TILE_STOPPED;
        }
        progress = happened ? TILE_RUNNING : tile_active(tile) ? TILE_BLOCKED : TILE_IDLE;
        if (!happened && !time_changes(tile)) {
            break;
        }
        clock_begin(&state->clock, state->clock.now + quantum);
        quiet += quantum;
    }
    if (progress == TILE_IDLE) {
        (void)vector_let_time_pass(&tile->tensix);
    }
    clock_begin(&state->clock, end);
    return progress;
}

enum tile_progress tile_run(struct tile *tile, uint64_t cycles)
{
    tile->plain.cores = 0; /* whoever runs a tile alone may have changed anything */
    return run(tile, &(struct tile_span){.cycles = cycles, .quiet = TILE_QUIET, .longest = TILE_QUANTUM});
}

uint64_t tile_riscv_instructions(const struct tile *tile)
{
    const struct tile_rest *rest = &tile->state->rest;
    return tile->state->retired + (rest->resting ? rest->behind * rest_cores(rest) : 0);
}

uint64_t tile_tensix_instructions(const struct tile *tile)
{
    uint64_t sum = 0;
    for (unsigned thread = 0; thread < TENSIX_THREADS; thread++) {
        sum += tile->state->tensix.frontend[thread].passed;
    }
    return sum;
}

void tile_run_or_rest(struct tile *tile, const struct tile_span *span, struct tile_turn *turn)
{
    if (tile->tensix.timed) {
        tile_run_timed(tile, span, turn);
        return;
    }
    uint64_t riscv = tile_riscv_instructions(tile), passed = tile->passed, retired = tile->state->retired;
    turn->progress = run(tile, span);
    turn->retired = tile->state->retired - retired;
    turn->active = tile->plain.cores || tile_active(tile);
    turn->riscv_instructions = tile_riscv_instructions(tile) - riscv;
    turn->tensix_instructions = tile->passed - passed;
}

/* every: looks at all cores, also when one is found that does not. */
static bool all_cores_spin(struct tile *tile, uint64_t cycles, bool every)
{
    const struct diagnostics *diagnostics = &tile->state->diagnostics;
    bool spin = tensix_drain(&tile->tensix) == 0 && !diagnostics->stopped;
    for (unsigned core = 0; (spin || every) && core < BH_CORE_COUNT && !diagnostics->stopped; core++) {
        struct polled *polled = &tile->state->polled[core];
        if (!core_runnable(tile, core)) {
            continue;
        }
        bool found = !pic_interrupts(tile, core) && !rv32_debug_watches(&tile->state->core[core]) &&
                     core_spins(&tile->core[core], cycles, polled);
        polled->spins = found;
        spin = spin && found;
    }
    if (!spin) {
        return false;
    }
    /* What the probed cores pushed, or made way for, counts as progress. */
    (void)tensix_drain(&tile->tensix);
    return !threads_passed(tile->state, cycles) && !diagnostics->stopped;
}

static bool look_at_cores(struct tile *tile, uint64_t *cycles, bool every)
{
    struct tile_state *state = tile->state;
    tile->plain.cores = 0;
    begin_span(state, *cycles);
    uint64_t instructions_before = instructions(state);
    bool spins = all_cores_spin(tile, *cycles, every);
    *cycles = end_span(state, *cycles, instructions_before);
    clock_begin(&state->clock, state->clock.now + *cycles);
    return spins;
}

bool tile_spins(struct tile *tile, uint64_t *cycles)
{
    return look_at_cores(tile, cycles, false);
}

bool tile_look(struct tile *tile, uint64_t *cycles)
{
    return look_at_cores(tile, cycles, true);
}
