/* matmul128, pack: a half of Dst is a block; it goes to the output's circular buffer. */
#include "pack.h"
#include "blocks.h"

void kernel_main(void)
{
    struct circular_buffer c = BUFFER_C;
    struct pack pack;
    pack_configure(&pack);

    for (uint32_t blocks = block_count(); blocks > 0; blocks--) {
        reserve_back(&c, BLOCK_TILES);
        pack_begin_half();
        for (uint32_t tile = 0; tile < BLOCK_TILES; tile++) {
            pack_tile(tile, tile_address(&c, tile));
        }
        PUSH_BACK_AFTER_PACK(&c, STREAM_C, BLOCK_TILES);
        pack_end_half(&pack);
    }
    tensix_wait_idle();
}
