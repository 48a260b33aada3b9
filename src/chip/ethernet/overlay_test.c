/* Overlay streams in an Ethernet tile's memory map. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "chip/device_fixture.h"

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(streams_beyond_the_last_one_have_no_effect, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
