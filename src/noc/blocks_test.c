/* Memory that is kept for the packets that come next. */
#include "noc/blocks.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "noc/niu.h"

static void what_is_given_is_taken_again(void **context)
{
    (void)context;
    struct noc_blocks blocks = {.kept = {0}};
    for (size_t size = 1; size <= 200 + NOC_PACKET_BYTES; size += size < 300 ? 1 : size / 3) {
        uint8_t *first = blocks_take(&blocks, size), *second = blocks_take(&blocks, size);
        assert_non_null(first);
        assert_ptr_not_equal(first, second);
        assert_int_equal((uintptr_t)first % _Alignof(max_align_t), 0);
        memset(first, 1, size);
        memset(second, 2, size);
        blocks_give(&blocks, first);
        assert_ptr_equal(blocks_take(&blocks, size), first);
        blocks_give(&blocks, second);
        blocks_give(&blocks, first);
        assert_ptr_equal(blocks_take(&blocks, size), first);
        blocks_give(NULL, first); /* to nobody: freed */
    }
    blocks_clear(&blocks);
}

static void other_sizes_get_other_memory(void **context)
{
    (void)context;
    struct noc_blocks blocks = {.kept = {0}};
    void *one = blocks_take(&blocks, 100);
    blocks_give(&blocks, one);
    void *longer = blocks_take(&blocks, 10000);
    memset(longer, 3, 10000); /* AddressSanitizer would tell */
    assert_ptr_not_equal(longer, one);
    blocks_give(&blocks, longer);
    assert_ptr_equal(blocks_take(&blocks, 99), one);
    blocks_give(&blocks, one);
    blocks_clear(&blocks);
    assert_null(blocks.spare[0]);
    assert_int_equal(blocks.kept[0], 0);
}

/* What is left to keep is freed: LeakSanitizer would tell. */
static void few_are_kept(void **context)
{
    (void)context;
    enum { MANY = 3 * BLOCKS_KEPT };
    struct noc_blocks blocks = {.kept = {0}};
    void *taken[MANY];
    for (unsigned i = 0; i < MANY; i++) {
        taken[i] = blocks_take(&blocks, 2248);
    }
    for (unsigned i = 0; i < MANY; i++) {
        blocks_give(&blocks, taken[i]);
    }
    unsigned kept = 0;
    for (unsigned class = 0; class < BLOCK_CLASSES; class ++) {
        kept += blocks.kept[class];
    }
    assert_int_equal(kept, BLOCKS_KEPT);
    blocks_clear(&blocks);
}

static void long_ones_are_not_kept(void **context)
{
    (void)context;
    struct noc_blocks blocks = {.kept = {0}};
    void *taken = blocks_take(&blocks, 1 << 20);
    memset(taken, 4, 1 << 20);
    blocks_give(&blocks, taken);
    blocks_give(&blocks, NULL);
    blocks_give(NULL, blocks_take(NULL, 64));
    for (unsigned class = 0; class < BLOCK_CLASSES; class ++) {
        assert_null(blocks.spare[class]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_given_is_taken_again),
        cmocka_unit_test(other_sizes_get_other_memory),
        cmocka_unit_test(few_are_kept),
        cmocka_unit_test(long_ones_are_not_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
