/* memcheck with what a program owns: events that are made up here, one rule at a time, broken and kept. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bhemu/check.h"

enum {
    X = 1,
    Y = 2,
    DRAM_X = 0,
    DRAM_Y = 2,
    SAME_CHANNEL_Y = 10,
    OTHER_CHANNEL_Y = 4,
    FIRST = 0x30000,
    SECOND = 0x30040,
    BYTES = 64
};
enum { SW_A0 = 0x00a5a023 };

struct test {
    struct bh_check *check;
    char rules[1000]; /* of what was told, with a blank behind each */
    char last[4000];
};

static void on_finding(void *context, const struct bh_check_finding *finding)
{
    struct test *test = context;
    strcat(strcat(test->rules, finding->rule), " ");
    bh_check_format(test->check, finding, test->last, sizeof test->last);
}

static int set_up(void **context)
{
    struct test *test = calloc(1, sizeof *test);
    const struct bh_check_options options = {
        .tools = BH_CHECK_TOOL_BIT(BH_CHECK_MEMORY), .on_finding = on_finding, .context = test};
    assert_int_equal(bh_check_open(&options, &test->check, NULL), BH_OK);
    *context = test;
    return 0;
}

static int tear_down(void **context)
{
    struct test *test = *context;
    bh_check_close(test->check);
    free(test);
    return 0;
}

static void expect(struct test *test, const char *rules)
{
    assert_string_equal(test->rules, rules);
    *test->rules = 0;
}

static void expect_text(const struct test *test, const char *text)
{
    if (!strstr(test->last, text)) {
        fail_msg("\"%s\" is not in:\n%s", text, test->last);
    }
}

static void own(struct test *test, struct bh_check_owned owned)
{
    owned.x = owned.space == BH_SPACE_DRAM ? DRAM_X : X;
    owned.y = owned.space == BH_SPACE_DRAM ? DRAM_Y : Y;
    assert_int_equal(bh_check_own(test->check, &owned), BH_OK);
}

static void tell(struct test *test, struct bh_event event)
{
    const struct bh_observer *observer = bh_check_observer(test->check);
    event.tile_x = event.place_x = X;
    event.tile_y = event.place_y = Y;
    if (observer->kinds >> event.kind & 1) {
        observer->on_event(observer->context, &event);
    }
}

static struct bh_event of_core(enum bh_event_kind kind, unsigned core, uint32_t pc, uint32_t word)
{
    return (struct bh_event){.kind = (uint16_t)kind,
                             .agent = BH_AGENT_CORE,
                             .index = (uint8_t)core,
                             .place = {.agent = BH_AGENT_CORE, .index = (uint8_t)core, .pc = pc},
                             .instruction = word};
}

/* Requests on the NoC. */

static void request(struct test *test, struct bh_noc noc)
{
    struct bh_event event = of_core(BH_EVENT_NOC_SENT, BH_CORE_B, 0x200, SW_A0);
    event.agent = BH_AGENT_NIU;
    event.noc = noc;
    tell(test, event);
}

static void a_request_that_ends_behind_the_buffer_it_begins_in(void **context)
{
    struct test *test = *context;
    struct bh_noc noc = {.request = BH_NOC_WRITE,
                         .from_x = X,
                         .from_y = Y,
                         .to_x = X,
                         .to_y = Y,
                         .from_address = 0x50000,
                         .to_address = FIRST,
                         .size = BYTES};
    own(test, (struct bh_check_owned){.address = FIRST, .size = BYTES, .name = "input a"});
    own(test, (struct bh_check_owned){.address = SECOND, .size = BYTES, .name = "input b"});
    request(test, noc);
    noc.to_address = SECOND - 16; /* the last 16 bytes of the first buffer */
    noc.size = 16;
    request(test, noc);
    expect(test, "");
    noc.size = 20; /* and the first 4 of the second */
    request(test, noc);
    expect(test, "memcheck.buffer ");
    expect_text(test,
                "a request writes 20 bytes at 0x30030 of tile 1-2, 4 of them behind the end of input a (0x30000 to "
                "0x3003f)");
}

static void a_request_that_reads_behind_a_buffer_in_dram(void **context)
{
    struct test *test = *context;
    struct bh_noc noc = {.request = BH_NOC_READ,
                         .from_x = DRAM_X,
                         .from_y = OTHER_CHANNEL_Y,
                         .to_x = X,
                         .to_y = Y,
                         .from_address = 0x1000000,
                         .to_address = 0x50000,
                         .size = 2048};
    own(test, (struct bh_check_owned){
                  .space = BH_SPACE_DRAM, .address = 0x1000000, .size = 2048, .name = "input data/a.npy"});
    noc.size = 4096; /* of another channel */
    request(test, noc);
    noc.from_y = SAME_CHANNEL_Y;
    noc.from_address = 0x1000800; /* behind the buffer from its beginning on */
    request(test, noc);
    expect(test, "");
    noc.from_address = 0x1000000;
    request(test, noc);
    expect(test, "memcheck.buffer ");
    expect_text(test, "reads 4096 bytes at 0x1000000 of tile 0-10, 2048 of them behind the end of input data/a.npy");
}

static void what_is_nowhere_can_not_be_owned(void **context)
{
    struct test *test = *context;
    struct bh_check_owned owned = {.x = X, .y = Y, .address = FIRST, .size = BYTES};
    assert_int_equal(bh_check_own(test->check, &owned), BH_OK);
    owned.x = DRAM_X; /* has no L1 */
    assert_int_equal(bh_check_own(test->check, &owned), BH_ERROR_ARGUMENT);
    owned.space = BH_SPACE_DRAM;
    assert_int_equal(bh_check_own(test->check, &owned), BH_OK);
    owned.kind = BH_CHECK_ARGUMENTS;
    assert_int_equal(bh_check_own(test->check, &owned), BH_ERROR_ARGUMENT);
    owned = (struct bh_check_owned){.x = 31, .y = 31, .address = FIRST, .size = BYTES};
    assert_int_equal(bh_check_own(test->check, &owned), BH_ERROR_ARGUMENT);
    owned = (struct bh_check_owned){.x = X, .y = Y, .address = 16, .size = UINT64_MAX};
    assert_int_equal(bh_check_own(test->check, &owned), BH_ERROR_ARGUMENT);
    owned = (struct bh_check_owned){.kind = BH_CHECK_CODE + 1, .x = X, .y = Y};
    assert_int_equal(bh_check_own(test->check, &owned), BH_ERROR_ARGUMENT);
}

int main(void)
{
#define MEMORY_TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        MEMORY_TEST(a_request_that_ends_behind_the_buffer_it_begins_in),
        MEMORY_TEST(a_request_that_reads_behind_a_buffer_in_dram),
        MEMORY_TEST(what_is_nowhere_can_not_be_owned),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
