/* How matmul128 cuts its matrices, and the circular buffers between its five programs.
   The output is made in blocks of BLOCK_ROWS x BLOCK_COLUMNS tiles, which fill one half of Dst. For each step along the
   inner dimension the reader supplies BLOCK_ROWS tiles of a column of A and BLOCK_COLUMNS tiles of a row of B; their
   products add up in Dst. Blocks go along rows first. */
#ifndef BHEMU_KERNELS_MATMUL128_BLOCKS_H
#define BHEMU_KERNELS_MATMUL128_BLOCKS_H

#include "circular_buffer.h"

enum { BLOCK_ROWS = 2, BLOCK_COLUMNS = 4, BLOCK_TILES = BLOCK_ROWS * BLOCK_COLUMNS };

/* Streams below 8 are the vendor's for other uses. */
enum { STREAM_A = 8, STREAM_B = 9, STREAM_C = 10 };

/* Two blocks each. */
#define BUFFER_A                                                                                                       \
    {                                                                                                                  \
        .stream = STREAM_A, .address = LAYOUT_BUFFERS, .capacity = 2 * BLOCK_ROWS                                      \
    }
#define BUFFER_B                                                                                                       \
    {                                                                                                                  \
        .stream = STREAM_B, .address = LAYOUT_BUFFERS + 0x2000, .capacity = 2 * BLOCK_COLUMNS                          \
    }
#define BUFFER_C                                                                                                       \
    {                                                                                                                  \
        .stream = STREAM_C, .address = LAYOUT_BUFFERS + 0x6000, .capacity = 2 * BLOCK_TILES                            \
    }

static inline uint32_t block_count(void)
{
    return arguments()->rows / BLOCK_ROWS * (arguments()->columns / BLOCK_COLUMNS);
}

#endif
