/* DRAM reads as zeroes where nothing was written, however much of it the host has taken. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "chip/dram/dram.h"

static struct dram dram;

static int teardown(void **state)
{
    (void)state;
    dram_destroy(&dram);
    return 0;
}

static bool is_taken(unsigned channel, uint64_t address)
{
    uint64_t part = address / DRAM_PART;
    return dram.taken[channel][part / 64] >> part % 64 & 1;
}

static void check(unsigned channel, uint64_t address, uint32_t size, uint8_t value)
{
    static uint8_t bytes[2 * DRAM_BLOCK];
    memset(bytes, 0x55, size);
    assert_true(dram_read(&dram, channel, address, bytes, size));
    for (uint32_t i = 0; i < size; i++) {
        assert_int_equal(bytes[i], value);
    }
}

static void parts_are_taken_when_they_are_written(void **state)
{
    (void)state;
    const uint8_t bytes[100] = {[0] = 1, [99] = 2};
    assert_true(dram_write(&dram, 3, 10 * DRAM_PART - 50, bytes, sizeof bytes));
    assert_false(is_taken(3, 8 * DRAM_PART));
    assert_true(is_taken(3, 9 * DRAM_PART));
    assert_true(is_taken(3, 10 * DRAM_PART));
    assert_false(is_taken(3, 11 * DRAM_PART));
    assert_false(is_taken(2, 10 * DRAM_PART));
    check(3, 10 * DRAM_PART - 50, 1, 1);
    check(3, 10 * DRAM_PART + 49, 1, 2);
    check(3, 0, 10 * DRAM_PART - 50, 0);
    check(3, 10 * DRAM_PART + 50, DRAM_BLOCK, 0);
}

static void blocks_that_are_written_all_over_hold_what_was_written(void **state)
{
    (void)state;
    static uint8_t bytes[3 * DRAM_PART];
    memset(bytes, 9, sizeof bytes);
    for (uint64_t at = 5 * (uint64_t)DRAM_BLOCK - DRAM_PART; at < 7 * (uint64_t)DRAM_BLOCK; at += sizeof bytes) {
        assert_true(dram_write(&dram, 0, at, bytes, sizeof bytes));
    }
    check(0, 4 * (uint64_t)DRAM_BLOCK, DRAM_BLOCK - DRAM_PART, 0);
    check(0, 5 * (uint64_t)DRAM_BLOCK - DRAM_PART, 2 * DRAM_BLOCK, 9);
    check(0, 8 * (uint64_t)DRAM_BLOCK, DRAM_BLOCK, 0);
}

static void the_last_bytes_can_be_written(void **state)
{
    (void)state;
    const uint8_t bytes[16] = {3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3};
    assert_true(dram_write(&dram, 7, DRAM_CHANNEL_SIZE - 16, bytes, 16));
    assert_false(dram_write(&dram, 7, DRAM_CHANNEL_SIZE - 15, bytes, 16));
    check(7, DRAM_CHANNEL_SIZE - 16, 16, 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(parts_are_taken_when_they_are_written, teardown),
        cmocka_unit_test_teardown(blocks_that_are_written_all_over_hold_what_was_written, teardown),
        cmocka_unit_test_teardown(the_last_bytes_can_be_written, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
