/* all_reduce: B. */
#include "all_reduce.h"

static volatile uint32_t *chunk_at(uint32_t base, uint32_t chunk, uint32_t words)
{
    return (volatile uint32_t *)(base + chunk * words * 4);
}

void kernel_main(void)
{
    struct all_reduce_arguments ring = *(const volatile struct all_reduce_arguments *)LAYOUT_ARGUMENTS;
    struct noc noc = noc_open(0);
    uint32_t words = ring.chunk_words, half = ring.tiles - 1;
    for (uint32_t step = 0; step < 2 * half; step++) {
        uint32_t sent = (ring.position + 2 * ring.tiles - step) % ring.tiles;
        if (step >= half) {
            sent = (ring.position + 2 * ring.tiles + 1 - (step - half)) % ring.tiles;
        }
        uint32_t received = (sent + ring.tiles - 1) % ring.tiles;
        noc_write(&noc, (uint32_t)chunk_at(VECTOR, sent, words),
                  (struct noc_place){ring.next, (uint32_t)chunk_at(ARRIVALS, step, words)}, words * 4);
        noc_wait(&noc, NOC_WR_ACK_RECEIVED);
        credits_give(&noc, ring.next);
        credits_wait(step);
        volatile uint32_t *from = chunk_at(ARRIVALS, step, words), *to = chunk_at(VECTOR, received, words);
        for (uint32_t i = 0; i < words; i++) {
            to[i] = load_shared(&from[i]) + (step < half ? to[i] : 0);
        }
        (void)load_shared(&to[words - 1]);
    }
    noc_wait(&noc, NOC_WR_ACK_RECEIVED);
}
