/* metal add, reader (NC): tiles of both inputs from DRAM into circular buffers 0 and 1. Unique arguments: the first
   tile, how many. Common arguments: addresses of the inputs. */
#include "banks.h"
#include "buffer.h"

static uint32_t moved = 1000; /* tiles, and a thousand: each launch begins with what the kernel was made with */

static void move_tile(struct noc *noc, struct circular_buffer *buffer, struct noc_place from)
{
    reserve_back(buffer, 1);
    noc_read(noc, from, tile_address(buffer, 0), TILE_SIZE);
    noc_wait(noc, NOC_RD_RESP_RECEIVED);
    push_back(buffer, 1);
    moved++;
}

void kernel_main(void)
{
    struct circular_buffer a = metal_buffer(0), b = metal_buffer(1);
    struct noc noc = noc_open(metal.noc ^ 1); /* B has the other one */
    uint32_t first = metal.unique[0], count = metal.unique[1];
    for (uint32_t i = 0; i < count; i++) {
        move_tile(&noc, &a, bank_tile(metal.noc ^ 1, metal.common[0], first + i));
        move_tile(&noc, &b, bank_tile(metal.noc ^ 1, metal.common[1], first + i));
    }
    metal.semaphores[0] += moved;
}
