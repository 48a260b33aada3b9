/* add1, math: moves SrcA to Dst, then lets the vector unit add 1.0 to every datum there. */
#include "math.h"
#include "mop.h"

enum { BF16_ONE = 0x3f80, LOAD_BF16 = 2, MOVE_8_ROWS = 2, REPLAY_START = 0, REPLAY_LENGTH = 4 };

static void configure(void)
{
    ADDRESS_MODE(2, INCREMENT(8), 0, DST_INCREMENT(8));
    ADDRESS_MODE(6, 0, 0, DST_INCREMENT(2));
    ADDRESS_MODE(7, 0, 0, 0);
    mop_program_double_loop(&(struct mop_double_loop){
        .outer = TILE_FACES,
        .inner = FACE_ROWS / 8,
        .start = TT_OP_NOP,
        .body0 = TT_OP_MOVA2D(0, 0, 2, MOVE_8_ROWS, 0),
        .body1 = TT_OP_NOP,
        .last_inner = TT_OP_MOVA2D(0, 0, 2, MOVE_8_ROWS, 0),
        .last_outer = TT_OP_MOVA2D(0, 0, 2, MOVE_8_ROWS, 0),
        .end0 = TT_OP_SETRWC(RELEASE_A, 0, 0, 0, 0, SET_A),
        .end1 = TT_OP_NOP,
    });

    /* All lanes enabled. */
    TTI_SFPENCC(3, 0, 0, 10);
    /* The even or the odd columns of four rows; the store leads on to the next. */
    REPLAY_LOAD(REPLAY_START, REPLAY_LENGTH);
    TTI_SFPLOAD(0, LOAD_BF16, 7, 0);
    TTI_SFPADDI(BF16_ONE, 0, 0);
    TTI_SFPNOP;
    TTI_SFPSTORE(0, LOAD_BF16, 6, 0);
}

static void add_one(void)
{
    mop_run_double_loop();
    TTI_SETRWC(RELEASE_NONE, 0, 0, 0, 0, SET_D);
    TTI_STALLWAIT(BLOCK_VECTOR, WAIT_MATH);
    for (uint32_t i = 0; i < DST_TILE_ROWS / 2; i++) {
        TTI_REPLAY(REPLAY_START, REPLAY_LENGTH, 0, 0);
    }
    TTI_STALLWAIT(BLOCK_MATH, WAIT_VECTOR);
    TTI_SETRWC(RELEASE_NONE, 0, 0, 0, 0, SET_D);
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
            add_one();
        }
        math_end_half(&math);
    }
    tensix_wait_idle();
}
