/* Requests over the NoC by B, and by NC: to DRAM, to another tile, and to this tile's own L1. */
#include "circular_buffer.h"
#include "interleaved.h"
#include "mistakes.h"

enum { DATA = LAYOUT_TENSORS, READ_BACK = DATA + 0x1000, WORD = DATA + 0x2000, OLD = DATA + 0x2010, SMALL = 64 };
enum { COPIED = DATA + 0x3000, BY_NC = DATA + 0x3100, DRAM = 0x100000, DRAM_NEVER = 0x200000, AT_MANY = DATA + 0x4000 };
enum { MANY = 300, AT_ONCE = 100, TRANSACTION = 3, OUTSTANDING = 16, STREAM = 12 };

#define L1_WORD(address) (*(volatile uint32_t *)(address))

static struct noc noc;

static void fill(uint32_t address, uint32_t first)
{
    for (uint32_t i = 0; i < SMALL / 4; i++) {
        L1_WORD(address + 4 * i) = first + i;
    }
    load_complete(&L1_WORD(address + SMALL - 4));
}

static uint32_t sum_of(uint32_t address)
{
    uint32_t sum = 0;
    FENCE();
    for (uint32_t i = 0; i < SMALL / 4; i++) {
        sum += L1_WORD(address + 4 * i);
    }
    return sum;
}

#ifdef PROGRAM_B

enum { SOFT_RESET_NC = 0x40000 };

/* As READ(), with a transaction id. */
#define READ_AS(id, from, to, size)                                                                                    \
    do {                                                                                                               \
        volatile uint32_t *registers = noc.niu + NOC_READS * (0x800 / 4);                                              \
        while (registers[NOC_CMD_CTRL]) {                                                                              \
        }                                                                                                              \
        registers[NOC_TARG_ADDR_LO] = (from).address;                                                                  \
        registers[NOC_TARG_ADDR_MID] = 0;                                                                              \
        registers[NOC_TARG_ADDR_HI] = (from).at;                                                                       \
        registers[NOC_RET_ADDR_LO] = (to);                                                                             \
        registers[NOC_RET_ADDR_MID] = 0;                                                                               \
        registers[NOC_RET_ADDR_HI] = noc.self;                                                                         \
        registers[NOC_PACKET_TAG] = (id) << 10;                                                                        \
        registers[NOC_CTRL] = NOC_READ | NOC_RESPONSE;                                                                 \
        registers[NOC_AT_LEN_BE] = (size);                                                                             \
        registers[NOC_CMD_CTRL] = 1;                                                                                   \
        noc.expected[NOC_RD_RESP_RECEIVED]++;                                                                          \
    } while (0)

static void wait_for_transaction(void)
{
    while (noc_counter(&noc, (enum noc_counter)(OUTSTANDING + TRANSACTION))) {
    }
}

static void many_requests(struct noc_place from)
{
    for (uint32_t i = 0; i < MANY; i++) {
        UNLESS(transaction_id_wraps)
        {
            if (i % AT_ONCE == 0) {
                wait_for_transaction();
            }
        }
        READ_AS(TRANSACTION, from, AT_MANY + i * SMALL, SMALL); /* first: transaction_id_wraps */
    }
    wait_for_transaction();
    noc_wait(&noc, NOC_RD_RESP_RECEIVED);
}

void kernel_main(void)
{
    noc = noc_open(0);
    struct noc_place dram = interleaved_tile(DRAM, 0), never = interleaved_tile(DRAM_NEVER, 1);
    struct noc_place word = {noc.self, WORD};

    /* NC's requests come from the other NIU. */
    fill(BY_NC, 1000);
    *SOFT_RESET = load_complete(SOFT_RESET) & ~(uint32_t)SOFT_RESET_NC;

    *stream_register(STREAM, STREAM_PUSHED) = 1; /* first: register_of_two */

    /* Twice, one right behind the other. */
    fill(DATA, 1);
    WRITE(&noc, DATA, dram, SMALL); /* first: request_not_taken */
    UNLESS(request_not_taken) NOC_WAIT_TAKEN(&noc, NOC_WRITES);
    /* second: request_not_taken */
    NOC_START(&noc, NOC_WRITES, NOC_WRITE | NOC_RESPONSE, PLACE(noc.self, DATA), dram, SMALL, 0);
    noc.expected[NOC_WR_ACK_RECEIVED]++;
    noc_wait(&noc, NOC_WR_ACK_RECEIVED);
    READ(&noc, dram, READ_BACK, SMALL);
    noc_wait(&noc, NOC_RD_RESP_RECEIVED);
    uint32_t sum = sum_of(READ_BACK);
    many_requests(dram);

    UNLESS(dram_never_written)
    {
        fill(DATA, 0);
        WRITE(&noc, DATA, never, SMALL);
        noc_wait(&noc, NOC_WR_ACK_RECEIVED);
    }
    READ(&noc, never, READ_BACK, SMALL); /* first: dram_never_written */
    noc_wait(&noc, NOC_RD_RESP_RECEIVED);
    sum += sum_of(READ_BACK) & 0;

    /* Once more into words that the core has read: its data cache may still have them. */
    READ(&noc, never, READ_BACK, SMALL); /* first: read_without_fence */
    noc_wait(&noc, NOC_RD_RESP_RECEIVED);
    UNLESS(read_without_fence) FENCE();
    for (uint32_t i = 0; i < SMALL / 4; i++) {
        sum += L1_WORD(READ_BACK + 4 * i) & 0; /* second: read_without_fence */
    }

    /* An atomic, and what the word was before. */
    L1_WORD(WORD) = 5;
    L1_WORD(OLD) = 0;
    load_complete(&L1_WORD(OLD));
    /* first: atomic_not_awaited */
    NOC_SEND(&noc, NOC_ATOMICS, NOC_ATOMIC | NOC_RESPONSE, word, PLACE(noc.self, OLD), 1 << 12 | 31 << 2, 2);
    noc.expected[NOC_ATOMIC_RESP_RECEIVED]++;
    UNLESS(atomic_not_awaited) noc_wait(&noc, NOC_ATOMIC_RESP_RECEIVED);
    FENCE();
    uint32_t old = L1_WORD(OLD); /* second: atomic_not_awaited */
    noc_wait(&noc, NOC_ATOMIC_RESP_RECEIVED);

    while (load_shared((volatile uint32_t *)LAYOUT_COMPLETION + KERNEL_NCRISC) != COMPLETION_DONE) {
    }
    store_result(0, sum);
    store_result(1, old);
    store_result(3, 0);

    /* The last requests, each of which has to have ended. */
    fill(DATA, 7);
    WRITE(&noc, DATA, dram, SMALL); /* first: write_not_acknowledged */
    UNLESS(write_not_acknowledged) noc_wait(&noc, NOC_WR_ACK_RECEIVED);
    READ(&noc, never, READ_BACK, SMALL); /* first: read_not_awaited */
    UNLESS(read_not_awaited) noc_wait(&noc, NOC_RD_RESP_RECEIVED);
    /* first: atomic_at_the_end */
    NOC_SEND(&noc, NOC_ATOMICS, NOC_ATOMIC | NOC_RESPONSE, word, PLACE(noc.self, OLD), 1 << 12 | 31 << 2, 2);
    noc.expected[NOC_ATOMIC_RESP_RECEIVED]++;
    UNLESS(atomic_at_the_end) noc_wait(&noc, NOC_ATOMIC_RESP_RECEIVED);
}

#elif defined PROGRAM_NC

void kernel_main(void)
{
    noc = noc_open(1);
    struct noc_place self = {noc.self, BY_NC};
    READ(&noc, self, COPIED, SMALL);
    noc_wait(&noc, NOC_RD_RESP_RECEIVED);
    uint32_t stream = IS_MISTAKE(register_of_two) ? STREAM : STREAM + 1;
    *stream_register(stream, STREAM_PUSHED) = 2; /* second: register_of_two */
    store_result(2, sum_of(COPIED));
}

#endif
