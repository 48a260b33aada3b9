/* relay, source: 1, 2, 3, ... into T0's mailbox, which holds core B back while it is full. */
#include "relay.h"

void kernel_main(void)
{
    uint32_t items = arguments()->rows;
    for (uint32_t item = 1; item <= items; item++) {
        *MAILBOX(KERNEL_TRISC0) = item;
    }
}
