/* Rest: a tile whose cores all wait, or execute idle loops (struct circle) that change nothing, stays the same until
   an access from outside changes what they poll. Such a tile need not run: the number of iterations that each core
   would execute is known, and when the tile wakes, each core is put where it would be then. A tile behaves the same
   with and without rest. Firmware that waits for its next kernel is such a tile. */
#ifndef BHEMU_TILE_REST_H
#define BHEMU_TILE_REST_H

#include <stdbool.h>
#include <stdint.h>

#include "tile/spins.h"

struct tile;

struct tile_rest {
    bool resting;
    bool any_access; /* a core polls a register that every access from outside changes */
    uint8_t words;   /* entries of looked_at; more than fit: any word may be polled */
    uint16_t due;    /* turns before the tile is tried again */
    uint16_t patience;
    uint32_t circle[BH_CORE_COUNT];   /* length of each core's idle loop in instructions; 0: the core does not run */
    uint32_t code[BH_CORE_COUNT][2];  /* first and last address of the loops */
    uint32_t looked_at[CIRCLE_WORDS]; /* words of L1 that the cores load, or store without changing them */
    uint64_t rested;                  /* cycles of rest for which the cores have been advanced so far */
    uint64_t behind;                  /* later cycles that have passed while the tile was to run */
};

/* Whether to try in this turn, of `cycles` cycles, whether the tile can rest. */
bool rest_due(struct tile_rest *rest, uint64_t cycles);

/* Begins an attempt; adds a core that loops or waits; ends the attempt with the result for all cores. */
void rest_try(struct tile_rest *rest);
void rest_add(struct tile_rest *rest, unsigned core, const struct circle *circle);
void rest_tried(struct tile_rest *rest, bool found);

/* The tile has rested for `cycles`: one whose rests are short is tried less often. */
void rest_ended(struct tile_rest *rest, uint64_t cycles);

/* How many cores go round. */
unsigned rest_cores(const struct tile_rest *rest);

/* Whether an access from outside may be noticed by a tile at rest. */
bool rest_disturbed(const struct tile_rest *rest, bool write, uint64_t address, uint32_t size);

/* Advances the cores of a tile at rest, which has not run for the last `cycles`, to their current state, and ends its
   rest. */
void tile_show(struct tile *tile, uint64_t cycles);
void tile_wake(struct tile *tile, uint64_t cycles);

#endif
