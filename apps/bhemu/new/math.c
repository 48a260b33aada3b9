/* T1: Dst = SrcA + SrcB, eight rows at a time. Change the instruction to ELWSUB or ELWMUL, and see job.yaml's result.
 */
#include "math.h"
#include "mop.h"

/* After address mode 0 all counters are eight rows further; after mode 1 SrcA and SrcB begin again at row 0. */
enum { NEXT_ROWS, NEXT_FACE };

void kernel_main(void)
{
    struct math math;
    math_configure(&math);
    ADDRESS_MODE(NEXT_ROWS, INCREMENT(8), INCREMENT(8), DST_INCREMENT(8));
    ADDRESS_MODE(NEXT_FACE, CLEAR, CLEAR, DST_INCREMENT(8));

    /* Four faces of two halves; the second half gives both banks back to the unpackers. */
    mop_program_double_loop(&(struct mop_double_loop){
        .outer = TILE_FACES,
        .inner = FACE_ROWS / 8,
        .start = TT_OP_NOP,
        .body0 = TT_OP_ELWADD(RELEASE_NONE, 0, 0, NEXT_ROWS, 0),
        .body1 = TT_OP_NOP,
        .last_inner = TT_OP_ELWADD(RELEASE_BOTH, 0, 0, NEXT_FACE, 0),
        .last_outer = TT_OP_ELWADD(RELEASE_BOTH, 0, 0, NEXT_FACE, 0),
        .end0 = TT_OP_NOP,
        .end1 = TT_OP_NOP,
    });

    /* Dst has two halves of eight tiles: the packer empties one while the other is filled. */
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
