/* What observers are told of what cores and threads execute, and which observers are told. That observers change
   nothing, and are told the same on any number of threads, random programs prove (src/chip/race_test.c,
   src/chip/threads_test.c). */
#include "observed_fixture.h"

/* Cores. */

static void a_core_issues_and_retires_one_instruction_a_cycle(void **context)
{
    struct fixture *fixture = *context;
    uint64_t clock = bh_clock(fixture->device);
    START(fixture, BH_CORE_T1, lui(T0, DATA), addi(T1, ZERO, 7), sw(T1, T0, 4), lw(T2, T0, 4), SELF_JUMP);
    run(fixture, LIMIT);
    static const struct {
        enum bh_event_kind kind;
        unsigned word; /* of the program */
    } expected[] = {{BH_EVENT_ISSUED, 0},   {BH_EVENT_REGISTER, 0}, {BH_EVENT_RETIRED, 0}, {BH_EVENT_ISSUED, 1},
                    {BH_EVENT_REGISTER, 1}, {BH_EVENT_RETIRED, 1},  {BH_EVENT_ISSUED, 2},  {BH_EVENT_ACCESS, 2},
                    {BH_EVENT_RETIRED, 2},  {BH_EVENT_ISSUED, 3},   {BH_EVENT_ACCESS, 3},  {BH_EVENT_REGISTER, 3},
                    {BH_EVENT_RETIRED, 3},  {BH_EVENT_ISSUED, 4}};
    const unsigned count = sizeof expected / sizeof expected[0];
    assert_int_equal(told.count, count); /* a jump to itself never retires */
    for (unsigned i = 0; i < count; i++) {
        const struct bh_event *event = &told.event[i];
        assert_int_equal(event->kind, expected[i].kind);
        assert_int_equal(event->agent, BH_AGENT_CORE);
        assert_int_equal(event->index, BH_CORE_T1);
        assert_int_equal(event->tile_x, X);
        assert_int_equal(event->tile_y, Y);
        assert_place(event, BH_AGENT_CORE, BH_CORE_T1, place(BH_CORE_T1) + 4 * expected[i].word);
        assert_int_equal(event->cycle, clock + expected[i].word);
    }
    assert_int_equal(told.event[0].instruction, lui(T0, DATA));
    assert_register(&told.event[1], BH_REGISTER_X, 0, T0, 0, DATA);
    assert_register(&told.event[4], BH_REGISTER_X, 0, T1, 0, 7);
    assert_access(&told.event[7], BH_SPACE_L1, true, DATA + 4, 4);
    assert_int_equal(data_of(&told.event[7]), 7);
    assert_access(&told.event[10], BH_SPACE_L1, false, DATA + 4, 4);
    assert_register(&told.event[11], BH_REGISTER_X, 0, T2, 0, 7);
}

static void accesses_have_a_space_and_a_size(void **context)
{
    struct fixture *fixture = *context;
    enum { SH = 0x23 | 1 << 12, LBU = 0x03 | 4 << 12 };
    START(fixture, BH_CORE_NC, lui(T0, 0xFFB00000), addi(T1, ZERO, -2), SH | T1 << 20 | T0 << 15 | 8 << 7,
          LBU | T2 << 7 | T0 << 15 | 9u << 20, lui(T0, 0xFFB20000), lw(T2, T0, 0x148), SELF_JUMP);
    run(fixture, LIMIT);
    const struct bh_event *event = first(BH_EVENT_ACCESS, BH_AGENT_CORE, BH_CORE_NC);
    assert_access(event, BH_SPACE_LOCAL_RAM, true, 0xFFB00008, 2);
    assert_int_equal(data_of(event), 0xfffe);
    event = next(BH_EVENT_ACCESS, BH_AGENT_CORE, BH_CORE_NC);
    assert_access(event, BH_SPACE_LOCAL_RAM, false, 0xFFB00009, 1);
    assert_int_equal(data_of(event), 0xff);
    event = next(BH_EVENT_ACCESS, BH_AGENT_CORE, BH_CORE_NC);
    assert_access(event, BH_SPACE_REGISTER, false, 0xFFB20148, 4); /* NOC_ID_LOGICAL */
}

static void an_atomic_instruction_reads_and_writes(void **context)
{
    struct fixture *fixture = *context;
    const uint32_t amoadd = 0x2f | 2 << 12 | T2 << 7 | T0 << 15 | T1 << 20;
    START(fixture, BH_CORE_B, lui(T0, DATA), addi(T1, ZERO, 5), sw(T1, T0, 0), amoadd, SELF_JUMP);
    run(fixture, LIMIT);
    (void)first(BH_EVENT_ACCESS, BH_AGENT_CORE, BH_CORE_B);
    const struct bh_event *read = next(BH_EVENT_ACCESS, BH_AGENT_CORE, BH_CORE_B);
    assert_access(read, BH_SPACE_L1, false, DATA, 4);
    const struct bh_event *write = next(BH_EVENT_ACCESS, BH_AGENT_CORE, BH_CORE_B);
    assert_access(write, BH_SPACE_L1, true, DATA, 4);
    assert_int_equal(data_of(write), 10);
    assert_register(next(BH_EVENT_REGISTER, BH_AGENT_CORE, BH_CORE_B), BH_REGISTER_X, 0, T2, 0, 5);
}

static void csrs_and_vector_registers_are_told(void **context)
{
    struct fixture *fixture = *context;
    const uint32_t vsetvli_e32 = 0x57 | 7 << 12 | T0 << 7 | T1 << 15 | 2u << 23, /* e32, m1 */
        vmv_v_i = 0x57 | 3 << 12 | 4 << 7 | 3u << 15 | 1u << 25 | 0x17u << 26,
                   csrrwi_cfg1 = 0x7c3u << 20 | 9u << 15 | 5 << 12 | 0x73;
    START(fixture, BH_CORE_T2, addi(T1, ZERO, 4), vsetvli_e32, vmv_v_i, csrrwi_cfg1, SELF_JUMP);
    run(fixture, LIMIT);
    (void)first(BH_EVENT_REGISTER, BH_AGENT_CORE, BH_CORE_T2);
    assert_register(next(BH_EVENT_REGISTER, BH_AGENT_CORE, BH_CORE_T2), BH_REGISTER_X, 0, T0, 0, 4); /* the length */
    for (unsigned word = 0; word < 4; word++) {
        const struct bh_event *event;
        do {
            event = next(BH_EVENT_REGISTER, BH_AGENT_CORE, BH_CORE_T2);
        } while (event->reg.file != BH_REGISTER_V);
        assert_register(event, BH_REGISTER_V, 0, 4 * 4 + word, 0, 3);
    }
    const struct bh_event *csr;
    do {
        csr = next(BH_EVENT_REGISTER, BH_AGENT_CORE, BH_CORE_T2);
    } while (csr->reg.index != 0x7c3);
    assert_register(csr, BH_REGISTER_CSR, 0, 0x7c3, 0, 9);
    assert_place(csr, BH_AGENT_CORE, BH_CORE_T2, place(BH_CORE_T2) + 12);
}

/* Threads. */

static void a_thread_issues_and_retires_with_what_it_changes(void **context)
{
    struct fixture *fixture = *context;
    START(fixture, BH_CORE_T1, tt_gpr(2 * 20 + 1, 0x1234), tt("WRCFG GprAddress=20, wr128b=0, CfgReg=200"),
          tt("SETC16 setc16_reg=5, setc16_value=77"),
          tt("SETADC CntSetMask=4, ChannelIndex=1, DimensionIndex=2, Value=9"),
          tt("SETRWC clear_ab_vld=0, rwc_cr=0, rwc_d=6, rwc_b=0, rwc_a=0, BitMask=4"), SELF_JUMP);
    run(fixture, LIMIT);
    const struct bh_event *issued = first(BH_EVENT_ISSUED, BH_AGENT_THREAD, 1);
    assert_place(issued, BH_AGENT_THREAD, 1, place(BH_CORE_T1));
    assert_int_equal(issued->instruction, 0x45123400 | 41);
    assert_register(next(BH_EVENT_REGISTER, BH_AGENT_THREAD, 1), BH_REGISTER_GPR, 1, 20, 0, 0x12340000);
    const struct bh_event *retired = next(BH_EVENT_RETIRED, BH_AGENT_THREAD, 1);
    assert_place(retired, BH_AGENT_THREAD, 1, place(BH_CORE_T1));
    /* a global word of Config is in both banks */
    assert_register(next(BH_EVENT_REGISTER, BH_AGENT_THREAD, 1), BH_REGISTER_CONFIG, 0, 200, 0, 0x12340000);
    assert_register(next(BH_EVENT_REGISTER, BH_AGENT_THREAD, 1), BH_REGISTER_CONFIG, 1, 200, 0, 0x12340000);
    assert_register(next(BH_EVENT_REGISTER, BH_AGENT_THREAD, 1), BH_REGISTER_THREAD_CONFIG, 1, 5, 0, 77);
    assert_register(next(BH_EVENT_REGISTER, BH_AGENT_THREAD, 1), BH_REGISTER_ADC, 1, 2 * 16 + 8 + BH_ADC_Z, 0, 9);
    assert_register(next(BH_EVENT_REGISTER, BH_AGENT_THREAD, 1), BH_REGISTER_ADC, 1, 2 * 16 + 8 + BH_ADC_Z_CR, 0, 9);
    const struct bh_event *rwc = next(BH_EVENT_REGISTER, BH_AGENT_THREAD, 1);
    assert_register(rwc, BH_REGISTER_RWC, 1, BH_RWC_DST, 0, 6);
    assert_place(rwc, BH_AGENT_THREAD, 1, place(BH_CORE_T1) + 16);
    assert_int_equal(count_of(BH_EVENT_ISSUED), 5 + 6); /* the thread's, and the core's */
}

static void what_a_replay_and_a_mop_expand_to_is_issued_one_by_one(void **context)
{
    struct fixture *fixture = *context;
    START(fixture, BH_CORE_T0, tt("REPLAY start_idx=0, len=3, execute_while_loading=1, load_mode=1"), tt("NOP"),
          tt("SETADCXX CntSetMask=1, x_end2=1, x_start=0"), tt("NOP"),
          tt("REPLAY start_idx=0, len=3, execute_while_loading=0, load_mode=0"), SELF_JUMP);
    run(fixture, LIMIT);
    unsigned issued = 0, retired = 0;
    for (unsigned i = 0; i < told.count; i++) {
        issued += told.event[i].kind == BH_EVENT_ISSUED && told.event[i].agent == BH_AGENT_THREAD;
        retired += told.event[i].kind == BH_EVENT_RETIRED && told.event[i].agent == BH_AGENT_THREAD;
    }
    assert_int_equal(issued, 6);
    assert_int_equal(retired, 6);
}

/* Observers. */

static void observers_are_told_only_what_they_ask_for_while_they_are_there(void **context)
{
    struct fixture *fixture = *context;
    const struct bh_observer retired = {.kinds = BH_EVENT_BIT(BH_EVENT_RETIRED), .on_event = record};
    const struct bh_tile nowhere = {40, 0};
    const struct bh_observer wrong = {.tiles = &nowhere, .tile_count = 1, .on_event = record}, silent = {.kinds = 1};
    assert_int_equal(bh_device_add_observer(fixture->device, &observer), BH_ERROR_ARGUMENT); /* added already */
    assert_int_equal(bh_device_add_observer(fixture->device, &wrong), BH_ERROR_ARGUMENT);
    assert_int_equal(bh_device_add_observer(fixture->device, &silent), BH_ERROR_ARGUMENT);
    assert_int_equal(bh_device_add_observer(fixture->device, NULL), BH_ERROR_ARGUMENT);
    assert_int_equal(bh_device_add_observer(NULL, &retired), BH_ERROR_ARGUMENT);
    assert_int_equal(bh_device_remove_observer(fixture->device, &retired), BH_ERROR_ARGUMENT);
    assert_int_equal(bh_device_remove_observer(fixture->device, &observer), BH_OK);
    START(fixture, BH_CORE_B, addi(T0, T0, 1), jump(-4));
    run(fixture, 100);
    assert_int_equal(told.count, 0);
    assert_int_equal(bh_device_add_observer(fixture->device, &retired), BH_OK);
    run(fixture, 100);
    assert_int_equal(told.count, 100);
    assert_int_equal(count_of(BH_EVENT_RETIRED), 100);
    assert_int_equal(bh_device_add_observer(fixture->device, &observer), BH_OK);
    told.count = 0;
    run(fixture, 100); /* now both observers get each retirement */
    assert_int_equal(count_of(BH_EVENT_RETIRED), 200);
    assert_int_equal(count_of(BH_EVENT_ISSUED), 100);
    assert_int_equal(bh_device_remove_observer(fixture->device, &retired), BH_OK);
    assert_int_equal(bh_device_remove_observer(fixture->device, &observer), BH_OK);
    told.count = 0;
    run(fixture, 100);
    assert_int_equal(told.count, 0);
}

static void an_observer_is_told_of_its_time(void **context)
{
    enum { FIRST = 30000, LAST = 31000, ASIDE = 12000 }; /* a quantum and more, on either side */
    struct fixture *fixture = *context;
    assert_int_equal(bh_device_remove_observer(fixture->device, &observer), BH_OK);
    observer.from = FIRST;
    observer.to = LAST;
    assert_int_equal(bh_device_add_observer(fixture->device, &observer), BH_OK);
    START(fixture, BH_CORE_T0, addi(T1, T1, 1), addi(T2, T2, 1), jump(-8));
    run(fixture, 15000);
    assert_int_equal(told.count, 0);
    run(fixture, 13500); /* the device's clock is before FIRST, by less than it is told earlier */
    assert_true(told.count > 0);
    assert_true(told.event[0].cycle + ASIDE > FIRST);
    told.count = 0;
    run(fixture, FIRST + 10 - 28500);
    uint64_t cycle = FIRST - 1;
    for (unsigned i = 0; i < told.count && told.count < EVENTS; i++) {
        if (told.event[i].kind == BH_EVENT_RETIRED && told.event[i].cycle >= FIRST) { /* each cycle, one */
            assert_int_equal(told.event[i].cycle, ++cycle);
        }
    }
    assert_int_equal(cycle, FIRST + 9);
    run(fixture, LAST + ASIDE - FIRST);
    told.count = 0;
    run(fixture, 20000);
    assert_int_equal(told.count, 0);
}

static void every_name_is_there(void **context)
{
    (void)context;
    for (unsigned i = 0; i < BH_EVENT_KINDS; i++) {
        assert_non_null(bh_event_name(i));
    }
    for (unsigned i = 0; i < BH_AGENTS; i++) {
        assert_non_null(bh_agent_name(i));
    }
    for (unsigned i = 0; i < BH_WAIT_REASONS; i++) {
        assert_non_null(bh_wait_name(i));
    }
    for (unsigned i = 0; i < BH_OPERAND_FILES; i++) {
        assert_non_null(bh_operand_name(i));
    }
    assert_null(bh_operand_name(BH_OPERAND_FILES));
    assert_null(bh_event_name(BH_EVENT_KINDS));
    assert_null(bh_agent_name(BH_AGENTS));
    assert_null(bh_wait_name(BH_WAIT_REASONS));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        OBSERVED_TEST(a_core_issues_and_retires_one_instruction_a_cycle),
        OBSERVED_TEST(accesses_have_a_space_and_a_size),
        OBSERVED_TEST(an_atomic_instruction_reads_and_writes),
        OBSERVED_TEST(csrs_and_vector_registers_are_told),
        OBSERVED_TEST(a_thread_issues_and_retires_with_what_it_changes),
        OBSERVED_TEST(what_a_replay_and_a_mop_expand_to_is_issued_one_by_one),
        OBSERVED_TEST(observers_are_told_only_what_they_ask_for_while_they_are_there),
        OBSERVED_TEST(an_observer_is_told_of_its_time),
        OBSERVED_TEST(every_name_is_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
