/* Broken on purpose (docs/debugging.md): takes a number of tiles for an address. */
#include "arguments.h"

static void clear(volatile uint32_t *words, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        words[i] = 0;
    }
}

void kernel_main(void)
{
    clear((volatile uint32_t *)(arguments()->output << 12), arguments()->rows);
}
