/* Reports who waits for what, for all tiles of a device that have something left to run. */
#ifndef BHEMU_CHIP_EXPLAIN_H
#define BHEMU_CHIP_EXPLAIN_H

#include "chip/device_state.h"

enum { EXPLAINED_AT_ONCE = 8, EXPLAINED_TILES = TENSIX_TILES + ETHERNET_TILES };

/* Hands a BH_DEADLOCK to on_diagnostic for the first `most` tiles that still run, or would run if they had seen what
   was written. Tiles that hang alike share one, which names them; at most EXPLAINED_AT_ONCE different reports are
   given, first those of tiles with a wait that nobody can end. A deadlock ends when somebody outside acts: it does not
   stop the tile for good. Nothing changes on the tiles. */
void device_explain(struct bh_device *device, enum bh_action action, unsigned most);

/* The same, as warnings, without the Tensix tiles in `without`, a bit for each. */
void device_report(struct bh_device *device, const uint64_t without[DEVICE_BITMAP_WORDS]);

/* Whether everything that runs waits, or goes round in loops that change nothing. */
bool device_only_waits(struct bh_device *device);

/* A number that is another one once L1 or a local RAM has changed of a Tensix tile on which a core does anything else.
 */
uint64_t device_changes(struct bh_device *device);

#endif
