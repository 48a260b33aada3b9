/* fused, T1: Dst = c, and then Dst += a * b in four fidelity phases, which give all bits of the product. */
#include "math.h"
#include "fused.h"
#include "mop.h"

/* Address modes of ELWMUL; math_configure() makes MATH_STAY the one that changes nothing. */
enum { NEXT_ROWS, NEXT_PHASE, NEXT_FACE };
enum { PHASES = 4, ROWS = 8, FIDELITY_CLEAR = 1 << 15 };

#define MULTIPLY(release, address_mode) TT_OP_ELWMUL(release, 0, 0, address_mode, 0)

static void configure(void)
{
    ADDRESS_MODE(NEXT_ROWS, INCREMENT(ROWS), INCREMENT(ROWS), DST_INCREMENT(ROWS));
    ADDRESS_MODE(NEXT_PHASE, CLEAR, CLEAR,
                 DST_CHECKPOINT(0) | FIDELITY_INCREMENT(1)); /* back to the face's first row */
    ADDRESS_MODE(NEXT_FACE, CLEAR, CLEAR, DST_CHECKPOINT(FACE_ROWS) | FIDELITY_CLEAR);

    /* A face in its four phases: eight rows, and the eight rows below; the last one gives SrcA and SrcB back. */
    mop_program_double_loop(&(struct mop_double_loop){
        .outer = PHASES,
        .inner = 1,
        .start = MULTIPLY(RELEASE_NONE, NEXT_ROWS),
        .body0 = MULTIPLY(RELEASE_NONE, NEXT_PHASE),
        .body1 = TT_OP_NOP,
        .last_inner = MULTIPLY(RELEASE_NONE, NEXT_PHASE),
        .last_outer = MULTIPLY(RELEASE_BOTH, NEXT_FACE),
        .end0 = TT_OP_NOP,
        .end1 = TT_OP_NOP,
    });
}

static void multiply_and_add(void)
{
    math_move_tile(); /* c, whose faces come to SrcA first */
    TTI_SETRWC(RELEASE_NONE, 0, 0, 0, 0, SET_ALL);
    for (uint32_t face = 0; face < TILE_FACES; face++) {
        mop_run_double_loop();
    }
    TTI_SETRWC(RELEASE_NONE, 0, 0, 0, 0, SET_ALL);
}

void kernel_main(void)
{
    uint32_t tiles = fused_arguments().tiles;
    struct math math;
    math_configure(&math);
    configure();
    for (uint32_t done = 0; done < tiles; done += DST_HALF_TILES) {
        math_begin_half();
        for (uint32_t tile = 0; tile < DST_HALF_TILES && done + tile < tiles; tile++) {
            math_select_tile(&math, tile);
            multiply_and_add();
        }
        math_end_half(&math);
    }
    tensix_wait_idle();
}
