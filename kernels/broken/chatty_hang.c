/* Broken on purpose (docs/print.md): waits for one tile more than there will be, and says how far it is. */
#include "arguments.h"
#include "mmio.h"
#include "print.h"

static void wait_for(const volatile uint32_t *tiles, uint32_t count)
{
    while (load_shared(tiles) < count) {
    }
}

void kernel_main(void)
{
    const volatile uint32_t *tiles = (const volatile uint32_t *)arguments()->input_a;
    for (uint32_t count = 1; count <= 3; count++) {
        printf("waiting for tile %u of 3, there are %u\n", count, load_shared(tiles));
        wait_for(tiles, count);
    }
}
