/* eltwise_add, math: Dst = SrcA + SrcB, eight rows at a time; the second half of a face gives its banks back. */
#include "math.h"
#include "mop.h"

static void configure(void)
{
    ADDRESS_MODE(0, INCREMENT(8), INCREMENT(8), DST_INCREMENT(8));
    ADDRESS_MODE(1, CLEAR, CLEAR, DST_INCREMENT(8));
    mop_program_double_loop(&(struct mop_double_loop){
        .outer = TILE_FACES,
        .inner = FACE_ROWS / 8,
        .start = TT_OP_NOP,
        .body0 = TT_OP_ELWADD(RELEASE_NONE, 0, 0, 0, 0),
        .body1 = TT_OP_NOP,
        .last_inner = TT_OP_ELWADD(RELEASE_BOTH, 0, 0, 1, 0),
        .last_outer = TT_OP_ELWADD(RELEASE_BOTH, 0, 0, 1, 0),
        .end0 = TT_OP_NOP,
        .end1 = TT_OP_NOP,
    });
}

void kernel_main(void)
{
    struct math math;
    math_configure(&math);
    configure();

    uint32_t tiles = arguments()->rows * arguments()->columns;
    for (uint32_t done = 0; done < tiles; done += DST_HALF_TILES) {
        math_begin_half();
        for (uint32_t tile = 0; tile < DST_HALF_TILES && done + tile < tiles; tile++) {
            math_select_tile(&math, tile);
            mop_run_double_loop();
            TTI_SETRWC(RELEASE_NONE, 0, 0, 0, 0, SET_ALL);
        }
        math_end_half(&math);
    }
    tensix_wait_idle();
}
