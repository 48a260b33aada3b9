/* The order in which agents of a tile run in functional mode. A quantum consists of slices. A slice runs each core up
   to its end, in the order of core numbers, then drains the coprocessor's threads, each of which passes at most one
   instruction a cycle; as long as some agent made progress, cores that had to wait try again. The order of events is
   the same on every run, and a quantum ends whatever the programs do. How long slices are: slice_at(). */
#include <string.h>

#include "noc/traffic.h"
#include "rv32/debug.h"
#include "tile/handlers.h"
#include "tile/timed.h"
#include "tile/trial.h"
#include "tile/vain.h"
#include "time/jitter.h"

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
    return !tensix_idle(&state->tensix) || (state->clock.timed && tile_next_arrival(tile) != CLOCK_NEVER);
}

uint64_t tile_clock(const struct tile *tile, unsigned agent)
{
    const struct tile_state *state = tile->state;
    const struct clock *clock = &state->clock;
    if (agent < BH_CORE_COUNT) {
        return clock_of(clock, agent);
    }
    const struct diagnostic_origin *executing = &state->diagnostics.now;
    if (clock->timed && agent == MMIO_COPROCESSOR && executing->agent == BH_AGENT_THREAD) {
        return state->tensix.timing.now[executing->index];
    }
    return clock->now;
}

/* A part of a quantum, from one cycle of it to another. Agents have turns until none makes progress any more. Then all
   are at its end, those that waited as well; only cores that were ahead before may be further. */
struct slice {
    uint32_t begin, end;
    uint32_t planned; /* the end that it began with: it may come earlier */
    bool holds;       /* pushes wait for the next slice, */
    bool held;        /* and one does */
    unsigned next;    /* the core whose turn it is */
    bool got_on;      /* whether one before it did, in the same round */
};

/* Begins a quantum. What a thread has passed beyond the end of the last, to end a REPLAY, it has passed of this one. */
static void begin_quantum(struct tile_state *state)
{
    clock_begin(&state->clock, state->clock.now);
    for (unsigned thread = 0; thread < TENSIX_THREADS; thread++) {
        const struct frontend *frontend = &state->tensix.frontend[thread];
        uint64_t ended = frontend->passed_limit;
        state->clock.passed[CLOCK_THREAD_0 + thread] = ended && frontend->passed > ended ? frontend->passed - ended : 0;
    }
}

/* Whether jitter lets an agent of the clock do nothing in a slice: in the first one of a quantum nobody, which shows
   whether anybody can get on. */
static bool is_held(const struct tile *tile, const struct slice *slice, unsigned agent)
{
    return tile->jitter && slice->begin && jitter_holds(tile->jitter, tile->state->clock.now + slice->begin, agent);
}

/* Begins a slice for the threads: they may pass what their clocks are behind its end. */
static void begin_slice(struct tile *tile, const struct slice *slice)
{
    struct tile_state *state = tile->state;
    if (tile->jitter) {
        lag_reach(&tile->tensix, state->clock.now + slice->begin);
    }
    for (unsigned thread = 0; thread < TENSIX_THREADS; thread++) {
        struct frontend *frontend = &state->tensix.frontend[thread];
        unsigned agent = CLOCK_THREAD_0 + thread;
        uint64_t behind = slice->planned - state->clock.passed[agent];
        tile->accesses += frontend->passed >= frontend->passed_limit; /* that may be why a core waits */
        /* What follows of its MOP comes at once, and an unpacker fills a bank as soon as it gets it. */
        const bool at_once = state->tensix.src_handed_over >> thread & 1 ||
                             (tile->jitter && frontend_awaits_bank(&state->tensix, thread));
        if (!at_once && is_held(tile, slice, agent)) { /* its cycles pass without an instruction */
            state->clock.passed[agent] += behind;
            behind = 0;
        }
        frontend->passed_limit = frontend->passed + behind;
    }
}

/* Sets the clocks of threads after their turns in a slice: a cycle for each instruction. Whether any is further than
   its begin. */
static bool threads_passed(struct tile_state *state, const struct slice *slice)
{
    bool any = false;
    for (unsigned thread = 0; thread < TENSIX_THREADS; thread++) {
        const struct frontend *frontend = &state->tensix.frontend[thread];
        uint64_t *passed = &state->clock.passed[CLOCK_THREAD_0 + thread];
        *passed = slice->planned + frontend->passed - frontend->passed_limit;
        any |= *passed > slice->begin;
    }
    return any;
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

uint32_t tile_run_core(struct tile *tile, unsigned core, uint32_t budget)
{
    if (pic_interrupts(tile, core)) {
        pic_take(tile, core);
    }
    return rv32_debug_watches(&tile->state->core[core]) ? rv32_debug_run(&tile->core[core], budget)
                                                        : rv32_run(&tile->core[core], budget);
}

/* Threads with an instruction, as bits of the cores T whose threads they are. */
static uint32_t busy_threads(const struct tile *tile)
{
    uint32_t busy = 0;
    for (unsigned thread = 0; thread < TENSIX_THREADS; thread++) {
        busy |= (uint32_t)!frontend_idle(&tile->state->tensix.frontend[thread]) << (BH_CORE_T0 + thread);
    }
    return busy;
}

/* Cores that run, or may do so after an interrupt. */
static uint32_t active_cores(const struct tile *tile)
{
    bool interrupts = pic_enabled(tile);
    uint32_t cores = 0;
    for (unsigned core = 0; core < BH_CORE_COUNT; core++) {
        uint8_t halt = tile->state->core[core].halt;
        cores |= (uint32_t)(halt == RV32_RUNNING || (interrupts && halt == RV32_SELF_JUMP)) << core;
    }
    return cores;
}

/* Whether of all cores and threads only one core T can run, or its thread, or both. */
static bool run_alone(uint32_t cores, uint32_t threads)
{
    uint32_t all = cores | threads;
    return (all & (all - 1)) == 0 && all & (1u << BH_CORE_T0 | 1u << BH_CORE_T1 | 1u << BH_CORE_T2);
}

/* The slice of a quantum of so many cycles that begins at cycle `at`. It is long if only cores can run, until one of
   them pushes (pushed: one is about to); or only one core with its thread. Else it is short, so that no agent gets
   further ahead of another. */
static struct slice slice_at(const struct tile *tile, uint32_t at, uint32_t cycles, bool pushed)
{
    if (tile->jitter) {
        uint32_t length = jitter_slice(tile->jitter, tile->state->clock.now + at, TILE_SLICE);
        uint32_t last = length < cycles - at ? at + length : cycles;
        return (struct slice){.begin = at, .end = last, .planned = last};
    }
    uint32_t threads = busy_threads(tile);
    bool alone = run_alone(active_cores(tile), threads), holds = !alone && !pushed && !threads;
    uint32_t end = (at / TILE_SLICE + 1) * TILE_SLICE;
    end = alone || holds || end > cycles ? cycles : end;
    return (struct slice){.begin = at, .end = end, .planned = end, .holds = holds};
}

static void begin_holding(struct tile *tile, bool holds)
{
    tile->holds_pushes = holds;
    if (tile->pushes_told != holds) {
        tile->pushes_told = holds;
        pushes_connect(tile);
    }
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

/* A core has had its turn. If others may be able to run by what it did, or is to do (a push that was held), the next
   slice begins where that was. */
static void end_turn(struct tile *tile, unsigned core, struct slice *slice)
{
    slice->held |= tile->core[core].put_off;
    if (tile->core[core].yield || tile->core[core].put_off) {
        slice->end = (uint32_t)tile->state->clock.passed[core];
    }
}

/* The turns of those cores that are known to run. Whether that was all; if not, `slice` is what is left. */
static bool run_known_cores(struct tile *tile, uint32_t cycles, struct slice *slice)
{
    struct tile_state *state = tile->state;
    uint32_t cores = tile->plain.cores;
    const bool several = cores & (cores - 1); /* who is alone mostly polls for what changes with each turn */
    uint64_t executed = 0;
    *slice = (struct slice){.end = cycles, .planned = cycles, .holds = !run_alone(cores, 0)};
    begin_holding(tile, slice->holds);
    for (; cores; cores &= cores - 1) {
        unsigned core = (unsigned)__builtin_ctz(cores);
        state->diagnostics.now.cycle = state->clock.now;
        struct rv32 *rv32 = &tile->core[core];
        uint32_t retired =
            several ? polling_run(rv32, &tile->pollings, &tile->polling[core], cycles) : rv32_run(rv32, cycles);
        executed += retired;
        if (retired != cycles || !still_plain(tile, core)) {
            slice->next = core + 1;
            slice->got_on = executed != 0;
            end_turn(tile, core, slice);
            return false;
        }
    }
    state->retired += executed;
    tile->holds_pushes = false;
    return true;
}

/* The turns of all cores, and of the threads, until nobody gets on any more. A core that has to wait has its next turn
   when another agent has got on since: trying earlier costs "if and else" 7 %, SFPSHFT 2 %
   (`make bench`). */
static void run_slice(struct tile *tile, struct slice *slice, struct trial *trial, struct vain *vain)
{
    struct tile_state *state = tile->state;
    bool tried = true;                             /* at first threads are to drain, whether a core runs or not */
    unsigned turns = 1, seen[BH_CORE_COUNT] = {0}; /* turns in which somebody got on, and those before a core's last */
    for (bool again = true; again && !state->diagnostics.stopped;) {
        again = slice->got_on;
        for (unsigned core = slice->next; core < BH_CORE_COUNT; core++) {
            uint64_t before = state->clock.passed[core];
            if (before >= slice->end || seen[core] == turns || !core_runnable(tile, core) ||
                is_held(tile, slice, core) || vain_again(vain, tile, core)) {
                continue;
            }
            tried = true;
            state->diagnostics.now.cycle = tile_clock(tile, core);
            if (trial && trial->goes_on) {
                trial_run_core(trial, tile, core, slice->end);
            } else {
                (void)tile_run_core(tile, core, slice->end - (uint32_t)before);
            }
            if (!trial) {
                vain_note(vain, tile, core);
            }
            bool moved = state->clock.passed[core] != before;
            again |= moved;
            turns += moved;
            seen[core] = turns;
            end_turn(tile, core, slice);
            if (state->diagnostics.stopped) {
                return;
            }
        }
        bool drained = tried && tensix_drain(&tile->tensix) != 0;
        again |= drained;
        turns += drained;
        if (drained && trial) {
            trial->goes_on = false;
        }
        tried = false;
        slice->next = 0;
        slice->got_on = false;
    }
}

/* Finds out whether it can be known what runs in the next quantum, after one of so many cycles: struct tile_plain. */
static void see_what_runs(struct tile *tile, uint32_t cycles)
{
    struct tile_state *state = tile->state;
    uint8_t cores = 0;
    if (tile->jitter) {
        return;
    }
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

/* The slices of what is left of a quantum, of which `slice` is the first. Returns for how many cycles anybody was busy.
 */
static uint64_t run_slices(struct tile *tile, struct slice *slice, uint32_t cycles, struct trial *trial)
{
    struct tile_state *state = tile->state;
    struct vain vain = {{0}};
    while (true) {
        run_slice(tile, slice, trial, &vain);
        tile->holds_pushes = false;
        if (threads_passed(state, slice) && trial) { /* what they did while cores pushed counts, too */
            trial->goes_on = false;
        }
        uint64_t busy = clock_latest(&state->clock);
        if (slice->end == cycles || (busy <= slice->begin && !slice->held && !(tile->jitter && busy)) ||
            state->diagnostics.stopped) {
            return busy;
        }
        clock_pass_all(&state->clock, slice->end);
        *slice = slice_at(tile, slice->end, cycles, slice->held);
        begin_holding(tile, slice->holds);
        begin_slice(tile, slice);
    }
}

/* The same, and finds out whether all that happens is cores going round. */
static __attribute__((noinline)) uint64_t try_to_rest(struct tile *tile, struct slice *slice, uint32_t cycles)
{
    struct tile_state *state = tile->state;
    struct trial trial = {.goes_on = true};
    rest_try(&state->rest);
    uint64_t busy = run_slices(tile, slice, cycles, &trial);
    if (!state->diagnostics.stopped) {
        rest_tried(&state->rest,
                   trial_all_go_round(&trial) && state->registers.outbox.count == 0 && state->diagnostics.count == 0);
    }
    return busy;
}

/* One quantum of at most `cycles` cycles. Returns whether anything at all happened in it. With `rest`, it also finds
   out whether all that happened was cores going round. */
static bool run_quantum(struct tile *tile, uint32_t cycles, bool rest)
{
    struct tile_state *state = tile->state;
    struct slice slice;
    uint64_t passed_before, instructions_before = instructions(state);
    if (tile->observed) {
        tile->observed->cycle = state->clock.now;
    }
    if (tile->plain.cores && !rest) {
        begin_plain(tile, cycles);
        if (run_known_cores(tile, cycles, &slice)) {
            return true;
        }
        passed_before = limits(state) - (uint64_t)TENSIX_THREADS * cycles;
    } else {
        slice = slice_at(tile, 0, cycles, false);
        begin_holding(tile, slice.holds);
        passed_before = tile_tensix_instructions(tile);
        begin_quantum(state);
        begin_slice(tile, &slice);
        memset(state->polled, 0, sizeof state->polled); /* not true any more */
    }
    tile->plain.cores = 0;
    uint64_t busy = rest ? try_to_rest(tile, &slice, cycles) : run_slices(tile, &slice, cycles, NULL);
    state->retired += instructions(state) - instructions_before;
    tile->passed += tile_tensix_instructions(tile) - passed_before;
    if (state->diagnostics.stopped) {
        return true;
    }
    if (tile->jitter && (!busy || !tile_active(tile))) { /* nothing else happens before what units have begun is done */
        busy += lag_pends(&tile->tensix, LAG_OF_ALL, TENSIX_THREADS);
        lag_drain(&tile->tensix, LAG_OF_ALL, TENSIX_THREADS);
    }
    if (!tile_active(tile)) {
        state->busy_until = state->clock.now + busy;
    }
    if (!rest) {
        see_what_runs(tile, slice.planned - slice.begin);
    }
    return busy != 0;
}

/* Nothing happened in a quantum: nothing changes before somebody outside acts, however long we wait, unless what the
   vector unit has scheduled comes to its end. Whether it did. */
static bool time_changes(struct tile *tile)
{
    return vector_let_time_pass(&tile->tensix, CLOCK_NEVER) && !tile->state->diagnostics.stopped;
}

static enum tile_progress run(struct tile *tile, const struct tile_span *span)
{
    struct tile_state *state = tile->state;
    if (state->diagnostics.stopped) {
        return TILE_STOPPED;
    }
    uint64_t end = state->clock.now + span->cycles, quiet = span->quiet;
    bool rest = span->first && !tile->jitter && !(tile->observed && tile->observed->every_round) &&
                (tile->plain.cores || !tile_awaits_begin(tile));
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
        const bool begins = !tile->plain.cores && tile_lets_begin(tile, !happened);
        progress = happened || begins ? TILE_RUNNING : tile_active(tile) ? TILE_BLOCKED : TILE_IDLE;
        if (!happened && !begins && !time_changes(tile)) {
            break;
        }
        clock_begin(&state->clock, state->clock.now + quantum);
        quiet += quantum;
    }
    if (!tile->plain.cores && !state->rest.resting && vector_schedule_active(&state->tensix.vector) &&
        !tile_active(tile)) {
        (void)vector_let_time_pass(&tile->tensix, CLOCK_NEVER); /* the tile may not run again */
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

/* A slice of a look at cores, up to the first that does not go round. */
static bool look_at_slice(struct tile *tile, const struct slice *slice, struct trial *trial)
{
    struct tile_state *state = tile->state;
    bool spin = tensix_drain(&tile->tensix) == 0;
    for (unsigned core = 0; spin && core < BH_CORE_COUNT && !state->diagnostics.stopped; core++) {
        struct circle_search *search = &trial->search[core];
        if (!core_runnable(tile, core)) {
            continue;
        }
        trial_begin_core(trial, tile, core);
        if (pic_interrupts(tile, core) || rv32_debug_watches(&state->core[core])) {
            search->found = NO_CIRCLE;
        }
        circle_search_run(search, &tile->core[core], slice->end - slice->begin);
        state->polled[core].spins = search->found == CIRCLE_FOUND;
        spin &= search->found != NO_CIRCLE;
    }
    /* What the probed cores pushed, or made way for, counts as progress. */
    spin &= tensix_drain(&tile->tensix) == 0;
    return !threads_passed(state, slice) && spin && !state->diagnostics.stopped;
}

/* tile_spins() in timed mode, where cores do not share memory with anybody meanwhile, so that it does not matter which
   of them looks first. Threads have executed what they can long before, so that a core that waits for somebody to act,
   to push, say, waits for those that spin. */
static bool would_spin(struct tile *tile, uint64_t cycles)
{
    struct tile_state *state = tile->state;
    bool spin = true;
    for (unsigned core = 0; spin && core < BH_CORE_COUNT && !state->diagnostics.stopped; core++) {
        if (core_runnable(tile, core)) {
            bool waits = state->core[core].waiting && (tile->schedule.waiting >> core & 1);
            spin = !pic_interrupts(tile, core) && !rv32_debug_watches(&state->core[core]) &&
                   (waits || core_spins(&tile->core[core], cycles, true, &state->polled[core]));
            state->polled[core].spins = spin;
        }
    }
    return spin && !state->diagnostics.stopped;
}

bool tile_spins(struct tile *tile, uint64_t *cycles)
{
    struct tile_state *state = tile->state;
    struct trial trial = {.goes_on = true};
    uint64_t instructions_before = instructions(state), limit = *cycles;
    bool sought = true;
    tile_rouse(tile);
    tile->plain.cores = 0;
    if (tile->tensix.timed) {
        *cycles = 0;
        return would_spin(tile, limit);
    }
    begin_quantum(state);
    for (uint32_t at = 0; sought && trial.goes_on && at < limit && !state->diagnostics.stopped;) {
        uint32_t end = limit - at < TILE_SLICE ? (uint32_t)limit : at + TILE_SLICE;
        struct slice slice = {.begin = at, .end = end, .planned = end};
        begin_slice(tile, &slice);
        trial.goes_on &= look_at_slice(tile, &slice, &trial);
        sought = trial_any_sought(&trial);
        *cycles = clock_latest(&state->clock);
        at = slice.end;
        clock_pass_all(&state->clock, at);
    }
    state->retired += instructions(state) - instructions_before;
    clock_begin(&state->clock, state->clock.now + *cycles);
    return trial.goes_on && !sought;
}
