/* Functional mode: cores that wait for what has not happened yet. A core that has waited in vain would wait again,
   until some core has done more than compute and access memory, or a thread has executed something: its turns until
   then, each of which comes to the same access, are left out. Not those of B, which may also wait until another core
   waits. */
#ifndef BHEMU_TILE_VAIN_H
#define BHEMU_TILE_VAIN_H

#include "rv32/debug.h"
#include "tile/tile.h"

/* Of a quantum: of each core vain_happened() when it last tried in vain; 0: it has not. */
struct vain {
    uint64_t happened[BH_CORE_COUNT];
};

/* A number that gets larger when anything happens that a core of the tile may wait for: cores have accessed more than
   memory; threads have executed instructions, or may go on. */
static inline uint64_t vain_happened(const struct tile *tile)
{
    return 1 + tile->accesses + tile_tensix_instructions(tile);
}

static inline bool vain_again(const struct vain *vain, const struct tile *tile, unsigned core)
{
    return vain->happened[core] && tile->state->core[core].waiting && vain->happened[core] == vain_happened(tile);
}

/* After the turn of a core. Observers and debuggers are told of each attempt, jitter makes a difference, and
   diagnostics are counted. */
static inline void vain_note(struct vain *vain, const struct tile *tile, unsigned core)
{
    const struct rv32_core *rv32 = &tile->state->core[core];
    vain->happened[core] = 0;
    if (rv32->waiting && core != BH_CORE_B) {
        bool told = tile->jitter || tile->observed || tile->state->diagnostics.count || rv32_debug_watches(rv32);
        vain->happened[core] = told ? 0 : vain_happened(tile);
    }
}

#endif
