/* relay, T0: out of the mailbox, through a GPR, into the first ring. */
#include "relay.h"

void kernel_main(void)
{
    uint32_t items = arguments()->rows;
    tensix_begin();
    TTI_SEMINIT(RING_SLOTS, 0, 1 << SEMAPHORE_FIRST | 1 << SEMAPHORE_SECOND);
    gpr_set_half(GPR_OFFSET_HALF, 0);
    for (uint32_t index = 0; index < items; index++) {
        uint32_t item = load_complete(MAILBOX(KERNEL_BRISC));
        gpr_set(GPR_ITEM, item);
        select_slot(FIRST_RING, index);
        TTI_SEMWAIT(BLOCK_SCALAR | BLOCK_SYNC, 1 << SEMAPHORE_FIRST, WHILE_MAX);
        TTI_STOREIND(1, 0, 1, GPR_OFFSET_HALF, 0, GPR_ITEM, GPR_ADDRESS);
        TTI_STALLWAIT(BLOCK_SYNC, WAIT_SCALAR);
        TTI_SEMPOST(1 << SEMAPHORE_FIRST);
    }
    tensix_wait_idle();
}
