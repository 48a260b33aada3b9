/* What orders agents, and what does not, with made-up events: each rule broken, then kept. */
#include "check/check_fixture.h"

enum { MAILBOX_B_TO_T0 = 0xffec1000, MAILBOX_OF_B = 0xffec0000, AND_A0 = 0x00a57033 }; /* and zero, a0, a0 */

/* How a core waits for the answer to a load before its next one. */
static void answered_loads(void **context)
{
    enum { NOT, USED, FENCED, SEVEN_OTHERS, SIX_OTHERS, WAYS };
    for (unsigned way = 0; way < WAYS; way++, again(context)) {
        struct test *test = *context;
        store(test, BH_CORE_B, 0x100, BUFFER);
        load(test, BH_CORE_B, 0x104, BUFFER);
        issue(test, BH_CORE_B, 0x108, AND_A0);
        store(test, BH_CORE_B, 0x10c, MAILBOX_B_TO_T0);
        load(test, BH_CORE_T0, 0x200, MAILBOX_OF_B);
        for (unsigned i = 0; i < (way == SEVEN_OTHERS ? 7 : way == SIX_OTHERS ? 6 : 0); i++) {
            issue(test, BH_CORE_T0, 0x204 + 4 * i, NOP);
        }
        if (way == USED || way == FENCED) {
            issue(test, BH_CORE_T0, 0x204, way == USED ? AND_A0 : FENCE);
        }
        load(test, BH_CORE_T0, 0x300, BUFFER);
        go_on(test, BH_CORE_T0);
        expect(test, way == NOT || way == SIX_OTHERS ? "racecheck.l1 " : "");
        if (way == NOT) {
            assert_non_null(strstr(test->last, "mend: a fence before the access at pc 0x300"));
        }
    }
}

/* A line of a data cache that others write, and what empties it. */
static void lines_of_data_caches(void **context)
{
    enum { NOTHING, FENCED, STORED, OTHER_BYTES, WAYS };
    for (unsigned way = 0; way < WAYS; way++, again(context)) {
        struct test *test = *context;
        load(test, BH_CORE_B, 0x100, way == OTHER_BYTES ? BUFFER - 16 : BUFFER);
        go_on(test, BH_CORE_B);
        uint32_t request = start(test, BH_CORE_B, 0x200, BH_NOC_READ);
        transfer(test, BH_CORE_B, 0x200, request, true);
        acknowledge(test, BH_CORE_B, request);
        load(test, BH_CORE_B, 0x204, READS);
        issue(test, BH_CORE_B, 0x208, AND_A0);
        if (way == FENCED) {
            issue(test, BH_CORE_B, 0x20c, FENCE);
        } else if (way == STORED) {
            store(test, BH_CORE_B, 0x20c, BUFFER + 12);
        }
        load(test, BH_CORE_B, 0x300, BUFFER + 4);
        go_on(test, BH_CORE_B);
        expect(test, way == NOTHING ? "racecheck.l1 " : "");
        if (way == NOTHING) {
            assert_non_null(strstr(test->last, "mend: a fence (invalidate_l1_cache) before the load at pc 0x300"));
        }
    }
}

/* An instruction knows what its core knew when it pushed it. */
static void instructions_know_no_more_than_their_push(void **context)
{
    for (unsigned late = 0; late < 2; late++, again(context)) {
        struct test *test = *context;
        uint32_t word = word_of("ttunpacr 0,0,0,0,0,1,1,0,0,0,0,0,1");
        store(test, BH_CORE_B, 0x100, BUFFER);
        store(test, BH_CORE_B, 0x104, FLAG);
        if (late) {
            access_by(test, BH_CORE_T0, 0x300, true, PUSH, word);
        }
        poll(test, BH_CORE_T0, 0x200, FLAG);
        if (!late) {
            access_by(test, BH_CORE_T0, 0x300, true, PUSH, word);
        }
        access_by(test, BH_CORE_T0, 0x304, true, PUSH, word_of("ttnop"));
        unpack(test, 0x300);
        execute(test, 0, 0x304, "ttnop");
        expect(test, late ? "racecheck.l1 " : "");
    }
}

/* Many pushes, between which the core learns something: none of it is lost, and what follows is told as well. */
static void pushes_of_a_long_program(void **context)
{
    struct test *test = *context;
    uint32_t word = word_of("ttunpacr 0,0,0,0,0,1,1,0,0,0,0,0,1");
    for (unsigned round = 0; round < 200; round++) {
        store(test, BH_CORE_B, 0x100, BUFFER);
        store(test, BH_CORE_B, 0x104, FLAG);
        poll(test, BH_CORE_T0, 0x200, FLAG);
        access_by(test, BH_CORE_T0, 0x300, true, PUSH, word);
        unpack(test, 0x300);
        load(test, BH_CORE_T0, 0x30c, IDLE);
        issue(test, BH_CORE_T0, 0x310, AND_A0);
        store(test, BH_CORE_T0, 0x314, FLAG + 64);
        poll(test, BH_CORE_B, 0x400, FLAG + 64);
    }
    expect(test, "");
    store(test, BH_CORE_B, 0x100, BUFFER);
    access_by(test, BH_CORE_T0, 0x300, true, PUSH, word);
    unpack(test, 0x300);
    expect(test, "racecheck.l1 ");
}

static void address_counters_of_another_thread(void **context)
{
    for (unsigned waits = 0; waits < 2; waits++, again(context)) {
        struct test *test = *context;
        execute(test, 0, 0x100, "ttsetadcxx 1,255,0");
        if (waits) {
            execute(test, 0, 0x104, "ttsempost 2");
            execute(test, 1, 0x200, "ttsemwait 1,2,1");
        }
        execute(test, 1, 0x204, "ttunpacr 0,0,0,0,0,1,1,0,0,0,0,0,1"); /* OvrdThreadId: counters of T0 */
        expect(test, waits ? "" : "racecheck.adc ");
    }
}

static void own_address_counters(void **context)
{
    struct test *test = *context;
    execute(test, 0, 0x100, "ttsetadcxx 1,255,0");
    execute(test, 0, 0x104, "ttunpacr 0,0,0,0,0,1,1,0,0,0,0,0,1");
    execute(test, 0, 0x108, "ttsetadcxx 1,511,0");
    execute(test, 1, 0x200, "ttsetadcxx 7,255,0"); /* of T1 */
    execute(test, 1, 0x204, "ttunpacr 0,0,0,0,0,0,1,0,0,0,0,0,1");
    expect(test, "");
}

/* Rows of Dst that a core accesses in its address space. */
static void dst_of_a_core(void **context)
{
    for (unsigned waits = 0; waits < 2; waits++, again(context)) {
        struct test *test = *context;
        struct bh_event event = of_core(BH_EVENT_OPERAND, BH_CORE_T1, 0x300, SW_A0);
        event.operand = (struct bh_operand){.file = BH_OPERAND_DST, .write = 1, .index = 6, .count = 1};
        pack(test, 0x100);
        if (waits) {
            execute(test, 2, 0x104, "ttstallwait 2,8"); /* SYNC: PACK */
            execute(test, 2, 0x108, "ttsempost 2");
            load(test, BH_CORE_T1, 0x200, SEMAPHORE_1);
            issue(test, BH_CORE_T1, 0x204, AND_A0);
        }
        tell(test, event);
        expect(test, waits ? "" : "racecheck.dst ");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CHECK_TEST(answered_loads),
        CHECK_TEST(lines_of_data_caches),
        CHECK_TEST(instructions_know_no_more_than_their_push),
        CHECK_TEST(pushes_of_a_long_program),
        CHECK_TEST(address_counters_of_another_thread),
        CHECK_TEST(own_address_counters),
        CHECK_TEST(dst_of_a_core),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
