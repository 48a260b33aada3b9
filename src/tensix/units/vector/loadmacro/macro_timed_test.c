/* SFPLOADMACRO in timed mode, as ISA documentation SFPLOADMACRO.md states it: delays count cycles, or instructions of
   the Vector Unit. And products that are read in the cycle after them, SFPMAD.md, "Instruction scheduling". */
#include "tensix/timed_fixture.h"
#include "tensix/units/vector/loadmacro/macro_fixture.h"

enum { START = 1000, GATE = START + TIMING_PUSH_TO_GATE, LOADED = 0x00f0, INVERTED = 0xff0f, ROW = 16, OTHER_ROW = 32 };
enum { C11_VECTOR_BUSY = 1 << 11 };

/* Macro 0 inverts what it loads into LReg[3], `delay` cycles after the next one. */
static struct fixture *inverting(void **state, uint32_t delay, uint32_t misc)
{
    struct fixture *f = *state;
    tensix_reset(&f->state);
    memset(&f->state.timing, 0, sizeof f->state.timing);
    enable_lanes(f, UINT32_MAX);
    f->state.config.thread[THREAD][ADDR_MOD_DST_SEC6] = 4;
    put(f, 0, LOADED);
    put(f, ROW, 0);
    set_template(f, 0, word(TENSIX_OPCODE_SFPNOT, 0, 0, 0, 0));
    set_sequence(f, 0, slot(SIMPLE, delay, TEMPLATE));
    set_misc(f, misc);
    timed_push(f, THREAD, START, load_macro(0, 3, UINT16, 0, 0));
    return f;
}

static uint32_t store(uint32_t lreg, uint32_t row)
{
    return TT_OP_SFPSTORE(lreg, UINT16, 0, row);
}

static void elsewhere(struct fixture *f, uint64_t first, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++) {
        timed_push(f, THREAD, first + i, TT_OP_DMANOP);
    }
}

/* The cycle's instructions read the state before it. */
static void delays_count_cycles_in_which_nothing_is_issued(void **state)
{
    for (uint32_t delay = 0; delay < 8; delay++) {
        for (uint32_t later = 1; later < 12; later++) {
            struct timed_passes passes[TENSIX_THREADS];
            struct fixture *f = inverting(state, delay, 0);
            timed_push(f, THREAD, START + later, store(3, ROW));
            timed_run(f, passes);
            ASSERT_PASSED(passes[THREAD], GATE, 0, later);
            assert_int_equal(get(f, ROW), later > delay + 1 ? INVERTED : LOADED);
        }
    }
}

static void instructions_of_other_units_take_no_other_cycles(void **state)
{
    for (uint32_t later = 1; later < 8; later++) {
        struct timed_passes passes[TENSIX_THREADS];
        struct fixture *f = inverting(state, 3, 0);
        elsewhere(f, START + 1, later - 1);
        timed_push(f, THREAD, START + later, store(3, ROW));
        timed_run(f, passes);
        assert_int_equal(get(f, ROW), later > 4 ? INVERTED : LOADED);
    }
}

/* Whichever thread issues them. */
static void delays_count_instructions_of_the_vector_unit(void **state)
{
    for (uint32_t nops = 0; nops < 6; nops++) {
        struct timed_passes passes[TENSIX_THREADS];
        struct fixture *f = inverting(state, 3, KINDS_BY_INSTRUCTION);
        elsewhere(f, START + 1, 4);
        for (uint32_t i = 0; i < nops; i++) {
            timed_push(f, i % 2 ? T0 : THREAD, START + 10 + 7 * i, nop());
        }
        timed_push(f, THREAD, START + 100, store(3, ROW));
        timed_run(f, passes);
        /* the third one counts from 1 to 0, the next cycle executes it */
        assert_int_equal(get(f, ROW), nops >= 3 ? INVERTED : LOADED);
    }
}

static void one_that_waits_for_instructions_holds_up_all(void **state)
{
    struct timed_passes passes[TENSIX_THREADS];
    struct fixture *f = inverting(state, 1, 0x800 | UINT16);
    set_sequence(f, 0, slot(SIMPLE, 1, TEMPLATE) | slot(STORE, 2, STORE_SLOT));
    timed_push(f, THREAD, START + 50, store(3, ROW));
    timed_push(f, THREAD, START + 60, store(3, OTHER_ROW));
    timed_run(f, passes);
    assert_int_equal(get(f, ROW), LOADED);
    assert_int_equal(get(f, OTHER_ROW), INVERTED);
    assert_int_equal(get(f, 0), LOADED); /* both count from 2 to 0, the last cycle comes by itself */
    (void)vector_let_time_pass(&f->tensix, GATE + 61);
    assert_int_equal(get(f, 0), LOADED);
    (void)vector_let_time_pass(&f->tensix, GATE + 62);
    assert_int_equal(get(f, 0), INVERTED);
}

/* "the scheduled instruction takes priority and the regular instruction is silently discarded" */
static void regular_instructions_are_discarded_in_the_same_cycle_only(void **state)
{
    enum { SIGN = 1 };
    for (uint32_t later = 1; later < 6; later++) {
        struct timed_passes passes[TENSIX_THREADS];
        struct fixture *f = inverting(state, 2, 0);
        f->diagnostics.policy[BH_HAZARD] = BH_IGNORE;
        number(f, 1, 0x100);
        number(f, 4, 0);
        timed_push(f, THREAD, START + later, TT_OP_SFPMOV(0, 1, 4, 0));
        timed_run(f, passes);
        ASSERT_PASSED(passes[THREAD], GATE, 0, later);
        assert_int_equal(vector_of(f)->lreg[4][SIGN], later == 3 ? SIGN : 0x100 + SIGN);
        f->diagnostics.policy[BH_HAZARD] = BH_STOP;
    }
}

/* A thread that waits for something else lets cycles pass; chapter "stallwait conditions": C11 waits for all that is in
   the unit. */
static void stallwait_waits_for_what_is_scheduled(void **state)
{
    for (uint32_t delay = 0; delay < 8; delay++) {
        struct timed_passes passes[TENSIX_THREADS];
        struct fixture *f = inverting(state, delay, 0);
        TIMED_WORDS(f, THREAD, START, TT_OP_STALLWAIT(0x1ff, C11_VECTOR_BUSY), store(3, ROW));
        timed_run(f, passes);
        ASSERT_PASSED(passes[THREAD], GATE, 0, 1, delay + 1 + 1 + TIMING_VECTOR_DRAIN + TIMING_WAIT_GATE_LAG);
        assert_int_equal(get(f, ROW), INVERTED);
    }
}

/* Instructions that will not come while their thread waits are not waited for. */
static void stallwait_does_not_wait_for_elapsed_instructions(void **state)
{
    struct timed_passes passes[TENSIX_THREADS];
    struct fixture *f = inverting(state, 5, KINDS_BY_INSTRUCTION);
    TIMED_WORDS(f, THREAD, START, TT_OP_STALLWAIT(0x1ff, C11_VECTOR_BUSY), store(3, ROW));
    timed_run(f, passes);
    ASSERT_PASSED(passes[THREAD], GATE, 0, 1, 1 + TIMING_VECTOR_DRAIN + TIMING_WAIT_GATE_LAG);
    assert_int_equal(get(f, ROW), LOADED);
}

/* Another thread's Matrix Unit instruction sees Dst as it is when it executes. */
static void stores_are_in_dst_when_their_cycle_has_been(void **state)
{
    enum { STORED_AT = 5 };
    for (uint32_t later = 2; later < 10; later++) {
        struct timed_passes passes[TENSIX_THREADS];
        struct fixture *f = inverting(state, 0, UINT16);
        f->state.srca.owner[0] = SRC_MATRIX_UNIT;
        f->state.dst.valid[0] = true;
        set_sequence(f, 0, slot(SIMPLE, 0, TEMPLATE) | slot(STORE, STORED_AT - 1, STORE_SLOT));
        timed_push(f, T2, START + later, TT_OP_MOVD2A(0, 0, 0, 0, 0));
        timed_run(f, passes);
        ASSERT_PASSED(passes[T2], GATE, later);
        uint32_t loaded = f->state.srca.rows[0][0][0];
        timed_push(f, T2, START + 100, TT_OP_MOVD2A(0, 0, 0, 0, 0));
        timed_run(f, passes);
        uint32_t inverted = f->state.srca.rows[0][0][0];

        assert_int_equal(loaded == inverted, later > STORED_AT);
    }
}

/* While nothing is scheduled, too. */
static void products_are_not_there_for_readers_that_hardware_misses(void **state)
{
    enum { ONE = 0x3f800000, OLD = 100, USE_VB = 1, MAD_AT = 20 };
    for (uint32_t later = 1; later < 4; later++) {
        struct timed_passes passes[TENSIX_THREADS];
        struct fixture *f = inverting(state, 0, 0);
        f->diagnostics.policy[BH_UNPREDICTABLE_VALUE] = BH_IGNORE;
        fill(f, 1, UINT32_MAX);
        fill(f, 2, OLD);
        timed_push(f, THREAD, START + MAD_AT, mad(10, 10, 9, 2, 0)); /* 1 * 1 + 0 */
        timed_push(f, THREAD, START + MAD_AT + later, TT_OP_SFPAND(2, 1, 5, USE_VB));
        timed_push(f, THREAD, START + MAD_AT + later + 1, TT_OP_SFPMOV(0, 2, 6, 0));
        timed_run(f, passes);
        ASSERT_PASSED(passes[THREAD], GATE, 0, MAD_AT, MAD_AT + later, MAD_AT + later + 1);
        ASSERT_LREG(f, 5, later > 1 ? ONE : OLD);
        ASSERT_LREG(f, 6, ONE);
        assert_false(vector_schedule_active(vector_of(f)));
    }
}

/* Readers that wait find it. */
static void products_are_there_for_readers_that_wait(void **state)
{
    struct timed_passes passes[TENSIX_THREADS];
    struct fixture *f = inverting(state, 0, 0);
    TIMED_WORDS(f, THREAD, START, mad(10, 10, 9, 2, 0), TT_OP_SFPMOV(0, 2, 6, 0));
    timed_run(f, passes);
    ASSERT_PASSED(passes[THREAD], GATE, 0, 1, 3);
    assert_memory_equal(vector_of(f)->lreg[6], vector_of(f)->lreg[2], sizeof vector_of(f)->lreg[2]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TIMED_TEST(delays_count_cycles_in_which_nothing_is_issued),
        TIMED_TEST(instructions_of_other_units_take_no_other_cycles),
        TIMED_TEST(delays_count_instructions_of_the_vector_unit),
        TIMED_TEST(one_that_waits_for_instructions_holds_up_all),
        TIMED_TEST(regular_instructions_are_discarded_in_the_same_cycle_only),
        TIMED_TEST(stallwait_waits_for_what_is_scheduled),
        TIMED_TEST(stallwait_does_not_wait_for_elapsed_instructions),
        TIMED_TEST(stores_are_in_dst_when_their_cycle_has_been),
        TIMED_TEST(products_are_not_there_for_readers_that_hardware_misses),
        TIMED_TEST(products_are_there_for_readers_that_wait),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
