/* Counters that other tiles add to: those of an idle overlay stream. Writing one of its registers adds to another.
   Source: ISA documentation NoC/Overlay/AsGeneralUse.md. */
#ifndef BHEMU_KERNELS_CREDITS_H
#define BHEMU_KERNELS_CREDITS_H

#include "noc.h"

enum {
    CREDITS_STREAM = 5,
    CREDITS_SIZE = 10,   /* STREAM_REMOTE_DEST_BUF_SIZE: sets the count */
    CREDITS_ADD = 270,   /* STREAM_REMOTE_DEST_BUF_SPACE_AVAILABLE_UPDATE: adds value >> 6 to it */
    CREDITS_COUNT = 297, /* STREAM_REMOTE_DEST_BUF_SPACE_AVAILABLE */
    CREDITS_MASK = 0x1ffff,
};

/* The address of a register of the stream, the same in each tile. */
static inline uint32_t credits_register(uint32_t index)
{
    return STREAM_REGISTERS + CREDITS_STREAM * 0x1000 + index * 4;
}

/* Waits for the first credit beyond the `used` ones that were used up. */
static inline void credits_wait(uint32_t used)
{
    while (((*(volatile uint32_t *)credits_register(CREDITS_COUNT) - used) & CREDITS_MASK) == 0) {
    }
}

/* Gives a credit to the tile at x | y << 6. */
static inline void credits_give(struct noc *noc, uint32_t at)
{
    noc_write_register(noc, (struct noc_place){at, credits_register(CREDITS_ADD)}, 1 << 6);
}

#endif
