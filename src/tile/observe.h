/* Connects observers to a tile: its cores, its coprocessor, its L1. */
#ifndef BHEMU_TILE_OBSERVE_H
#define BHEMU_TILE_OBSERVE_H

#include "tile/tile.h"

/* Events that are only known if cores and threads execute one instruction at a time. */
enum {
    OBSERVED_IN_STEPS = 1 << BH_EVENT_ISSUED | 1 << BH_EVENT_RETIRED | 1 << BH_EVENT_REGISTER | 1 << BH_EVENT_ACCESS |
                        1 << BH_EVENT_WAIT_BEGAN | 1 << BH_EVENT_WAIT_ENDED | 1 << BH_EVENT_SEMAPHORE |
                        1 << BH_EVENT_MUTEX | 1 << BH_EVENT_SRC_BANK | 1 << BH_EVENT_OCCUPIED | 1 << BH_EVENT_OPERAND
};

/* Makes the tile report events to `observed`, whose set of kinds has changed; null: to nobody. */
void tile_observe(struct tile *tile, struct observed *observed);

/* Why the core's last access returned STEP_WAIT; the core waits. */
struct bh_wait tile_core_wait(const struct tile *tile, unsigned core);

/* Reports changes in the tile that a write from outside has caused. */
void tile_tell_changes(struct tile *tile);

#endif
