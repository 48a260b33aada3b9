/* dram_add, B: reads this tile's share of both inputs from DRAM over NoC 0, lets T0-T2 add it, and writes the sum over
   NoC 1. */
#include "adders.h"
#include "dram_add.h"

void kernel_main(void)
{
    struct dram_add_arguments share = *(const volatile struct dram_add_arguments *)DRAM_ADD_ARGUMENTS;
    struct noc reads = noc_open(0), writes = noc_open(1);
    for (uint32_t i = 0; i < share.count; i++) {
        noc_read(&reads, interleaved_tile(share.input_a, share.first + i), A + i * TILE_SIZE, TILE_SIZE);
        noc_read(&reads, interleaved_tile(share.input_b, share.first + i), B + i * TILE_SIZE, TILE_SIZE);
    }
    noc_wait(&reads, NOC_RD_RESP_RECEIVED);
    add(share.count);
    for (uint32_t i = 0; i < share.count; i++) {
        noc_write(&writes, SUM + i * TILE_SIZE, interleaved_tile(share.output, share.first + i), TILE_SIZE);
    }
    noc_wait(&writes, NOC_WR_ACK_RECEIVED);
}
