/* credits, receiver: NC. Copies each page out of the ring, spoils its place there, and gives the room back. */
#include "ring.h"

void kernel_main(void)
{
    struct credits_arguments arguments = *(const volatile struct credits_arguments *)LAYOUT_ARGUMENTS;
    struct noc noc = noc_open(1);
    for (uint32_t page = 0; page < arguments.pages; page++) {
        volatile uint32_t *from = (volatile uint32_t *)(RING + page % RING_PAGES * PAGE_SIZE);
        volatile uint32_t *to = (volatile uint32_t *)(PAGES + page * PAGE_SIZE);
        credits_wait(page);
        for (uint32_t i = 0; i < PAGE_SIZE / 4; i++) {
            to[i] = load_shared(&from[i]);
            from[i] = 0xdeadbeef;
        }
        (void)load_shared(&from[PAGE_SIZE / 4 - 1]);
        credits_give(&noc, arguments.other);
    }
    noc_wait(&noc, NOC_WR_ACK_RECEIVED);
}
