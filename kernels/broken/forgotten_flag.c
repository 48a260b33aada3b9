/* Broken on purpose (docs/debugging.md): waits for a flag in L1 that nobody sets. */
#include "arguments.h"
#include "mmio.h"

static void wait_for_flag(const volatile uint32_t *flag)
{
    while (load_shared(flag) == 0) {
    }
}

void kernel_main(void)
{
    wait_for_flag((const volatile uint32_t *)arguments()->input_a);
}
