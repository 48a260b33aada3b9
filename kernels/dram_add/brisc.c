/* dram_add, B: reads this tile's share of both inputs from DRAM over NoC 0, lets T0-T2 add it, and writes the sum over
   NoC 1. */
#include "dram_add.h"
#include "sync.h"

enum { SOFT_RESET_T = 0x7000, A = LAYOUT_TENSORS, B = A + 0x20000, SUM = B + 0x20000 };

static void set_arguments(uint32_t tiles)
{
    volatile struct arguments *arguments = (volatile struct arguments *)LAYOUT_ARGUMENTS;
    arguments->input_a = A;
    arguments->input_b = B;
    arguments->output = SUM;
    arguments->rows = tiles;
    arguments->columns = 1;
    arguments->inner = 1;
    (void)load_complete(&arguments->inner);
}

static void add(void)
{
    completions_clear();
    *SOFT_RESET = load_complete(SOFT_RESET) & ~(uint32_t)SOFT_RESET_T;
    for (uint32_t core = KERNEL_TRISC0; core <= KERNEL_TRISC2; core++) {
        while (load_shared((const volatile uint32_t *)LAYOUT_COMPLETION + core) != COMPLETION_DONE) {
        }
    }
}

void kernel_main(void)
{
    struct dram_add_arguments share = *(const volatile struct dram_add_arguments *)DRAM_ADD_ARGUMENTS;
    struct noc reads = noc_open(0), writes = noc_open(1);
    for (uint32_t i = 0; i < share.count; i++) {
        noc_read(&reads, interleaved_tile(share.input_a, share.first + i), A + i * TILE_SIZE, TILE_SIZE);
        noc_read(&reads, interleaved_tile(share.input_b, share.first + i), B + i * TILE_SIZE, TILE_SIZE);
    }
    set_arguments(share.count);
    noc_wait(&reads, NOC_RD_RESP_RECEIVED);
    add();
    for (uint32_t i = 0; i < share.count; i++) {
        noc_write(&writes, SUM + i * TILE_SIZE, interleaved_tile(share.output, share.first + i), TILE_SIZE);
    }
    noc_wait(&writes, NOC_WR_ACK_RECEIVED);
}
