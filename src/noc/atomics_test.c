/* NoC/Atomics.md: each operation on words that were chosen by hand, and what comes back. */
#include "noc/atomics.h"

#include "noc/fixture.h"
#include "time/timing.h"

enum { UNIT = 0x1230 };

/* Performs one operation of tile (3, 4) on the unit of tile (5, 6) that holds `words`, with the target address at word
   `target`. Leaves the unit in words, and returns what came back. */
static uint32_t atomic(struct fixture *fixture, uint32_t instruction, uint32_t data, unsigned target, uint32_t words[4])
{
    assert_int_equal(bh_write(fixture->device, 5, 6, UNIT, words, 16), BH_OK);
    do_command(fixture, &(struct command){.x = 3,
                                          .y = 4,
                                          .initiator = 3,
                                          .ctrl = CMD_ATOMIC | MARKED,
                                          .target = UNIT + 4 * target,
                                          .target_at = at(5, 6),
                                          .back = 0x400,
                                          .back_at = at(3, 4),
                                          .length = instruction,
                                          .data = data});
    assert_int_equal(bh_read(fixture->device, 5, 6, UNIT, words, 16), BH_OK);
    return get_word(fixture, 3, 4, 0x400);
}

#define ASSERT_WORDS(words, ...) assert_memory_equal(words, ((const uint32_t[4]){__VA_ARGS__}), 16)

static void increment(void **context)
{
    struct fixture *fixture = *context;
    uint32_t words[4] = {10, 20, 30, 0xfffffffe};
    assert_int_equal(atomic(fixture, 0x107c | 1, 7, 1, words), 20);
    ASSERT_WORDS(words, 10, 27, 30, 0xfffffffe);
    assert_int_equal(atomic(fixture, 0x107c | 3, 3, 3, words), 0xfffffffe);
    ASSERT_WORDS(words, 10, 27, 30, 1);
    /* Only the low IntWidth + 1 bits count; what comes back is the word at the address, whatever Ofs says. */
    words[2] = 0xabcd00ff;
    assert_int_equal(atomic(fixture, 0x1000 | 7 << 2 | 2, 2, 0, words), 10);
    ASSERT_WORDS(words, 10, 27, 0xabcd0001, 1);
}

static void compare_and_swap(void **context)
{
    struct fixture *fixture = *context;
    uint32_t words[4] = {5, 5, 0x15, 5};
    uint32_t instruction = 0x4000 | 9 << 6 | 5 << 2;
    assert_int_equal(atomic(fixture, instruction | 1, 0, 1, words), 5);
    ASSERT_WORDS(words, 5, 9, 0x15, 5);
    assert_int_equal(atomic(fixture, instruction | 2, 0, 2, words), 0x15); /* all 32 bits are compared */
    ASSERT_WORDS(words, 5, 9, 0x15, 5);
}

static void swaps(void **context)
{
    struct fixture *fixture = *context;
    uint32_t words[4] = {0x11111111, 0x22222222, 0x33333333, 0x44444444};
    assert_int_equal(atomic(fixture, 0x3000 | 0x9a << 2, 0xaaaabbbb, 2, words), 0x33333333);
    ASSERT_WORDS(words, 0xaaaa1111, 0xaaaa2222, 0x3333bbbb, 0xaaaa4444);
    assert_int_equal(atomic(fixture, 0x6000 | 1 << 2 | 3, 6, 3, words), 0xaaaa4444);
    assert_int_equal(atomic(fixture, 0x7000 | 2 << 2, 7, 2, words), 0x3333bbbb);
    assert_int_equal(atomic(fixture, 0xa300 | 1, 10, 1, words), 0xaaaa2222);
    ASSERT_WORDS(words, 0xaaaa1111, 10, 7, 6);
}

static void zaamo(void **context)
{
    static const struct {
        uint32_t operation, held, data, result;
    } cases[] = {
        {0, 0xffffffff, 3, 2},       {1, 0xff00, 0x0ff0, 0xf0f0},    {2, 0xff00, 0x0ff0, 0xfff0},
        {3, 0xff00, 0x0ff0, 0x0f00}, {4, 0xffffffff, 1, 0xffffffff}, {4, 1, 0xffffffff, 0xffffffff},
        {5, 0xffffffff, 1, 1},       {5, 1, 0xffffffff, 1},          {6, 0xffffffff, 1, 1},
        {6, 1, 0xffffffff, 1},       {7, 0xffffffff, 1, 0xffffffff}, {7, 1, 0xffffffff, 0xffffffff},
    };
    struct fixture *fixture = *context;
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        uint32_t words[4] = {1, 2, cases[i].held, 4};
        assert_int_equal(atomic(fixture, 0xa800 | cases[i].operation << 8 | 2, cases[i].data, 2, words), cases[i].held);
        ASSERT_WORDS(words, 1, 2, cases[i].result, 4);
    }
}

static void parallel_addition(void **context)
{
    struct fixture *fixture = *context;
    uint32_t words[4] = {0x3f800000, 0x40000000, 0x00000001, 0xbf800000};
    (void)atomic(fixture, 0x9000, 0x3f800000, 0, words); /* 1.0; denormals are zero */
    ASSERT_WORDS(words, 0x40000000, 0x40400000, 0x3f800000, 0x00000000);
    uint32_t halves[4] = {0x3f803f80, 0x40003f80, 0, 0};
    (void)atomic(fixture, 0x9002, 0x40003f80, 0, halves); /* 1.0 and 2.0 in BF16 */
    ASSERT_WORDS(halves, 0x40404000, 0x40804000, 0x40003f80, 0x40003f80);
    uint32_t integers[4] = {0xffffffff, 1, 2, 3};
    for (unsigned i = 0; i < 3; i++) {
        (void)atomic(fixture, 0x9000 | (const uint32_t[]){4, 12, 13}[i], 1, 0, integers);
    }
    ASSERT_WORDS(integers, 2, 4, 5, 6);
    uint32_t bytes[4] = {0xff010203, 0x80ff0000, 0, 0};
    (void)atomic(fixture, 0x9007, 0x01ff0102, 0, bytes); /* saturates */
    ASSERT_WORDS(bytes, 0xffff0305, 0x81ff0102, 0x01ff0102, 0x01ff0102);
    uint32_t wrapping[4] = {0xff010203, 0, 0, 0};
    (void)atomic(fixture, 0x900f, 0x01ff0102, 0, wrapping);
    ASSERT_WORDS(wrapping, 0x00000305, 0x01ff0102, 0x01ff0102, 0x01ff0102);
}

static void posted_and_counted(void **context)
{
    struct fixture *fixture = *context;
    struct command command = {.x = 3,
                              .y = 4,
                              .noc = 1,
                              .ctrl = CMD_ATOMIC,
                              .target = UNIT,
                              .target_at = at(5, 6),
                              .back = 0x400,
                              .back_at = at(3, 4),
                              .length = 0x107c,
                              .data = 1,
                              .tag = 9 << 10};
    put_word(fixture, 3, 4, 0x400, 77);
    do_command(fixture, &command);
    assert_int_equal(get_word(fixture, 3, 4, 0x400), 77);
    assert_int_equal(get_word(fixture, 5, 6, UNIT), 1);
    assert_int_equal(counter(fixture, 3, 4, 1, NIU_MST_POSTED_ATOMIC_SENT), 1);
    assert_int_equal(counter(fixture, 5, 6, 1, NIU_SLV_POSTED_ATOMIC_RECEIVED), 1);
    assert_int_equal(counter(fixture, 5, 6, 1, NIU_SLV_ATOMIC_RESP_SENT), 0);
    command.ctrl |= MARKED;
    do_command(fixture, &command);
    assert_int_equal(get_word(fixture, 3, 4, 0x400), 1);
    assert_int_equal(counter(fixture, 3, 4, 1, NIU_MST_NONPOSTED_ATOMIC_STARTED), 1);
    assert_int_equal(counter(fixture, 3, 4, 1, NIU_MST_NONPOSTED_ATOMIC_SENT), 1);
    assert_int_equal(counter(fixture, 3, 4, 1, NIU_MST_ATOMIC_RESP_RECEIVED), 1);
    assert_int_equal(counter(fixture, 3, 4, 1, NIU_MST_REQS_OUTSTANDING_ID + 9), 0);
    assert_int_equal(counter(fixture, 5, 6, 1, NIU_SLV_NONPOSTED_ATOMIC_RECEIVED), 1);
    assert_int_equal(counter(fixture, 5, 6, 1, NIU_SLV_ATOMIC_RESP_SENT), 1);
    assert_int_equal(counter(fixture, 5, 6, 1, NIU_SLV_REQ_ACCEPTED), 2);
}

static int set_up_timed(void **context)
{
    struct fixture *fixture = calloc(1, sizeof *fixture);
    struct bh_device_config config = {.mode = BH_MODE_TIMED, .on_diagnostic = on_diagnostic, .context = fixture};
    *context = fixture;
    return bh_device_create(&config, &fixture->device) == BH_OK ? 0 : -1;
}

/* blackhole-py, tests/movement/test_atomic.py: 512 increments of one word by eight tiles take 6190 to 6303 cycles. */
static void an_niu_begins_an_operation_every_12_cycles(void **context)
{
    struct fixture *fixture = *context;
    enum { TILES = 2, INITIATORS = 4, ALL = TILES * INITIATORS };
    for (unsigned i = 0; i < ALL; i++) {
        const struct command command = {.x = (uint8_t)(3 + i % TILES),
                                        .y = 4,
                                        .initiator = (uint8_t)(i / TILES),
                                        .ctrl = CMD_ATOMIC | MARKED,
                                        .target = UNIT,
                                        .target_at = at(5, 6),
                                        .back = 0x400,
                                        .back_at = at(3 + i % TILES, 4),
                                        .length = 0x107c,
                                        .data = 1};
        assert_int_equal(start(fixture, &command), BH_OK);
    }
    uint64_t came[ALL + 1] = {0};
    for (unsigned i = 0; i < 1000 && !came[ALL]; i++) {
        uint32_t word = get_word(fixture, 5, 6, UNIT);
        assert_in_range(word, 0, ALL);
        came[word] = bh_clock(fixture->device);
        assert_int_equal(bh_run(fixture->device, 1, NULL), BH_OK);
    }
    for (unsigned i = 1; i < ALL; i++) {
        assert_int_equal(came[i] - came[i - 1], TIMING_NOC_ATOMIC);
    }
    assert_int_equal(fixture->diagnostics, 0);
}

/* The same test: without the old values the eight tiles take 70 or 77 cycles a request, not the 28 of their loops. The
   network holds only so many requests that wait, then NOC_CMD_CTRL stays 1. */
static void an_niu_takes_few_operations_before_they_begin(void **context)
{
    struct fixture *fixture = *context;
    enum { TILES = 8, ROUNDS = 80, ROUND = 20, CONTROL_1 = 0xFFB30000 + 4 * NOC_CMD_CTRL };
    unsigned started = 0;
    for (unsigned i = 0; i < ROUNDS * TILES; i++) {
        const uint8_t y = (uint8_t)(3 + i % TILES);
        const struct command command = {.x = 1,
                                        .y = y,
                                        .noc = 1,
                                        .ctrl = CMD_ATOMIC,
                                        .target = UNIT,
                                        .target_at = at(1, 2),
                                        .back = 0x400,
                                        .back_at = at(1, y),
                                        .length = 0x107c,
                                        .data = 1};
        if (get_word(fixture, 1, y, CONTROL_1) == 0) {
            assert_int_equal(start(fixture, &command), BH_OK);
            started++;
        }
        if (i % TILES == TILES - 1) {
            assert_int_equal(bh_run(fixture->device, ROUND, NULL), BH_OK);
        }
    }
    assert_in_range(started, ROUNDS * ROUND / TIMING_NOC_ATOMIC, ROUNDS * ROUND / TIMING_NOC_ATOMIC + 17 * 20);
    assert_int_equal(bh_run(fixture->device, (uint64_t)ROUNDS * TILES * TIMING_NOC_ATOMIC, NULL), BH_OK);
    assert_int_equal(get_word(fixture, 1, 2, UNIT), started);
    for (unsigned i = 0; i < TILES; i++) {
        assert_int_equal(get_word(fixture, 1, 3 + i, CONTROL_1), 0);
    }
    assert_int_equal(fixture->diagnostics, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(an_niu_begins_an_operation_every_12_cycles, set_up_timed, tear_down),
        cmocka_unit_test_setup_teardown(an_niu_takes_few_operations_before_they_begin, set_up_timed, tear_down),
        TEST(increment),
        TEST(compare_and_swap),
        TEST(swaps),
        TEST(zaamo),
        TEST(parallel_addition),
        TEST(posted_and_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
