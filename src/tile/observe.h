/* What observers are told of a tile: its cores, its coprocessor, its L1. */
#ifndef BHEMU_TILE_OBSERVE_H
#define BHEMU_TILE_OBSERVE_H

#include "tile/tile.h"

/* Events that are known only if cores, and threads, execute one instruction at a time. */
enum {
    OBSERVED_IN_STEPS = 1 << BH_EVENT_ISSUED | 1 << BH_EVENT_RETIRED | 1 << BH_EVENT_REGISTER | 1 << BH_EVENT_ACCESS |
                        1 << BH_EVENT_WAIT_BEGAN | 1 << BH_EVENT_WAIT_ENDED | 1 << BH_EVENT_SEMAPHORE |
                        1 << BH_EVENT_MUTEX | 1 << BH_EVENT_SRC_BANK
};

/* Has the tile tell `observed`, whose kinds have changed, from now on; null: nobody. */
void tile_observe(struct tile *tile, struct observed *observed);

/* Somebody outside has written to the tile: tells what came of it. */
void tile_tell_changes(struct tile *tile);

#endif
