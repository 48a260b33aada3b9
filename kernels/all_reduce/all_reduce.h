/* all_reduce: the sum of vectors of words, one on each tile of a ring, comes to be on every tile. The vector is cut
   into as many chunks as there are tiles. In the first half each chunk travels around the ring and is added to, in the
   second half it travels on and is copied. Each step has a place of its own in the receiver, so that nobody has to wait
   for room. */
#ifndef BHEMU_KERNELS_ALL_REDUCE_H
#define BHEMU_KERNELS_ALL_REDUCE_H

#include "arguments.h"
#include "credits.h"

enum { VECTOR = LAYOUT_TENSORS, ARRIVALS = LAYOUT_TENSORS + 0x80000 };

/* At LAYOUT_ARGUMENTS. The host sets the credits of all tiles to 0 before the first one starts. */
struct all_reduce_arguments {
    uint32_t position, tiles; /* in the ring */
    uint32_t next;            /* x | y << 6 */
    uint32_t chunk_words;     /* a multiple of 4 */
};

#endif
