#include "tile/begins.h"

#include "tile/tile.h"

enum { PATIENCE = 1024 }; /* cycles: kernels whose Matrix Unit keeps the unpackers waiting do so for shorter times */

bool tile_lets_begin(struct tile *tile, bool at_once)
{
    struct tile_state *state = tile->state;
    struct tile_begins *begins = &state->begins;
    bool any = false;
    for (unsigned thread = 0; thread < TENSIX_THREADS; thread++) {
        const uint64_t passed = state->tensix.frontend[thread].passed;
        if (!frontend_awaits_begin(&state->tensix, thread)) {
            continue;
        }
        if (begins->passed[thread] != passed) {
            begins->passed[thread] = passed;
            begins->since[thread] = state->clock.now;
        }
        if (at_once || state->clock.now - begins->since[thread] >= PATIENCE) {
            state->tensix.unpack.may_begin |= (uint8_t)(1u << thread);
            any = true;
        }
    }
    return any;
}

bool tile_awaits_begin(const struct tile *tile)
{
    for (unsigned thread = 0; thread < TENSIX_THREADS; thread++) {
        if (frontend_awaits_begin(&tile->state->tensix, thread)) {
            return true;
        }
    }
    return false;
}
