/* bench, all cores of a tile: each waits for its flag in L1, and sets that of the next one. `rows` is how many hundred
   times the flag goes round. */
#include "bench/core.h"
#include "runtime/arguments.h"

void kernel_main(void)
{
    volatile uint32_t *flags = (volatile uint32_t *)LAYOUT_BUFFERS;
    uint32_t rounds = 100 * arguments()->rows, next = (bench_core + 1) % KERNEL_CORES;
    for (uint32_t round = 1; round <= rounds; round++) {
        uint32_t awaited = bench_core ? round : round - 1;
        while (load_shared(&flags[bench_core]) != awaited) {
        }
        flags[next] = round;
    }
}
