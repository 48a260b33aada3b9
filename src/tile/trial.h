/* A trial: turns of a tile's cores in which each is watched, until it is known whether all that happens is cores in
   loops that change nothing, or waiting. Such a tile can rest (tile/rest.h), or has come to a halt. */
#ifndef BHEMU_TILE_TRIAL_H
#define BHEMU_TILE_TRIAL_H

#include "tile/spins.h"

struct tile;

struct trial {
    bool goes_on;                               /* no core or thread has done anything else so far */
    bool begun[BH_CORE_COUNT];                  /* whether the search of the core has begun */
    struct circle_search search[BH_CORE_COUNT]; /* for the loop of each core */
};

/* Begins the search for a core's loop, unless it has begun. */
void trial_begin_core(struct trial *trial, struct tile *tile, unsigned core);

/* The turn of a core, up to cycle `end` of its quantum. The rest of the turn of a core that is known to loop is
   skipped, except a part of an iteration. */
void trial_run_core(struct trial *trial, struct tile *tile, unsigned core, uint32_t end);

/* Whether every core that had a turn loops or waits. */
bool trial_all_go_round(const struct trial *trial);

/* Whether it is not known yet of some core what it does. */
bool trial_any_sought(const struct trial *trial);

#endif
