/* Quanta of the device: all tiles run for the same number of cycles without seeing each other, but for those in series
   (chip/series.h); then their requests are exchanged. A quantum can be left open: its cycles pass on the clock, and
   tiles run when it ends, or when somebody outside reaches them. A tile runs in quanta of its own (tile/scheduler.c),
   in each of which its cores take turns. Changes from outside happen at the device's clock: the tile's quantum ends
   there. A read from outside shows the tile as it was when its last quantum ended, since another order of turns would
   have another result. The length of quanta depends only on what was changed, and when: it makes no difference who
   reads, or when, or in how many calls the cycles pass. */
#ifndef BHEMU_CHIP_QUANTUM_H
#define BHEMU_CHIP_QUANTUM_H

#include "chip/device_state.h"

/* The next tile from `index` on whose bit is set; TENSIX_TILES: none. */
unsigned device_next_tile(const uint64_t bitmap[DEVICE_BITMAP_WORDS], unsigned index);

/* The tiles of a word of the bitmaps that may have something to run, and are not at rest. */
static inline uint64_t device_awake(const struct bh_device *device, unsigned word)
{
    return device->active[word] & ~device->resting[word];
}

/* Takes tiles that have nothing to run off the active ones. Returns whether any is left. */
bool device_any_active(struct bh_device *device);

enum { SPIN_CHECK_CYCLES = 4096 };          /* the longest loop that is recognised; in functional mode they pass */
enum { SPIN_CHECK_INTERVAL = 1000 * 1000 }; /* cycles between two checks whether all tiles spin */

/* Timed mode: cycles until the next clock at which that is checked, where a quantum ends. */
uint64_t device_cycles_to_spin_check(const struct bh_device *device);

/* Whether any of CORE_TILES has something to run. */
bool device_cores_run(const struct bh_device *device);

/* Sets device->quantum and the quantum of tiles in it. attended: the host may look before its end. */
void device_begin_quantum(struct bh_device *device, bool attended);

/* Carries out the requests between tiles. Returns whether there were any. A request with an error stops its tile. */
bool device_exchange(struct bh_device *device);

/* Functional mode: requests were carried out in a quantum that ends at `clock`: as in an exchange. */
void device_note_carried(struct bh_device *device, uint64_t clock);

/* At the end of an epoch of a system: stops tiles with errors that run on until then. */
void device_stop_late_ones(struct bh_device *device);

/* Ends the open quantum, or runs a whole one, of so many cycles: runs what has not been run of it, moves the clock to
   its end, and exchanges requests. Adds to *result. */
enum tile_progress device_end_quantum(struct bh_device *device, uint64_t cycles, struct bh_run_result *result);

/* Lets cycles pass in the quantum that is open, or in one that begins now: up to its end at most. Returns how many. */
uint64_t device_advance_in_quantum(struct bh_device *device, uint64_t cycles);

/* As bh_pass(), also for a chip of a system. */
void device_pass(struct bh_device *device, uint64_t cycles);

/* Ends the quantum that is open, if one is. */
void device_settle(struct bh_device *device);

/* Runs all tiles as far as each is shown, on all threads. */
void device_show_all(struct bh_device *device);

#endif
