/* link_matmul: a product whose rows are made by several chips in a chain. The first one has A, B and the output; each
   keeps B and its own rows of A, and sends B and the others' rows on to the next chip; then all multiply, as matmul128
   does, whose programs run on the other cores; then rows of the output come back the same way. B. */
#include "link.h"
#include "matmul128/reader.h"

enum { FROM_LAST, TO_NEXT }; /* the tile's links */

/* Behind struct arguments, whose rows are those of one chip. */
enum { LINK_MATMUL_ARGUMENTS = LAYOUT_ARGUMENTS + 0x40 };

struct link_matmul_arguments {
    uint32_t behind;     /* chips that come behind this one */
    uint32_t last, next; /* the Ethernet tiles whose links lead there: x | y << 6; 0: this chip is at an end */
};

void kernel_main(void)
{
    struct link_matmul_arguments chain = *(const volatile struct link_matmul_arguments *)LINK_MATMUL_ARGUMENTS;
    struct noc noc = noc_open(0);
    struct link last = link_open(&noc, chain.last, FROM_LAST), next = link_open(&noc, chain.next, TO_NEXT);
    uint32_t b_size = arguments()->inner * arguments()->columns * TILE_SIZE;
    uint32_t a_size = arguments()->rows * arguments()->inner * TILE_SIZE;
    uint32_t c_size = arguments()->rows * arguments()->columns * TILE_SIZE;
    if (chain.last) {
        link_receive(&last, arguments()->input_b, b_size);
        link_receive(&last, arguments()->input_a, a_size * (1 + chain.behind));
    }
    if (chain.next) {
        link_send(&next, arguments()->input_b, b_size);
        link_send(&next, arguments()->input_a + a_size, a_size * chain.behind);
    }
    multiply();
    if (chain.next) {
        link_receive(&next, arguments()->output + c_size, c_size * chain.behind);
    }
    if (chain.last) {
        link_send(&last, arguments()->output, c_size * (1 + chain.behind));
    }
}
