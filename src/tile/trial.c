#include "tile/trial.h"

#include "rv32/debug.h"
#include "tile/handlers.h"

void trial_begin_core(struct trial *trial, struct tile *tile, unsigned core)
{
    struct tile_state *state = tile->state;
    if (!trial->begun[core]) {
        trial->begun[core] = true;
        circle_search_begin(&trial->search[core], &state->core[core], &state->polled[core]);
    }
}

/* What of a core's turn is left when it is known to go round is whole circles, and a part of one. Returns that. */
static uint32_t skip_circles(struct tile_state *state, unsigned core, uint32_t left, uint32_t length)
{
    uint32_t part = left % length;
    state->core[core].instret += left - part;
    clock_pass(&state->clock, core, left - part);
    return part;
}

void trial_run_core(struct trial *trial, struct tile *tile, unsigned core, uint32_t end)
{
    struct tile_state *state = tile->state;
    struct rv32 *rv32 = &tile->core[core];
    struct circle_search *search = &trial->search[core];
    const uint64_t *passed = &state->clock.passed[core];
    if (pic_interrupts(tile, core) || rv32_debug_watches(rv32->core)) {
        trial->goes_on = false;
        (void)tile_run_core(tile, core, end - (uint32_t)*passed);
        return;
    }
    trial_begin_core(trial, tile, core);
    if (search->found == CIRCLE_SOUGHT) {
        circle_search_run(search, rv32, end - (uint32_t)*passed);
        if (search->found == CIRCLE_FOUND && !search->circle.restless) {
            rest_add(&state->rest, core, &search->circle);
            state->polled[core].spins = true;
        } else {
            trial->goes_on = search->found == CIRCLE_SOUGHT;
        }
        if (rv32->yield || rv32->put_off || rv32->core->waiting || state->diagnostics.stopped) {
            return;
        }
    }
    uint32_t left = end - (uint32_t)*passed, length = search->circle.length;
    left = trial->goes_on && length ? skip_circles(state, core, left, length) : left;
    state->diagnostics.now.cycle = tile_clock(tile, core);
    bool moved = left && tile_run_core(tile, core, left);
    trial->goes_on &= length || !moved; /* one that waited has to go on waiting */
}

bool trial_all_go_round(const struct trial *trial)
{
    bool all = trial->goes_on;
    for (unsigned core = 0; core < BH_CORE_COUNT; core++) {
        all &= !trial->begun[core] || trial->search[core].found == CIRCLE_FOUND;
    }
    return all;
}

bool trial_any_sought(const struct trial *trial)
{
    bool any = false;
    for (unsigned core = 0; core < BH_CORE_COUNT; core++) {
        any |= trial->begun[core] && trial->search[core].found == CIRCLE_SOUGHT;
    }
    return any;
}
