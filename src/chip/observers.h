/* The observers of a device (include/bhemu/observer.h), and which tiles are to tell them what. */
#ifndef BHEMU_CHIP_OBSERVERS_H
#define BHEMU_CHIP_OBSERVERS_H

#include "noc/coordinates.h"
#include "observe/observed.h"

struct bh_device;

enum { OBSERVED_TILES = NOC_HEIGHT * NOC_WIDTH };

struct observers {
    unsigned count;
    const struct bh_observer **all;      /* in the order in which they were added */
    struct observed *tiles;              /* OBSERVED_TILES, by y and x of NoC 0; null: there has been no observer yet */
    const struct bh_observer **of_tiles; /* what their `observers` point to */
    bool *is_told;                       /* of each of `all`: it is within its time, */
    unsigned told;                       /* and how many those are */
    uint64_t end;                        /* of the device's last quantum, or later */
    uint64_t begins, ends;               /* when the next one is told from a quantum on that goes up to there, and ...
                                            ... when one no longer is from a quantum on that begins there */

    const struct bh_observer *only; /* only this one is told (observe/observed.h); null: all are */
};

/* Those that are told now, of whom there are none mostly. */
static inline bool observers_any(const struct observers *observers)
{
    return observers->told != 0;
}

/* A quantum is about to begin, from this clock up to `end`: observers whose time begins, or has ended. Returns whether
   tiles that were left out may have to run in it. */
bool observers_begin_quantum(struct bh_device *device, uint64_t end);

/* A tile has been connected, or reset: it tells from now on. */
void observers_connect(struct bh_device *device, unsigned x, unsigned y);

/* The tiles that tell something do so at the device's clock from now on. */
void observers_set_clock(struct bh_device *device);

/* The same at a clock within a quantum, for those that are not beyond it. */
void observers_reach_clock(struct bh_device *device, uint64_t clock);

/* Only this observer is told what happens from now on; null: all are. May be called within its callback. */
void observers_tell_only(struct bh_device *device, const struct bh_observer *observer);

void observers_destroy(struct observers *observers);

#endif
