/* Two tiles: B of the first sends data to the L1 of the second and to DRAM, and counts up flags there; NC of the second
   waits for these. */
#include "interleaved.h"
#include "mistakes.h"

enum { DATA = LAYOUT_TENSORS, FLAGS = DATA + 0x1000, OLD = DATA + 0x2000, READ_BACK = DATA + 0x3000, DRAM = 0x100000 };
enum { SIZE = 1024, RECEIVER = 2 | 2 << 6, SENT_TO_L1 = FLAGS, SENT_TO_DRAM = FLAGS + 0x40 };

#define WORD(address) (*(volatile uint32_t *)(address))

static struct noc noc;

#ifdef PROGRAM_B

static void count_up(uint32_t flag)
{
    noc_increment(&noc, (struct noc_place){RECEIVER, flag}, 1, OLD);
}

void kernel_main(void)
{
    noc = noc_open(0);
    for (uint32_t i = 0; i < SIZE; i += 4) {
        WORD(DATA + i) = i;
    }
    load_complete(&WORD(DATA + SIZE - 4));
    struct noc_place there = {RECEIVER, DATA}, dram = interleaved_tile(DRAM, 0);
    WRITE(&noc, DATA, there, SIZE); /* first: flag_overtakes_data */
    UNLESS(flag_overtakes_data) noc_wait(&noc, NOC_WR_ACK_RECEIVED);
    count_up(SENT_TO_L1);
    WRITE(&noc, DATA, dram, SIZE); /* first: flag_overtakes_dram, written_by_two_tiles */
    UNLESS(flag_overtakes_dram) noc_wait(&noc, NOC_WR_ACK_RECEIVED);
    count_up(SENT_TO_DRAM);
    noc_wait(&noc, NOC_WR_ACK_RECEIVED);
    noc_wait(&noc, NOC_ATOMIC_RESP_RECEIVED);
}

#elif defined PROGRAM_NC

static uint32_t sum_of(uint32_t address)
{
    uint32_t sum = 0;
    for (uint32_t i = 0; i < SIZE; i += 4) {
        sum += WORD(address + i); /* second: flag_overtakes_data */
    }
    return sum;
}

void kernel_main(void)
{
    noc = noc_open(1);
    while (load_shared(&WORD(SENT_TO_L1)) == 0) {
    }
    store_result(0, sum_of(DATA));
    struct noc_place dram = interleaved_tile(DRAM, 0);
    ONLY_IF(written_by_two_tiles)
    {
        WRITE(&noc, DATA, dram, SIZE); /* second: written_by_two_tiles */
        noc_wait(&noc, NOC_WR_ACK_RECEIVED);
    }
    while (load_shared(&WORD(SENT_TO_DRAM)) == 0) {
    }
    READ(&noc, dram, READ_BACK, SIZE); /* second: flag_overtakes_dram */
    noc_wait(&noc, NOC_RD_RESP_RECEIVED);
    FENCE();
    store_result(1, sum_of(READ_BACK));
    store_result(2, 0);
    store_result(3, 0);
}

#endif
