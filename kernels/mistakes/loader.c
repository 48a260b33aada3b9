/* B loads the program of NC from where a loader may have put it, by a request over the NoC, and lets NC go. */
#include "mistakes.h"

enum { STORED = LAYOUT_TENSORS, SIZE = 128, WORD = LAYOUT_TENSORS + 0x1000, SOFT_RESET_NC = 0x40000 };

#define NC_WORD (*(volatile uint32_t *)WORD)

#ifdef PROGRAM_B

static void wait_some_time(void)
{
    for (uint32_t i = 0; i < 2000; i++) {
        __asm__ volatile("nop");
    }
}

void kernel_main(void)
{
    struct noc noc = noc_open(0);
    struct noc_place code = {noc.self, LAYOUT_NCRISC_CODE}, stored = {noc.self, STORED};
    NC_WORD = 0;
    load_complete(&NC_WORD);
    READ(&noc, code, STORED, SIZE);
    noc_wait(&noc, NOC_RD_RESP_RECEIVED);

    READ(&noc, stored, LAYOUT_NCRISC_CODE, SIZE); /* first: code_not_awaited */
    UNLESS(code_not_awaited) noc_wait(&noc, NOC_RD_RESP_RECEIVED);
    ONLY_IF(code_not_awaited) wait_some_time(); /* which is no order, though it is long enough */
    *SOFT_RESET = load_complete(SOFT_RESET) & ~(uint32_t)SOFT_RESET_NC;
    noc_wait(&noc, NOC_RD_RESP_RECEIVED);

    while (load_shared(&NC_WORD) == 0) {
    }
    store_result(0, load_shared(&NC_WORD));
}

#endif

#ifdef PROGRAM_NC

void kernel_main(void)
{
    NC_WORD = 7;
    load_complete(&NC_WORD);
}

#endif
