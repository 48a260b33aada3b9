/* credits: a stream of pages from one tile to another through a ring of pages in the receiver, never more under way
   than it has room for. The sender's credits are room, the receiver's are pages. */
#ifndef BHEMU_KERNELS_RING_H
#define BHEMU_KERNELS_RING_H

#include "arguments.h"
#include "credits.h"

enum {
    PAGE_SIZE = 256,
    RING_PAGES = 4,
    RING = LAYOUT_BUFFERS,
    PAGES = LAYOUT_TENSORS, /* all that are sent, or were received */
};

/* At LAYOUT_ARGUMENTS. The host gives the sender RING_PAGES credits, and the receiver none, before either starts. */
struct credits_arguments {
    uint32_t other; /* the tile at the other end: x | y << 6 */
    uint32_t pages;
};

#endif
