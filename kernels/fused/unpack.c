/* fused, T0: for each tile the four faces of c to SrcA, and then those of a to SrcA and of b to SrcB. */
#include "unpack.h"
#include "fused.h"
#include "mop.h"

/* One bit of the mask for each face. */
enum { FACES_OF_C = 0xf, FACES_OF_A_AND_B = 0 };

void kernel_main(void)
{
    uint32_t tiles = fused_arguments().tiles;
    struct circular_buffer a = fused_buffer(STREAM_A), b = fused_buffer(STREAM_B), c = fused_buffer(STREAM_C);
    struct unpack unpack;
    unpack_configure(&unpack, FACE_DATA - 1);
    mop_program_masked_loop(&(struct mop_masked_loop){
        .with_b = 1,
        .a0 = UNPACK_WORD(0, 1),
        .b = UNPACK_WORD(1, 1),
        .skip_a = UNPACK_WORD(0, 1),
        .skip_b = TT_OP_NOP,
    });

    for (uint32_t tile = 0; tile < tiles; tile++) {
        wait_front(&c, 1);
        unpack_begin(&unpack, tile_address(&c, 0), tile_address(&c, 0));
        mop_run_masked_loop(TILE_FACES, FACES_OF_C);
        unpack_end(&unpack);
        POP_FRONT_AFTER_UNPACK(&c, STREAM_C, 1);

        wait_front(&a, 1);
        wait_front(&b, 1);
        unpack_begin(&unpack, tile_address(&a, 0), tile_address(&b, 0));
        mop_run_masked_loop(TILE_FACES, FACES_OF_A_AND_B);
        unpack_end(&unpack);
        POP_FRONT_AFTER_UNPACK(&a, STREAM_A, 1);
        POP_FRONT_AFTER_UNPACK(&b, STREAM_B, 1);
    }
    tensix_wait_idle();
}
