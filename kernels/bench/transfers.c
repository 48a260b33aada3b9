/* bench, B: transfers over the NoC, each waited for. `columns` says which, `inner` how many bytes; `rows` is how many a
   tile makes, or how many broadcasts there are in its row of tiles. */
#include "bench/bench.h"
#include "noc.h"
#include "runtime/arguments.h"

enum { FIRST_COLUMN = 1, LAST_COLUMN = 16, RECEIVERS = 13, DRAM_COLUMN = 17 };
enum { SOURCE = LAYOUT_BUFFERS, DESTINATION = SOURCE + 0x4000 };
/* Words in 16 bytes of their own; the host leaves zeroes. */
enum { READY = LAYOUT_ARGUMENTS + 0x100, SENT = READY + 0x10, OLD = SENT + 0x10 };

static uint32_t right_of(uint32_t self)
{
    uint32_t x = self & 0x3f;
    return (self & 0xfc0) | (x == LAST_COLUMN ? FIRST_COLUMN : x == 7 ? 10 : x + 1);
}

static void read_from(struct noc *noc, struct noc_place from, uint32_t count, uint32_t size)
{
    for (uint32_t i = 0; i < count; i++) {
        noc_read(noc, from, DESTINATION, size);
        noc_wait(noc, NOC_RD_RESP_RECEIVED);
    }
}

static void write_to(struct noc *noc, struct noc_place to, uint32_t count, uint32_t size)
{
    for (uint32_t i = 0; i < count; i++) {
        noc_write(noc, SOURCE, to, size);
        noc_wait(noc, NOC_WR_ACK_RECEIVED);
    }
}

static void increment(struct noc *noc, struct noc_place word, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        noc_increment(noc, word, 1, OLD);
        noc_wait(noc, NOC_ATOMIC_RESP_RECEIVED);
    }
}

/* To the other tiles of the row, once all of them have room; then how many broadcasts there were. */
static void send(struct noc *noc, uint32_t count, uint32_t size)
{
    uint32_t row = noc->self & 0xfc0, others = noc_rectangle(0, FIRST_COLUMN | row, LAST_COLUMN | row);
    for (uint32_t step = 1; step <= count; step++) {
        while (load_shared((volatile uint32_t *)READY) != step * RECEIVERS) {
        }
        noc_broadcast(noc, SOURCE, (struct noc_place){others, DESTINATION}, size, RECEIVERS);
        noc_wait(noc, NOC_WR_ACK_RECEIVED);
        *(volatile uint32_t *)SENT = step;
        (void)load_shared((volatile uint32_t *)SENT);
        noc_broadcast(noc, SENT, (struct noc_place){others, SENT}, 4, RECEIVERS);
        noc_wait(noc, NOC_WR_ACK_RECEIVED);
    }
}

static void receive(struct noc *noc, uint32_t count)
{
    struct noc_place sender = {FIRST_COLUMN | (noc->self & 0xfc0), READY};
    for (uint32_t step = 1; step <= count; step++) {
        noc_increment(noc, sender, 1, OLD);
        while (load_shared((volatile uint32_t *)SENT) != step) {
        }
    }
    noc_wait(noc, NOC_ATOMIC_RESP_RECEIVED);
}

void kernel_main(void)
{
    struct noc noc = noc_open(0);
    uint32_t count = arguments()->rows, size = arguments()->inner, right = right_of(noc.self);
    switch (arguments()->columns) {
    case BENCH_READ_L1: read_from(&noc, (struct noc_place){right, SOURCE}, count, size); break;
    case BENCH_READ_DRAM:
        read_from(&noc, (struct noc_place){DRAM_COLUMN | (12 + (right & 3) * 3) << 6, SOURCE}, count, size);
        break;
    case BENCH_WRITE_L1: write_to(&noc, (struct noc_place){right, DESTINATION}, count, size); break;
    case BENCH_SEMAPHORE: increment(&noc, (struct noc_place){right, READY}, count); break;
    default:
        if ((noc.self & 0x3f) == FIRST_COLUMN) {
            send(&noc, count, size);
        } else {
            receive(&noc, count);
        }
        break;
    }
}
