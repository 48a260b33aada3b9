/* matmul_grid, B and the output: NC supplies the tiles of B and brings the packed blocks to DRAM. */
#include "grid.h"

/* first: the block's first tile in the output. */
static void write_block(struct noc *noc, struct circular_buffer *c, uint32_t first, uint32_t all_columns)
{
    wait_front(c, BLOCK_TILES);
    for (uint32_t i = 0; i < BLOCK_TILES; i++) {
        uint32_t tile = first + i / BLOCK_COLUMNS * all_columns + i % BLOCK_COLUMNS;
        noc_write(noc, tile_address(c, i), interleaved_tile(arguments()->output, tile), TILE_SIZE);
    }
    noc_wait(noc, NOC_WR_ACK_RECEIVED);
    pop_front(c, BLOCK_TILES);
}

void kernel_main(void)
{
    struct grid_arguments grid = grid_arguments();
    struct circular_buffer c = BUFFER_C;
    uint32_t rows = arguments()->rows, columns = arguments()->columns, all_columns = grid.columns * columns;
    uint32_t self_x = noc_open(1).self & 0x3f;
    struct operand b = operand_open(1, (struct circular_buffer)BUFFER_B, self_x | (grid.top_left & 0xfc0),
                                    self_x | (grid.bottom_right & 0xfc0), grid.rows);
    for (uint32_t row = 0; row < rows; row += BLOCK_ROWS) {
        for (uint32_t column = 0; column < columns; column += BLOCK_COLUMNS) {
            uint32_t first = grid.column * columns + column;
            for (uint32_t k = 0; k < arguments()->inner; k++) {
                operand_step(&b, arguments()->input_b, k * all_columns + first, 1, BLOCK_COLUMNS);
            }
            write_block(&b.noc, &c, (grid.row * rows + row) * all_columns + first, all_columns);
        }
    }
    operand_close(&b);
}
