/* Timed mode: cores of a tile that poll L1 meet in its banks, so that how long a time round takes one of them depends
   on the others. Those whose loads meet, directly or by way of others, are looked at together, at each jump back of one
   of them: if nobody has acted since they last were as they are now, all that they depend on being equal, relative to
   the time, then they come to this again and again (Brent's way of finding a cycle). Exact, if two states do not have
   one digest of 64 bits. */
#ifndef BHEMU_TILE_TIMED_CIRCLES_H
#define BHEMU_TILE_TIMED_CIRCLES_H

#include "tile/tile.h"

/* Forgets all states so far. Call this when an agent has done more than compute, jump and load words, or somebody
   outside has acted: loops may take other ways from now on. */
static inline void circles_end(struct tile *tile)
{
    tile->circles.acts++;
    tile->circles.turns = 0;
    tile->circles.closed = 0;
}

/* Whether circles are worth looking for: nobody has acted for some turns. */
static inline bool circles_are_sought(const struct tile *tile)
{
    enum { TURNS = 8 };
    return tile->circles.turns >= TURNS;
}

/* One of `cores`, which are all that go on and are not known to poll, has jumped back. If it recurs (struct
   rv32_polling) and meets none of the others that is a circle already. */
void circles_look(struct tile *tile, uint32_t cores, unsigned core);

/* Whether circles_look() has found the states of all `cores` to recur. Those that turn out to meet others are looked at
   again. */
bool circles_closed(struct tile *tile, uint32_t cores);

/* `cores` are about to doze at doze.since: sets doze.latest of each to the latest one of those that it meets. */
void circles_begin_doze(struct tile *tile, uint32_t cores);

/* `cores` have dozed since doze.since: skips as many whole circles of each, or of those that meet, as end by `time`.
   Returns how many instructions these are. */
uint64_t circles_end_doze(struct tile *tile, uint32_t cores, uint64_t time);

#endif
