/* Those who look into tiles while a device runs: at what kernels print (watch/print.h), at where cores are
   (watch/profile_sample.c). */
#ifndef BHEMU_CHIP_VISITOR_H
#define BHEMU_CHIP_VISITOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bhemu/device.h"

struct tile;

struct device_visitor {
    /* Between two quanta, at least `interval` cycles after the last time, before the device looks for a deadlock. May
       access the device as a host does; clocks of visits depend on nothing but the device's clock and the calls of
       bh_run(). */
    void (*come)(void *context);
    /* Before a diagnostic is handed on, and before bh_run() returns. May only look (device_peek()). May be null. */
    void (*look)(void *context);
    /* Copies what it remembers of the device to memory, or from there, for a debugger that goes back; and returns how
       many bytes that are. memory may be null. Of one that acts. */
    size_t (*remember)(void *context, void *memory, bool back);
    void *context;
    bool acts; /* programs see what it does, so that a snapshot has to know when it comes; of one visitor only */
    uint64_t interval;
    uint64_t due;                /* the clock of the next visit */
    struct device_visitor *next; /* the device's */
};

/* false: there is one of its kind, with the same `come`, already. */
bool device_add_visitor(struct bh_device *device, struct device_visitor *visitor);

/* It may not be there. */
void device_remove_visitor(struct bh_device *device, const struct device_visitor *visitor);

/* The number of the Tensix tile with these translated coordinates; false: there is none. */
bool device_find_tensix(const struct bh_device *device, unsigned x, unsigned y, unsigned *index);

/* Reads memory as a core of a Tensix tile sees it, without any effect: its local RAM at 0xFFB00000, L1. false: not all
   of it is memory. */
bool device_peek(const struct bh_device *device, unsigned index, enum bh_core core, uint32_t address, void *data,
                 uint32_t size);

/* For reading; null: nobody has reached the tile. */
const struct tile *device_tile(const struct bh_device *device, unsigned index);

/* Whether anybody has reached the tile; the memory of others is all zeroes. */
bool device_used(const struct bh_device *device, unsigned index);

#endif
