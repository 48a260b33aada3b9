/* matmul32, math: the product of each pair of tiles, at the fidelity that the arguments ask for. */
#include "math.h"
#include "matmul.h"

void kernel_main(void)
{
    struct math math;
    math_configure(&math);
    matmul_configure(arguments()->fidelity_phases, RELEASE_BOTH);

    uint32_t tiles = arguments()->rows * arguments()->columns;
    for (uint32_t done = 0; done < tiles; done += DST_HALF_TILES) {
        math_begin_half();
        for (uint32_t tile = 0; tile < DST_HALF_TILES && done + tile < tiles; tile++) {
            math_select_tile(&math, tile);
            mop_run_double_loop();
        }
        math_end_half(&math);
    }
    tensix_wait_idle();
}
