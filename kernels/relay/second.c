/* relay, T1: from ring to ring, with something added on the way. */
#include "relay.h"

void kernel_main(void)
{
    uint32_t items = arguments()->rows;
    tensix_begin();
    gpr_set_half(GPR_OFFSET_HALF, 0);
    gpr_set(GPR_ADDED, ADDED);
    for (uint32_t index = 0; index < items; index++) {
        select_slot(FIRST_RING, index);
        TTI_SEMWAIT(BLOCK_SCALAR | BLOCK_SYNC, 1 << SEMAPHORE_FIRST, WHILE_ZERO);
        TTI_LOADIND(1, GPR_OFFSET_HALF, 0, GPR_ITEM, GPR_ADDRESS);
        TTI_STALLWAIT(BLOCK_SCALAR | BLOCK_SYNC, WAIT_SCALAR);
        TTI_SEMGET(1 << SEMAPHORE_FIRST);
        TTI_ADDDMAREG(0, GPR_ITEM, GPR_ADDED, GPR_ITEM);
        select_slot(SECOND_RING, index);
        TTI_SEMWAIT(BLOCK_SCALAR | BLOCK_SYNC, 1 << SEMAPHORE_SECOND, WHILE_MAX);
        TTI_STOREIND(1, 0, 1, GPR_OFFSET_HALF, 0, GPR_ITEM, GPR_ADDRESS);
        TTI_STALLWAIT(BLOCK_SYNC, WAIT_SCALAR);
        TTI_SEMPOST(1 << SEMAPHORE_SECOND);
    }
    tensix_wait_idle();
}
