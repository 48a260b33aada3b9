/* Code that cores execute before it is there for sure. */
#include "check/check_fixture.h"

enum { SOFT_RESET_0 = 0xffb121b0 };

/* B fetches a program, lets NC go, and has waited for the program in between, or not. */
static void a_core_is_let_go_before_its_program_is_there(void **context)
{
    for (unsigned waits = 0; waits < 2; waits++, again(context)) {
        struct test *test = *context;
        uint32_t request = start(test, BH_CORE_B, 0x100, BH_NOC_READ);
        transfer(test, BH_CORE_B, 0x100, request, true);
        acknowledge(test, BH_CORE_B, request);
        if (waits) {
            poll(test, BH_CORE_B, 0x104, READS);
        }
        store(test, BH_CORE_B, 0x110, SOFT_RESET_0);
        for (unsigned i = 0; i < 4; i++) {
            issue(test, BH_CORE_NC, BUFFER + 4 * i, NOP);
        }
        expect(test, waits ? "" : "racecheck.noc ");
        assert_true(waits ||
                    strstr(test->last, "NC executes L1 0x30000, and nothing orders that behind a request of B"));
        assert_true(waits ||
                    strstr(test->last, "mend: wait for NIU_MST_RD_RESP_RECEIVED behind the request at pc 0x100, "
                                       "before the core is let go, or told to jump there"));
    }
}

/* B stores a jump for NC: the store to the soft reset may be performed before it. */
static void a_core_is_let_go_before_its_jump_is_there(void **context)
{
    for (unsigned loads = 0; loads < 2; loads++, again(context)) {
        struct test *test = *context;
        store(test, BH_CORE_B, 0x100, BUFFER);
        if (loads) {
            load(test, BH_CORE_B, 0x104, BUFFER);
            issue(test, BH_CORE_B, 0x108, AND_A0);
        }
        store(test, BH_CORE_B, 0x110, SOFT_RESET_0);
        issue(test, BH_CORE_NC, BUFFER, NOP);
        expect(test, loads ? "" : "racecheck.l1 ");
        assert_true(loads || strstr(test->last, "warning: NC executes L1 0x30000"));
    }
}

/* What was written again is looked at again, what was executed is not. */
static void code_is_looked_at_once(void **context)
{
    struct test *test = *context;
    issue(test, BH_CORE_NC, BUFFER, NOP);
    uint32_t request = start(test, BH_CORE_B, 0x100, BH_NOC_READ);
    issue(test, BH_CORE_NC, BUFFER, NOP);
    assert_int_equal(test->found, 0);
    transfer(test, BH_CORE_B, 0x100, request, true);
    issue(test, BH_CORE_NC, BUFFER + 64, NOP); /* behind it */
    assert_int_equal(test->found, 0);
    issue(test, BH_CORE_NC, BUFFER, NOP);
    issue(test, BH_CORE_NC, BUFFER, NOP);
    expect(test, "racecheck.noc ");
}

static void reset(struct test *test, uint32_t value)
{
    struct bh_event event = {.kind = BH_EVENT_ACCESS, .agent = BH_AGENT_HOST, .place = {.agent = BH_AGENT_HOST}};
    event.access = (struct bh_access){
        .space = BH_SPACE_REGISTER, .size = sizeof value, .address = SOFT_RESET_0, .write = true, .data = &value};
    tell(test, event);
}

/* The words of a program that has ended are memory again, once all cores have been in reset. */
static void where_programs_were_before_a_reset_is_no_code(void **context)
{
    enum { B_AND_NC = 1 << 11 | 1 << 18, NC_ALONE = 1 << 18 };
    for (unsigned all = 0; all < 2; all++, again(context)) {
        struct test *test = *context;
        issue(test, BH_CORE_B, 0x100, NOP);
        issue(test, BH_CORE_NC, 0x200, NOP);
        reset(test, all ? B_AND_NC : NC_ALONE);
        reset(test, 0);
        issue(test, BH_CORE_B, BUFFER, NOP);
        store(test, BH_CORE_B, BUFFER + 4, 0x100);
        expect(test, all ? "" : "memcheck.code ");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CHECK_TEST(a_core_is_let_go_before_its_program_is_there),
        CHECK_TEST(a_core_is_let_go_before_its_jump_is_there),
        CHECK_TEST(code_is_looked_at_once),
        CHECK_TEST(where_programs_were_before_a_reset_is_no_code),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
