/* What the cores of a tile poll, found without changing anything: each core that runs is tried on a copy, which ends
   before the first thing that others could notice. For reports at any time, also of a tile that goes on afterwards. */
#ifndef BHEMU_TILE_SIGHT_H
#define BHEMU_TILE_SIGHT_H

#include "tile/spins.h"

struct tile;

struct tile_sight {
    struct polled polled[BH_CORE_COUNT]; /* spins: the core goes round and changes nothing */
    bool computes;                       /* a core does something else, or what it does is not known */
};

void tile_see(const struct tile *tile, struct tile_sight *sight);

#endif
