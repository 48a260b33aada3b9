/* Barriers and locks that are there, but are not those that are needed: B and NC of a tile. */
#include "interleaved.h"
#include "mistakes.h"

enum { WORDS = LAYOUT_TENSORS, DATA = WORDS + 0x1000, READ_BACK = WORDS + 0x2000, USED_TWICE = WORDS + 0x3000 };
enum { BY_ID = WORDS + 0x3100, BY_NOC = WORDS + 0x3200, POSTED = WORDS + 0x3300, BULK = WORDS + 0x3400 };
enum { PARTLY = WORDS + 0x3500, SHARED = WORDS + 0x3600, BEFORE_FLAG = WORDS + 0x3700 };
enum { WRITTEN = WORDS, COUNTED = WORDS + 0x40, READY = WORDS + 0x80, OLD = WORDS + 0xc0, LOCK = WORDS + 0x100 };
enum { FLAG = WORDS + 0x140, LAST = FLAG, DRAM = 0x300000, SMALL = 64 };
enum { SENT = 10, OUTSTANDING = 16, TRANSACTION = 5, OTHER_TRANSACTION = 6, ROUNDS = 8, SOFT_RESET_NC = 0x40000 };

#define WORD(address) (*(volatile uint32_t *)(address))

static struct noc noc;

static uint32_t swap(uint32_t address, uint32_t value)
{
    uint32_t old;
    __asm__ volatile(".insn r 0x2f, 2, 4, %0, %1, %2"
                     : "=r"(old)
                     : "r"(address), "r"(value)
                     : "memory"); /* amoswap.w */
    return old;
}

static void lock(void)
{
    while (swap(LOCK, 1)) {
    }
}

static void unlock(void)
{
    swap(LOCK, 0);
}

static void fill(uint32_t address, uint32_t first, uint32_t bytes)
{
    for (uint32_t i = 0; i < bytes / 4; i++) {
        WORD(address + 4 * i) = first + i;
    }
    load_complete(&WORD(address + bytes - 4));
}

static void wait_for(uint32_t address, uint32_t value)
{
    while (load_shared(&WORD(address)) != value) {
    }
}

static void tell(uint32_t address, uint32_t value)
{
    WORD(address) = value;
    load_complete(&WORD(address));
}

#ifdef PROGRAM_B

/* As WRITE() and READ(), with all that they may have. */
#define SEND_AS(initiator, ctrl, from, to, id)                                                                         \
    do {                                                                                                               \
        volatile uint32_t *registers = noc.niu + (initiator) * (0x800 / 4);                                            \
        NOC_WAIT_TAKEN(&noc, initiator);                                                                               \
        registers[NOC_TARG_ADDR_LO] = (from).address;                                                                  \
        registers[NOC_TARG_ADDR_MID] = 0;                                                                              \
        registers[NOC_TARG_ADDR_HI] = (from).at;                                                                       \
        registers[NOC_RET_ADDR_LO] = (to).address;                                                                     \
        registers[NOC_RET_ADDR_MID] = 0;                                                                               \
        registers[NOC_RET_ADDR_HI] = (to).at;                                                                          \
        registers[NOC_PACKET_TAG] = (uint32_t)(id) << 10;                                                              \
        registers[NOC_CTRL] = (ctrl);                                                                                  \
        registers[NOC_AT_LEN_BE] = SMALL;                                                                              \
        registers[NOC_CMD_CTRL] = 1;                                                                                   \
    } while (0)

static struct noc_place here(uint32_t address)
{
    return (struct noc_place){noc.self, address};
}

static uint32_t sum_at(uint32_t address)
{
    FENCE();
    return WORD(address) + WORD(address + SMALL - 4); /* second: other_transaction_awaited, other_noc_awaited */
}

/* The write has left, or is there. */
static void write_and_tell(void)
{
    fill(DATA, 1, SMALL);
    uint32_t sent = noc_counter(&noc, (enum noc_counter)SENT);
    WRITE(&noc, DATA, interleaved_tile(DRAM, 0), SMALL); /* first: sent_is_not_written */
    while (noc_counter(&noc, (enum noc_counter)SENT) == sent) {
    }
    UNLESS(sent_is_not_written) noc_wait(&noc, NOC_WR_ACK_RECEIVED);
    tell(WRITTEN, 1);
    noc_wait(&noc, NOC_WR_ACK_RECEIVED);
}

/* What is written from a buffer has left it before something else is read into it. */
static void use_twice(void)
{
    fill(USED_TWICE, 5, SMALL);
    WRITE(&noc, USED_TWICE, interleaved_tile(DRAM, 1), SMALL); /* first: buffer_on_its_way */
    UNLESS(buffer_on_its_way) noc_wait(&noc, NOC_WR_ACK_RECEIVED);
    READ(&noc, interleaved_tile(DRAM, 0), USED_TWICE, SMALL); /* second: buffer_on_its_way */
    noc_wait(&noc, NOC_RD_RESP_RECEIVED);
    noc_wait(&noc, NOC_WR_ACK_RECEIVED);
}

static uint32_t await_others(void)
{
    /* first: other_transaction_awaited */
    SEND_AS(NOC_READS, NOC_READ | NOC_RESPONSE, interleaved_tile(DRAM, 0), here(BY_ID), TRANSACTION);
    noc.expected[NOC_RD_RESP_RECEIVED]++;
    uint32_t id = IS_MISTAKE(other_transaction_awaited) ? OTHER_TRANSACTION : TRANSACTION;
    while (noc_counter(&noc, (enum noc_counter)(OUTSTANDING + id))) {
    }
    uint32_t sum = sum_at(BY_ID);
    noc_wait(&noc, NOC_RD_RESP_RECEIVED);

    struct noc other = noc_open(1);
    READ(&noc, interleaved_tile(DRAM, 0), BY_NOC, SMALL); /* first: other_noc_awaited */
    UNLESS(other_noc_awaited) noc_wait(&noc, NOC_RD_RESP_RECEIVED);
    while (noc_counter(&other, NOC_RD_RESP_RECEIVED) < other.expected[NOC_RD_RESP_RECEIVED]) {
    }
    sum += sum_at(BY_NOC);
    noc_wait(&noc, NOC_RD_RESP_RECEIVED);
    return sum;
}

/* Posted writes are not acknowledged. */
static uint32_t post(void)
{
    uint32_t response = IS_MISTAKE(posted_write_awaited) ? 0 : NOC_RESPONSE;
    SEND_AS(NOC_WRITES, NOC_WRITE | response, here(DATA), here(POSTED), 0); /* first: posted_write_awaited */
    noc.expected[NOC_WR_ACK_RECEIVED] += response != 0;
    noc_wait(&noc, NOC_WR_ACK_RECEIVED);
    FENCE();
    return WORD(POSTED) + WORD(POSTED + SMALL - 4); /* second: posted_write_awaited */
}

static void count(void)
{
    /* first: flag_cleared_too_late second: flag_cleared_too_late */
    NOC_SEND(&noc, NOC_ATOMICS, NOC_ATOMIC | NOC_RESPONSE, here(COUNTED), here(OLD), 1 << 12 | 31 << 2, 1);
    noc.expected[NOC_ATOMIC_RESP_RECEIVED]++;
}

static void write_and_count(void)
{
    WRITE(&noc, DATA, here(BULK), SMALL); /* first: counted_before_written */
    UNLESS(counted_before_written) noc_wait(&noc, NOC_WR_ACK_RECEIVED);
    count();
    wait_for(READY, 1);
    count();
    noc_wait(&noc, NOC_ATOMIC_RESP_RECEIVED);
    noc_wait(&noc, NOC_WR_ACK_RECEIVED);
}

void kernel_main(void)
{
    for (uint32_t address = WORDS; address <= LAST; address += 4) {
        WORD(address) = 0;
    }
    tell(SHARED, 0);
    noc = noc_open(0);
    *SOFT_RESET = load_complete(SOFT_RESET) & ~(uint32_t)SOFT_RESET_NC;
    write_and_tell();
    use_twice();
    uint32_t sum = await_others() + post();
    write_and_count();

    fill(PARTLY, 1, IS_MISTAKE(partly_filled) ? SMALL / 4 * 3 : SMALL);
    WRITE(&noc, PARTLY, interleaved_tile(DRAM, 2), SMALL); /* first: partly_filled */
    noc_wait(&noc, NOC_WR_ACK_RECEIVED);

    for (uint32_t i = 0; i < ROUNDS; i++) {
        lock();
        WORD(SHARED)++; /* first: read_without_lock second: read_without_lock */
        unlock();
    }

    wait_for(FLAG, 1);
    sum += WORD(BEFORE_FLAG); /* second: flag_before_data */
    wait_for(LAYOUT_COMPLETION + 4 * KERNEL_NCRISC, COMPLETION_DONE);
    store_result(0, sum);
    store_result(1, load_shared(&WORD(SHARED)));
}

#elif defined PROGRAM_NC

void kernel_main(void)
{
    noc = noc_open(1);
    wait_for(WRITTEN, 1);
    READ(&noc, interleaved_tile(DRAM, 0), READ_BACK, SMALL); /* second: sent_is_not_written */
    noc_wait(&noc, NOC_RD_RESP_RECEIVED);
    FENCE();
    uint32_t sum = WORD(READ_BACK);

    wait_for(COUNTED, 1);
    FENCE();
    sum += WORD(BULK); /* second: counted_before_written */
    ONLY_IF(flag_cleared_too_late) tell(READY, 1);
    WORD(COUNTED) = 0; /* first: flag_cleared_too_late second: flag_cleared_too_late */
    load_complete(&WORD(COUNTED));
    UNLESS(flag_cleared_too_late) tell(READY, 1);

    for (uint32_t i = 0; i < ROUNDS; i++) {
        lock();
        WORD(SHARED)++; /* first: read_without_lock second: read_without_lock */
        unlock();
    }
    UNLESS(read_without_lock) lock();
    FENCE();
    sum += WORD(SHARED) & 0; /* first: read_without_lock second: read_without_lock */
    UNLESS(read_without_lock) unlock();

    ONLY_IF(flag_before_data) tell(FLAG, 1);
    WORD(BEFORE_FLAG) = 100; /* first: flag_before_data */
    load_complete(&WORD(BEFORE_FLAG));
    UNLESS(flag_before_data) tell(FLAG, 1);
    store_result(2, sum);
    store_result(3, 0);
}

#endif
