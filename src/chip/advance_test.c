/* Cycles that pass before tiles are run (src/chip/quantum.h): whoever looks sees what had happened shortly before, and
   what is changed is changed at its clock. */
#include "chip/device_fixture.h"

#include "chip/device_state.h"
#include "chip/rv32_words.h"

enum { X = 4, Y = 6, COUNTER = 0x1000, FLAG = 0x2000, SOFT_RESET_0 = 0xFFB121B0, IN_RESET = 0x47800 };

static uint32_t word_at(const struct fixture *fixture, unsigned x, uint32_t address)
{
    uint32_t word;
    assert_int_equal(bh_read(fixture->device, x, Y, address, &word, sizeof word), BH_OK);
    return word;
}

static void set_word(const struct fixture *fixture, unsigned x, uint32_t address, uint32_t word)
{
    assert_int_equal(bh_write(fixture->device, x, Y, address, &word, sizeof word), BH_OK);
}

static void start(const struct fixture *fixture, unsigned x, const uint32_t *program, unsigned words)
{
    assert_int_equal(bh_write(fixture->device, x, Y, 0, program, 4 * words), BH_OK);
    assert_int_equal(bh_core_start(fixture->device, x, Y, BH_CORE_B, 0), BH_OK);
}

/* Adds 1 to the word at COUNTER every three cycles, from the third on. */
static void start_counting(const struct fixture *fixture, unsigned x)
{
    enum { JUMP_BACK = 0xff9ff06f /* by two instructions */ };
    const uint32_t program[] = {lui(S0, COUNTER), addi(T0, T0, 1), sw(T0, S0, 0), JUMP_BACK};
    start(fixture, x, program, 4);
}

static uint32_t counted(uint64_t cycles)
{
    return cycles < 3 ? 0 : 1 + (uint32_t)(cycles - 3) / 3;
}

/* What is seen of a tile that was started so many cycles ago: what it was a quarter of that ago, or 8 cycles, or 512,
   or later than that. */
static void assert_shown(const struct fixture *fixture, unsigned x, uint64_t cycles)
{
    uint64_t quarter = cycles / 4 < 8 ? 8 : cycles / 4 < 512 ? cycles / 4 : 512;
    uint32_t earliest = cycles < quarter ? 0 : counted(cycles - quarter);
    assert_in_range(word_at(fixture, x, COUNTER), earliest, counted(cycles));
}

static void who_looks_sees_what_has_passed(void **context)
{
    const struct fixture *fixture = *context;
    uint64_t cycles = 0;
    start_counting(fixture, X);
    for (unsigned step = 1; step < 300; step++) {
        assert_int_equal(bh_advance(fixture->device, step), BH_RAN_CYCLES);
        cycles += step;
        assert_int_equal(bh_clock(fixture->device), cycles);
        if (step % 3) {
            assert_shown(fixture, X, cycles);
        }
    }
    assert_int_equal(bh_run(fixture->device, 10, NULL), BH_OK);
    assert_int_equal(word_at(fixture, X, COUNTER), counted(cycles + 10));
}

static void what_is_written_is_seen_from_then_on(void **context)
{
    const struct fixture *fixture = *context;
    start_counting(fixture, X);
    (void)bh_advance(fixture->device, 30);
    start_counting(fixture, X + 1);
    (void)bh_advance(fixture->device, 30);
    assert_shown(fixture, X, 60);
    assert_shown(fixture, X + 1, 30);
    set_word(fixture, X + 1, SOFT_RESET_0, IN_RESET);
    assert_int_equal(bh_run(fixture->device, 30, NULL), BH_OK);
    assert_int_equal(word_at(fixture, X, COUNTER), counted(90));
    assert_int_equal(word_at(fixture, X + 1, COUNTER), counted(30));
    (void)bh_advance(fixture->device, 30);
    bh_pass(fixture->device, 1000);
    assert_int_equal(word_at(fixture, X, COUNTER), counted(120));
}

/* Of two programs that wait for a word, one on a tile at rest, which wakes up as if it had gone round all the time. */
static void a_tile_at_rest_wakes_in_time(void **context)
{
    const uint32_t beqz_t0_back = 0xfe028ee3,
                   read_cycle_t1 = 0xb0000000 | 2 << 12 | T1 << 7 | 0x73; /* csrr t1, mcycle */
    const struct fixture *fixture = *context;
    const uint32_t program[] = {lui(S0, FLAG), lw(T0, S0, 0), beqz_t0_back, read_cycle_t1, sw(T1, S0, 4), SELF_JUMP};
    start(fixture, X, program, 6);
    start_counting(fixture, X + 1); /* so that the device runs */
    assert_int_equal(bh_run(fixture->device, 30000, NULL), BH_OK);
    assert_int_equal(fixture->device->resting_cores, 1);
    for (unsigned i = 0; i < 10; i++) {
        (void)bh_advance(fixture->device, 37);
        assert_int_equal(word_at(fixture, X, FLAG), 0);
    }
    set_word(fixture, X, FLAG, 1);
    (void)bh_advance(fixture->device, 20);
    uint32_t cycle = word_at(fixture, X, FLAG + 4);
    assert_in_range(cycle, 30000 + 370, 30000 + 370 + 3);
}

static void who_looks_hears_of_what_is_wrong(void **context)
{
    const struct fixture *fixture = *context;
    const uint32_t program[] = {addi(T0, T0, 1), 0};
    start(fixture, X, program, 2);
    assert_int_equal(bh_advance(fixture->device, 10), BH_RAN_CYCLES);
    assert_int_equal(fixture->diagnostics, 0);
    (void)word_at(fixture, X, COUNTER);
    assert_int_equal(fixture->diagnostics, 1);
    assert_int_equal(fixture->last.pc, 4);
    assert_int_equal(bh_advance(fixture->device, 10), BH_RAN_STOPPED);
    assert_int_equal(bh_clock(fixture->device), 20);
}

static void whoever_does_not_look_hears_of_it_when_the_quantum_ends(void **context)
{
    const struct fixture *fixture = *context;
    const uint32_t program[] = {addi(T0, T0, 1), 0};
    start(fixture, X, program, 2);
    for (unsigned i = 0; i < 200; i++) {
        (void)bh_advance(fixture->device, 10);
    }
    assert_int_equal(fixture->diagnostics, 1);
    assert_int_equal(bh_clock(fixture->device), 2000);
}

static void every_call_says_that_nothing_can_go_on(void **context)
{
    enum { MAILBOXES = 0xffec0000 };
    const struct fixture *fixture = *context;
    const uint32_t program[] = {lui(S0, MAILBOXES), lw(T0, S0, 0), SELF_JUMP}; /* an empty mailbox */
    start(fixture, X, program, 3);
    for (unsigned i = 0; i < 200; i++) {
        (void)bh_advance(fixture->device, 10);
    }
    for (unsigned i = 0; i < 10; i++) {
        assert_int_equal(bh_advance(fixture->device, 10), BH_RAN_DEADLOCK);
    }
    set_word(fixture, X, SOFT_RESET_0, IN_RESET);
    assert_int_equal(bh_advance(fixture->device, 10), BH_RAN_IDLE);
    assert_int_equal(bh_clock(fixture->device), 2110);
}

static void the_pace_says_how_much_runs(void **context)
{
    const struct fixture *fixture = *context;
    assert_int_equal(bh_pace(fixture->device), 0);
    start_counting(fixture, X);
    start_counting(fixture, X + 1);
    assert_int_equal(bh_run(fixture->device, 5000, NULL), BH_OK);
    assert_int_equal(bh_pace(fixture->device), 2);
    set_word(fixture, X, SOFT_RESET_0, IN_RESET);
    set_word(fixture, X + 1, SOFT_RESET_0, IN_RESET);
    assert_int_equal(bh_advance(fixture->device, 10), BH_RAN_IDLE);
    assert_int_equal(bh_pace(fixture->device), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(who_looks_sees_what_has_passed, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_is_written_is_seen_from_then_on, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_tile_at_rest_wakes_in_time, set_up, tear_down),
        cmocka_unit_test_setup_teardown(who_looks_hears_of_what_is_wrong, set_up, tear_down),
        cmocka_unit_test_setup_teardown(whoever_does_not_look_hears_of_it_when_the_quantum_ends, set_up, tear_down),
        cmocka_unit_test_setup_teardown(every_call_says_that_nothing_can_go_on, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_pace_says_how_much_runs, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
