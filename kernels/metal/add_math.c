/* metal add, math (T1): Dst = SrcA + SrcB, a tile in each half of Dst. Unique argument: how many tiles. */
#include "math.h"
#include "metal.h"
#include "mop.h"

void kernel_main(void)
{
    struct math math;
    math_configure(&math);
    ADDRESS_MODE(0, INCREMENT(8), INCREMENT(8), DST_INCREMENT(8));
    ADDRESS_MODE(1, CLEAR, CLEAR, DST_INCREMENT(8));
    mop_program_double_loop(&(struct mop_double_loop){
        .outer = TILE_FACES,
        .inner = FACE_ROWS / 8,
        .start = TT_OP_NOP,
        .body0 = TT_OP_ELWADD(0, 0, 0, 0, 0),
        .body1 = TT_OP_NOP,
        .last_inner = TT_OP_ELWADD(RELEASE_BOTH, 0, 0, 1, 0),
        .last_outer = TT_OP_ELWADD(RELEASE_BOTH, 0, 0, 1, 0),
        .end0 = TT_OP_NOP,
        .end1 = TT_OP_NOP,
    });
    for (uint32_t i = 0; i < metal.unique[0]; i++) {
        math_begin_half();
        math_select_tile(&math, 0);
        mop_run_double_loop();
        TTI_SETRWC(RELEASE_NONE, 0, 0, 0, 0, SET_ALL);
        math_end_half(&math);
    }
    tensix_wait_idle();
}
