/* credits: a stream of pages from one tile to another, never more under way than the receiver has room for. Room is
   counted in a register of an idle overlay stream of the sender, pages that are there in one of the receiver: writing
   one register of a stream adds to another.
   Source: ISA documentation NoC/Overlay/AsGeneralUse.md. */
#ifndef BHEMU_KERNELS_CREDITS_H
#define BHEMU_KERNELS_CREDITS_H

#include "arguments.h"
#include "noc.h"

enum {
    CREDITS_STREAM = 5,
    CREDITS_SIZE = 10,   /* STREAM_REMOTE_DEST_BUF_SIZE: sets the count */
    CREDITS_ADD = 270,   /* STREAM_REMOTE_DEST_BUF_SPACE_AVAILABLE_UPDATE: adds value >> 6 to it */
    CREDITS_COUNT = 297, /* STREAM_REMOTE_DEST_BUF_SPACE_AVAILABLE */
    CREDITS_MASK = 0x1ffff,
    PAGE_SIZE = 256,
    RING_PAGES = 4,
    RING = LAYOUT_BUFFERS,
    PAGES = LAYOUT_TENSORS, /* all that are sent, or were received */
};

/* At LAYOUT_ARGUMENTS. The host sets the room of the sender to RING_PAGES before it starts either side. */
struct credits_arguments {
    uint32_t other; /* the tile at the other end: x | y << 6 */
    uint32_t pages;
};

static inline uint32_t credits_register(uint32_t index)
{
    return STREAM_REGISTERS + CREDITS_STREAM * 0x1000 + index * 4;
}

/* How many were ever counted. */
static inline uint32_t credits_count(void)
{
    return *(volatile uint32_t *)credits_register(CREDITS_COUNT);
}

static inline void credits_give(struct noc *noc, uint32_t at)
{
    noc_write_register(noc, (struct noc_place){at, credits_register(CREDITS_ADD)}, 1 << 6);
}

#endif
