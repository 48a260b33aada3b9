/* A tile in timed mode: each agent - core, or thread of the coprocessor - has a time of its own, and the agent that is
   furthest behind goes next. An agent that waits goes on when somebody has acted, at the time of that act. */
#ifndef BHEMU_TILE_TIMED_H
#define BHEMU_TILE_TIMED_H

#include "tile/tile.h"

/* Runs the tile for span->cycles. Some agents may be beyond that then: an instruction takes more than one cycle. */
void tile_run_timed(struct tile *tile, const struct tile_span *span, struct tile_turn *turn);

/* When L1 or a register of the tile next changes though no agent acts: something comes over the NoC, or what the packer
   wrote arrives. CLOCK_NEVER: nothing is on its way. */
uint64_t tile_next_arrival(const struct tile *tile);

/* When anything next happens at a tile that nobody outside has reached since its last turn: all its agents are beyond
   the end of that turn, or only poll. CLOCK_NEVER: not before somebody outside acts. */
uint64_t tile_next_act(const struct tile *tile);

/* Somebody outside is about to look at the tile, or to change it: cores that poll are brought to its clock. */
void tile_rouse(struct tile *tile);

/* A core enters reset: wherever it has computed to, it goes on when it is let out, at that time. */
void tile_hold_core(struct tile *tile, unsigned core);

/* Somebody outside changes the tile: cores that poll, and are neither aside nor doze, may read something else now. */
void tile_end_polling(struct tile *tile);

#endif
