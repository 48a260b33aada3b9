/* What programs see and leave in timed mode is the same in however many calls they run, observed or not: interrupts,
   and tiles that errors have stopped. */
#include "chip/rv32_words.h"
#include "chip/ways.h"

#include <string.h>

enum {
    X = 1,
    Y = 2,
    OTHER_X = 2,
    CODE_B = 0x1000,
    CODE_NC = 0x2000,
    HANDLER = 0x3000,
    LOG_B = 0x4000,
    LOG_NC = 0x5000
};
enum { SOURCE = 0x6000, PLACE = 0x7000, LIMIT = 5000, RAISED = 2, MRET = 0x30200073, LEAST = 1 };
#define NIU 0xFFB20000u
#define PIC 0xFFB13000u
#define CLOCKS 0xFFB12000u
#define REFUSED 0xFFB75438u
#define SCRATCH 0xFFB48044u /* a register of an overlay stream, which keeps what is written */

static const struct way ways[] = {{false, 1, LIMIT}, {false, 1, LEAST}, {false, 1, 13},
                                  {false, 2, 333},   {true, 1, LIMIT},  {true, 1, 7}};

static void put(struct bh_device *device, unsigned x, uint64_t address, uint32_t word)
{
    assert_int_equal(bh_write(device, x, Y, address, &word, sizeof word), BH_OK);
}

static uint32_t get(struct bh_device *device, unsigned x, uint64_t address)
{
    uint32_t word;
    assert_int_equal(bh_read(device, x, Y, address, &word, sizeof word), BH_OK);
    return word;
}

static void start(struct bh_device *device, unsigned x, enum bh_core core, uint32_t pc, const uint32_t *words,
                  size_t size)
{
    assert_int_equal(bh_write(device, x, Y, pc, words, size), BH_OK);
    assert_int_equal(bh_core_start(device, x, Y, core, pc), BH_OK);
}

/* B computes for long; NC raises its software interrupt 0 two times, and notes when. The handler notes it, too. */
static void interrupt_twice(const struct way *way, uint32_t raised[RAISED], uint32_t taken[RAISED + 1])
{
    const uint32_t computes[] = {addi(T0, 0, 2000), addi(T0, T0, -1), bne(T0, 0, -4), SELF_JUMP};
    const uint32_t handles[] = {lw(T1, S1, 0x18), /* the interrupt is over */
                                lw(T1, S0, 0x1F0), sw(T1, T2, 0), addi(T2, T2, 4), MRET};
    const uint32_t prepares[] = {lui(S0, CLOCKS), lui(S1, PIC), lui(T2, LOG_B)};
    const uint32_t raises[] = {
        lui(S0, CLOCKS), lui(S1, PIC),     lui(T2, LOG_NC),   addi(T0, 0, 200),  addi(T0, T0, -1), bne(T0, 0, -4),
        addi(T1, 0, 1),  sw(T1, S1, 0x18), lw(T1, S0, 0x1F0), sw(T1, T2, 0),     addi(T0, 0, 300), addi(T0, T0, -1),
        bne(T0, 0, -4),  addi(T1, 0, 1),   sw(T1, S1, 0x18),  lw(T1, S0, 0x1F0), sw(T1, T2, 4),    SELF_JUMP};
    struct bh_device *device = way_begin(way, BH_POLICY_DEFAULT);
    uint32_t program[sizeof prepares / 4 + sizeof computes / 4];
    memcpy(program, prepares, sizeof prepares);
    memcpy(program + sizeof prepares / 4, computes, sizeof computes);
    put(device, X, PIC + 0xa8, HANDLER);
    put(device, X, PIC, 1);
    assert_int_equal(bh_write(device, X, Y, HANDLER, handles, sizeof handles), BH_OK);
    start(device, X, BH_CORE_B, CODE_B, program, sizeof program);
    start(device, X, BH_CORE_NC, CODE_NC, raises, sizeof raises);
    way_run(way, device, LIMIT);
    for (unsigned i = 0; i < RAISED; i++) {
        raised[i] = get(device, X, LOG_NC + 4 * i);
    }
    for (unsigned i = 0; i <= RAISED; i++) {
        taken[i] = get(device, X, LOG_B + 4 * i);
    }
    bh_device_destroy(device);
}

static void a_core_that_computes_is_interrupted_at_once(void **context)
{
    enum { SOON = 40 };
    uint32_t raised[RAISED], taken[RAISED + 1], first[RAISED + 1];
    (void)context;
    for (unsigned i = 0; i < sizeof ways / sizeof *ways; i++) {
        interrupt_twice(&ways[i], raised, taken);
        for (unsigned k = 0; k < RAISED; k++) {
            assert_in_range(taken[k], raised[k] - SOON, raised[k] + SOON);
        }
        assert_int_equal(taken[RAISED], 0);
        memmove(first, i == 0 ? taken : first, sizeof first);
        assert_memory_equal(taken, first, sizeof first);
    }
}

enum { WRITE = 1 << 1, BYTES = 1 << 2, INLINE = 1 << 3, RESPONDS = 1 << 4 }; /* of NOC_CTRL */

/* A request of this tile's NIU 0 to the other tile, all but its start. */
static void prepare(struct bh_device *device, uint32_t control, uint32_t from, uint32_t to, uint32_t length)
{
    const uint32_t here = X | Y << NOC_COORDINATE_BITS, there = OTHER_X | Y << NOC_COORDINATE_BITS;
    put(device, X, NIU + 4 * NOC_TARG_ADDR_LO, from);
    put(device, X, NIU + 4 * NOC_TARG_ADDR_HI, here);
    put(device, X, NIU + 4 * NOC_RET_ADDR_LO, to);
    put(device, X, NIU + 4 * NOC_RET_ADDR_HI, there);
    put(device, X, NIU + 4 * NOC_CTRL, control);
    put(device, X, NIU + 4 * NOC_AT_LEN_BE, length);
}

/* Its core has made an error; what it had sent before arrives, in every mode of errors that goes on. */
static void a_tile_sends_what_it_had_started_before_its_error(void **context)
{
    const uint32_t program[] = {lui(S1, NIU), addi(T0, 0, 1), sw(T0, S1, 4 * NOC_CMD_CTRL), UINT32_MAX};
    (void)context;
    for (unsigned i = 0; i < sizeof ways / sizeof *ways; i++) {
        struct bh_device *device = way_begin_with(&ways[i], BH_POLICY_DEFAULT, BH_ON_ERROR_REPORT);
        put(device, X, SOURCE, 0x1234);
        prepare(device, WRITE, SOURCE, PLACE, 16);
        start(device, X, BH_CORE_B, CODE_B, program, sizeof program);
        way_run(&ways[i], device, LIMIT);
        assert_true(bh_tile_stopped(device, X, Y));
        assert_int_equal(get(device, OTHER_X, PLACE), 0x1234);
        bh_device_destroy(device);
    }
}

/* The error is found at the other tile, whose overlay has no such stream, while the core polls the counter of
 * responses.
 */
static void a_tile_that_dozes_ends_with_its_error(void **context)
{
    const uint32_t program[] = {lui(S1, NIU),
                                addi(T0, 0, 1),
                                sw(T0, S1, 4 * NOC_CMD_CTRL),
                                lw(T1, S1, NIU_COUNTER + 4 * NIU_MST_REQS_OUTSTANDING_ID),
                                bne(T1, 0, -4),
                                SELF_JUMP},
                   ends = SELF_JUMP;
    (void)context;
    for (unsigned observed = 0; observed < 2; observed++) {
        struct way way = {.observed = observed, .threads = 1};
        struct bh_device *device = way_begin_with(&way, BH_POLICY_DEFAULT, BH_ON_ERROR_REPORT);
        struct bh_run_result result;
        prepare(device, WRITE | INLINE | RESPONDS, REFUSED, 0, 0xf);
        put(device, X, NIU + 4 * NOC_TARG_ADDR_HI, OTHER_X | Y << NOC_COORDINATE_BITS);
        put(device, X, NIU + 4 * NOC_AT_DATA, 61);
        start(device, X, BH_CORE_B, CODE_B, program, sizeof program);
        for (unsigned core = BH_CORE_T0; core < BH_CORE_COUNT; core++) {
            start(device, X, (enum bh_core)core, CODE_NC + 16 * core, &ends, sizeof ends);
            start(device, OTHER_X, (enum bh_core)core, CODE_NC + 16 * core, &ends, sizeof ends);
        }
        assert_int_equal(bh_run(device, LIMIT, &result), BH_OK);
        assert_true(bh_tile_stopped(device, X, Y));
        assert_int_equal(result.reason, BH_RAN_IDLE);
        bh_device_destroy(device);
    }
}

/* A write with byte enables to a register carries the word that L1 held when it was started. */
static void a_register_gets_the_word_of_the_start(void **context)
{
    const uint32_t program[] = {
        lui(S1, NIU),  lui(S0, SOURCE), addi(T0, 0, 1), addi(T1, 0, 0x22), sw(T0, S1, 4 * NOC_CMD_CTRL),
        sw(T1, S0, 4), lw(T2, S0, 4),   SELF_JUMP};
    (void)context;
    for (unsigned i = 0; i < sizeof ways / sizeof *ways; i++) {
        struct bh_device *device = way_begin(&ways[i], BH_POLICY_DEFAULT);
        put(device, X, SOURCE + 4, 0x11);
        prepare(device, WRITE | BYTES, SOURCE + 4, SCRATCH, 0xf0);
        start(device, X, BH_CORE_B, CODE_B, program, sizeof program);
        way_run(&ways[i], device, LIMIT);
        assert_int_equal(get(device, OTHER_X, SCRATCH), 0x11);
        bh_device_destroy(device);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_core_that_computes_is_interrupted_at_once),
        cmocka_unit_test(a_tile_sends_what_it_had_started_before_its_error),
        cmocka_unit_test(a_tile_that_dozes_ends_with_its_error),
        cmocka_unit_test(a_register_gets_the_word_of_the_start),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
