/* T0: for each tile, its four faces of a to SrcA, and of b to SrcB. */
#include "unpack.h"
#include "mop.h"

void kernel_main(void)
{
    struct unpack unpack;
    unpack_configure(&unpack, FACE_DATA - 1);

    /* The MOP repeats this pair for every face. The 1 advances to the next face. */
    mop_program_masked_loop(&(struct mop_masked_loop){
        .with_b = 1,
        .a0 = UNPACK_WORD(0, 1),
        .b = UNPACK_WORD(1, 1),
        .skip_a = TT_OP_NOP,
        .skip_b = TT_OP_NOP,
    });

    uint32_t tiles = arguments()->rows * arguments()->columns;
    uint32_t a = arguments()->input_a, b = arguments()->input_b;
    for (uint32_t tile = 0; tile < tiles; tile++, a += TILE_SIZE, b += TILE_SIZE) {
        unpack_begin(&unpack, a, b);
        mop_run_masked_loop(TILE_FACES, 0);
        unpack_end(&unpack);
    }
    tensix_wait_idle();
}
