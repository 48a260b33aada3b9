/* Circular buffers of a launch as kernels use them. Their counters are those of overlay streams from 8 on. */
#ifndef BHEMU_KERNELS_METAL_BUFFER_H
#define BHEMU_KERNELS_METAL_BUFFER_H

#include "circular_buffer.h"
#include "metal.h"

enum { FIRST_STREAM = 8 };

/* Buffers hold tiles: a page is one. */
static inline struct circular_buffer metal_buffer(uint32_t index)
{
    return (struct circular_buffer){.stream = FIRST_STREAM + index,
                                    .address = metal.buffers[index].address,
                                    .capacity = metal.buffers[index].pages};
}

#endif
