/* hello: what printf() can show, on each core of a tile (docs/print.md). The first argument is how many rounds; each
   core waits for its turn, which the words behind say, so that the order is the same on every chip. */
#include "arguments.h"
#include "mmio.h"
#include "print.h"

struct hello_arguments {
    uint32_t rounds;
    uint32_t done[KERNEL_CORES]; /* rounds that each core has printed */
};

static volatile struct hello_arguments *hello(void)
{
    return (volatile struct hello_arguments *)LAYOUT_ARGUMENTS;
}

/* Waits until all cores before this one have printed this round, and those behind it the last. */
static void wait_for_turn(uint32_t self, uint32_t round)
{
    for (uint32_t core = 0; core < KERNEL_CORES; core++) {
        uint32_t enough = core < self ? round + 1 : round;
        while (core != self && load_shared(&hello()->done[core]) < enough) {
        }
    }
}

void kernel_main(void)
{
    static const char *const names[KERNEL_CORES] = {"B", "T0", "T1", "T2", "NC"};
    uint32_t self = (COMPLETION - LAYOUT_COMPLETION) / 4;
    for (uint32_t round = 0; round < load_shared(&hello()->rounds); round++) {
        wait_for_turn(self, round);
        printf("hello from %s, round %u\n", names[self], round);
        if (self == KERNEL_TRISC1) {
            printf("%d %5.1f%% %#x %lld %p ", -1, 12.5, 0xb1ac, -5000000000ll, (void *)hello());
            printf("%c %g %g %.3e\n", 'x', bf16_value(0x3fc0), fp32_value(0xff800000), 6.02214076e23);
        }
        hello()->done[self] = round + 1;
    }
}
