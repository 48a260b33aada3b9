/* Quanta of the device: all tiles run for so many cycles, none of which hears anything of another before the end; then
   requests are exchanged. A quantum can be left open: its cycles pass on the clock, and tiles are run when it ends, or
   when somebody outside reaches them.
   A tile runs in quanta of its own (tile/scheduler.c), in each of which its cores take turns. Who changes a tile does
   so at the device's clock: the tile's quantum ends there. Who only looks is shown the tile as it was when its last
   quantum ended, since another order of turns would give another result. How long they are depends on nothing but what
   was changed, and when; so it does not show who looked, or when, or in how many calls cycles passed. */
#ifndef BHEMU_CHIP_QUANTUM_H
#define BHEMU_CHIP_QUANTUM_H

#include "chip/device_state.h"

/* The next tile from `index` on whose bit is set; TENSIX_TILES: none. */
unsigned device_next_tile(const uint64_t bitmap[DEVICE_BITMAP_WORDS], unsigned index);

/* Of a word of the bitmaps, the tiles that may have something to run, and do not rest. */
static inline uint64_t device_awake(const struct bh_device *device, unsigned word)
{
    return device->active[word] & ~device->resting[word];
}

/* Forgets the tiles that have nothing to run. Whether any is left. */
bool device_any_active(struct bh_device *device);

bool device_ethernet_runs(const struct bh_device *device);

/* Says how long device->quantum is to be, and those of tiles in it; whether the host may look before its end. */
void device_begin_quantum(struct bh_device *device, bool attended);

/* Ends the quantum that is open, or all of one, after so many cycles: runs what has not been run of it, moves the clock
   to its end, and lets tiles hear from each other. Adds to *result. */
enum tile_progress device_end_quantum(struct bh_device *device, uint64_t cycles, struct bh_run_result *result);

/* Ends the quantum that is open, if one is. */
void device_settle(struct bh_device *device);

/* Runs all tiles as far as each would be shown, on the threads that there are. */
void device_show_all(struct bh_device *device);

#endif
