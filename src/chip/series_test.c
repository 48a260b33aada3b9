/* Tiles in series: a turn has many transfers; what a tile does to its own registers waits for the end of its turn; who
   computes for long is in series no more. */
#include <string.h>

#include "chip/device_fixture.h"
#include "chip/program_fixture.h"
#include "chip/series.h"

enum { X = 1, Y = 2, OTHER_X = 2, CODE = 0x1000, DONE = 0x8000, FROM = 0x10000, TO = 0x20000, SIZE = 64 };
enum { NIU = 0xFFB20000u, COMMAND = 0x40, RESPONSES = 0x208, RD = 0, MARKED = 1 << 4, INLINE_WRITE = 2 | 1 << 3 };
enum { FIRST_QUANTUM = 1000, FIRST_REQUEST = FIRST_QUANTUM, PER_TRANSFER = 100, TRANSFERS = 32 };

static void put_register(struct program *code, uint32_t offset, uint32_t value)
{
    put_constant(code, T0, value);
    put(code, sw(T0, S0, offset));
}

/* A request's registers; S0 is the NIU. */
static void put_request(struct program *code, uint32_t control, uint32_t target, uint32_t target_at, uint32_t back)
{
    put_constant(code, S0, NIU);
    put_register(code, 0x00, target);
    put_register(code, 0x08, target_at);
    put_register(code, 0x0c, back);
    put_register(code, 0x14, X | Y << 6);
    put_register(code, 0x1c, control);
    put_register(code, 0x20, SIZE);
    put_constant(code, T1, 1);
}

/* Starts the request again and again, and waits for each response; then leaves a mark. */
static void put_transfers(struct program *code, int32_t count)
{
    put_constant(code, T2, 0);
    put_constant(code, S1, (uint32_t)count);
    unsigned again = code->count;
    put(code, addi(T2, T2, 1));
    put(code, sw(T1, S0, COMMAND));
    put(code, lw(T0, S0, RESPONSES));
    put(code, bne(T0, T2, -4));
    put(code, bne(T2, S1, -4 * (int32_t)(code->count - again)));
    put_constant(code, T0, DONE);
    put(code, sw(T1, T0, 0));
}

static void start(struct fixture *fixture, struct program *code)
{
    put(code, SELF_JUMP);
    assert_int_equal(bh_write(fixture->device, X, Y, CODE, code->word, 4 * code->count), BH_OK);
    assert_int_equal(bh_core_start(fixture->device, X, Y, BH_CORE_B, CODE), BH_OK);
}

static uint32_t word_at(struct fixture *fixture, unsigned x, uint64_t address)
{
    uint32_t word;
    assert_int_equal(bh_read(fixture->device, x, Y, address, &word, sizeof word), BH_OK);
    return word;
}

static unsigned the_tile(void)
{
    unsigned index;
    assert_true(tensix_index(X, Y, &index));
    return index;
}

/* If each waited for the end of a quantum, they would take at least 100 cycles each. */
static void a_turn_has_many_transfers(void **context)
{
    struct fixture *fixture = *context;
    struct program code = {.count = 0};
    const uint32_t data = 0x12345678;
    assert_int_equal(bh_write(fixture->device, OTHER_X, Y, FROM, &data, sizeof data), BH_OK);
    put_request(&code, RD | MARKED, FROM, OTHER_X | Y << 6, TO);
    put_transfers(&code, TRANSFERS);
    start(fixture, &code);
    assert_int_equal(bh_run(fixture->device, FIRST_REQUEST + TRANSFERS * PER_TRANSFER / 2, NULL), BH_OK);
    assert_int_equal(word_at(fixture, X, DONE), 1);
    assert_int_equal(word_at(fixture, X, TO), data);
    assert_int_equal(word_at(fixture, X, NIU + RESPONSES), TRANSFERS);
}

/* The tile reads to its own L1 first, so that it is in series, then holds its own cores in reset. What the core
   executes right behind that request, a mark, is there: no instruction is lost or half executed. */
static void own_registers_wait_for_the_end_of_the_turn(void **context)
{
    enum { SOFT_RESET = 0xFFB121B0u, RESET_ALL = 0x47800, MARK = DONE + 16 };
    struct fixture *fixture = *context;
    struct program code = {.count = 0};
    put_request(&code, RD | MARKED, FROM, OTHER_X | Y << 6, TO);
    put_transfers(&code, TRANSFERS);
    put_request(&code, INLINE_WRITE | MARKED, SOFT_RESET, X | Y << 6, 0);
    put_register(&code, 0x20, 0xf);
    put_register(&code, 0x28, RESET_ALL);
    put(&code, sw(T1, S0, COMMAND));
    put_constant(&code, T0, MARK);
    put(&code, sw(T1, T0, 0));
    start(fixture, &code);
    assert_int_equal(bh_run(fixture->device, 10 * FIRST_QUANTUM, NULL), BH_OK);
    assert_int_equal(fixture->diagnostics, 0);
    assert_int_equal(word_at(fixture, X, MARK), 1);
    assert_int_equal(word_at(fixture, X, SOFT_RESET) & RESET_ALL, RESET_ALL);
}

/* A tile that has started requests is in series, for some quanta more. */
static void who_starts_no_more_leaves_the_series(void **context)
{
    struct fixture *fixture = *context;
    struct program code = {.count = 0};
    put_request(&code, RD | MARKED, FROM, OTHER_X | Y << 6, TO);
    put_transfers(&code, TRANSFERS);
    put_constant(&code, T0, 0);
    put(&code, addi(T0, T0, 1)); /* it goes on */
    put(&code, addi(T0, T0, 1));
    put(&code, bne(T0, 0, -8));
    start(fixture, &code);
    assert_int_equal(bh_run(fixture->device, 2 * FIRST_QUANTUM, NULL), BH_OK);
    assert_true(fixture->device->series[the_tile()]);
    assert_int_equal(bh_run(fixture->device, 40 * FIRST_QUANTUM, NULL), BH_OK);
    assert_false(series_any(fixture->device));
}

/* A request that goes nowhere stops its tile, within its turn as well: nothing behind it is executed for long. */
static void a_wrong_request_ends_the_turn(void **context)
{
    struct fixture *fixture = *context;
    struct program code = {.count = 0};
    put_request(&code, RD | MARKED, FROM, OTHER_X | Y << 6, TO);
    put_transfers(&code, TRANSFERS);
    put_register(&code, 0x00, FROM + 4); /* not the same modulo 16 as where it goes */
    put(&code, sw(T1, S0, COMMAND));
    start(fixture, &code);
    assert_int_equal(bh_run(fixture->device, 10 * FIRST_QUANTUM, NULL), BH_ERROR_STOPPED);
    assert_int_equal(fixture->diagnostics, 1);
    assert_int_equal(fixture->last.pc, CODE + 4 * (code.count - 2));
    assert_non_null(strstr(fixture->last.text, "have to be the same modulo 16"));
    assert_int_equal(word_at(fixture, X, DONE), 1);
}

/* While tiles are in series a look shows them where quanta end, which is soon after a write. */
static void a_host_that_waits_sees_what_came_of_its_write(void **context)
{
    enum { GO = DONE + 16, EARLIER = 9501, SOON = 150 };
    struct fixture *fixture = *context;
    struct program code = {.count = 0};
    unsigned waited = 0;
    const uint32_t go = 1;
    put_request(&code, RD | MARKED, FROM, OTHER_X | Y << 6, TO);
    put_constant(&code, S1, DONE);
    unsigned again = code.count;
    put(&code, sw(T1, S0, COMMAND));
    put(&code, lw(T0, S1, GO - DONE));
    put(&code, bne(T0, T1, -4 * (int32_t)(code.count - again)));
    put(&code, sw(T1, S1, 0));
    start(fixture, &code);
    assert_int_equal(bh_advance(fixture->device, EARLIER), BH_RAN_CYCLES);
    assert_true(fixture->device->series[the_tile()]);
    assert_int_equal(bh_write(fixture->device, X, Y, GO, &go, sizeof go), BH_OK);
    while (word_at(fixture, X, DONE) != 1 && waited < 10 * SOON) {
        assert_int_equal(bh_advance(fixture->device, 1), BH_RAN_CYCLES);
        waited++;
    }
    assert_in_range(waited, 1, SOON);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_turn_has_many_transfers, set_up, tear_down),
        cmocka_unit_test_setup_teardown(own_registers_wait_for_the_end_of_the_turn, set_up, tear_down),
        cmocka_unit_test_setup_teardown(who_starts_no_more_leaves_the_series, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_wrong_request_ends_the_turn, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_host_that_waits_sees_what_came_of_its_write, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
