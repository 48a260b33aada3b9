/* fused, B: starts the other cores, and reads the tiles of a, b and c from DRAM over NoC 0. */
#include "fused.h"
#include "interleaved.h"

/* Bits of SOFT_RESET: T0, T1, T2 and NC are held while theirs is 1. */
enum { HOLD_OTHERS = 0x7000 | 0x40000 };

static void start_others(void)
{
    for (uint32_t stream = STREAM_A; stream <= STREAM_OUTPUT; stream++) {
        circular_buffer_reset(stream);
    }
    completions_clear();
    *SOFT_RESET = load_complete(SOFT_RESET) & ~(uint32_t)HOLD_OTHERS;
}

static void wait_for_others(void)
{
    for (uint32_t core = KERNEL_TRISC0; core < KERNEL_CORES; core++) {
        while (load_shared((const volatile uint32_t *)LAYOUT_COMPLETION + core) != COMPLETION_DONE) {
        }
    }
}

void kernel_main(void)
{
    struct fused_arguments arguments = fused_arguments();
    struct circular_buffer a = fused_buffer(STREAM_A), b = fused_buffer(STREAM_B), c = fused_buffer(STREAM_C);
    struct noc noc = noc_open(0);
    start_others();
    for (uint32_t tile = 0; tile < arguments.tiles; tile++) {
        reserve_back(&a, 1);
        reserve_back(&b, 1);
        reserve_back(&c, 1);
        noc_read(&noc, interleaved_tile(arguments.a, tile), tile_address(&a, 0), TILE_SIZE);
        noc_read(&noc, interleaved_tile(arguments.b, tile), tile_address(&b, 0), TILE_SIZE);
        noc_read(&noc, interleaved_tile(arguments.c, tile), tile_address(&c, 0), TILE_SIZE);
        noc_wait(&noc, NOC_RD_RESP_RECEIVED); /* before anybody is told that the tiles are there */
        push_back(&a, 1);
        push_back(&b, 1);
        push_back(&c, 1);
    }
    wait_for_others();
}
