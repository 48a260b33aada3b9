/* Memory that L1 takes of the host ahead of writes, and the table of entry points. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "memory/l1.h"

enum { LAST_PAGE = L1_SIZE / L1_PAGE - 1 };

static int set_up(void **context)
{
    struct l1 *l1 = calloc(1, sizeof *l1);
    assert_true(l1_create(l1, calloc(1, L1_SIZE)));
    *context = l1;
    return 0;
}

static int tear_down(void **context)
{
    struct l1 *l1 = *context;
    free(l1->bytes);
    l1_destroy(l1);
    free(l1);
    return 0;
}

/* How many pages have been taken from `first` on, and none before or behind them. */
static uint32_t taken_from(const struct l1 *l1, uint32_t first)
{
    uint32_t count = 0, all = 0;
    for (uint32_t page = 0; page <= LAST_PAGE; page++) {
        all += l1_has_taken(l1->taken, page);
    }
    while (first + count <= LAST_PAGE && l1_has_taken(l1->taken, first + count)) {
        count++;
    }
    assert_int_equal(count, all);
    return count;
}

static void a_write_takes_its_pages(void **context)
{
    struct l1 *l1 = *context;
    assert_true(l1_before_write(l1, 5 * L1_PAGE + 100, 4));
    assert_int_equal(taken_from(l1, 5), 1);
    assert_false(l1_before_write(l1, 5 * L1_PAGE, L1_PAGE));
    assert_false(l1_before_write(l1, 5 * L1_PAGE, 0));
}

static void writes_in_a_row_take_more(void **context)
{
    static const uint32_t expected[] = {1, 3, 3, 7, 7, 7, 7, 15, 15};
    struct l1 *l1 = *context;
    for (uint32_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        (void)l1_before_write(l1, (7 + i) * L1_PAGE, L1_PAGE);
        assert_int_equal(taken_from(l1, 7), expected[i]);
    }
}

static void a_write_behind_others_takes_what_it_covers(void **context)
{
    struct l1 *l1 = *context;
    (void)l1_before_write(l1, 0, 1);
    (void)l1_before_write(l1, 1, 10 * L1_PAGE); /* up to the first byte of page 10 */
    assert_int_equal(taken_from(l1, 0), 12);
}

static void nothing_is_taken_behind_the_end(void **context)
{
    struct l1 *l1 = *context;
    (void)l1_before_write(l1, L1_SIZE - 3 * L1_PAGE, 2 * L1_PAGE);
    (void)l1_before_write(l1, L1_SIZE - 1, 1);
    assert_int_equal(taken_from(l1, LAST_PAGE - 2), 3);
}

static uint32_t code_pages(const struct l1 *l1)
{
    uint32_t count = 0;
    for (uint32_t page = 0; page < L1_SIZE / L1_CODE_PAGE; page++) {
        count += l1_has_taken(l1->code_taken, page);
    }
    return count;
}

static void instructions_take_those_behind_them(void **context)
{
    struct l1 *l1 = *context;
    uint32_t words[3 * L1_CODE_PAGE / 4];
    memset(words, 1, sizeof words);
    (void)l1_before_write(l1, 0x4000, sizeof words);
    l1_write(l1, 0x4000, words, sizeof words);
    l1_predecoded(l1, 0x4100, 0);
    assert_int_equal(code_pages(l1), 3);
    l1_predecoded(l1, 0x4000 + 2 * L1_CODE_PAGE, 0);
    assert_int_equal(code_pages(l1), 3);
    l1_predecoded(l1, L1_SIZE - 4, 0);
    assert_int_equal(code_pages(l1), 4);
}

static void words_that_are_relied_on_are_kept_for_each_block(void **context)
{
    struct l1 *l1 = *context;
    static const uint32_t addresses[] = {0, 4, 0xfc, 0x100, 319 * L1_CODE_BLOCK, 320 * L1_CODE_BLOCK, L1_SIZE - 4};
    for (unsigned i = 0; i < sizeof addresses / sizeof *addresses; i++) {
        assert_false(l1_is_translated(l1, addresses[i]));
        l1_predecoded(l1, addresses[i], 0);
        l1->code[addresses[i] / 4] = 1;
        l1_translated(l1, addresses[i]);
    }
    for (unsigned i = 0; i < sizeof addresses / sizeof *addresses; i++) {
        assert_true(l1_is_translated(l1, addresses[i]));
    }
    assert_false(l1_is_translated(l1, 8));
    l1_store32(l1, L1_SIZE - 4, 0); /* forgets all translations */
    for (unsigned i = 0; i < sizeof addresses / sizeof *addresses; i++) {
        assert_false(l1_is_translated(l1, addresses[i]));
        assert_true(l1->code[addresses[i] / 4] != 0);
    }
}

static void the_large_table_of_entries_is_empty_at_first(void **context)
{
    struct l1 *l1 = *context;
    assert_int_equal(l1->entry_mask, L1_FEW_ENTRIES - 1);
    for (unsigned i = 0; i < L1_FEW_ENTRIES; i++) {
        l1->entries[i] = 7;
    }
    const uint16_t *few = l1->entries;
    const uint8_t *blocks = l1->code_blocks;
    l1_enlarge_entries(l1);
    assert_int_equal(l1->entry_mask, L1_ENTRIES - 1);
    for (unsigned i = 0; i < L1_ENTRIES; i++) {
        assert_int_equal(l1->entries[i], 0);
        l1->entries[i] = 7;
    }
    for (unsigned i = 0; i < L1_FEW_ENTRIES; i++) {
        assert_int_equal(few[i], 0); /* who still has the small one finds nothing in it */
    }
    for (unsigned i = 0; i < L1_CODE_BLOCKS; i++) {
        assert_int_equal(blocks[i], 0);
    }
    for (unsigned i = 0; i <= L1_SIZE / 4; i++) {
        assert_true(l1->code[i] == 0);
    }
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_write_takes_its_pages),
        TEST(writes_in_a_row_take_more),
        TEST(a_write_behind_others_takes_what_it_covers),
        TEST(nothing_is_taken_behind_the_end),
        TEST(instructions_take_those_behind_them),
        TEST(words_that_are_relied_on_are_kept_for_each_block),
        TEST(the_large_table_of_entries_is_empty_at_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
