/* Rest: a tile whose cores all wait, or go round in circles that change nothing, does the same until somebody outside
   touches what they look at. Such a tile need not run: how often each core would have gone round is known, and when the
   tile wakes, each is put where it would be by then. What a tile does, and when, is the same with and without rest.
   Firmware that waits for its next kernel is such a tile. */
#ifndef BHEMU_TILE_REST_H
#define BHEMU_TILE_REST_H

#include <stdbool.h>
#include <stdint.h>

#include "tile/spins.h"

struct tile;

struct tile_rest {
    bool resting;
    bool any_access; /* a core looks at what every access from outside changes */
    uint8_t words;   /* of looked_at; more than it holds: anything may be one */
    uint16_t due;    /* turns before the tile is tried again */
    uint16_t patience;
    uint32_t circle[BH_CORE_COUNT];   /* instructions of each core's circle; 0: it does not run */
    uint32_t code[BH_CORE_COUNT][2];  /* first and last of their addresses */
    uint32_t looked_at[CIRCLE_WORDS]; /* words of L1 that the cores load, or store what is there */
    uint64_t rested;                  /* cycles for which the cores were put where they would be, so far, */
    uint64_t behind;                  /* and those behind them that passed while the tile was to run */
};

/* Whether the tile is to be tried in this turn, of so many cycles. */
bool rest_due(struct tile_rest *rest, uint64_t cycles);

/* Begins to try; adds a core that was found to go round, or to wait; ends with whether all were. */
void rest_try(struct tile_rest *rest);
void rest_add(struct tile_rest *rest, unsigned core, const struct circle *circle);
void rest_tried(struct tile_rest *rest, bool found);

/* The tile has rested for so long: one that is woken soon each time is not tried as often. */
void rest_ended(struct tile_rest *rest, uint64_t cycles);

/* How many cores go round. */
unsigned rest_cores(const struct tile_rest *rest);

/* Whether an access from outside, to L1 or beyond it, may show to a tile at rest. */
bool rest_disturbed(const struct tile_rest *rest, bool write, uint64_t address, uint32_t size);

/* Puts the cores of a tile at rest where they would be, which has not been run for the last `cycles`; and ends its
 * rest. */
void tile_show(struct tile *tile, uint64_t cycles);
void tile_wake(struct tile *tile, uint64_t cycles);

#endif
