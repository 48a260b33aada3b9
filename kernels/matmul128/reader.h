/* What the dispatcher and reader (B) of matmul128 and its relatives does: resets the circular buffers, releases the
   other cores, and supplies the tiles of A and B in the order in which the blocks need them. */
#ifndef BHEMU_KERNELS_MATMUL128_READER_H
#define BHEMU_KERNELS_MATMUL128_READER_H

#include "blocks.h"

enum { SOFT_RESET_OTHERS = 0x7000 | 0x40000 };

static inline void release_cores(void)
{
    circular_buffer_reset(STREAM_A);
    circular_buffer_reset(STREAM_B);
    circular_buffer_reset(STREAM_C);
    completions_clear();
    *SOFT_RESET = load_complete(SOFT_RESET) & ~(uint32_t)SOFT_RESET_OTHERS;
}

static inline void read_step(struct circular_buffer *a, struct circular_buffer *b, uint32_t row, uint32_t column,
                             uint32_t k)
{
    uint32_t inner = arguments()->inner;
    uint32_t columns = arguments()->columns;

    reserve_back(a, BLOCK_ROWS);
    for (uint32_t i = 0; i < BLOCK_ROWS; i++) {
        copy_tile(tile_address(a, i), arguments()->input_a + ((row + i) * inner + k) * TILE_SIZE);
    }
    push_back(a, BLOCK_ROWS);

    reserve_back(b, BLOCK_COLUMNS);
    for (uint32_t i = 0; i < BLOCK_COLUMNS; i++) {
        copy_tile(tile_address(b, i), arguments()->input_b + (k * columns + column + i) * TILE_SIZE);
    }
    push_back(b, BLOCK_COLUMNS);
}

static inline void wait_for_others(void)
{
    for (uint32_t core = KERNEL_TRISC0; core < KERNEL_CORES; core++) {
        while (load_shared((const volatile uint32_t *)LAYOUT_COMPLETION + core) != COMPLETION_DONE) {
        }
    }
}

/* The whole product, from and to the addresses of the arguments in L1. */
static inline void multiply(void)
{
    struct circular_buffer a = BUFFER_A;
    struct circular_buffer b = BUFFER_B;
    release_cores();
    for (uint32_t row = 0; row < arguments()->rows; row += BLOCK_ROWS) {
        for (uint32_t column = 0; column < arguments()->columns; column += BLOCK_COLUMNS) {
            for (uint32_t k = 0; k < arguments()->inner; k++) {
                read_step(&a, &b, row, column, k);
            }
        }
    }
    wait_for_others();
}

#endif
