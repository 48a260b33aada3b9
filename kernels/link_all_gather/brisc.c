/* link_all_gather: blocks, one on each chip of a torus, come to be on every chip, in the order of the chips: first
   those of a row go around the ring of the row, then the rows around the rings of the columns. B. */
#include "link.h"

enum { TO_NEXT_COLUMN, FROM_LAST_COLUMN, TO_NEXT_ROW, FROM_LAST_ROW }; /* the tile's links */

struct link_all_gather_arguments {
    uint32_t chip, columns, rows; /* row after row */
    uint32_t block, gathered;     /* where the chip's own block is, and where all of them are to be */
    uint32_t size;                /* of a block in bytes, a multiple of 16; a row's are at most LINK_SLOTS slots */
    uint32_t links[4];            /* the Ethernet tiles, in the order above: x | y << 6 */
};

/* Parts of `size` bytes, one for each position of the ring; this chip has its own. */
static void gather(struct link *next, struct link *last, uint32_t position, uint32_t count, uint32_t parts,
                   uint32_t size)
{
    for (uint32_t step = 0; step + 1 < count; step++) {
        uint32_t sent = (position + count - step) % count, received = (sent + count - 1) % count;
        link_send(next, parts + sent * size, size);
        link_receive(last, parts + received * size, size);
    }
}

void kernel_main(void)
{
    struct link_all_gather_arguments torus = *(const volatile struct link_all_gather_arguments *)LAYOUT_ARGUMENTS;
    struct noc noc = noc_open(0);
    struct link links[4];
    for (uint32_t i = 0; i < 4; i++) {
        links[i] = link_open(&noc, torus.links[i], i);
    }
    uint32_t row = torus.chip / torus.columns, column = torus.chip % torus.columns;
    uint32_t row_size = torus.columns * torus.size, own_row = torus.gathered + row * row_size;
    const volatile uint32_t *block = (const volatile uint32_t *)torus.block;
    volatile uint32_t *place = (volatile uint32_t *)(own_row + column * torus.size);
    for (uint32_t i = 0; i < torus.size / 4; i++) {
        place[i] = block[i];
    }
    (void)load_shared(&place[torus.size / 4 - 1]);
    gather(&links[TO_NEXT_COLUMN], &links[FROM_LAST_COLUMN], column, torus.columns, own_row, torus.size);
    gather(&links[TO_NEXT_ROW], &links[FROM_LAST_ROW], row, torus.rows, torus.gathered, row_size);
}
