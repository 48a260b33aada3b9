/* Launches by tt-metal's firmware as they are seen from outside, for hosts that do not tell of them: an observer that
   keeps what is written to the beginning of each tile's L1, and tells the checker, whenever a go message says GO, which
   circular buffers the launch message describes. Whoever sends them - the host, or a dispatcher over the NoC - and
   which version of the firmware it is, makes no difference. */
#ifndef BHEMU_HOST_METAL_WATCH_H
#define BHEMU_HOST_METAL_WATCH_H

#include "bhemu/check.h"
#include "bhemu/observer.h"

struct metal_watch;

/* tiles: as in struct bh_observer; they have to stay. null: no memory. */
struct metal_watch *metal_watch_open(struct bh_check *check, const struct bh_tile *tiles, unsigned tile_count);

/* To be added to the device before the checker's. */
const struct bh_observer *metal_watch_observer(const struct metal_watch *watch);

/* watch may be null. */
void metal_watch_close(struct metal_watch *watch);

#endif
