/* dram_feed: the core of a DRAM tile brings tiles of two tensors from its channel of GDDR to a Tensix tile, and what
   that makes of them back. Words of both at the same addresses in L1. */
#ifndef BHEMU_KERNELS_FEED_H
#define BHEMU_KERNELS_FEED_H

#include "arguments.h"
#include "noc.h"

struct feed_arguments {
    uint32_t input_a, input_b, output; /* in GDDR; the same on both sides */
    uint32_t tiles;                    /* at most FEED_TILES */
    uint32_t other;                    /* the tile at the other end, x | y << 6 */
};

/* DRISC: the pages under way, and the sum. */
enum { FEED_STAGES = LAYOUT_BUFFERS, FEED_SUM = FEED_STAGES + 2 * TILE_SIZE, FEED_TILES = 12 };

/* What the other side has done: a count; the previous one, which an increment brings back. */
enum { FEED_SIGNAL = 0x17000, FEED_OLD = 0x17010 };
#define FEED_ARGUMENTS 0x16140 /* behind those of the cores that add */

static inline void feed_wait(void)
{
    while (load_shared((const volatile uint32_t *)FEED_SIGNAL) == 0) {
    }
}

static inline void feed_signal(struct noc *noc, uint32_t other)
{
    noc_increment(noc, (struct noc_place){other, FEED_SIGNAL}, 1, FEED_OLD);
    noc_wait(noc, NOC_ATOMIC_RESP_RECEIVED);
}

#endif
