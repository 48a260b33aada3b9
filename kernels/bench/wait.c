/* bench, B: waits by the wall clock, as firmware does, `rows` times 10,000 cycles. */
#include "bench/bench.h"
#include "runtime/arguments.h"

enum { WAITED = 10000, HIGH = 2 };
#define WALL_CLOCK ((const volatile uint32_t *)0xffb121f0)

/* Loading the low half keeps the high one. */
static uint64_t wall_clock(void)
{
    uint32_t low = WALL_CLOCK[0], high = WALL_CLOCK[HIGH];
    return (uint64_t)high << 32 | low;
}

void kernel_main(void)
{
    for (uint32_t i = 0; i < arguments()->rows; i++) {
        uint64_t end = wall_clock() + WAITED;
        while (wall_clock() < end) {
        }
    }
}
