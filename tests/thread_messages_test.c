/* Random programs of the coprocessor's three threads and their cores that hand data to each other: through L1 and
   semaphores, through configuration, through mailboxes, by the mover, and under mutexes. They wait for what they read
   as documents ask for, so that they leave the same bits in both modes. */
#include <stdlib.h>

#include "noc/fixture.h"
#include "util/xorshift.h"

#define TENSIX_INSTRUCTION_BUFFER ((volatile uint32_t *)0) /* where the header's TT_NAME() would push: unused */
#include "kernel/tensix.h"
#include "kernel/tensix_config.h"

enum { THREADS = 3, TILE_X = 1, TILE_Y = 2, WORDS = 6000, PROGRAMS = 0x8000, SEEDS = 150, CYCLES = 200000 };
enum { MESSAGES = 0x40000, MOVED = 0x42000, OWN = 0x44000, OWN_BYTES = 0x1000, COUNTED = 0x48000, GPRS = 0x49000 };
enum { DATA = MESSAGES, DATA_BYTES = GPRS + 0x1000 - DATA, LINE = 16 };

/* Registers of the cores. */
enum { X0, SYNC = 5, LOADED, BASE, VALUE, BOX };

/* GPRs: those that programs compute with come behind the ones that have a use; the mover's are the last. */
enum { ADDRESS, OFFSET, COUNT, SPARE, FIRST, MOVE_FROM = 60, MOVE_TO, MOVE_SIZE };

/* STALLWAIT and SEMWAIT: what they block, and what they wait for. */
enum { ALL = 0x1ff, TDMA = 1, BLOCK_SYNC = 2, BLOCK_MOVER = 0x10, SCALAR = 0x20, CONFIG = 0x80 };
enum { SCALAR_IDLE = 1, MOVER_IDLE = 1 << 9, CORE_WRITES_DONE = 1 << 10, CONFIG_IDLE = 1 << 12, WHILE_ZERO = 1 };
enum { MUTEX_OF_MOVER = 3, FREE_CONFIG = 136, MOVER_CONFIG = 88, L1_TO_L1 = 3 };

struct emitter {
    uint64_t random;
    uint32_t words[THREADS][WORDS], count[THREADS], messages;
};

static uint32_t below(struct emitter *e, uint32_t limit)
{
    return xorshift64_word(&e->random) % limit;
}

static void put(struct emitter *e, unsigned thread, uint32_t word)
{
    assert_true(e->count[thread] < WORDS);
    e->words[thread][e->count[thread]++] = word;
}

/* ---- instructions of the cores ---- */

static void put_constant(struct emitter *e, unsigned thread, unsigned rd, uint32_t value)
{
    put(e, thread, ((value + 0x800) & 0xfffff000) | rd << 7 | 0x37);
    put(e, thread, (value & 0xfff) << 20 | rd << 15 | rd << 7 | 0x13);
}

static void put_load(struct emitter *e, unsigned thread, unsigned rd, unsigned base, uint32_t offset)
{
    put(e, thread, offset << 20 | base << 15 | 2 << 12 | rd << 7 | 3);
}

static void put_store(struct emitter *e, unsigned thread, unsigned value, unsigned base, uint32_t offset)
{
    put(e, thread, (offset >> 5 & 0x7f) << 25 | value << 20 | base << 15 | 2 << 12 | (offset & 31) << 7 | 0x23);
}

/* The core goes on when rd has come. */
static void put_use(struct emitter *e, unsigned thread, unsigned rd)
{
    put(e, thread, rd << 20 | rd << 15 | 7 << 12 | 0x33);
}

static void put_fence(struct emitter *e, unsigned thread)
{
    put(e, thread, 0x0ff0000f);
}

/* The core waits until its thread has executed all that it has pushed. */
static void put_wait_for_thread(struct emitter *e, unsigned thread)
{
    put_constant(e, thread, SYNC, 0xffe80000);
    put_store(e, thread, X0, SYNC, 4);
    put_load(e, thread, LOADED, SYNC, 4);
    put_use(e, thread, LOADED);
}

static void put_gpr_window(struct emitter *e, unsigned thread)
{
    put_constant(e, thread, BASE, 0xffe00000);
}

/* The mailbox that this thread's core shares with another one's. */
static void put_mailbox(struct emitter *e, unsigned thread, unsigned other)
{
    put_constant(e, thread, BOX, 0xffec0000 + 0x1000 * (BH_CORE_T0 + other));
}

/* ---- instructions of the threads ---- */

static void put_tensix(struct emitter *e, unsigned thread, uint32_t word)
{
    put(e, thread, word << 2 | word >> 30);
}

static void put_gpr(struct emitter *e, unsigned thread, uint32_t gpr, uint32_t value)
{
    put_tensix(e, thread, TT_OP_SETDMAREG(value >> 14 & 3, value & 0x3fff, 0, 2 * gpr));
    put_tensix(e, thread, TT_OP_SETDMAREG(value >> 30, value >> 16 & 0x3fff, 0, 2 * gpr + 1));
}

static uint32_t any_gpr(struct emitter *e)
{
    return FIRST + below(e, MOVE_FROM - FIRST);
}

static void put_address(struct emitter *e, unsigned thread, uint32_t address)
{
    put_gpr(e, thread, ADDRESS, address / LINE);
    put_gpr(e, thread, OFFSET, 0);
}

/* One GPR, or the four of a group. */
static void put_store_of_gprs(struct emitter *e, unsigned thread, uint32_t address, uint32_t gpr, bool four)
{
    put_address(e, thread, address);
    put_tensix(e, thread, TT_OP_STOREIND(1, 0, !four, 2 * OFFSET, 0, four ? gpr & ~3u : gpr, ADDRESS));
}

static void put_load_of_gprs(struct emitter *e, unsigned thread, uint32_t address)
{
    put_address(e, thread, address);
    put_tensix(e, thread, TT_OP_LOADIND(below(e, 2), 2 * OFFSET, 0, any_gpr(e) & ~3u, ADDRESS));
    put_tensix(e, thread, TT_OP_STALLWAIT(below(e, 2) ? ALL : TDMA | SCALAR, SCALAR_IDLE));
}

static void put_arithmetic(struct emitter *e, unsigned thread)
{
    uint32_t a = any_gpr(e), b = any_gpr(e), to = any_gpr(e), constant = below(e, 2), word = 0;
    switch (below(e, 6)) {
    case 0: word = TT_OP_ADDDMAREG(constant, to, b, a); break;
    case 1: word = TT_OP_SUBDMAREG(constant, to, b, a); break;
    case 2: word = TT_OP_MULDMAREG(constant, to, b, a); break;
    case 3: word = TT_OP_BITWOPDMAREG(constant, below(e, 3), to, b, a); break;
    case 4: word = TT_OP_SHIFTDMAREG(constant, below(e, 2), to, b, a); break;
    default: word = TT_OP_CMPDMAREG(constant, below(e, 3), to, b, a); break;
    }
    put_tensix(e, thread, word);
}

/* ---- messages ---- */

/* Each pair of threads has a semaphore for each direction. */
static uint32_t semaphore(unsigned from, unsigned to)
{
    return 1u << (2 * from + (to > from ? to - 1 : to));
}

static void put_post(struct emitter *e, unsigned from, unsigned to, uint32_t when)
{
    put_tensix(e, from, TT_OP_STALLWAIT(BLOCK_SYNC, when));
    put_tensix(e, from, TT_OP_SEMPOST(semaphore(from, to)));
}

static void put_get(struct emitter *e, unsigned from, unsigned to)
{
    uint32_t blocked = below(e, 2) ? ALL : TDMA | BLOCK_SYNC | SCALAR | CONFIG;
    put_tensix(e, to, TT_OP_SEMWAIT(blocked, semaphore(from, to), WHILE_ZERO));
    put_tensix(e, to, TT_OP_SEMGET(semaphore(from, to)));
}

static void send_through_l1(struct emitter *e, unsigned from, unsigned to, uint32_t address)
{
    put_store_of_gprs(e, from, address, any_gpr(e), below(e, 2));
    put_post(e, from, to, SCALAR_IDLE);
    put_get(e, from, to);
    put_load_of_gprs(e, to, address);
}

/* Both others have to be done with the word before it is written again. */
static void send_through_configuration(struct emitter *e, unsigned from, unsigned to)
{
    unsigned third = THREADS - from - to;
    uint32_t word = FREE_CONFIG + below(e, 4);
    put_tensix(e, from, TT_OP_STALLWAIT(CONFIG, SCALAR_IDLE));
    put_tensix(e, from, TT_OP_WRCFG(any_gpr(e), 0, word));
    put_post(e, from, to, CONFIG_IDLE);
    put_get(e, from, to);
    put_tensix(e, to, TT_OP_RDCFG(any_gpr(e), word));
    put_tensix(e, to, TT_OP_STALLWAIT(ALL, SCALAR_IDLE | CONFIG_IDLE));
    put_post(e, to, from, SCALAR_IDLE);
    put_get(e, to, from);
    put_post(e, to, third, SCALAR_IDLE);
    put_get(e, to, third);
}

/* From a GPR to a GPR, by the cores. */
static void send_through_mailbox(struct emitter *e, unsigned from, unsigned to)
{
    put_wait_for_thread(e, from);
    put_gpr_window(e, from);
    put_load(e, from, VALUE, BASE, 4 * any_gpr(e));
    put_mailbox(e, from, to);
    put_store(e, from, VALUE, BOX, 0);
    put_mailbox(e, to, from);
    put_load(e, to, VALUE, BOX, 0);
    put_wait_for_thread(e, to);
    put_gpr_window(e, to);
    put_store(e, to, VALUE, BASE, 4 * any_gpr(e));
    put_tensix(e, to, TT_OP_STALLWAIT(ALL, CORE_WRITES_DONE));
}

/* The receiver has the mover copy what was sent, while no other thread uses it. */
static void send_by_the_mover(struct emitter *e, unsigned from, unsigned to, uint32_t address, uint32_t copy)
{
    put_store_of_gprs(e, from, address, any_gpr(e), true);
    put_post(e, from, to, SCALAR_IDLE);
    put_get(e, from, to);
    put_tensix(e, to, TT_OP_ATGETM(MUTEX_OF_MOVER));
    put_gpr(e, to, MOVE_FROM, address / LINE);
    put_gpr(e, to, MOVE_TO, copy / LINE);
    put_gpr(e, to, MOVE_SIZE, 1 | (uint32_t)L1_TO_L1 << 30);
    put_tensix(e, to, TT_OP_STALLWAIT(CONFIG, SCALAR_IDLE));
    for (uint32_t i = 0; i < 3; i++) {
        put_tensix(e, to, TT_OP_WRCFG(MOVE_FROM + i, 0, MOVER_CONFIG + i));
    }
    put_tensix(e, to, TT_OP_STALLWAIT(BLOCK_MOVER, CONFIG_IDLE));
    put_tensix(e, to, TT_OP_XMOV(0, 1));
    put_tensix(e, to, TT_OP_STALLWAIT(ALL, MOVER_IDLE));
    put_tensix(e, to, TT_OP_ATRELM(MUTEX_OF_MOVER));
    put_load_of_gprs(e, to, copy);
}

static void put_message(struct emitter *e)
{
    unsigned from = below(e, THREADS), to = (from + 1 + below(e, 2)) % THREADS;
    uint32_t offset = LINE * e->messages++;
    switch (below(e, 5)) {
    case 0: send_through_configuration(e, from, to); break;
    case 1: send_through_mailbox(e, from, to); break;
    case 2: send_by_the_mover(e, from, to, MESSAGES + offset, MOVED + offset); break;
    default: send_through_l1(e, from, to, MESSAGES + offset); break;
    }
}

/* ---- what each does for itself ---- */

/* A word that all threads count up, each while it holds the mutex. */
static void put_count(struct emitter *e, unsigned thread)
{
    uint32_t mutex = below(e, 2) ? 0 : 2;
    put_address(e, thread, COUNTED + LINE * mutex);
    put_tensix(e, thread, TT_OP_STALLWAIT(BLOCK_SYNC, SCALAR_IDLE));
    put_tensix(e, thread, TT_OP_ATGETM(mutex));
    put_tensix(e, thread, TT_OP_LOADIND(1, 2 * OFFSET, 0, COUNT, ADDRESS));
    put_tensix(e, thread, TT_OP_STALLWAIT(ALL, SCALAR_IDLE));
    put_tensix(e, thread, TT_OP_ADDDMAREG(1, COUNT, 1 + below(e, 60), COUNT));
    put_tensix(e, thread, TT_OP_STOREIND(1, 0, 1, 2 * OFFSET, 0, COUNT, ADDRESS));
    put_tensix(e, thread, TT_OP_STALLWAIT(BLOCK_SYNC, SCALAR_IDLE));
    put_tensix(e, thread, TT_OP_ATRELM(mutex));
}

/* The core reads what its thread has stored, and writes it elsewhere. */
static void put_round_by_the_core(struct emitter *e, unsigned thread, uint32_t address)
{
    put_store_of_gprs(e, thread, address, any_gpr(e), true);
    put_tensix(e, thread, TT_OP_STALLWAIT(BLOCK_SYNC, SCALAR_IDLE));
    put_tensix(e, thread, TT_OP_SEMINIT(1, 0, 0)); /* changes nothing */
    put_wait_for_thread(e, thread);
    put_fence(e, thread);
    put_constant(e, thread, BASE, address);
    put_load(e, thread, VALUE, BASE, 12);
    put_store(e, thread, VALUE, BASE, OWN_BYTES / 2);
}

static void put_own(struct emitter *e, unsigned thread)
{
    uint32_t address = OWN + OWN_BYTES * thread + LINE * below(e, OWN_BYTES / 4 / LINE);
    switch (below(e, 6)) {
    case 0: put_store_of_gprs(e, thread, address, any_gpr(e), below(e, 2)); break;
    case 1: put_load_of_gprs(e, thread, address); break;
    case 2: put_count(e, thread); break;
    case 3: put_round_by_the_core(e, thread, address); break;
    default:
        for (uint32_t n = 1 + below(e, 8); n; n--) {
            put_arithmetic(e, thread);
        }
    }
}

/* ---- programs ---- */

static void put_begin(struct emitter *e)
{
    enum { ALL_SEMAPHORES = 0xff, MOST = 15 };
    for (unsigned thread = 0; thread < THREADS; thread++) {
        put_tensix(e, thread, TT_OP_SETC16(CFG_STATE_ID_StateID_ADDR32, 0));
        for (uint32_t gpr = FIRST; gpr < MOVE_FROM; gpr++) {
            put_gpr(e, thread, gpr, xorshift64_word(&e->random));
        }
    }
    for (uint32_t i = 0; i < 8; i++) {
        put_tensix(e, 0, TT_OP_SEMINIT(MOST, 0, 1u << i));
    }
    put_wait_for_thread(e, 0);
    for (unsigned thread = 1; thread < THREADS; thread++) { /* the others begin when semaphores are there */
        put_mailbox(e, 0, thread);
        put_store(e, 0, X0, BOX, 0);
        put_mailbox(e, thread, 0);
        put_load(e, thread, VALUE, BOX, 0);
        put_use(e, thread, VALUE);
    }
}

static void put_end(struct emitter *e, unsigned thread)
{
    put_wait_for_thread(e, thread);
    put_gpr_window(e, thread);
    put_constant(e, thread, BOX, GPRS + 0x400 * thread);
    for (uint32_t gpr = FIRST; gpr < MOVE_FROM; gpr++) {
        put_load(e, thread, VALUE, BASE, 4 * gpr);
        put_store(e, thread, VALUE, BOX, 4 * gpr);
    }
    put_fence(e, thread);
    put_load(e, thread, VALUE, BOX, 0);
    put_use(e, thread, VALUE);
    put(e, thread, 0x6f);
}

/* Both sides of a message are appended together: nobody waits for what comes only later. */
static void make_programs(struct emitter *e)
{
    put_begin(e);
    for (uint32_t n = 40 + below(e, 40); n; n--) {
        if (below(e, 3) == 0) {
            put_message(e);
        } else {
            put_own(e, below(e, THREADS));
        }
    }
    for (unsigned thread = 0; thread < THREADS; thread++) {
        put_end(e, thread);
    }
}

static void run(uint64_t seed, enum bh_mode mode, uint8_t *bits)
{
    struct fixture fixture = {0};
    struct bh_device_config config = {.mode = mode, .on_diagnostic = on_diagnostic, .context = &fixture};
    struct bh_run_result result = {0};
    struct emitter *e = calloc(1, sizeof *e);
    assert_non_null(e);
    e->random = seed * UINT64_C(0x9e3779b97f4a7c15) + 1;
    make_programs(e);
    assert_int_equal(bh_device_create(&config, &fixture.device), BH_OK);
    fill(&fixture, TILE_X, TILE_Y, DATA, DATA_BYTES, (uint32_t)seed);
    for (unsigned thread = 0; thread < THREADS; thread++) {
        uint32_t pc = PROGRAMS + 4 * WORDS * thread;
        assert_int_equal(bh_write(fixture.device, TILE_X, TILE_Y, pc, e->words[thread], 4 * e->count[thread]), BH_OK);
        assert_int_equal(bh_core_start(fixture.device, TILE_X, TILE_Y, BH_CORE_T0 + thread, pc), BH_OK);
    }
    assert_int_equal(bh_run(fixture.device, CYCLES, &result), BH_OK);
    if (result.reason != BH_RAN_IDLE || fixture.diagnostics) {
        fail_msg("seed %u: %s", (unsigned)seed, fixture.diagnostics ? fixture.last.text : "does not end");
    }
    assert_int_equal(bh_read(fixture.device, TILE_X, TILE_Y, DATA, bits, DATA_BYTES), BH_OK);
    bh_device_destroy(fixture.device);
    free(e);
}

static void both_modes_leave_the_same_bits(void **state)
{
    const char *text = getenv("MESSAGES_SEED");
    uint64_t first = text ? strtoull(text, NULL, 10) : 1;
    uint8_t *expected = malloc(2 * DATA_BYTES), *other = expected + DATA_BYTES;
    (void)state;
    assert_non_null(expected);
    for (uint64_t seed = first; seed < first + SEEDS; seed++) {
        run(seed, BH_MODE_FUNCTIONAL, expected);
        run(seed, BH_MODE_TIMED, other);
        for (uint32_t i = 0; i < DATA_BYTES; i++) {
            if (expected[i] != other[i]) {
                fail_msg("seed %u: other bits at 0x%x", (unsigned)seed, (unsigned)(DATA + i));
            }
        }
    }
    free(expected);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(both_modes_leave_the_same_bits)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
