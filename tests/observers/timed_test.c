/* What observers are told in timed mode: when threads issue, what their units do not accept yet, and for how long units
   are occupied. Cycles: ISA documentation, VectorUnit.md (SFPSWAP takes two), ScalarUnit.md. */
#include "observed_fixture.h"

static int set_up_timed(void **context)
{
    static const struct bh_tile tiles[] = {{X, Y}};
    struct fixture *fixture = calloc(1, sizeof *fixture);
    const struct bh_device_config config = {.on_diagnostic = on_diagnostic, .context = fixture, .mode = BH_MODE_TIMED};
    observer = (struct bh_observer){.kinds = BH_EVENT_ALL, .tiles = tiles, .tile_count = 1, .on_event = record};
    *context = fixture;
    return bh_device_create(&config, &fixture->device) == BH_OK &&
                   bh_device_add_observer(fixture->device, &observer) == BH_OK
               ? 0
               : -1;
}

static const struct bh_event *issued(const char *text)
{
    const struct bh_event *event;
    do {
        event = next(BH_EVENT_ISSUED, BH_AGENT_THREAD, 1);
    } while (event->instruction != ((tt(text) >> 2) | (tt(text) << 30)));
    return event;
}

static void threads_issue_one_instruction_a_cycle(void **context)
{
    struct fixture *fixture = *context;
    START(fixture, BH_CORE_T1, tt("NOP"), tt("NOP"), tt("NOP"), SELF_JUMP);
    run(fixture, LIMIT);
    uint64_t cycle = first(BH_EVENT_ISSUED, BH_AGENT_THREAD, 1)->cycle;
    for (unsigned i = 1; i < 3; i++) {
        assert_int_equal(next(BH_EVENT_ISSUED, BH_AGENT_THREAD, 1)->cycle, cycle + i);
    }
    assert_int_equal(count_of(BH_EVENT_OCCUPIED), 3);
}

static void a_unit_is_occupied_and_others_wait(void **context)
{
    struct fixture *fixture = *context;
    START(fixture, BH_CORE_T1, tt("SFPSWAP lreg_src_c=1, lreg_dest=0"), tt("SFPMOV lreg_c=1, lreg_dest=2"), SELF_JUMP);
    run(fixture, LIMIT);
    told.seen = 0;
    uint64_t cycle = issued("SFPSWAP lreg_src_c=1, lreg_dest=0")->cycle;
    const struct bh_event *occupied = next(BH_EVENT_OCCUPIED, BH_AGENT_THREAD, 1);
    assert_int_equal(occupied->occupied.unit, BH_UNIT_VECTOR);
    assert_int_equal(occupied->occupied.from, cycle);
    assert_int_equal(occupied->occupied.to, cycle + 2);
    const struct bh_event *wait = next(BH_EVENT_WAIT_BEGAN, BH_AGENT_THREAD, 1);
    assert_wait(wait, BH_WAIT_UNIT, 0);
    assert_int_equal(wait->cycle, cycle + 1);
    wait = next(BH_EVENT_WAIT_ENDED, BH_AGENT_THREAD, 1);
    assert_wait(wait, BH_WAIT_UNIT, 0);
    assert_int_equal(wait->cycle, cycle + 2);
    assert_int_equal(issued("SFPMOV lreg_c=1, lreg_dest=2")->cycle, cycle + 2);
}

static void a_latched_wait_ends_when_its_condition_is_met(void **context)
{
    struct fixture *fixture = *context;
    START(fixture, BH_CORE_T1, tt("SFPSWAP lreg_src_c=1, lreg_dest=0"), tt("STALLWAIT stall_res=64, wait_res=2048"),
          tt("CLEARDVALID cleardvalid=0, reset=0"), SELF_JUMP); /* C11: the vector unit; B6: the matrix unit */
    run(fixture, LIMIT);
    const struct bh_event *began = first(BH_EVENT_WAIT_BEGAN, BH_AGENT_THREAD, 1);
    while (began->wait.reason != BH_WAIT_STALLWAIT) {
        began = next(BH_EVENT_WAIT_BEGAN, BH_AGENT_THREAD, 1);
    }
    const struct bh_event *ended = next(BH_EVENT_WAIT_ENDED, BH_AGENT_THREAD, 1);
    assert_int_equal(ended->wait.reason, BH_WAIT_STALLWAIT);
    assert_true(ended->cycle > began->cycle);
    assert_int_equal(next(BH_EVENT_ISSUED, BH_AGENT_THREAD, 1)->cycle, ended->cycle);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(threads_issue_one_instruction_a_cycle, set_up_timed, tear_down),
        cmocka_unit_test_setup_teardown(a_unit_is_occupied_and_others_wait, set_up_timed, tear_down),
        cmocka_unit_test_setup_teardown(a_latched_wait_ends_when_its_condition_is_met, set_up_timed, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
