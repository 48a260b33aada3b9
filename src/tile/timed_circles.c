#include "tile/timed_circles.h"

#include "time/clock.h"

/* Those of `cores` whose loads meet those of `core`, it among them. */
static uint32_t meeting(const struct tile *tile, uint32_t cores, unsigned core)
{
    const struct rv32_timing *timing = tile->state->timing;
    uint64_t loaded = timing[core].polling.loaded;
    uint32_t those = 1u << core, before;
    do {
        before = those;
        for (uint32_t left = cores & ~those; left; left &= left - 1) {
            unsigned other = (unsigned)__builtin_ctz(left);
            if (timing[other].polling.loaded & loaded) {
                those |= 1u << other;
                loaded |= timing[other].polling.loaded;
            }
        }
    } while (those != before);
    return those;
}

static struct tile_circle *circle_of(struct tile *tile, uint32_t cores)
{
    return &tile->circle[__builtin_ctz(cores)];
}

static uint64_t registers_digest(const struct tile *tile, uint32_t cores)
{
    uint64_t digest = 0;
    for (; cores; cores &= cores - 1) {
        digest = digest * 31 + rv32_registers_digest(&tile->core[__builtin_ctz(cores)]);
    }
    return digest;
}

/* How often what their frontends foresee has changed. */
static uint32_t frontend_changes(const struct tile *tile, uint32_t cores)
{
    uint32_t changes = 0;
    for (; cores; cores &= cores - 1) {
        changes += tile->state->timing[__builtin_ctz(cores)].polling.frontend_changes;
    }
    return changes;
}

static uint64_t digest_of(const struct tile *tile, const struct tile_circle *circle)
{
    uint64_t digest = 0, loaded = 0, first = CLOCK_NEVER;
    for (uint32_t left = circle->cores; left; left &= left - 1) {
        unsigned core = (unsigned)__builtin_ctz(left);
        const struct rv32_timing *timing = &tile->state->timing[core];
        digest = digest * 31 + rv32_time_digest(&tile->core[core]);
        digest = digest * 31 + (circle->depth == CIRCLE_WITH_FRONTEND ? rv32_frontend_digest(timing) : 0);
        first = clock_sooner(first, clock_of(&tile->state->clock, core));
        loaded |= timing->polling.loaded;
    }
    return digest * 31 + rv32_shared_digest(&tile->state->shared_timing, loaded, first);
}

/* The state that is to recur is that of now. */
static void begin(struct tile *tile, struct tile_circle *circle, enum circle_depth depth)
{
    const struct tile_state *state = tile->state;
    circle->frontend_changes = frontend_changes(tile, circle->cores);
    circle->depth = depth;
    circle->looks = 0;
    circle->time = clock_of(&state->clock, circle->at);
    circle->registers = registers_digest(tile, circle->cores);
    circle->digest = depth == CIRCLE_REGISTERS ? 0 : digest_of(tile, circle);
    for (uint32_t left = circle->cores; left; left &= left - 1) {
        unsigned core = (unsigned)__builtin_ctz(left);
        circle->pc[core] = state->core[core].pc;
        circle->later[core] = clock_of(&state->clock, core) - circle->time;
        circle->instret[core] = state->core[core].instret;
        circle->hits[core] = state->timing[core].l0_hits;
    }
}

/* Whether the cores are where they were when the circle began, with the registers that they had. */
static bool is_like(const struct tile *tile, const struct tile_circle *circle)
{
    const struct tile_state *state = tile->state;
    uint64_t now = clock_of(&state->clock, circle->at);
    for (uint32_t left = circle->cores; left; left &= left - 1) {
        unsigned core = (unsigned)__builtin_ctz(left);
        if (state->core[core].pc != circle->pc[core] || clock_of(&state->clock, core) - now != circle->later[core]) {
            return false;
        }
    }
    return now != circle->time && registers_digest(tile, circle->cores) == circle->registers;
}

static bool recurs(const struct tile *tile, const struct tile_circle *circle)
{
    bool foresees =
        circle->depth == CIRCLE_WITH_FRONTEND || frontend_changes(tile, circle->cores) == circle->frontend_changes;
    return foresees && digest_of(tile, circle) == circle->digest;
}

static void close_circle(struct tile *tile, const struct tile_circle *circle)
{
    struct tile_state *state = tile->state;
    uint64_t cycles = clock_of(&state->clock, circle->at) - circle->time;
    for (uint32_t left = circle->cores; left; left &= left - 1) {
        unsigned core = (unsigned)__builtin_ctz(left);
        state->timing[core].polling.circle =
            (struct rv32_circle){.cycles = cycles,
                                 .instructions = state->core[core].instret - circle->instret[core],
                                 .hits = state->timing[core].l0_hits - circle->hits[core]};
    }
    tile->circles.closed |= circle->cores;
}

/* A time round of a core that meets no other one is a circle. */
static void close_round(struct tile *tile, unsigned core)
{
    struct rv32_polling *polling = &tile->state->timing[core].polling;
    *circle_of(tile, 1u << core) =
        (struct tile_circle){.acts = tile->circles.acts, .cores = 1u << core, .at = core, .looks = 1};
    polling->circle = polling->round;
    tile->circles.closed |= 1u << core;
}

void circles_look(struct tile *tile, uint32_t cores, unsigned core)
{
    enum { PATIENCE = 3 }; /* looks until the first state is taken: some polling ends sooner */
    uint32_t those = meeting(tile, cores, core);
    struct tile_circle *circle = circle_of(tile, those);
    if (those == 1u << core && tile->state->timing[core].polling.recurs) {
        close_round(tile, core);
        return;
    }
    if (circle->acts != tile->circles.acts || circle->cores != those) {
        *circle = (struct tile_circle){.acts = tile->circles.acts, .cores = those, .at = core, .looks = 1};
        return;
    }
    if (circle->depth == CIRCLE_NOTHING) {
        if (circle->at == core && ++circle->looks == PATIENCE) {
            circle->most = 1;
            begin(tile, circle, CIRCLE_REGISTERS);
        }
        return;
    }
    bool like = circle->at == core && is_like(tile, circle);
    if (like && circle->depth != CIRCLE_REGISTERS && recurs(tile, circle)) {
        close_circle(tile, circle);
    } else if (like && circle->depth == CIRCLE_REGISTERS) {
        begin(tile, circle, CIRCLE_WHOLE);
    } else if (circle->at == core && ++circle->looks == circle->most) {
        bool learns = circle->depth == CIRCLE_WHOLE && frontend_changes(tile, those) != circle->frontend_changes;
        circle->most *= 2;
        begin(tile, circle, learns ? CIRCLE_WITH_FRONTEND : (enum circle_depth)circle->depth);
    }
}

bool circles_closed(struct tile *tile, uint32_t cores)
{
    if (cores & ~tile->circles.closed) {
        return false;
    }
    for (uint32_t left = cores; left; left &= left - 1) {
        uint32_t those = meeting(tile, cores, (unsigned)__builtin_ctz(left));
        if (circle_of(tile, those)->cores != those) { /* they have turned out to meet since */
            tile->circles.closed &= ~those;
            return false;
        }
    }
    return true;
}

void circles_begin_doze(struct tile *tile, uint32_t cores)
{
    struct tile_doze *doze = &tile->state->doze;
    for (uint32_t left = cores; left; left &= left - 1) {
        unsigned core = (unsigned)__builtin_ctz(left);
        doze->latest[core] = doze->since[core];
        for (uint32_t those = meeting(tile, cores, core); those; those &= those - 1) {
            doze->latest[core] = clock_later(doze->latest[core], doze->since[__builtin_ctz(those)]);
        }
    }
}

uint64_t circles_end_doze(struct tile *tile, uint32_t cores, uint64_t time)
{
    struct tile_state *state = tile->state;
    uint64_t gone = 0, instructions = 0;
    for (; cores; cores &= cores - 1) {
        unsigned core = (unsigned)__builtin_ctz(cores);
        const struct rv32_polling *polling = &state->timing[core].polling;
        uint64_t latest = state->doze.latest[core], cycles = polling->circle.cycles;
        uint64_t rounds = time > latest && cycles ? (time - latest) / cycles : 0; /* a snapshot may hold anything */
        state->clock.passed[core] =
            state->doze.since[core] - state->clock.now; /* it may be behind the quantum's begin */
        rv32_time_rounds(&tile->core[core], rounds);
        rv32_time_shared_rounds(&state->shared_timing, polling->loaded & ~gone, rounds * cycles);
        gone |= polling->loaded;
        instructions += rounds * polling->circle.instructions;
    }
    return instructions;
}
