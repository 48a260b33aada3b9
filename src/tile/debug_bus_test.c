/* The signals of cores and threads on the debug daisychain, and how they are written to L1. Sources: ISA documentation
   (Wormhole) DebugDaisychain.md; tt-exalens, which names the same places for Blackhole. */
#include "tile/fixture.h"

enum { B = BH_CORE_B, T0 = BH_CORE_T0, T1 = BH_CORE_T1, T2 = BH_CORE_T2, NC = BH_CORE_NC };
enum { REG0 = 0xFFB12048, REG1 = 0xFFB1204C, REG2 = 0xFFB12050, CONTROL = 0xFFB12054, RD_DATA = 0xFFB1205C };
enum { ENABLED = 1 << 29, TRIGGER = 1 << 12, PREPARE = 15, SAME_PLACE = 0, NEXT_PLACE = 1, SAMPLES = 4 };
enum { FRONTEND = 1, CORES = 7 };

static void choose(struct fixture *fixture, unsigned chain, unsigned signals, unsigned word)
{
    store(fixture, MMIO_NOC, CONTROL, ENABLED | word << 25 | chain << 16 | signals);
}

/* Signals `first` to `first` + `count` - 1 of a place. */
static uint32_t signals_of(struct fixture *fixture, unsigned chain, unsigned signals, unsigned first, unsigned count)
{
    choose(fixture, chain, signals, first / 32);
    uint64_t bits = load(fixture, MMIO_NOC, RD_DATA);
    if (first / 32 < 3) {
        choose(fixture, chain, signals, first / 32 + 1);
        bits |= (uint64_t)load(fixture, MMIO_NOC, RD_DATA) << 32;
    }
    return (uint32_t)(bits >> first % 32 & ((UINT64_C(1) << count) - 1));
}

static void groups_a_and_b_show_a_core_between_two_instructions(void **context)
{
    struct fixture *fixture = *context;
    static const uint8_t group_a[BH_CORE_COUNT] = {10, 12, 14, 16, 24};
    for (unsigned core = 0; core < BH_CORE_COUNT; core++) {
        uint32_t pc = 0x1234 + 4 * core;
        fixture->state->core[core].pc = pc;
        assert_int_equal(signals_of(fixture, CORES, group_a[core], 0, 32), pc);      /* about to retire: not yet */
        assert_int_equal(signals_of(fixture, CORES, group_a[core], 32, 32), 0);      /* no request to memory */
        assert_int_equal(signals_of(fixture, CORES, group_a[core], 64, 32), pc);     /* to be fetched next */
        assert_int_equal(signals_of(fixture, CORES, group_a[core], 127, 1), 0);      /* nothing just fetched */
        assert_int_equal(signals_of(fixture, CORES, group_a[core] + 1, 32, 32), pc); /* to be decoded: not yet */
        assert_int_equal(signals_of(fixture, CORES, group_a[core] + 1, 103, 1), 0);
    }
}

/* Core T1 waits at an empty mailbox from T0. */
static void group_c_shows_who_waits_for_a_mailbox(void **context)
{
    struct fixture *fixture = *context;
    assert_int_equal(signals_of(fixture, CORES, 18, 106, 4), 0xf);
    struct rv32_core *core = &fixture->state->core[T1];
    core->halt = RV32_RUNNING;
    core->waiting = true;
    core->wait_address = 0xFFEC1000;
    assert_int_equal(signals_of(fixture, CORES, 18, 106, 4), 0xf & ~(1 << T1));
    assert_int_equal(signals_of(fixture, CORES, 20, 106, 4), 0xf);
    assert_int_equal(signals_of(fixture, CORES, 1, 115, 4), 0xf);
    core->wait_address = 0xFFEC0000;
    assert_int_equal(signals_of(fixture, CORES, 1, 115, 4), 0xf & ~(1 << T1));
}

static void group_c_shows_what_b_took_last_from_a_mailbox(void **context)
{
    struct fixture *fixture = *context;
    for (unsigned thread = 0; thread < 3; thread++) {
        uint32_t value = 0x89abcdef + thread;
        store(fixture, T0 + thread, 0xFFEC0000, value);
        assert_int_equal(load(fixture, B, 0xFFEC1000 + 0x1000 * thread), value);
        assert_int_equal(signals_of(fixture, CORES, 18 + 2 * thread, 70, 32), value);
    }
    store(fixture, B, 0xFFEC0000, 0xfff54321);
    assert_int_equal(load(fixture, B, 0xFFEC0000), 0xfff54321);
    assert_int_equal(signals_of(fixture, CORES, 1, 94, 17), 0x14321);
}

static void groups_c_and_d_show_a_pc_buf(void **context)
{
    enum { EMPTY = 23, FULL = 24 };
    struct fixture *fixture = *context;
    assert_int_equal(signals_of(fixture, CORES, 21, EMPTY, 2), 1);
    for (unsigned i = 0; i < 16; i++) {
        store(fixture, B, 0xFFE90000, 0x87654321 + i);
        assert_int_equal(signals_of(fixture, CORES, 21, EMPTY, 2), i == 15 ? 2 : 0);
    }
    assert_int_equal(signals_of(fixture, CORES, 20, 119, 9), 0x87654321 & 0x1ff);
    assert_int_equal(signals_of(fixture, CORES, 21, 0, 23), 0x87654321 >> 9);
    assert_int_equal(signals_of(fixture, CORES, 19, EMPTY, 2), 1);

    struct rv32_core *core = &fixture->state->core[T1];
    core->halt = RV32_RUNNING;
    core->waiting = true;
    core->wait_address = 0xFFE80000;
    assert_int_equal(signals_of(fixture, CORES, 21, 28, 4), 1 << 3);
    core->wait_address = 0xFFE80004;
    assert_int_equal(signals_of(fixture, CORES, 21, 28, 4), 1 << 2);
    core = &fixture->state->core[B];
    core->halt = RV32_RUNNING;
    core->waiting = true;
    core->wait_address = 0xFFE90000;
    assert_int_equal(signals_of(fixture, CORES, 21, 28, 4), 1 << 2 | 1 << 0);
}

/* A MOP whose first instruction waits at the gate, with other instructions queued behind it. */
static void group_d_shows_the_mop_expander(void **context)
{
    enum { VALID = 118, BUFFER_FULL = 125, BUFFER_EMPTY = 126 };
    const uint32_t mop = 0x01ffffff, semwait = 0xa6000001 | 1 << 2 | 0x1ff << 15;
    struct fixture *fixture = *context;
    struct frontend *frontend = &fixture->state->tensix.frontend[2];
    assert_int_equal(signals_of(fixture, CORES, 23, 25, 2), 0);
    assert_int_equal(signals_of(fixture, CORES, 23, VALID, 1), 0);
    assert_int_equal(signals_of(fixture, CORES, 23, BUFFER_FULL, 2), 2);
    frontend->fifo.entries[31].word = mop;
    frontend->mop.active = true;
    frontend->mop.template_number = 1;
    assert_int_equal(signals_of(fixture, CORES, 23, 25, 2), 3);
    assert_int_equal(signals_of(fixture, CORES, 23, 84, 2), 2);
    assert_int_equal(signals_of(fixture, CORES, 23, 86, 32), mop);
    assert_int_equal(signals_of(fixture, CORES, 23, VALID, 1), 1);
    frontend->mop.active = false;
    frontend->fifo.count = 1;
    frontend->fifo.entries[0].word = semwait;
    assert_int_equal(signals_of(fixture, CORES, 23, 84, 2), 0);
    assert_int_equal(signals_of(fixture, CORES, 23, 86, 32), semwait);
    assert_int_equal(signals_of(fixture, CORES, 23, VALID, 1), 1);
    assert_int_equal(signals_of(fixture, CORES, 23, BUFFER_FULL, 2), 0);
    frontend->fifo.count = FIFO_CAPACITY;
    assert_int_equal(signals_of(fixture, CORES, 23, BUFFER_FULL, 2), 1);
    frontend->mop.active = true;
    assert_int_equal(signals_of(fixture, CORES, 23, 86, 32),
                     0); /* the FIFO slot of the MOP was overwritten, as a warning tells */
    assert_int_equal(signals_of(fixture, CORES, 23, VALID, 1), 1);
    assert_int_equal(fixture->state->diagnostics.entries[0].category, BH_NON_CONTRACTUAL);
    assert_non_null(strstr(fixture->state->diagnostics.entries[0].text, "thread T2"));
}

static void the_instruction_before_the_wait_gate_shows(void **context)
{
    struct fixture *fixture = *context;
    static const uint8_t place[] = {12, 8, 4};
    for (unsigned thread = 0; thread < 3; thread++) {
        struct frontend *frontend = &fixture->state->tensix.frontend[thread];
        assert_int_equal(signals_of(fixture, FRONTEND, place[thread], 55, 32), 0);
        assert_int_equal(signals_of(fixture, FRONTEND, place[thread], 87, 4), 1 | 1 << 3);
        frontend->at_gate = true;
        frontend->next.word = 0xdeadbeef + thread;
        frontend->after_mop.count = FIFO_CAPACITY;
        assert_int_equal(signals_of(fixture, FRONTEND, place[thread], 55, 32), 0xdeadbeef + thread);
        assert_int_equal(signals_of(fixture, FRONTEND, place[thread], 87, 4), 1 << 2);
    }
}

static void prepare(struct fixture *fixture, uint32_t address, uint32_t mode)
{
    store(fixture, MMIO_NOC, REG2, PREPARE);
    store(fixture, MMIO_NOC, REG0, address / 16);
    store(fixture, MMIO_NOC, REG2, mode);
}

static void trigger(struct fixture *fixture, uint32_t mode)
{
    store(fixture, MMIO_NOC, REG2, mode | TRIGGER);
    store(fixture, MMIO_NOC, REG2, mode);
}

static uint32_t word_at(struct fixture *fixture, uint32_t address)
{
    return l1_load32(&fixture->tile.l1, address);
}

static void a_trigger_writes_128_signals_to_l1(void **context)
{
    struct fixture *fixture = *context;
    struct rv32_core *core = &fixture->state->core[B];
    for (unsigned mode = SAME_PLACE; mode <= NEXT_PLACE; mode++) {
        uint32_t second = mode == NEXT_PLACE ? 0x1010 : 0x1000;
        choose(fixture, CORES, 10, 3);
        prepare(fixture, 0x1000, mode);
        assert_int_equal(word_at(fixture, 0x1000), 0);
        core->pc = 0x444;
        trigger(fixture, mode);
        assert_int_equal(word_at(fixture, 0x1000), 0x444);
        assert_int_equal(word_at(fixture, 0x1004), 0);
        assert_int_equal(word_at(fixture, 0x1008), 0x444);
        core->pc = 0x448;
        trigger(fixture, mode);
        assert_int_equal(word_at(fixture, second), 0x448);
        l1_store32(&fixture->tile.l1, 0x1000, 0);
    }
}

static void samples_go_to_consecutive_places(void **context)
{
    struct fixture *fixture = *context;
    fixture->state->core[NC].pc = 0x888;
    choose(fixture, CORES, 24, 0);
    store(fixture, MMIO_NOC, REG2, PREPARE);
    store(fixture, MMIO_NOC, REG0, 0x2000 / 16);
    store(fixture, MMIO_NOC, REG1, 0x2000 / 16 + 25);
    store(fixture, MMIO_NOC, REG2, 4 << 4 | SAMPLES);
    trigger(fixture, 4 << 4 | SAMPLES);
    for (uint32_t i = 0; i < 25; i++) {
        assert_int_equal(word_at(fixture, 0x2000 + 16 * i), 0x888);
    }
    assert_int_equal(word_at(fixture, 0x2000 + 16 * 25), 0);
}

static void writes_to_l1_that_have_no_meaning_are_refused(void **context)
{
    struct fixture *fixture = *context;
    choose(fixture, CORES, 10, 0);
    prepare(fixture, 0x100000, SAME_PLACE);
    assert_refused(fixture, mmio_store(&fixture->tile, MMIO_NOC, REG2, 4, TRIGGER), BH_UNDEFINED_BEHAVIOR, "low 1 MiB");
    assert_refused(fixture, mmio_store(&fixture->tile, MMIO_NOC, REG2, 4, TRIGGER | 7), BH_UNDEFINED_BEHAVIOR,
                   "WriteMode 7");
    store(fixture, MMIO_NOC, CONTROL, CORES << 16 | 10);
    assert_refused(fixture, mmio_store(&fixture->tile, MMIO_NOC, REG2, 4, TRIGGER), BH_UNDEFINED_BEHAVIOR,
                   "does not enable");
    assert_int_equal(load(fixture, MMIO_NOC, REG2), SAME_PLACE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(groups_a_and_b_show_a_core_between_two_instructions),
        TEST(group_c_shows_who_waits_for_a_mailbox),
        TEST(group_c_shows_what_b_took_last_from_a_mailbox),
        TEST(groups_c_and_d_show_a_pc_buf),
        TEST(group_d_shows_the_mop_expander),
        TEST(the_instruction_before_the_wait_gate_shows),
        TEST(a_trigger_writes_128_signals_to_l1),
        TEST(samples_go_to_consecutive_places),
        TEST(writes_to_l1_that_have_no_meaning_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
