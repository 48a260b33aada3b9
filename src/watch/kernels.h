/* Which cores of which tiles are in a kernel, from when to when. A program that the host starts by itself is a kernel
   from its first instruction to the jump to itself at which it ends. Where tt-metal's firmware runs - B is at one of
   its entry points (tables/tt_metal.def) - a kernel is what is executed behind the memory that is reserved for
   firmware. */
#ifndef BHEMU_WATCH_KERNELS_H
#define BHEMU_WATCH_KERNELS_H

#include <stdbool.h>
#include <stdint.h>

#include "bhemu/device.h"
#include "bhemu/event.h"
#include "watch/filter.h"

struct kernel_core {
    bool runs, ran; /* now; in the tile's last launch */
    uint32_t pc;    /* of the first instruction */
    uint64_t begin;
};

/* A launch is over when a core that took part in it begins another kernel. */
struct kernel_tile {
    uint32_t firmware_end; /* 0: no firmware */
    uint32_t launch;       /* the last one, from 1 on */
    uint64_t begin, end;   /* of the launch */
    struct kernel_core core[WATCH_CORES];
};

struct kernels {
    /* A kernel has ended, or is in it at the end of all; a launch is over. */
    void (*ended)(void *context, unsigned x, unsigned y, const struct kernel_tile *tile, unsigned core, uint64_t end);
    void (*launched)(void *context, unsigned x, unsigned y, const struct kernel_tile *tile);
    void *context;
    uint64_t latest;
    bool no_memory;
    struct kernel_tile *tiles[WATCH_GRID][WATCH_GRID];
};

/* BH_EVENT_ISSUED; others have no effect. */
void kernels_event(struct kernels *kernels, const struct bh_event *event);

/* The tile; null: nothing is known of it. */
const struct kernel_tile *kernels_at(const struct kernels *kernels, unsigned x, unsigned y);

/* All kernels that still run end at the latest time. */
void kernels_end(struct kernels *kernels);
void kernels_free(struct kernels *kernels);

/* The name of a program of letters, digits and _ only. */
void kernels_name(const char *name, char *buffer, unsigned size);

/* "BRISC", "NCRISC", "TRISC_0", ..., "ERISC"; and "TRISC" for all of T. */
const char *kernels_processor(unsigned core);
const char *kernels_processor_type(unsigned core);

/* How many Tensix tiles a board has; null: 140. */
unsigned kernels_compute_cores(const struct bh_tiles *board);

#endif
