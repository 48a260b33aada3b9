/* fused, NC: writes the tiles of the output to DRAM over NoC 1. */
#include "fused.h"
#include "interleaved.h"

void kernel_main(void)
{
    struct fused_arguments arguments = fused_arguments();
    struct circular_buffer output = fused_buffer(STREAM_OUTPUT);
    struct noc noc = noc_open(1);
    for (uint32_t tile = 0; tile < arguments.tiles; tile++) {
        wait_front(&output, 1);
        noc_write(&noc, tile_address(&output, 0), interleaved_tile(arguments.output, tile), TILE_SIZE);
        noc_wait(&noc, NOC_WR_ACK_RECEIVED); /* before the tile's room is used anew */
        pop_front(&output, 1);
    }
}
