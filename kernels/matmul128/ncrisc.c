/* matmul128, writer (NC): puts the packed blocks where they belong in the output. */
#include "blocks.h"

void kernel_main(void)
{
    struct circular_buffer c = BUFFER_C;
    uint32_t columns = arguments()->columns;
    for (uint32_t row = 0; row < arguments()->rows; row += BLOCK_ROWS) {
        for (uint32_t column = 0; column < columns; column += BLOCK_COLUMNS) {
            wait_front(&c, BLOCK_TILES);
            for (uint32_t i = 0; i < BLOCK_TILES; i++) {
                uint32_t tile = (row + i / BLOCK_COLUMNS) * columns + column + i % BLOCK_COLUMNS;
                copy_tile(arguments()->output + tile * TILE_SIZE, tile_address(&c, i));
            }
            pop_front(&c, BLOCK_TILES);
        }
    }
}
