/* A tile in timed mode: each agent - core, or thread of the coprocessor - has a time of its own, and the agent that is
   furthest behind goes next. An agent that waits goes on when somebody has acted, at the time of that act. */
#ifndef BHEMU_TILE_TIMED_H
#define BHEMU_TILE_TIMED_H

#include "tile/tile.h"

/* Runs the tile to `end`. Some agents may be beyond it then: an instruction takes more than one cycle. */
enum tile_progress tile_run_timed(struct tile *tile, uint64_t end);

#endif
