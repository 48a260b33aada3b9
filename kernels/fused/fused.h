/* fused: output = relu(a * b + c) for tensors in DRAM, by five programs with circular buffers between them: B reads
   tiles from DRAM, T0 unpacks, T1 computes, T2 packs, NC writes tiles to DRAM. docs/writing-a-kernel.md explains it. */
#ifndef BHEMU_KERNELS_FUSED_H
#define BHEMU_KERNELS_FUSED_H

#include "circular_buffer.h"

/* What the host writes to FUSED_ARGUMENTS: addresses of tensors that go around the channels of DRAM, and their tiles.
 */
struct fused_arguments {
    uint32_t a, b, c, output;
    uint32_t tiles;
};

enum { FUSED_ARGUMENTS = LAYOUT_ARGUMENTS };

static inline struct fused_arguments fused_arguments(void)
{
    return *(const volatile struct fused_arguments *)FUSED_ARGUMENTS;
}

/* Streams 8 and above are free; each holds the counters of one buffer. Buffers have room for four tiles. */
enum { STREAM_A = 8, STREAM_B, STREAM_C, STREAM_OUTPUT };
enum { BUFFER_TILES = 4, BUFFER_SIZE = BUFFER_TILES * TILE_SIZE };

/* Each program has a struct of its own for its side of a buffer. */
static inline struct circular_buffer fused_buffer(uint32_t stream)
{
    return (struct circular_buffer){
        .stream = stream,
        .address = LAYOUT_BUFFERS + (stream - STREAM_A) * BUFFER_SIZE,
        .capacity = BUFFER_TILES,
    };
}

#endif
