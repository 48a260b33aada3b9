/* link_all_reduce: the sum of vectors of words, one on each chip of a ring, comes to be on every chip. As all_reduce,
   but the next tile of the ring is on another chip: each chunk travels over a link. B. */
#include "link.h"

enum { TO_NEXT, FROM_LAST }; /* the tile's links */

struct link_all_reduce_arguments {
    uint32_t position, chips; /* in the ring */
    uint32_t next, last;      /* the Ethernet tiles whose links lead there: x | y << 6 */
    uint32_t vector, arrival; /* where the vector is, and where a chunk may arrive */
    uint32_t chunk;           /* bytes, a multiple of 16, at most LINK_SLOTS slots: everybody sends first */
};

/* The chunk that came is added to that of the vector, or replaces it. */
static void take_chunk(uint32_t to, uint32_t from, uint32_t size, uint32_t adds)
{
    volatile uint32_t *vector = (volatile uint32_t *)to;
    const volatile uint32_t *chunk = (const volatile uint32_t *)from;
    (void)load_shared(chunk);
    for (uint32_t i = 0; i < size / 4; i++) {
        vector[i] = chunk[i] + (adds ? vector[i] : 0);
    }
    (void)load_shared(&vector[size / 4 - 1]);
}

void kernel_main(void)
{
    struct link_all_reduce_arguments ring = *(const volatile struct link_all_reduce_arguments *)LAYOUT_ARGUMENTS;
    struct noc noc = noc_open(0);
    struct link next = link_open(&noc, ring.next, TO_NEXT), last = link_open(&noc, ring.last, FROM_LAST);
    uint32_t half = ring.chips - 1;
    for (uint32_t step = 0; step < 2 * half; step++) {
        uint32_t sent = (ring.position + 2 * ring.chips - step) % ring.chips;
        if (step >= half) {
            sent = (ring.position + 2 * ring.chips + 1 - (step - half)) % ring.chips;
        }
        uint32_t received = (sent + ring.chips - 1) % ring.chips;
        link_send(&next, ring.vector + sent * ring.chunk, ring.chunk);
        link_receive(&last, ring.arrival, ring.chunk);
        take_chunk(ring.vector + received * ring.chunk, ring.arrival, ring.chunk, step < half);
    }
}
