/* Somebody who looks into tiles while a device runs: at what kernels print (watch/print.h). */
#ifndef BHEMU_CHIP_VISITOR_H
#define BHEMU_CHIP_VISITOR_H

#include <stdbool.h>
#include <stdint.h>

#include "bhemu/device.h"

struct device_visitor {
    /* Between two quanta, at least `interval` cycles after the last time, before the device looks for a deadlock. May
       access the device as a host does; clocks of visits depend on nothing but the device's clock and the calls of
       bh_run(). */
    void (*come)(void *context);
    /* Before a diagnostic is handed on, and before bh_run() returns. May only look (device_peek()). */
    void (*look)(void *context);
    void *context;
    uint64_t interval;
    uint64_t due; /* the clock of the next visit */
};

/* There is one at most. null: none any more. false: there is one already. */
bool device_set_visitor(struct bh_device *device, struct device_visitor *visitor);

/* The number of the Tensix tile with these translated coordinates; false: there is none. */
bool device_find_tensix(const struct bh_device *device, unsigned x, unsigned y, unsigned *index);

/* Reads memory as a core of a Tensix tile sees it, without any effect: its local RAM at 0xFFB00000, L1. false: not all
   of it is memory. */
bool device_peek(const struct bh_device *device, unsigned index, enum bh_core core, uint32_t address, void *data,
                 uint32_t size);

/* Whether anybody has reached the tile; the memory of others is all zeroes. */
bool device_used(const struct bh_device *device, unsigned index);

#endif
