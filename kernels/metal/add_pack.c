/* metal add, pack (T2): the tile of each half of Dst to circular buffer 16. Unique argument: how many tiles. */
#include "buffer.h"
#include "pack.h"

void kernel_main(void)
{
    struct circular_buffer sums = metal_buffer(16);
    struct pack pack;
    pack_configure(&pack);
    for (uint32_t i = 0; i < metal.unique[0]; i++) {
        reserve_back(&sums, 1);
        pack_begin_half();
        pack_tile(0, tile_address(&sums, 0));
        PUSH_BACK_AFTER_PACK(&sums, FIRST_STREAM + 16, 1);
        pack_end_half(&pack);
    }
    tensix_wait_idle();
}
