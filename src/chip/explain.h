/* Who waits for what, told of all tiles of a device that have something left to run. */
#ifndef BHEMU_CHIP_EXPLAIN_H
#define BHEMU_CHIP_EXPLAIN_H

#include "chip/device_state.h"

enum { EXPLAINED_AT_ONCE = 8, EXPLAINED_TILES = TENSIX_TILES + ETHERNET_TILES };

/* Hands a BH_DEADLOCK to on_diagnostic for the first `most` tiles that still run, or would if they had seen what was
   written. Tiles of which the same is to be said share one, which names them; of those that differ, there are at most
   EXPLAINED_AT_ONCE. A deadlock ends when somebody outside acts: the tile is not stopped for good. */
void device_explain(struct bh_device *device, enum bh_action action, unsigned most);

#endif
