/* When something changes on a tile though no agent acts, in timed mode, and what cores that poll would see of it. */
#ifndef BHEMU_TILE_TIMED_ARRIVALS_H
#define BHEMU_TILE_TIMED_ARRIVALS_H

#include "noc/traffic.h"
#include "tensix/frontend/timed.h"
#include "tile/timed_stores.h"

/* When something comes that the tile itself has begun. */
static inline uint64_t next_own_arrival(const struct tile *tile)
{
    uint64_t units = tile->schedule.units_rest ? CLOCK_NEVER : frontend_next_arrival(&tile->state->tensix);
    return __builtin_expect(tile->state->unseen, 0) ? clock_sooner(units, stores_next(tile)) : units;
}

/* tile_next_arrival(). */
static inline uint64_t next_arrival(const struct tile *tile)
{
    return clock_sooner(inbox_next(tile->inbox), next_own_arrival(tile));
}

/* What some cores that poll have read over and over again: of those that do so on their own only words beyond L1, and
   the code of their loops. */
struct noc_watch polled_by(const struct tile *tile, uint32_t cores);

/* Whether nothing of the coprocessor is under way, and its threads have nothing to do. */
bool units_rest(const struct tile *tile, const struct tile_schedule *schedule);

#endif
