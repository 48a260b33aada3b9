/* metal add, unpack (T0): circular buffer 0 to SrcA, 1 to SrcB. Unique argument: how many tiles. */
#include "buffer.h"
#include "mop.h"
#include "unpack.h"

void kernel_main(void)
{
    struct circular_buffer a = metal_buffer(0), b = metal_buffer(1);
    struct unpack unpack;
    unpack_configure(&unpack, FACE_DATA - 1);
    mop_program_masked_loop(&(struct mop_masked_loop){
        .with_b = 1, .a0 = UNPACK_WORD(0, 1), .b = UNPACK_WORD(1, 1), .skip_a = TT_OP_NOP, .skip_b = TT_OP_NOP});
    for (uint32_t i = 0; i < metal.unique[0]; i++) {
        wait_front(&a, 1);
        wait_front(&b, 1);
        unpack_begin(&unpack, tile_address(&a, 0), tile_address(&b, 0));
        mop_run_masked_loop(TILE_FACES, 0);
        unpack_end(&unpack);
        POP_FRONT_AFTER_UNPACK(&a, FIRST_STREAM + 0, 1);
        POP_FRONT_AFTER_UNPACK(&b, FIRST_STREAM + 1, 1);
    }
    tensix_wait_idle();
}
