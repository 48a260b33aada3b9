/* The two cores of an Ethernet tile: words of its L1 between them, and requests of its NIUs. */
#include "mistakes.h"

enum { DATA = LAYOUT_TENSORS, FLAG = DATA + 0x1000, COPY = DATA + 0x2000, COUNT = 16, SIZE = 4 * COUNT };
enum { THERE = DATA + 0x3000, NEVER = DATA + 0x4000 };

#define WORD(address) (*(volatile uint32_t *)(address))

static struct noc noc;

#ifdef PROGRAM_E0

void kernel_main(void)
{
    noc = noc_open(0);
    WORD(FLAG) = 0;
    for (uint32_t i = 0; i < COUNT; i++) {
        WORD(DATA + 4 * i) = i; /* first: ethernet_flag_not_awaited, ethernet_source_not_read_back */
    }
    WORD(FLAG) = 1;
    UNLESS(ethernet_source_not_read_back) load_complete(&WORD(FLAG));

    /* The same words once more, by the NoC. */
    struct noc_place there = {noc.self, THERE};
    /* first: ethernet_write_not_acknowledged second: ethernet_source_not_read_back */
    WRITE(&noc, DATA, there, SIZE);
    UNLESS(ethernet_write_not_acknowledged) noc_wait(&noc, NOC_WR_ACK_RECEIVED);
    store_result(0, 1);
}

#elif defined PROGRAM_E1

static uint32_t sum_of(uint32_t address)
{
    uint32_t sum = 0;
    for (uint32_t i = 0; i < COUNT; i++) {
        sum += WORD(address + 4 * i); /* second: ethernet_flag_not_awaited, ethernet_read_not_awaited */
    }
    return sum;
}

void kernel_main(void)
{
    noc = noc_open(0);
    UNLESS(ethernet_flag_not_awaited)
    {
        while (load_shared(&WORD(FLAG)) != 1) {
        }
    }
    uint32_t sum = sum_of(DATA);

    struct noc_place from = {noc.self, DATA};
    READ(&noc, from, COPY, SIZE); /* first: ethernet_read_not_awaited */
    UNLESS(ethernet_read_not_awaited) noc_wait(&noc, NOC_RD_RESP_RECEIVED);
    FENCE();
    uint32_t copied = sum_of(COPY);
    noc_wait(&noc, NOC_RD_RESP_RECEIVED);
    ONLY_IF(ethernet_never_written) sum += WORD(NEVER) & 0; /* first: ethernet_never_written */

    store_result(1, IS_MISTAKE(ethernet_flag_not_awaited) ? 120 : sum);
    store_result(2, IS_MISTAKE(ethernet_read_not_awaited) || IS_MISTAKE(ethernet_flag_not_awaited) ? 120 : copied);
    store_result(3, 0);
}

#endif
