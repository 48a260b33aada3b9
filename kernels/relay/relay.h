/* relay: `rows` items go from core to core, each a number one larger than the one before.

     B --mailbox--> T0 --ring in L1, semaphore 0--> T1 --ring in L1, semaphore 1--> T2

   T0's and T1's cores only push instructions: their threads store, load, add, wait and post. T2 polls its semaphore and
   reads L1 itself. It leaves how many items were not the next one in the first word of the output, how many came in the
   second. */
#ifndef BHEMU_KERNELS_RELAY_H
#define BHEMU_KERNELS_RELAY_H

#include "arguments.h"
#include "sync.h"

enum { RING_SLOTS = 4, SLOT_SIZE = 16, SEMAPHORE_FIRST = 0, SEMAPHORE_SECOND = 1, ADDED = 0x10000 };
enum { GPR_ITEM = 8, GPR_ADDRESS = 16, GPR_ADDED = 20, GPR_OFFSET_HALF = 120 };
enum { FIRST_RING = LAYOUT_BUFFERS, SECOND_RING = LAYOUT_BUFFERS + RING_SLOTS * SLOT_SIZE };

#define MAILBOX(core) ((volatile uint32_t *)(0xffec0000 + (core)*0x1000))

/* Lets GPR_ADDRESS point to the slot of item `index`. */
static inline void select_slot(uint32_t ring, uint32_t index)
{
    gpr_set(GPR_ADDRESS, (ring + index % RING_SLOTS * SLOT_SIZE) / SLOT_SIZE);
}

#endif
