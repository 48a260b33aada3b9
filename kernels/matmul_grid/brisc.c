/* matmul_grid, A: B resets the circular buffers, releases the other cores, and supplies the tiles of A. */
#include "grid.h"
#include "matmul128/reader.h"

void kernel_main(void)
{
    struct grid_arguments grid = grid_arguments();
    uint32_t inner = arguments()->inner, rows = arguments()->rows;
    uint32_t self_y = noc_open(0).self & 0xfc0;
    struct operand a = operand_open(0, (struct circular_buffer)BUFFER_A, (grid.top_left & 0x3f) | self_y,
                                    (grid.bottom_right & 0x3f) | self_y, grid.columns);
    release_cores();
    for (uint32_t row = 0; row < rows; row += BLOCK_ROWS) {
        for (uint32_t column = 0; column < arguments()->columns; column += BLOCK_COLUMNS) {
            for (uint32_t k = 0; k < inner; k++) {
                operand_step(&a, arguments()->input_a, (grid.row * rows + row) * inner + k, inner, BLOCK_ROWS);
            }
        }
    }
    operand_close(&a);
    wait_for_others();
}
