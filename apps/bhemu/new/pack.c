/* T2: packs the tiles of each half of Dst to `output`, in order. */
#include "pack.h"

enum { HALF_TILES = 8 };

void kernel_main(void)
{
    struct pack pack;
    pack_configure(&pack);

    uint32_t tiles = arguments()->rows * arguments()->columns;
    uint32_t address = arguments()->output;
    for (uint32_t done = 0; done < tiles; done += HALF_TILES) {
        pack_begin_half();
        for (uint32_t tile = 0; tile < HALF_TILES && done + tile < tiles; tile++, address += TILE_SIZE) {
            pack_tile(tile, address);
        }
        pack_end_half(&pack);
    }
    tensix_wait_idle();
}
