/* queue, fetcher: B. */
#include "queue.h"

static uint32_t fetched_at(uint32_t flight)
{
    return QUEUE_FETCHED_AT + flight % QUEUE_FLIGHTS * (QUEUE_PAGES_MAX * QUEUE_PAGE);
}

static uint32_t slot_pages(volatile uint16_t *slot)
{
    __asm__ volatile("fence" : : : "memory");
    return *slot;
}

/* Starts to read the next command, if there is one and room for it. Returns its pages. */
static uint32_t start(struct noc *noc, const struct queue_arguments *arguments, uint32_t number, uint32_t *offset)
{
    volatile uint16_t *slot = (volatile uint16_t *)QUEUE_SLOTS_AT + number % QUEUE_SLOTS;
    uint32_t pages = slot_pages(slot);
    if (pages) {
        uint32_t size = pages * QUEUE_PAGE;
        *offset = *offset + size > arguments->ring_size ? 0 : *offset;
        queue_transfer(noc, NOC_READS, arguments->host, arguments->ring + *offset, fetched_at(number), size,
                       1 + number % QUEUE_FLIGHTS);
        *offset += size;
        *slot = 0;
    }
    return pages;
}

/* Hands a command over, page by page as there is room. */
static void pass_on(struct noc *noc, uint32_t to, uint32_t from, uint32_t pages)
{
    static uint32_t passed;
    for (uint32_t page = 0; page < pages; page++, passed++) {
        credits_wait(passed);
        noc_write(noc, from + page * QUEUE_PAGE,
                  (struct noc_place){to, QUEUE_RING_AT + passed % QUEUE_RING_PAGES * QUEUE_PAGE}, QUEUE_PAGE);
    }
    noc_wait(noc, NOC_WR_ACK_RECEIVED);
    noc_write_register(noc, (struct noc_place){to, credits_register(CREDITS_ADD)}, pages << 6);
}

void kernel_main(void)
{
    struct queue_arguments arguments = *(const volatile struct queue_arguments *)LAYOUT_ARGUMENTS;
    struct noc noc = noc_open(0);
    uint32_t pages[QUEUE_FLIGHTS], started = 0, done = 0, offset = 0, kind = QUEUE_WAIT;
    while (kind != QUEUE_STOP) {
        uint32_t more = started - done < QUEUE_FLIGHTS ? start(&noc, &arguments, started, &offset) : 0;
        if (more) {
            pages[started++ % QUEUE_FLIGHTS] = more;
        } else if (started != done && queue_outstanding(&noc, 1 + done % QUEUE_FLIGHTS) == 0) {
            kind = load_shared((volatile uint32_t *)fetched_at(done));
            pass_on(&noc, arguments.other, fetched_at(done), pages[done % QUEUE_FLIGHTS]);
            done++;
        }
    }
    noc_wait(&noc, NOC_WR_ACK_RECEIVED);
}
