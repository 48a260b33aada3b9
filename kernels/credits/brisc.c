/* credits, sender: B. A page has arrived before its credit has: acknowledged writes keep the order. */
#include "ring.h"

void kernel_main(void)
{
    struct credits_arguments arguments = *(const volatile struct credits_arguments *)LAYOUT_ARGUMENTS;
    struct noc noc = noc_open(0);
    for (uint32_t page = 0; page < arguments.pages; page++) {
        credits_wait(page);
        noc_write(&noc, PAGES + page * PAGE_SIZE,
                  (struct noc_place){arguments.other, RING + page % RING_PAGES * PAGE_SIZE}, PAGE_SIZE);
        noc_wait(&noc, NOC_WR_ACK_RECEIVED);
        credits_give(&noc, arguments.other);
    }
    noc_wait(&noc, NOC_WR_ACK_RECEIVED);
}
