/* metal add, writer (B): tiles of circular buffer 16 to DRAM. Unique arguments: the first tile, how many. Common
   argument: the address of the output. */
#include "banks.h"
#include "buffer.h"

void kernel_main(void)
{
    struct circular_buffer sums = metal_buffer(16);
    struct noc noc = noc_open(metal.noc);
    uint32_t first = metal.unique[0], count = metal.unique[1];
    for (uint32_t i = 0; i < count; i++) {
        wait_front(&sums, 1);
        noc_write(&noc, tile_address(&sums, 0), bank_tile(metal.noc, metal.common[0], first + i), TILE_SIZE);
        noc_wait(&noc, NOC_WR_ACK_RECEIVED);
        pop_front(&sums, 1);
    }
}
