/* matmul128, math: adds up the products of a block in one half of Dst. */
#include "math.h"
#include "blocks.h"
#include "matmul.h"

static void add_step(const struct math *math)
{
    for (uint32_t row = 0; row < BLOCK_ROWS; row++) {
        for (uint32_t column = 0; column < BLOCK_COLUMNS; column++) {
            math_select_tile(math, row * BLOCK_COLUMNS + column);
            mop_run_double_loop();
        }
        /* Done with this row's tile of A. */
        TTI_SETRWC(RELEASE_B, 0, 0, 0, 0, SET_ALL);
    }
}

void kernel_main(void)
{
    struct math math;
    math_configure(&math);
    matmul_configure(arguments()->fidelity_phases, RELEASE_A);

    for (uint32_t blocks = block_count(); blocks > 0; blocks--) {
        math_begin_half();
        for (uint32_t k = 0; k < arguments()->inner; k++) {
            add_step(&math);
        }
        math_end_half(&math);
    }
    tensix_wait_idle();
}
