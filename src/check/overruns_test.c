/* Pages that a core overwrites before they were popped, where nobody has said how many the buffer has; and what looks
   like it. */
#include "check/check_fixture.h"

enum {
    STREAM_9 = 0xffb49000,
    POPPED = STREAM_9 + 4 * 8,
    PUSHED = STREAM_9 + 4 * 10,
    STREAM_10_PUSHED = PUSHED + 0x1000
};
enum { SKIP_IF_A0_IS_0 = 0x00050463 };

static void count(struct test *test, unsigned core, uint32_t pc, uint32_t address, uint32_t value)
{
    access_by(test, core, pc, SW_A0, address, value);
}

static void push(struct test *test, uint32_t pc, uint64_t page, uint32_t value)
{
    store(test, BH_CORE_B, pc, page);
    load(test, BH_CORE_B, pc + 4, page);
    count(test, BH_CORE_B, pc + 8, PUSHED, value);
}

static void wait_for(struct test *test, uint32_t pc, uint32_t address)
{
    issue(test, BH_CORE_NC, pc, FENCE);
    load(test, BH_CORE_NC, pc + 4, address);
    issue(test, BH_CORE_NC, pc + 8, BRANCH_BACK_IF_A0_IS_0);
}

/* Two pages in a buffer of two, and a third, which takes the place of the first. */
static void pages_without_room(void **context)
{
    enum { LOST, POPPED_BEFORE, READ_BEFORE, ANOTHER_CORE, TWO_STREAMS, NOT_PUSHED, WAYS };
    for (unsigned way = 0; way < WAYS; way++, again(context)) {
        struct test *test = *context;
        count(test, BH_CORE_B, 0xf0, PUSHED, 0);
        if (way == TWO_STREAMS) {
            count(test, BH_CORE_B, 0xf4, STREAM_10_PUSHED, 1);
        }
        push(test, 0x100, BUFFER, 1);
        push(test, 0x110, BUFFER + 64, 2);
        if (way == POPPED_BEFORE || way == READ_BEFORE) {
            wait_for(test, 0x200, PUSHED);
            load(test, BH_CORE_NC, 0x210, BUFFER);
            issue(test, BH_CORE_NC, 0x214, SKIP_IF_A0_IS_0);
        }
        if (way == POPPED_BEFORE) {
            count(test, BH_CORE_NC, 0x218, POPPED, 1);
            poll(test, BH_CORE_B, 0x1f0, POPPED);
        }
        if (way == NOT_PUSHED) {
            store(test, BH_CORE_B, 0x11c, BUFFER + 128);
            store(test, BH_CORE_B, 0x11c, BUFFER + 128);
        } else {
            push(test, 0x120, BUFFER, 3);
        }
        unsigned reader = way == ANOTHER_CORE ? BH_CORE_T1 : BH_CORE_NC;
        wait_for(test, 0x220, PUSHED);
        load(test, reader, 0x230, way == NOT_PUSHED ? BUFFER + 128 : BUFFER);
        bool found = strstr(test->rules, "memcheck.circular-buffer") != NULL;
        assert_int_equal(found, way == LOST);
        if (found) {
            assert_non_null(strstr(test->last, "NC reads page 0 of the circular buffer of stream 9, which B has "
                                               "overwritten before it was popped"));
            assert_non_null(strstr(test->last, "B pc 0x00000120"));
            assert_non_null(strstr(test->last, "NC pc 0x00000230"));
        }
    }
}

/* Of a long run only the latest pushes are known. */
static void pushes_of_long_ago(void **context)
{
    struct test *test = *context;
    count(test, BH_CORE_B, 0xf0, PUSHED, 0);
    push(test, 0x100, BUFFER, 1);
    for (unsigned i = 2; i < 100; i++) {
        push(test, 0x110, BUFFER + 64 * i, i);
    }
    push(test, 0x120, BUFFER, 100);
    wait_for(test, 0x220, PUSHED);
    load(test, BH_CORE_NC, 0x230, BUFFER);
    expect(test, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CHECK_TEST(pages_without_room),
        CHECK_TEST(pushes_of_long_ago),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
