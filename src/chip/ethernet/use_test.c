/* Ethernet tiles as firmware and kernels use them: overlay streams, requests on the NoC that go wrong. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "chip/device_fixture.h"
#include "chip/rv32_words.h"

enum { X = 20, Y = 25, SPACE = 0x28 };

static uint32_t space_of(unsigned stream)
{
    return 0xFFB40000u + stream * 0x1000 + SPACE;
}

static void write_space(struct fixture *fixture, unsigned stream, uint32_t value)
{
    assert_int_equal(bh_write(fixture->device, X, Y, space_of(stream), &value, sizeof value), BH_OK);
}

static uint32_t read_space(struct fixture *fixture, unsigned stream)
{
    uint32_t value;
    assert_int_equal(bh_read(fixture->device, X, Y, space_of(stream), &value, sizeof value), BH_OK);
    return value;
}

/* The window is larger than the number of streams; firmware of idle cores has reset streams 8 to 39. */
static void streams_beyond_the_last_one_have_no_effect(void **context)
{
    struct fixture *fixture = *context;
    write_space(fixture, 31, 5);
    assert_int_equal(read_space(fixture, 31), 5);
    assert_int_equal(fixture->diagnostics, 0);
    write_space(fixture, 32, 5);
    assert_int_equal(fixture->last.category, BH_NON_CONTRACTUAL);
    assert_non_null(strstr(fixture->last.text, "stream 32 of an Ethernet tile, which has 32: no effect"));
    write_space(fixture, 63, 5);
    assert_int_equal(read_space(fixture, 63), 0);
    assert_int_equal(read_space(fixture, 31), 5);
}

static void put(struct fixture *fixture, uint32_t address, uint32_t word)
{
    assert_int_equal(bh_write(fixture->device, X, Y, address, &word, sizeof word), BH_OK);
}

/* The core that has made the request is named as one of an Ethernet tile. */
static void requests_that_go_wrong_name_their_core(void **context)
{
    enum { PROGRAM = 0x4000, CTRL_WRITE = 0x12, L2CPU = 8 | 9 << 6 };
    const uint32_t niu = 0xFFB20000, reset = 0xFFB121B0, reset_pc = 0xFFB14000, held[] = {0x800, 0x1000};
    const uint32_t program[] = {0xffb20537, 0x00100593, 0x04b52023,
                                0x0000006f}; /* lui a0; li a1, 1; sw a1, 64(a0); j . */
    for (unsigned core = 0; core < 2; core++) {
        struct fixture *fixture = *context;
        assert_int_equal(bh_write(fixture->device, X, Y, PROGRAM, program, sizeof program), BH_OK);
        put(fixture, niu + 8, X | Y << 6);
        put(fixture, niu + 20, L2CPU);
        put(fixture, niu + 28, CTRL_WRITE);
        put(fixture, niu + 32, 64);
        put(fixture, reset, held[0] | held[1]);
        put(fixture, reset_pc + 8 * core, PROGRAM);
        put(fixture, reset, held[!core]);
        (void)bh_run(fixture->device, 1000, NULL);
        assert_int_equal(fixture->diagnostics, 1);
        assert_int_equal(fixture->last.agent, BH_AGENT_CORE);
        assert_int_equal(fixture->last.index, core ? BH_CORE_E1 : BH_CORE_E0);
        assert_int_equal(fixture->last.pc, PROGRAM + 8);
        assert_int_equal(tear_down(context), 0);
        assert_int_equal(set_up(context), 0);
    }
}

/* A core's clock goes on within its turn, whichever of the two it is. */
static void clocks_of_both_cores_go_on(void **context)
{
    enum { PROGRAM = 0x4000, RESULT = 0x5000 };
    const uint32_t reset = 0xFFB121B0, reset_pc = 0xFFB14000, held[] = {0x800, 0x1000};
    const uint32_t program[] = {lui(T0, 0xffb12000), lw(T1, T0, 0x1f0), addi(S0, 0, 0), lw(T2, T0, 0x1f0),
                                lui(T0, RESULT),     sw(T1, T0, 0),     sw(T2, T0, 4),  SELF_JUMP};
    struct fixture *fixture = *context;
    assert_int_equal(bh_write(fixture->device, X, Y, PROGRAM, program, sizeof program), BH_OK);
    for (unsigned core = 0; core < 2; core++) {
        uint32_t times[2];
        put(fixture, reset, held[0] | held[1]);
        put(fixture, reset_pc + 8 * core, PROGRAM);
        put(fixture, reset, held[!core]);
        (void)bh_run(fixture->device, 1000, NULL);
        assert_int_equal(bh_read(fixture->device, X, Y, RESULT, times, sizeof times), BH_OK);
        assert_int_equal(times[1] - times[0], 2);
    }
    assert_int_equal(fixture->diagnostics, 0);
}

/* A write of several words, one of which no register takes, changes nothing, and starts no command. */
static void words_are_written_all_or_none(void **context)
{
    enum { RX_LAST = 0xFFB94050, QUEUES_OF_TX = 0xFFB92000 };
    const uint32_t niu = 0xFFB20000, space = space_of(3) & ~0xfffu;
    static const uint32_t words[64] = {7, 7, 7, 7, 7, 7, 7, 7};
    struct fixture *fixture = *context;
    const uint32_t wrong[][2] = {
        {QUEUES_OF_TX + 0x80, 16}, {RX_LAST, 8}, {space + 0x400, 8}, {niu + 0x38, 24}, {0xFFB98154, 8}};
    for (unsigned i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        uint32_t before = 0, after = 1;
        assert_int_equal(bh_read(fixture->device, X, Y, wrong[i][0], &before, sizeof before), BH_OK);
        fixture->diagnostics = 0;
        assert_int_not_equal(bh_write(fixture->device, X, Y, wrong[i][0], words, wrong[i][1]), BH_OK);
        assert_int_equal(fixture->diagnostics, 1);
        assert_int_equal(bh_read(fixture->device, X, Y, wrong[i][0], &after, sizeof after), BH_OK);
        assert_int_equal(before, after);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(clocks_of_both_cores_go_on, set_up, tear_down),
        cmocka_unit_test_setup_teardown(streams_beyond_the_last_one_have_no_effect, set_up, tear_down),
        cmocka_unit_test_setup_teardown(words_are_written_all_or_none, set_up, tear_down),
        cmocka_unit_test_setup_teardown(requests_that_go_wrong_name_their_core, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
