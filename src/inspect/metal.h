/* The circular buffers that tt-metal's firmware was told of: its launch message says where in L1 their descriptions are
   (tables/tt_metal.def). The version of the firmware is known from where its cores begin. */
#ifndef BHEMU_INSPECT_METAL_H
#define BHEMU_INSPECT_METAL_H

#include <stdbool.h>
#include <stdint.h>

#include "tile/tile.h"

struct metal_buffers {
    uint32_t address; /* of the descriptions, 16 bytes each: address, bytes, pages, bytes of a page */
    uint64_t mask;    /* those that are used */
};

/* false: there is no firmware that is known, or it was told of none. */
bool metal_buffers_find(const struct tile *tile, struct metal_buffers *buffers);

#endif
