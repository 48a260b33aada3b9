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
};

/* A tile has been connected, or reset: it tells from now on. */
void observers_connect(struct bh_device *device, unsigned x, unsigned y);

/* The tiles that tell something do so at the device's clock from now on. */
void observers_set_clock(struct bh_device *device);

void observers_destroy(struct observers *observers);

#endif
