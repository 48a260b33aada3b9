/* fused, T2: packs Dst to the output's buffer; the packer makes negative numbers 0 on the way (ReLU). */
#include "pack.h"
#include "fused.h"

enum { HALF_TILES = 8, RELU = 1 };

void kernel_main(void)
{
    uint32_t tiles = fused_arguments().tiles;
    struct circular_buffer output = fused_buffer(STREAM_OUTPUT);
    struct pack pack;
    pack_configure(&pack);
    CONFIG_MODIFY(STACC_RELU_ApplyRelu, RELU);

    for (uint32_t done = 0; done < tiles; done += HALF_TILES) {
        pack_begin_half();
        for (uint32_t tile = 0; tile < HALF_TILES && done + tile < tiles; tile++) {
            reserve_back(&output, 1);
            pack_tile(tile, tile_address(&output, 0));
            PUSH_BACK_AFTER_PACK(&output, STREAM_OUTPUT, 1);
        }
        pack_end_half(&pack);
    }
    tensix_wait_idle();
}
