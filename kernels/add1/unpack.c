/* add1, unpack: each face of each tile of input_a into a bank of SrcA of its own. */
#include "unpack.h"
#include "mop.h"

void kernel_main(void)
{
    struct unpack unpack;
    unpack_configure(&unpack, FACE_DATA - 1);
    mop_program_masked_loop(&(struct mop_masked_loop){.a0 = UNPACK_WORD(0, 1), .skip_a = TT_OP_NOP});

    uint32_t tiles = arguments()->rows * arguments()->columns;
    uint32_t address = arguments()->input_a;
    for (uint32_t tile = 0; tile < tiles; tile++, address += TILE_SIZE) {
        unpack_begin(&unpack, address, address);
        mop_run_masked_loop(TILE_FACES, 0);
        unpack_end(&unpack);
    }
    tensix_wait_idle();
}
