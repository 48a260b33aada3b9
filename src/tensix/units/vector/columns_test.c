/* SFPLOADMACRO where LoadMacroConfig differs between lanes. ISA documentation SFPLOADMACRO.md: the functional model
   reads LoadMacroConfig[Lane], and "in theory, LoadMacroConfig can differ between lanes". */
#include "tensix/units/vector/loadmacro/macro_fixture.h"

enum { ODD = 0xaaaaaaaa, EVEN = 0x55555555, SIX = 6 };

/* Sets `words`, one of LoadMacroConfig's, in `lanes`. */
static void set_in(uint32_t *words, uint32_t lanes, uint32_t value)
{
    for (unsigned lane = 0; lane < SFPU_LANES; lane++) {
        words[lane] = lanes >> lane & 1 ? value : words[lane];
    }
}

#define SET_TEMPLATE_IN(fixture, i, lanes, value)                                                                      \
    set_in(vector_of(fixture)->load_macro.instruction_template[i], lanes, value)
#define SET_SEQUENCE_IN(fixture, i, lanes, value) set_in(vector_of(fixture)->load_macro.sequence[i], lanes, value)
#define SET_MISC_IN(fixture, lanes, value) set_in(vector_of(fixture)->load_macro.misc, lanes, value)

static void lanes_execute_templates_of_their_own(void **state)
{
    struct fixture *f = *state;
    SET_TEMPLATE_IN(f, 0, EVEN, word(TENSIX_OPCODE_SFPNOT, 0, 0, 0, 0));
    SET_TEMPLATE_IN(f, 0, ODD, word(TENSIX_OPCODE_SFPIADD, 1, 0, 0, 5)); /* VC + 1 */
    set_sequence(f, 0, slot(SIMPLE, 0, TEMPLATE));
    put(f, 0, 7);
    go(f, load_macro(0, 4, UINT16, 0, 0));
    ASSERT_LREG(f, 4, 7);
    idle(f, 1);
    ASSERT_LREG_IN(f, 4, EVEN, ~7u, 8);
    assert_false(vector_schedule_active(vector_of(f)));
}

static void lanes_have_delays_and_results_of_their_own(void **state)
{
    struct fixture *f = *state;
    set_template(f, 0, word(TENSIX_OPCODE_SFPNOT, 0, 0, 0, 0));
    SET_SEQUENCE_IN(f, 0, EVEN, slot(SIMPLE, 1, TEMPLATE));
    SET_SEQUENCE_IN(f, 0, ODD, slot(SIMPLE, 3, LREG16 | TEMPLATE));
    put(f, 0, 7);
    go(f, load_macro(0, 4, UINT16, 0, 0));
    idle(f, 1);
    ASSERT_LREG(f, 4, 7);
    idle(f, 1);
    ASSERT_LREG_IN(f, 4, EVEN, ~7u, 7);
    idle(f, 1);
    ASSERT_LREG(f, 16, 0);
    idle(f, 1);
    ASSERT_LREG_IN(f, 4, EVEN, ~7u, 7);
    ASSERT_LREG_IN(f, 16, ODD, ~7u, 0);
}

/* Misc: StoreMod0, and whether the load's mode is used instead. */
static void lanes_store_in_formats_of_their_own(void **state)
{
    enum { INT16 = 8, LANE_1_COLUMN = 2 };
    struct fixture *f = *state;
    set_sequence(f, 0, slot(STORE, 0, LREG16 | STORE_SLOT));
    SET_MISC_IN(f, EVEN, INT16);
    SET_MISC_IN(f, ODD, INT16 | LOAD_MOD0_FOR_STORE);
    fill(f, 16, 0x8000abcd);
    go(f, load_macro(0, 4, UINT16, 0, 8));
    idle(f, 1);
    assert_int_equal(get(f, 8), 0xabcd); /* sign and 15 bits */
    f->state.dst.rows[8][0] = f->state.dst.rows[8][LANE_1_COLUMN];
    assert_int_equal(get(f, 8), 0xabcd);
    fill(f, 16, 0x80001bcd);
    go(f, load_macro(0, 4, UINT16, 0, 8));
    idle(f, 1);
    assert_int_equal(get(f, 8), 0x9bcd);
    f->state.dst.rows[8][0] = f->state.dst.rows[8][LANE_1_COLUMN];
    assert_int_equal(get(f, 8), 0x1bcd);
}

/* "If any lane invokes ScheduleInstructionForFutureExecution on StoreSubUnit, then all lanes must do so." */
static void all_lanes_store_or_none(void **state)
{
    struct fixture *f = *state;
    set_sequence(f, 0, slot(STORE, 0, STORE_SLOT));
    SET_SEQUENCE_IN(f, 0, EVEN, 0);
    enum step step = tensix_execute(&f->tensix, THREAD, load_macro(0, 4, UINT16, ADDR_MOD_STEP, 0), 0);
    ASSERT_STOPPED(f, step, BH_UNDEFINED_BEHAVIOR);
    assert_int_equal(f->state.addr.rwc[THREAD].dst, 0);
    SET_SEQUENCE_IN(f, 0, EVEN, slot(STORE, 3, STORE_SLOT)); /* when is not said */
    set_misc(f, UINT16);
    put(f, 0, 5);
    go(f, load_macro(0, 4, UINT16, ADDR_MOD_STEP, 0));
    put(f, 0, 9);
    idle(f, 1);
    f->state.dst.rows[1][0] = f->state.dst.rows[0][2];
    assert_int_equal(get(f, 1), 5);
    assert_int_equal(get(f, 0), 9);
    idle(f, 3);
    assert_int_equal(get(f, 0), 5);
}

/* "If any outstanding instruction (on any sub-unit) ... has a delay kind of WaitForElapsedInstructions, then all
   outstanding instructions": in any lane. */
static void one_lane_that_waits_for_instructions_makes_all_wait(void **state)
{
    struct fixture *f = *state;
    set_template(f, 0, word(TENSIX_OPCODE_SFPNOT, 0, 0, 0, 0));
    set_sequence(f, 0, slot(SIMPLE, 2, TEMPLATE));
    SET_MISC_IN(f, 1, KINDS_BY_INSTRUCTION);
    SET_MISC_IN(f, 0x01010100, KINDS_BY_INSTRUCTION); /* the other lanes of this column */
    put(f, 0, 7);
    go(f, load_macro(0, 4, UINT16, 0, 0));
    for (unsigned i = 0; i < 5; i++) {
        go(f, (uint32_t)TENSIX_OPCODE_NOP << 24);
    }
    ASSERT_LREG(f, 4, 7);
    idle(f, 3);
    ASSERT_LREG(f, 4, ~7u);
}

/* "The scheduled instruction takes priority and the regular instruction is silently discarded." */
static void regular_instructions_give_way_in_some_lanes(void **state)
{
    struct fixture *f = *state;
    set_template(f, 0, word(TENSIX_OPCODE_SFPNOT, 0, 0, 0, 0));
    SET_SEQUENCE_IN(f, 0, EVEN, slot(SIMPLE, 0, TEMPLATE));
    put(f, 0, 7);
    fill(f, 1, 100);
    fill(f, 2, 200);
    f->diagnostics.policy[BH_HAZARD] = BH_WARN;
    go(f, load_macro(0, 4, UINT16, 0, 0));
    assert_int_equal(tensix_execute(&f->tensix, THREAD, word(TENSIX_OPCODE_SFPMOV, 0, 1, 2, 0), 0), STEP_DONE);
    assert_int_equal(f->diagnostics.count, 1);
    assert_int_equal(f->diagnostics.entries[0].category, BH_HAZARD);
    ASSERT_LREG_IN(f, 4, EVEN, ~7u, 7);
    ASSERT_LREG_IN(f, 2, EVEN, 200, 100);
}

/* A regular SFPSTORE that gives way does not write Dst, even in the mode that ignores lane flags. */
static void regular_stores_give_way_in_some_lanes(void **state)
{
    enum { INT32_ALL = 10 };
    struct fixture *f = *state;
    SET_SEQUENCE_IN(f, 0, EVEN, slot(STORE, 0, STORE_SLOT));
    SET_SEQUENCE_IN(f, 0, ODD, slot(STORE, 2, STORE_SLOT));
    set_misc(f, UINT16);
    put(f, 16, 7);
    put(f, 0, 1);
    fill(f, 1, 0x00030003);
    f->diagnostics.policy[BH_HAZARD] = BH_IGNORE;
    go(f, load_macro(0, 4, UINT16, 0, 16));
    go(f, (uint32_t)TENSIX_OPCODE_SFPSTORE << 24 | 1 << 20 | INT32_ALL << 16);
    assert_int_equal(get(f, 0), 1);
    assert_int_equal(f->state.dst.rows[0][2], 3); /* the upper half */
    ASSERT_LREG(f, 4, 7);
    assert_int_equal(vector_of(f)->any_lane_config, 0);
}

static void products_go_to_registers_of_their_own(void **state)
{
    struct fixture *f = *state;
    set_template(f, 0, mad(10, 10, 9, 0, 0));
    SET_TEMPLATE_IN(f, 0, ODD, mad(10, 10, 9, 0, 8));         /* to LReg[LReg[7]] */
    set_sequence(f, 0, slot(MAD, 0, TEMPLATE | OVERRIDE_VB)); /* 1 * the loaded value + 0 */
    fill(f, 7, SIX);
    for (uint32_t i = 0; i < 4 * ROW_COLUMNS; i++) {
        f->state.dst.rows[i / ROW_COLUMNS][i % ROW_COLUMNS] = 0x4040;
    }
    go(f, load_macro(0, 4, 2, 0, 0));
    ASSERT_LREG(f, 4, 0x40400000);
    fill(f, 4, 0x40800000);
    idle(f, 1);
    ASSERT_LREG(f, 4, 0x40800000);
    ASSERT_LREG(f, SIX, 0);
    fill(f, 4, 0); /* the product used the value of its first cycle */
    idle(f, 1);
    ASSERT_LREG_IN(f, 4, EVEN, 0x40800000, 0);
    ASSERT_LREG_IN(f, SIX, ODD, 0x40800000, 0);
}

static void lanes_swap_in_their_second_cycle(void **state)
{
    struct fixture *f = *state;
    SET_TEMPLATE_IN(f, 0, EVEN, word(TENSIX_OPCODE_SFPSWAP, 0, 1, 4, 0));
    SET_TEMPLATE_IN(f, 0, ODD, word(TENSIX_OPCODE_SFPSWAP, 0, 2, 4, 0));
    set_sequence(f, 0, slot(SIMPLE, 0, TEMPLATE | OVERRIDE_VB));
    put(f, 0, 7);
    fill(f, 1, 100);
    fill(f, 2, 200);
    go(f, load_macro(0, 4, UINT16, 0, 0));
    idle(f, 1);
    ASSERT_LREG(f, 4, 7);
    idle(f, 1);
    ASSERT_LREG_IN(f, 4, EVEN, 100, 200);
    ASSERT_LREG_IN(f, 1, EVEN, 7, 100);
    ASSERT_LREG_IN(f, 2, ODD, 7, 200);
}

/* Values from other lanes are those before the cycle, whatever these lanes execute. */
static void shuffles_read_lanes_that_do_other_things(void **state)
{
    struct fixture *f = *state;
    enum { SHFLROR1 = 3 };
    SET_SEQUENCE_IN(f, 0, EVEN, slot(ROUND, 0, TEMPLATE));
    SET_SEQUENCE_IN(f, 0, ODD, slot(SIMPLE, 0, TEMPLATE + 1));
    set_template(f, 0, word(TENSIX_OPCODE_SFPSHFT2, 0, 0, 0, SHFLROR1));
    set_template(f, 1, word(TENSIX_OPCODE_SFPNOT, 0, 0, 0, 0));
    go(f, load_macro(0, 4, UINT16, 0, 0));
    number(f, 4, 0);
    idle(f, 1);
    for (unsigned lane = 0; lane < SFPU_LANES; lane++) {
        assert_int_equal(vector_of(f)->lreg[4][lane], lane & 1 ? ~lane : lane);
    }
    idle(f, 1);
    for (unsigned lane = 0; lane < SFPU_LANES; lane++) {
        unsigned left = (lane & ~7u) | ((lane - 1) & 7);
        assert_int_equal(vector_of(f)->lreg[4][lane], lane & 1 ? ~lane : left);
    }
}

static void lanes_push_and_configure_for_themselves(void **state)
{
    struct fixture *f = *state;
    struct vector_unit *v = vector_of(f);
    SET_TEMPLATE_IN(f, 0, EVEN, word(TENSIX_OPCODE_SFPPUSHC, 0, 0, 0, 0));
    SET_TEMPLATE_IN(f, 0, ODD,
                    word(TENSIX_OPCODE_SFPCONFIG, 0, 0, 0, 0)); /* to LReg[VD], where VD is replaced by 4: ... */
    set_sequence(f, 0, slot(SIMPLE, 0, TEMPLATE));
    fill(f, 0, 0x1234);
    go(f, load_macro(0, 4, UINT16, 0, 0));
    idle(f, 1);
    assert_int_equal(v->stack_depth, 1);
    assert_int_equal(v->stack[0].missing, ODD);
    for (unsigned lane = 0; lane < SFPU_LANES; lane++) { /* ... Sequence[0] */
        assert_int_equal(v->load_macro.sequence[0][lane], ODD >> lane & 1 ? 0x1234 : slot(SIMPLE, 0, TEMPLATE));
    }
    set_sequence(f, 0, slot(SIMPLE, 0, TEMPLATE));
    SET_TEMPLATE_IN(f, 0, ODD, word(TENSIX_OPCODE_SFPNOT, 0, 0, 0, 0));
    SET_TEMPLATE_IN(f, 0, EVEN,
                    word(TENSIX_OPCODE_SFPPOPC, 0, 0, 0, 0)); /* only lanes that do not pop have an empty stack */
    go(f, load_macro(0, 4, UINT16, 0, 0));
    idle(f, 1);
    assert_int_equal(v->stack_depth, 0);
}

static void bad_company_is_seen_lane_by_lane(void **state)
{
    struct fixture *f = *state;
    set_template(f, 0, word(TENSIX_OPCODE_SFPNOT, 0, 0, 12, 0));
    set_template(f, 1, word(TENSIX_OPCODE_SFP_STOCH_RND, 0, 0, 0, 0));
    SET_SEQUENCE_IN(f, 0, EVEN, slot(SIMPLE, 0, TEMPLATE));
    SET_SEQUENCE_IN(f, 0, ODD, slot(ROUND, 0, TEMPLATE + 1));
    go(f, load_macro(0, 4, UINT16, 0, 0));
    idle(f, 2);
    SET_SEQUENCE_IN(f, 0, 0x40404040, slot(SIMPLE, 0, TEMPLATE) | slot(ROUND, 0, TEMPLATE + 1));
    go(f, load_macro(0, 4, UINT16, 0, 0));
    enum step step = tensix_execute(&f->tensix, THREAD, nop(), 0);
    ASSERT_STOPPED(f, step, BH_UNDEFINED_BEHAVIOR);
}

/* Columns are joined again once nothing is scheduled. */
static void macros_that_are_the_same_join_those_that_differ(void **state)
{
    struct fixture *f = *state;
    set_template(f, 0, word(TENSIX_OPCODE_SFPNOT, 0, 0, 0, 0));
    set_sequence(f, 0, slot(SIMPLE, 6, TEMPLATE));
    SET_SEQUENCE_IN(f, 1, EVEN, slot(SIMPLE, 3, TEMPLATE));
    SET_SEQUENCE_IN(f, 1, ODD, slot(SIMPLE, 4, TEMPLATE));
    put(f, 0, 7);
    put(f, 4, 8);
    put(f, 8, 9);
    go(f, load_macro(0, 4, UINT16, 0, 0)); /* while columns are joined: executes in 7 cycles */
    go(f, load_macro(1, 5, UINT16, 0, 4)); /* executes in 4 or 5 cycles, which are cycles 5 and 6 */
    go(f, load_macro(0, 6, UINT16, 0, 8)); /* in 7 */
    idle(f, 2);
    ASSERT_LREG(f, 5, 8);
    idle(f, 1);
    ASSERT_LREG_IN(f, 5, EVEN, ~8u, 8);
    idle(f, 1);
    ASSERT_LREG(f, 5, ~8u);
    ASSERT_LREG(f, 4, 7);
    idle(f, 1);
    ASSERT_LREG(f, 4, ~7u);
    ASSERT_LREG(f, 6, 9);
    idle(f, 2);
    ASSERT_LREG(f, 6, ~9u);
    assert_false(vector_of(f)->macro.apart);
    assert_false(vector_schedule_active(vector_of(f)));
}

/* As programs configure columns: SFPCONFIG takes the values of LReg[0] in the first eight lanes, column by column. */
static void columns_are_configured_by_sfpconfig(void **state)
{
    enum { SEQUENCE_0 = 4 };
    struct fixture *f = *state;
    set_template(f, 0, word(TENSIX_OPCODE_SFPNOT, 0, 0, 0, 0));
    for (unsigned lane = 0; lane < SFPU_LANES; lane++) {
        vector_of(f)->lreg[0][lane] = lane < 8 ? slot(SIMPLE, lane, TEMPLATE) : 0;
    }
    go(f, word(TENSIX_OPCODE_SFPCONFIG, 0, 0, SEQUENCE_0, 0));
    put(f, 0, 7);
    go(f, load_macro(0, 4, UINT16, 0, 0));
    for (unsigned cycle = 0; cycle < 8; cycle++) {
        ASSERT_LREG_IN(f, 4, ((1u << cycle) - 1) * 0x01010101, ~7u, 7);
        idle(f, 1);
    }
    ASSERT_LREG(f, 4, ~7u);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        MACRO_TEST(lanes_execute_templates_of_their_own),
        MACRO_TEST(lanes_have_delays_and_results_of_their_own),
        MACRO_TEST(lanes_store_in_formats_of_their_own),
        MACRO_TEST(all_lanes_store_or_none),
        MACRO_TEST(one_lane_that_waits_for_instructions_makes_all_wait),
        MACRO_TEST(regular_instructions_give_way_in_some_lanes),
        MACRO_TEST(regular_stores_give_way_in_some_lanes),
        MACRO_TEST(products_go_to_registers_of_their_own),
        MACRO_TEST(lanes_swap_in_their_second_cycle),
        MACRO_TEST(shuffles_read_lanes_that_do_other_things),
        MACRO_TEST(lanes_push_and_configure_for_themselves),
        MACRO_TEST(bad_company_is_seen_lane_by_lane),
        MACRO_TEST(macros_that_are_the_same_join_those_that_differ),
        MACRO_TEST(columns_are_configured_by_sfpconfig),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
