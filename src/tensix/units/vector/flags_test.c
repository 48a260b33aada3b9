/* Conditional execution, as ISA documentation VectorUnit.md ("Lane Predication Masks"), SFPENCC.md, SFPSETCC.md,
   SFPCOMPC.md, SFPPUSHC.md, SFPPOPC.md, SFPGT.md and SFPLE.md state it. */
#include "tensix/units/vector/fixture.h"

enum { PATTERN = 0x0ff05a3c, OTHER = 0x33cc0f5a };

static void lane_flags_do_not_decide_after_reset(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(vector_of(f)->use_lane_flags, 0);
    assert_int_equal(vector_of(f)->lane_flags, 0);
    assert_int_equal(vector_enabled_lanes(vector_of(f)), UINT32_MAX);
}

static void row_mask_switches_off_rows_whatever_the_flags_say(void **state)
{
    struct fixture *f = *state;
    for (unsigned lane = 0; lane < 8; lane++) {
        vector_of(f)->lane_config[lane] = lane == 3 ? 0x5000 : 0; /* rows 0 and 2 of column 3 */
    }
    vector_configure(vector_of(f));
    assert_int_equal(vector_enabled_lanes(vector_of(f)), ~(1u << 3 | 1u << 19));
}

static void encc_sets_inverts_and_keeps(void **state)
{
    struct fixture *f = *state;
    struct vector_unit *v = vector_of(f);
    RUN_OK(f, 0, SFPENCC, .imm12_math = 3, .instr_mod1 = 10);
    assert_int_equal(v->use_lane_flags, UINT32_MAX);
    assert_int_equal(v->lane_flags, UINT32_MAX);
    RUN_OK(f, 0, SFPENCC, .imm12_math = 0,
           .instr_mod1 = 8); /* flags from the immediate; the enables keep their values */
    assert_int_equal(v->use_lane_flags, UINT32_MAX);
    assert_int_equal(v->lane_flags, 0);
    RUN_OK(f, 0, SFPENCC, .imm12_math = 0,
           .instr_mod1 = 1); /* inverts the enables; sets flags, since they do not come from Imm2 */
    assert_int_equal(v->use_lane_flags, 0);
    assert_int_equal(v->lane_flags, UINT32_MAX);
}

static void setcc_compares_enabled_lanes_with_zero(void **state)
{
    static const struct {
        uint32_t mod1, negative, zero, positive;
    } cases[] = {{0, 1, 0, 0}, {2, 1, 0, 1}, {4, 0, 1, 1}, {6, 0, 1, 0}};
    struct fixture *f = *state;
    uint32_t *c = vector_of(f)->lreg[2];
    for (unsigned i = 0; i < COUNT_OF(cases); i++) {
        for (unsigned lane = 0; lane < SFPU_LANES; lane++) {
            c[lane] = lane % 3 == 0 ? 0xfffffff0 : lane % 3 == 1 ? 0 : 7;
        }
        enable_lanes(f, PATTERN);
        RUN_OK(f, 0, SFPSETCC, .lreg_c = 2, .instr_mod1 = cases[i].mod1);
        for (unsigned lane = 0; lane < SFPU_LANES; lane++) {
            uint32_t holds = lane % 3 == 0 ? cases[i].negative : lane % 3 == 1 ? cases[i].zero : cases[i].positive;
            assert_int_equal(vector_of(f)->lane_flags >> lane & 1, (PATTERN >> lane & 1) && holds);
        }
    }
}

static void setcc_takes_an_immediate_or_clears(void **state)
{
    struct fixture *f = *state;
    enable_lanes(f, PATTERN);
    RUN_OK(f, 0, SFPSETCC, .imm12_math = 1, .instr_mod1 = 1);
    assert_int_equal(vector_of(f)->lane_flags, PATTERN);
    RUN_OK(f, 0, SFPSETCC, .imm12_math = 1, .instr_mod1 = 9);
    assert_int_equal(vector_of(f)->lane_flags, 0);
}

static void setcc_clears_where_flags_do_not_decide(void **state)
{
    struct fixture *f = *state;
    vector_of(f)->use_lane_flags = 0xffff;
    vector_of(f)->lane_flags = UINT32_MAX;
    fill(f, 1, 0);
    RUN_OK(f, 0, SFPSETCC, .lreg_c = 1, .instr_mod1 = 6);
    assert_int_equal(vector_of(f)->lane_flags, 0xffff);
}

static void else_is_what_the_enclosing_condition_leaves(void **state)
{
    struct fixture *f = *state;
    struct vector_unit *v = vector_of(f);
    enable_lanes(f, PATTERN);
    RUN_OK(f, 0, SFPCOMPC);
    assert_int_equal(v->lane_flags, ~(uint32_t)PATTERN);
    enable_lanes(f, PATTERN);
    RUN_OK(f, 0, SFPPUSHC);
    enable_lanes(f, PATTERN & OTHER);
    RUN_OK(f, 0, SFPCOMPC);
    assert_int_equal(v->lane_flags, PATTERN & ~OTHER);
    v->stack[0].use_lane_flags =
        0xff; /* in other lanes there is no enclosing condition whose else branch this could be */
    v->lane_flags = 0;
    RUN_OK(f, 0, SFPCOMPC);
    assert_int_equal(v->lane_flags, PATTERN & 0xff);
}

static void pushes_and_pops_come_in_reverse_order(void **state)
{
    struct fixture *f = *state;
    struct vector_unit *v = vector_of(f);
    for (uint32_t i = 0; i < SFPU_STACK; i++) {
        enable_lanes(f, PATTERN + i);
        v->use_lane_flags = OTHER + i;
        RUN_OK(f, 0, SFPPUSHC);
    }
    ASSERT_STOPPED(f, RUN(f, 0, SFPPUSHC), BH_UNDEFINED_BEHAVIOR);
    for (uint32_t i = SFPU_STACK; i-- > 0;) {
        RUN_OK(f, 0, SFPPOPC);
        assert_int_equal(v->lane_flags, PATTERN + i);
        assert_int_equal(v->use_lane_flags, OTHER + i);
    }
    ASSERT_STOPPED(f, RUN(f, 0, SFPPOPC), BH_UNDEFINED_BEHAVIOR);
    ASSERT_STOPPED(f, RUN(f, 0, SFPPUSHC, .instr_mod1 = 3), BH_UNDEFINED_BEHAVIOR);
}

/* SFPPUSHC.md, SFPPOPC.md: lane by lane, `if (VD < 12 || LaneConfig.DISABLE_BACKDOOR_LOAD)`. In the other lanes the
   instruction becomes InstructionTemplate[VD - 12]. */
static void lanes_with_a_backdoor_neither_push_nor_pop(void **state)
{
    enum { DISABLED = 0x0f0f0f0f, SECOND = 0x3c3c3c3c };
    const uint32_t PUSH_12 = (uint32_t)TENSIX_OPCODE_SFPPUSHC << 24 | 12 << 4;
    const uint32_t POP_13 = (uint32_t)TENSIX_OPCODE_SFPPOPC << 24 | 13 << 4;
    struct fixture *f = *state;
    struct vector_unit *v = vector_of(f);
    for (unsigned lane = 0; lane < SFPU_LANES; lane++) {
        v->lane_config[lane] = DISABLED >> lane & 1 ? LANE_CONFIG_DISABLE_BACKDOOR_LOAD : 0;
    }
    vector_configure(v);
    enable_lanes(f, UINT32_MAX);
    RUN_OK(f, 0, SFPPUSHC); /* all lanes */
    assert_int_equal(tensix_execute(&f->tensix, 0, PUSH_12, 0), STEP_DONE);
    for (unsigned lane = 0; lane < SFPU_LANES; lane++) {
        uint32_t template = DISABLED >> lane & 1 ? 0 : PUSH_12;
        assert_int_equal(v->load_macro.instruction_template[0][lane], template);
    }
    v->lane_flags = SECOND;
    RUN_OK(f, 0, SFPPUSHC, .instr_mod1 = 1); /* replaces the top, which is the second entry of some */
    v->lane_flags = 0;
    RUN_OK(f, 0, SFPPOPC); /* all lanes */
    assert_int_equal(v->lane_flags, SECOND);
    f->diagnostics.policy[BH_UNPREDICTABLE_VALUE] = BH_IGNORE; /* lanes that are not enabled become templates */
    assert_int_equal(tensix_execute(&f->tensix, 0, POP_13, 0), STEP_DONE); /* lanes that have a second entry */
    assert_int_equal(v->lane_flags, (SECOND & ~DISABLED) | DISABLED);
    for (unsigned lane = 0; lane < SFPU_LANES; lane++) {
        uint32_t template = DISABLED >> lane & 1 ? 0 : POP_13;
        assert_int_equal(v->load_macro.instruction_template[1][lane], template);
    }
    ASSERT_STOPPED(f, RUN(f, 0, SFPPOPC), BH_UNDEFINED_BEHAVIOR);
}

/* Each lane's stack holds eight entries: "Software should avoid using `Mod1 == 0` when the stack is full" applies lane
   by lane. */
static void stacks_are_full_and_empty_lane_by_lane(void **state)
{
    struct fixture *f = *state;
    struct vector_unit *v = vector_of(f);
    f->diagnostics.policy[BH_UNPREDICTABLE_VALUE] = BH_IGNORE; /* as above */
    v->lane_config[5] = LANE_CONFIG_DISABLE_BACKDOOR_LOAD;
    vector_configure(v);
    for (unsigned i = 0; i < SFPU_STACK; i++) {
        enable_lanes(f, UINT32_MAX);
        v->lane_flags = UINT32_MAX ^ i << 5;
        RUN_OK(f, 0, SFPPUSHC, .lreg_dest = 15);
    }
    ASSERT_STOPPED(f, RUN(f, 0, SFPPUSHC, .lreg_dest = 15), BH_UNDEFINED_BEHAVIOR);
    ASSERT_STOPPED(f, RUN(f, 0, SFPPUSHC), BH_UNDEFINED_BEHAVIOR);
    ASSERT_STOPPED(f, RUN(f, 0, SFPPUSHC, .instr_mod1 = 1), BH_UNDEFINED_BEHAVIOR); /* empty in lane 0 */
    v->lane_flags = UINT32_MAX;
    RUN_OK(f, 0, SFPCOMPC); /* an empty stack counts as (true, true), SFPCOMPC.md */
    assert_int_equal(v->lane_flags, 0);
    RUN_OK(f, 0, SFPCOMPC);
    assert_int_equal(v->lane_flags, (UINT32_MAX ^ 1 << 5) | ((SFPU_STACK - 1) & 1 ? 0 : 1 << 5));
}

/* For Mod1 = 1..12: the result for (A, B) = (0,0), (0,1), (1,0), (1,1), as bits 0 to 3. */
static const uint8_t truth_tables[13] = {0, 0xa, 0x5, 0x8, 0xe, 0x4, 0xd, 0x2, 0xb, 0x1, 0x7, 0x6, 0x9};

static void modes_of_push_and_pop_are_boolean_operations(void **state)
{
    struct fixture *f = *state;
    struct vector_unit *v = vector_of(f);
    for (unsigned mod1 = 1; mod1 <= 12; mod1++) {
        v->stack_depth = 1;
        v->stack[0].use_lane_flags = 0x1234;
        v->stack[0].lane_flags = OTHER;
        enable_lanes(f, PATTERN);
        RUN_OK(f, 0, SFPPOPC, .instr_mod1 = mod1);
        assert_int_equal(v->stack_depth, 1);
        assert_int_equal(v->use_lane_flags, 0x1234);
        uint32_t popped = v->lane_flags;
        v->use_lane_flags = 0x4321;
        v->lane_flags = PATTERN;
        RUN_OK(f, 0, SFPPUSHC, .instr_mod1 = mod1);
        assert_int_equal(v->stack[0].use_lane_flags, 0x4321);
        for (unsigned lane = 0; lane < SFPU_LANES; lane++) {
            unsigned current = PATTERN >> lane & 1, top = OTHER >> lane & 1;
            assert_int_equal(popped >> lane & 1, truth_tables[mod1] >> (2 * current + top) & 1);
            assert_int_equal(v->stack[0].lane_flags >> lane & 1, truth_tables[mod1] >> (2 * top + current) & 1);
        }
    }
}

static void the_last_modes_of_push_and_pop_invert_and_set(void **state)
{
    struct fixture *f = *state;
    struct vector_unit *v = vector_of(f);
    enable_lanes(f, PATTERN);
    v->use_lane_flags = OTHER;
    v->stack_depth = 1;
    RUN_OK(f, 0, SFPPOPC, .instr_mod1 = 13);
    assert_int_equal(v->lane_flags, ~(uint32_t)PATTERN);
    assert_int_equal(v->use_lane_flags, OTHER);
    RUN_OK(f, 0, SFPPUSHC, .instr_mod1 = 13);
    assert_int_equal(v->lane_flags, PATTERN);
    assert_int_equal(v->stack[0].lane_flags, PATTERN);
    assert_int_equal(v->stack[0].use_lane_flags, OTHER);
    RUN_OK(f, 0, SFPPUSHC, .instr_mod1 = 15);
    assert_int_equal(v->stack[0].lane_flags, 0);
    assert_int_equal(v->stack[0].use_lane_flags, UINT32_MAX);
    RUN_OK(f, 0, SFPPUSHC, .instr_mod1 = 14);
    assert_int_equal(v->stack[0].lane_flags, UINT32_MAX);
    RUN_OK(f, 0, SFPPOPC, .instr_mod1 = 15);
    assert_int_equal(v->lane_flags, 0);
    assert_int_equal(v->use_lane_flags, UINT32_MAX);
    RUN_OK(f, 0, SFPPOPC, .instr_mod1 = 14);
    assert_int_equal(v->lane_flags, UINT32_MAX);
}

/* -NaN < -Inf < ... < -0 < +0 < ... < +NaN */
static const uint32_t ascending[] = {0xffffffff, 0xff800000, 0xbf800000, 0x80000001, 0x80000000,
                                     0,          1,          0x3f800000, 0x7f800000, 0x7fffffff};

static void comparisons_follow_the_total_order(void **state)
{
    struct fixture *f = *state;
    for (unsigned i = 0; i < COUNT_OF(ascending); i++) {
        for (unsigned j = 0; j < COUNT_OF(ascending); j++) {
            fill(f, 0, ascending[i]);
            fill(f, 1, ascending[j]);
            enable_lanes(f, PATTERN);
            RUN_OK(f, 0, SFPGT, .lreg_dest = 0, .lreg_c = 1, .instr_mod1 = 1);
            assert_int_equal(vector_of(f)->lane_flags, i > j ? PATTERN : 0);
            enable_lanes(f, PATTERN);
            RUN_OK(f, 0, SFPLE, .lreg_dest = 0, .lreg_c = 1, .instr_mod1 = 8);
            ASSERT_LREG_IN(f, 0, PATTERN, i <= j ? UINT32_MAX : 0, ascending[i]);
            assert_int_equal(vector_of(f)->lane_flags, PATTERN);
        }
    }
}

static void comparisons_change_the_stack_in_all_lanes(void **state)
{
    struct fixture *f = *state;
    struct vector_unit *v = vector_of(f);
    fill(f, 1, 16);
    number(f, 0, 0); /* lanes 17 to 31 are greater */
    enable_lanes(f, 0x00ff0000);
    v->stack_depth = 1;
    v->stack[0].lane_flags = OTHER;
    RUN_OK(f, 0, SFPGT, .lreg_dest = 0, .lreg_c = 1, .instr_mod1 = 2);
    assert_int_equal(v->stack[0].lane_flags, OTHER & 0xfffe0000);
    v->stack[0].lane_flags = OTHER;
    RUN_OK(f, 0, SFPLE, .lreg_dest = 0, .lreg_c = 1, .instr_mod1 = 6);
    assert_int_equal(v->stack[0].lane_flags, OTHER | 0x0001ffff);
    assert_int_equal(v->lane_flags, 0x00ff0000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FIXTURE_TEST(lane_flags_do_not_decide_after_reset),
        FIXTURE_TEST(row_mask_switches_off_rows_whatever_the_flags_say),
        FIXTURE_TEST(encc_sets_inverts_and_keeps),
        FIXTURE_TEST(setcc_compares_enabled_lanes_with_zero),
        FIXTURE_TEST(setcc_takes_an_immediate_or_clears),
        FIXTURE_TEST(setcc_clears_where_flags_do_not_decide),
        FIXTURE_TEST(else_is_what_the_enclosing_condition_leaves),
        FIXTURE_TEST(pushes_and_pops_come_in_reverse_order),
        FIXTURE_TEST(lanes_with_a_backdoor_neither_push_nor_pop),
        FIXTURE_TEST(stacks_are_full_and_empty_lane_by_lane),
        FIXTURE_TEST(modes_of_push_and_pop_are_boolean_operations),
        FIXTURE_TEST(the_last_modes_of_push_and_pop_invert_and_set),
        FIXTURE_TEST(comparisons_follow_the_total_order),
        FIXTURE_TEST(comparisons_change_the_stack_in_all_lanes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
