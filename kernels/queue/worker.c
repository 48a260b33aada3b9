/* queue, worker: T0. Adds what it is told to its words, each time that it is set going. */
#include "queue.h"

void kernel_main(void)
{
    struct queue_arguments arguments = *(const volatile struct queue_arguments *)LAYOUT_ARGUMENTS;
    struct noc noc = noc_open(0);
    volatile uint32_t *go = (volatile uint32_t *)QUEUE_GO_AT, *work = (volatile uint32_t *)QUEUE_WORK_AT;
    for (uint32_t last = 0, now, summand = 1; summand; last = now) {
        while ((now = load_shared(go)) == last) {
        }
        summand = go[1];
        for (uint32_t i = 0; i < QUEUE_WORK_WORDS; i++) {
            work[i] += summand * (i + 1);
        }
        (void)load_shared(work + QUEUE_WORK_WORDS - 1);
        noc_write_register(&noc, (struct noc_place){arguments.other, queue_stream(QUEUE_DONE_STREAM, CREDITS_ADD)},
                           1 << 6);
        noc_wait(&noc, NOC_WR_ACK_RECEIVED);
    }
}
