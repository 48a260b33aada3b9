/* matmul32, unpack: pairs of tiles, whole: input_a into SrcB, input_b into SrcA (see runtime/matmul.h). */
#include "unpack.h"
#include "mop.h"

void kernel_main(void)
{
    struct unpack unpack;
    unpack_configure(&unpack, TILE_DATA - 1);
    mop_program_masked_loop(&(struct mop_masked_loop){
        .with_b = 1,
        .a0 = UNPACK_WORD(0, 0),
        .b = UNPACK_WORD(1, 0),
        .skip_a = TT_OP_NOP,
        .skip_b = TT_OP_NOP,
    });

    uint32_t tiles = arguments()->rows * arguments()->columns;
    uint32_t a = arguments()->input_a;
    uint32_t b = arguments()->input_b;
    for (uint32_t tile = 0; tile < tiles; tile++, a += TILE_SIZE, b += TILE_SIZE) {
        unpack_begin(&unpack, b, a);
        mop_run_masked_loop(1, 0);
        unpack_end(&unpack);
    }
    tensix_wait_idle();
}
