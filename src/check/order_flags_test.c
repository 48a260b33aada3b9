/* Flags and counts in L1 and in registers: who looks at them once, polls them, or meets others by them, is behind those
   that change them. */
#include "check/check_fixture.h"

/* The request of a core adds to FLAG. */
static void count(struct test *test, unsigned core, uint32_t pc, uint32_t request)
{
    struct bh_event event = of_core(BH_EVENT_ACCESS, core, pc, SW_A0);
    event.agent = BH_AGENT_NIU;
    event.index = 0;
    event.access = (struct bh_access){.space = BH_SPACE_L1, .size = 16, .address = FLAG, .request = request};
    tell(test, event);
    event.access.write = 1;
    tell(test, event);
}

enum { SKIP_IF_A0_IS_0 = 0x00050463 }; /* beqz a0, +8 */
enum { LOOKED, LOOKED_BEFORE, LOOKED_MEANWHILE, NOT_LOOKED };

/* NC branches by what it has loaded. */
static void decides(struct test *test)
{
    issue(test, BH_CORE_NC, 0x1f8, SKIP_IF_A0_IS_0);
    go_on(test, BH_CORE_NC);
}

/* NC loads FLAG before it changes, and in one way branches by it then, too. */
static void looks_first(struct test *test, unsigned way)
{
    if (way == LOOKED_BEFORE || way == LOOKED_MEANWHILE) {
        issue(test, BH_CORE_NC, 0x1f0, FENCE);
        load(test, BH_CORE_NC, 0x1f4, FLAG);
    }
    if (way == LOOKED_BEFORE) {
        decides(test);
    }
}

/* Another word beside the flag, or the flag itself, is loaded as data before it is polled: the poll is one all the
 * same. */
static void polls_of_what_was_loaded_before(void **context)
{
    for (unsigned flag = 0; flag < 2; flag++, again(context)) {
        struct test *test = *context;
        load(test, BH_CORE_NC, 0x1f4, flag ? FLAG : FLAG + 4);
        store(test, BH_CORE_NC, 0x1f8, FLAG + 64); /* of a0 */
        store(test, BH_CORE_B, 0x100, BUFFER);
        store(test, BH_CORE_B, 0x104, FLAG);
        poll(test, BH_CORE_NC, 0x200, FLAG);
        load(test, BH_CORE_NC, 0x210, BUFFER);
        go_on(test, BH_CORE_NC);
        expect(test, "");
    }
}

/* Two flags in one line are polled one after the other; the second one is set between a load of it and its branch. */
static void flags_beside_each_other_are_polled(void **context)
{
    struct test *test = *context;
    store(test, BH_CORE_T0, 0x100, FLAG);
    poll(test, BH_CORE_NC, 0x200, FLAG);
    issue(test, BH_CORE_NC, 0x220, FENCE);
    load(test, BH_CORE_NC, 0x224, FLAG + 4);
    store(test, BH_CORE_T1, 0x100, BUFFER);
    store(test, BH_CORE_T1, 0x104, FLAG + 4);
    issue(test, BH_CORE_NC, 0x228, BRANCH_BACK_IF_A0_IS_0);
    poll(test, BH_CORE_NC, 0x220, FLAG + 4);
    load(test, BH_CORE_NC, 0x230, BUFFER);
    go_on(test, BH_CORE_NC);
    expect(test, "");
}

static void host(struct test *test, uint64_t address, uint32_t size, bool write)
{
    struct bh_event event = {.kind = BH_EVENT_ACCESS, .agent = BH_AGENT_HOST};
    event.place.agent = BH_AGENT_HOST;
    event.access = (struct bh_access){.space = BH_SPACE_L1, .size = size, .address = address, .write = write};
    tell(test, event);
}

/* The host reads B's flag, and then starts NC: by a flag, or by letting it go, which is a write, too. Another word
   tells it nothing, nor do data. */
static void the_host_hands_on_what_it_has_found_out(void **context)
{
    enum { READS_FLAG, READS_OTHER, READS_DATA, WRITES_FIRST, WAYS };
    for (unsigned way = 0; way < WAYS; way++, again(context)) {
        struct test *test = *context;
        store(test, BH_CORE_B, 0x100, BUFFER);
        store(test, BH_CORE_B, 0x104, FLAG);
        if (way == WRITES_FIRST) {
            host(test, FLAG + 64, 4, true);
        }
        host(test, way == READS_OTHER ? FLAG + 32 : FLAG, way == READS_DATA ? 128 : 4, false);
        if (way != WRITES_FIRST) {
            host(test, FLAG + 64, 4, true);
        }
        load(test, BH_CORE_NC, 0x210, BUFFER);
        go_on(test, BH_CORE_NC);
        expect(test, way == READS_FLAG ? "" : "racecheck.l1 ");
    }
}

/* A flag that is looked at once, by a branch forward, before or after it is set, or while it is. */
static void looks_at_flags(void **context)
{
    enum { STORED = NOT_LOOKED + 1, WAYS };
    for (unsigned way = 0; way < WAYS; way++, again(context)) {
        struct test *test = *context;
        looks_first(test, way);
        store(test, BH_CORE_B, 0x100, BUFFER);
        store(test, BH_CORE_B, 0x104, FLAG);
        if (way == LOOKED_MEANWHILE) {
            decides(test);
        }
        issue(test, BH_CORE_NC, 0x200, FENCE);
        load(test, BH_CORE_NC, 0x204, FLAG);
        if (way == STORED) {
            store(test, BH_CORE_NC, 0x208, FLAG + 64); /* of a0 */
        }
        issue(test, BH_CORE_NC, 0x20c, way == NOT_LOOKED ? NOP : SKIP_IF_A0_IS_0);
        load(test, BH_CORE_NC, 0x210, BUFFER);
        go_on(test, BH_CORE_NC);
        expect(test, way <= LOOKED_MEANWHILE ? "" : "racecheck.l1 racecheck.l1 ");
    }
}

/* Atomic operations of the NoC change a word, and are told with the 16 bytes around it. */
static void looks_at_counts_of_atomic_operations(void **context)
{
    enum { WAYS = NOT_LOOKED + 1 };
    for (unsigned way = 0; way < WAYS; way++, again(context)) {
        struct test *test = *context;
        store(test, BH_CORE_B, 0x100, BUFFER);
        load(test, BH_CORE_B, 0x104, BUFFER);
        issue(test, BH_CORE_B, 0x108, AND_A0);
        looks_first(test, way);
        count(test, BH_CORE_B, 0x10c, start(test, BH_CORE_B, 0x10c, BH_NOC_ATOMIC));
        if (way == LOOKED_MEANWHILE) {
            decides(test);
        }
        issue(test, BH_CORE_NC, 0x200, FENCE);
        load(test, BH_CORE_NC, 0x204, FLAG);
        issue(test, BH_CORE_NC, 0x208, way == NOT_LOOKED ? NOP : SKIP_IF_A0_IS_0);
        load(test, BH_CORE_NC, 0x210, BUFFER);
        go_on(test, BH_CORE_NC);
        expect(test, way == NOT_LOOKED ? "racecheck.noc racecheck.l1 " : "");
    }
}

/* A loop in parts: its fence is not between the load and where the branch behind it goes back to. What counts is that
   there is one in each round, as in the main loop of tt-metal's fabric router. */
static void a_fence_in_another_part_of_the_loop(void **context)
{
    enum { ROUNDS = 3 };
    for (unsigned fences = 1; fences <= ROUNDS; fences += ROUNDS - 1, again(context)) {
        struct test *test = *context;
        for (unsigned round = 0; round < ROUNDS; round++) {
            if (round == ROUNDS - 1) {
                store(test, BH_CORE_B, 0x100, FLAG);
            }
            if (round < fences) {
                issue(test, BH_CORE_NC, 0x300, FENCE);
            }
            load(test, BH_CORE_NC, 0x200, FLAG);
            issue(test, BH_CORE_NC, 0x204, BRANCH_BACK_IF_A0_IS_0);
        }
        expect(test, fences == ROUNDS ? "" : "racecheck.l1 ");
    }
}

/* What comes with more than a word is data, even if a branch depends on it. */
static void looks_at_data(void **context)
{
    struct test *test = *context;
    uint32_t request = start(test, BH_CORE_B, 0x100, BH_NOC_READ);
    transfer(test, BH_CORE_B, 0x100, request, true);
    load(test, BH_CORE_NC, 0x200, BUFFER);
    issue(test, BH_CORE_NC, 0x204, SKIP_IF_A0_IS_0);
    go_on(test, BH_CORE_NC);
    expect(test, "racecheck.noc ");
}

/* Advice about two tiles names both. */
static void data_of_another_tile(void **context)
{
    enum { OTHER_X = 3 };
    struct test *test = *context;
    uint32_t request = start(test, BH_CORE_B, 0x100, BH_NOC_WRITE);
    struct bh_event event = of_core(BH_EVENT_ACCESS, BH_CORE_B, 0x100, SW_A0);
    event.agent = BH_AGENT_NIU;
    event.tile_x = OTHER_X;
    event.place_x = X;
    event.access =
        (struct bh_access){.space = BH_SPACE_L1, .write = true, .size = 64, .address = BUFFER, .request = request};
    tell(test, event);
    struct bh_event reads = of_core(BH_EVENT_ISSUED, BH_CORE_NC, 0x200, LW_A0);
    reads.tile_x = OTHER_X;
    tell(test, reads);
    uint32_t value = 0;
    reads.kind = BH_EVENT_ACCESS;
    reads.access = (struct bh_access){.space = BH_SPACE_L1, .size = 4, .address = BUFFER, .data = &value};
    tell(test, reads);
    expect(test, "racecheck.noc ");
    assert_non_null(strstr(test->last, "behind the request at pc 0x100 (1-2), before pc 0x200 (3-2)"));
}

/* A counter says something to those who look at it. */
static void counters_that_nobody_looks_at(void **context)
{
    enum { NOT, BRANCH, COMPUTED, STORED, OVERWRITTEN, WAYS };
    enum { ADDI_A1_A0 = 0x00150593, BRANCH_IF_A1 = 0x00059463, SW_A0_SP = 0x00a12023 };
    static const uint32_t words[WAYS][2] = {[NOT] = {AND_A0, NOP},
                                            [BRANCH] = {BRANCH_BACK_IF_A0_IS_0, NOP},
                                            [COMPUTED] = {ADDI_A1_A0, BRANCH_IF_A1},
                                            [STORED] = {SW_A0_SP, NOP},
                                            [OVERWRITTEN] = {LI_A0, BRANCH_BACK_IF_A0_IS_0}};
    for (unsigned way = 0; way < WAYS; way++, again(context)) {
        struct test *test = *context;
        uint32_t request = start(test, BH_CORE_B, 0x100, BH_NOC_READ);
        transfer(test, BH_CORE_B, 0x100, request, true);
        acknowledge(test, BH_CORE_B, request);
        load(test, BH_CORE_B, 0x200, READS);
        issue(test, BH_CORE_B, 0x204, words[way][0]);
        issue(test, BH_CORE_B, 0x208, words[way][1]);
        load(test, BH_CORE_B, 0x300, BUFFER);
        go_on(test, BH_CORE_B);
        expect(test, way == NOT || way == OVERWRITTEN ? "racecheck.noc " : "");
    }
}

/* What was popped from a circular buffer is not known from how much was pushed. */
static void both_counters_of_a_circular_buffer(void **context)
{
    enum { STREAM_8_PUSHED = STREAM_8 + 8 };
    for (unsigned pushed = 0; pushed < 2; pushed++, again(context)) {
        struct test *test = *context;
        store(test, BH_CORE_NC, 0x100, BUFFER);
        load(test, BH_CORE_NC, 0x104, BUFFER);
        issue(test, BH_CORE_NC, 0x108, AND_A0);
        store(test, BH_CORE_NC, 0x10c, STREAM_8);
        poll(test, BH_CORE_B, 0x200, pushed ? STREAM_8_PUSHED : STREAM_8);
        store(test, BH_CORE_B, 0x300, BUFFER);
        expect(test, pushed ? "racecheck.l1 " : "");
    }
}

/* Two cores that meet: each stores to the register of a stream what the other one waits for, as the two cores of
   tt-metal's fabric router do (wait_for_other_local_erisc() of fabric_erisc_router.cpp). */
static void a_register_that_cores_store_to_in_turns(void **context)
{
    static const unsigned who[] = {BH_CORE_B, BH_CORE_NC, BH_CORE_COUNT}; /* does not wait; the last one: both do */
    for (unsigned i = 0; i < sizeof who / sizeof *who; i++, again(context)) {
        unsigned blind = who[i];
        struct test *test = *context;
        store(test, BH_CORE_B, 0x100, STREAM_8);
        if (blind != BH_CORE_NC) {
            poll(test, BH_CORE_NC, 0x200, STREAM_8);
        }
        store(test, BH_CORE_NC, 0x300, STREAM_8);
        if (blind != BH_CORE_B) {
            poll(test, BH_CORE_B, 0x400, STREAM_8);
        }
        store(test, BH_CORE_B, 0x500, STREAM_8);
        expect(test, blind == BH_CORE_COUNT ? "" : "racecheck.register ");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CHECK_TEST(polls_of_what_was_loaded_before),
        CHECK_TEST(flags_beside_each_other_are_polled),
        CHECK_TEST(the_host_hands_on_what_it_has_found_out),
        CHECK_TEST(looks_at_flags),
        CHECK_TEST(looks_at_counts_of_atomic_operations),
        CHECK_TEST(a_fence_in_another_part_of_the_loop),
        CHECK_TEST(looks_at_data),
        CHECK_TEST(data_of_another_tile),
        CHECK_TEST(counters_that_nobody_looks_at),
        CHECK_TEST(both_counters_of_a_circular_buffer),
        CHECK_TEST(a_register_that_cores_store_to_in_turns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
