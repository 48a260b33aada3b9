/* What cores of a tile have stored to L1, and others see only later: in timed mode (rv32/stores_seen.h). */
#ifndef BHEMU_TILE_TIMED_STORES_H
#define BHEMU_TILE_TIMED_STORES_H

#include "rv32/stores_seen.h"
#include "tile/tile.h"

/* Before and after a turn of a core; nobody else looks before `time`. */
static inline void stores_begin_turn(struct tile *tile, unsigned core)
{
    if (tile->state->unseen >> core & 1) {
        rv32_stores_show(&tile->core[core]);
        tile->state->unseen &= ~(1u << core);
    }
}

static inline void stores_end_turn(struct tile *tile, unsigned core, uint64_t time)
{
    if (tile->state->timing[core].unseen_count) {
        rv32_stores_hide(&tile->core[core], time);
        tile->state->unseen |= (uint32_t)((tile->state->timing[core].unseen_count != 0) << core);
    }
}

/* When others next see something; CLOCK_NEVER: they see everything. */
static inline uint64_t stores_next(const struct tile *tile)
{
    uint64_t next = CLOCK_NEVER;
    for (uint32_t left = tile->state->unseen; left; left &= left - 1) {
        uint64_t due = rv32_stores_next(&tile->state->timing[__builtin_ctz(left)]);
        next = due < next ? due : next;
    }
    return next;
}

/* They see what is due by `time`. Returns whether there was something. */
static inline bool stores_arrive(struct tile *tile, uint64_t time)
{
    bool seen = false;
    for (uint32_t left = tile->state->unseen; left; left &= left - 1) {
        unsigned core = (unsigned)__builtin_ctz(left);
        if (rv32_stores_next(&tile->state->timing[core]) <= time) {
            rv32_stores_arrive(&tile->core[core], time);
            seen = true;
            tile->state->unseen &= ~(uint32_t)((tile->state->timing[core].unseen_count == 0) << core);
        }
    }
    return seen;
}

/* Replaces in a copy of [address, address + size) of L1 what cores have stored and others do not see yet. */
static inline void stores_look(const struct tile *tile, uint32_t address, uint8_t *copy, uint32_t size)
{
    for (uint32_t left = tile->state->unseen; left; left &= left - 1) {
        rv32_stores_look(&tile->state->timing[__builtin_ctz(left)], address, copy, size);
    }
}

#endif
