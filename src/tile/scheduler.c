/* Who runs when, in functional mode. A quantum gives each core up to QUANTUM instructions, in the order of their
   numbers, then lets the coprocessor's threads drain; as long as somebody got on, cores that had to wait try again with
   what is left of their quantum. So the order of events is the same on every run. */
#include <string.h>

#include "tile/tile.h"

enum { QUANTUM = 512 };

static bool core_runnable(const struct tile *tile, unsigned core)
{
    switch (tile->state->core[core].halt) {
    case RV32_RUNNING: return true;
    case RV32_SELF_JUMP: return !rv32_still_self_jump(&tile->core[core]);
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
        if (core_runnable(tile, core)) {
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

/* One quantum of at most `cycles` cycles. Returns whether anything at all happened in it. */
static bool run_quantum(struct tile *tile, uint32_t cycles)
{
    struct tile_state *state = tile->state;
    uint32_t budget[BH_CORE_COUNT];
    for (unsigned core = 0; core < BH_CORE_COUNT; core++) {
        state->quantum_instret[core] = state->core[core].instret;
        budget[core] = cycles;
    }
    bool happened = false;
    for (bool again = true; again && !state->diagnostics.stopped;) {
        again = false;
        for (unsigned core = 0; core < BH_CORE_COUNT; core++) {
            if (budget[core] == 0 || !core_runnable(tile, core)) {
                continue;
            }
            state->core[core].halt = RV32_RUNNING;
            state->diagnostics.now.cycle = tile_clock(tile, core);
            uint32_t retired = rv32_run(&tile->core[core], budget[core]);
            budget[core] -= retired;
            again |= retired != 0;
            if (state->diagnostics.stopped) {
                return true;
            }
        }
        again |= tensix_drain(&tile->tensix) != 0;
        happened |= again;
    }
    if (!tile_active(tile)) {
        uint32_t longest = 0;
        for (unsigned core = 0; core < BH_CORE_COUNT; core++) {
            longest = cycles - budget[core] > longest ? cycles - budget[core] : longest;
        }
        state->busy_until = state->clock + longest;
    }
    return happened;
}

enum tile_progress tile_run(struct tile *tile, uint64_t cycles)
{
    struct tile_state *state = tile->state;
    if (state->diagnostics.stopped) {
        return TILE_STOPPED;
    }
    uint64_t end = state->clock + cycles;
    enum tile_progress progress = TILE_IDLE;
    while (state->clock < end) {
        if (!tile_active(tile)) {
            progress = TILE_IDLE;
            break;
        }
        uint64_t left = end - state->clock;
        uint32_t quantum = left < QUANTUM ? (uint32_t)left : QUANTUM;
        bool happened = run_quantum(tile, quantum);
        if (state->diagnostics.stopped) {
            return TILE_STOPPED;
        }
        progress = happened ? TILE_RUNNING : TILE_BLOCKED;
        if (!happened) {
            break; /* nothing changes before somebody outside acts, however long we wait */
        }
        state->clock += quantum;
    }
    state->clock = end;
    return progress;
}

/* A load from the tile's registers that takes something away from somebody: a mailbox or a PCBuf. What else can be
   read changes by itself or by somebody else's doing only, and then shows in the core's registers. */
static bool load_consumes(uint32_t address)
{
    return (address >= 0xffe80000 && address < 0xffe80004) || (address >= 0xffe90000 && address < 0xffeb0000) ||
           (address >= 0xffec0000 && address < 0xffed0000);
}

static void probe_effect(void *context, enum rv32_effect effect, uint32_t address)
{
    bool harmless = effect == RV32_EFFECT_CSR || (effect == RV32_EFFECT_BUS_LOAD && !load_consumes(address));
    *(bool *)context |= !harmless;
}

static bool same_registers(const struct rv32_core *a, const struct rv32_core *b)
{
    return a->pc == b->pc && memcmp(a->x, b->x, 32 * sizeof *a->x) == 0 && memcmp(a->csr, b->csr, sizeof a->csr) == 0;
}

/* Runs one core until it is back at the same instruction with the same registers, without having had an effect. Such a
   core does the same for ever, as long as nobody else changes what it reads. */
static bool core_spins(struct tile *tile, unsigned index, uint64_t cycles)
{
    struct rv32_core *core = &tile->state->core[index];
    bool effect = false;
    struct rv32_hooks hooks = {.context = &effect, .effect = probe_effect};
    struct rv32_core seen = *core;
    uint64_t next_mark = 1;
    for (uint64_t run = 1; run <= cycles; run++) {
        uint32_t retired = rv32_run_hooked(&tile->core[index], 1, &hooks);
        if (tile->state->diagnostics.stopped || effect) {
            return false;
        }
        if (retired == 0 || core->halt != RV32_RUNNING) {
            return true;
        }
        if (same_registers(core, &seen)) {
            return true;
        }
        if (run == next_mark) { /* Brent's way of finding a loop of unknown length */
            seen = *core;
            next_mark *= 2;
        }
    }
    return false;
}

bool tile_spins(struct tile *tile, uint64_t cycles)
{
    if (tensix_drain(&tile->tensix) != 0 || tile->state->diagnostics.stopped) {
        return false;
    }
    for (unsigned core = 0; core < BH_CORE_COUNT; core++) {
        if (core_runnable(tile, core) && !core_spins(tile, core, cycles)) {
            return false;
        }
    }
    /* What the probed cores pushed, or made way for, while others were probed counts as progress. */
    return tensix_drain(&tile->tensix) == 0 && !tile->state->diagnostics.stopped;
}
