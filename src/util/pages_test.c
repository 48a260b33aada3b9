/* Pages that are taken before they are written hold what they held. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <cmocka.h>

#include "util/pages.h"

enum { PAGE = 4096 };

static uint8_t *map(size_t size)
{
    void *bytes = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    assert_true(bytes != MAP_FAILED);
    return bytes;
}

static unsigned resident(uint8_t *first, size_t pages)
{
    unsigned char there[16];
    unsigned count = 0;
    assert_in_range(pages, 1, sizeof there);
    assert_int_equal(mincore(first, pages * PAGE, there), 0);
    for (size_t i = 0; i < pages; i++) {
        count += there[i] & 1;
    }
    return count;
}

static void small_pages_are_taken_together(void **state)
{
    (void)state;
    uint8_t *bytes = map(16 * PAGE);
    (void)madvise(bytes, 16 * PAGE, MADV_NOHUGEPAGE); /* some hosts take larger pages by themselves */
    bytes[5 * PAGE] = 77;
    pages_take(bytes + 4 * PAGE + 100, 2 * PAGE); /* a part of the fifth one to a part of the seventh */
    unsigned taken = resident(bytes, 16);
    assert_true(taken == 3 || taken == 1); /* hosts that can not do it take none but what was written */
    for (unsigned i = 0; i < 16 * PAGE; i++) {
        assert_int_equal(bytes[i], i == 5 * PAGE ? 77 : 0);
    }
    munmap(bytes, 16 * PAGE);
}

static void large_pages_hold_what_was_there(void **state)
{
    (void)state;
    uint8_t *bytes = map(3 * PAGES_LARGE), *aligned = bytes + (PAGES_LARGE - (uintptr_t)bytes % PAGES_LARGE);
    memset(aligned + 10 * PAGE, 7, PAGE);
    (void)pages_take_large(aligned, PAGES_LARGE); /* whether the host has one or not */
    assert_false(pages_take_large(aligned + PAGE, PAGES_LARGE));
    for (unsigned i = 0; i < PAGES_LARGE; i++) {
        assert_int_equal(aligned[i], i / PAGE == 10 ? 7 : 0);
    }
    munmap(bytes, 3 * PAGES_LARGE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_pages_are_taken_together),
        cmocka_unit_test(large_pages_hold_what_was_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
