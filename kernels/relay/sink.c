/* relay, T2: counts what comes, and what is not the next item. */
#include "relay.h"

void kernel_main(void)
{
    uint32_t items = arguments()->rows, wrong = 0;
    volatile uint32_t *semaphore = semaphore_window((enum semaphore)SEMAPHORE_SECOND);
    volatile uint32_t *result = (volatile uint32_t *)arguments()->output;
    for (uint32_t index = 0; index < items; index++) {
        while (load_complete(semaphore) == 0) {
        }
        const volatile uint32_t *slot = (const volatile uint32_t *)(SECOND_RING + index % RING_SLOTS * SLOT_SIZE);
        wrong += load_shared(slot) != index + 1 + ADDED;
        *semaphore = 1; /* get */
        result[1] = index + 1;
    }
    result[0] = wrong;
}
