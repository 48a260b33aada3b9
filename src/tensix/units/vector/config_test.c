/* SFPCONFIG and what it configures, as ISA documentation SFPCONFIG.md states it. */
#include "tensix/units/vector/fixture.h"

static void values_come_from_the_first_row_of_lreg0(void **state)
{
    struct fixture *f = *state;
    struct vector_unit *v = vector_of(f);
    number(f, 0, 0x12345000);
    for (unsigned i = 0; i < 4; i++) {
        RUN_OK(f, 0, SFPCONFIG, .config_dest = i);
        RUN_OK(f, 0, SFPCONFIG, .config_dest = 4 + i);
        RUN_OK(f, 0, SFPCONFIG, .config_dest = 11 + i);
    }
    RUN_OK(f, 0, SFPCONFIG, .config_dest = 8);
    for (unsigned lane = 0; lane < SFPU_LANES; lane++) {
        uint32_t expected = 0x12345000 + lane % 8;
        for (unsigned i = 0; i < 4; i++) {
            assert_int_equal(v->load_macro.instruction_template[i][lane], expected);
            assert_int_equal(v->load_macro.sequence[i][lane], expected);
            assert_int_equal(v->lreg[11 + i][lane], expected);
        }
        assert_int_equal(v->load_macro.misc[lane], expected & 0xfff);
    }
}

static void immediates_are_values_or_choose_defaults(void **state)
{
    static const uint32_t defaults[] = {0xbf800000, 0x37800000, 0xbf2cc4c7, 0xbeb08ff9};
    struct fixture *f = *state;
    struct vector_unit *v = vector_of(f);
    fill(f, 0, 77);
    RUN_OK(f, 0, SFPCONFIG, .imm16_math = 0xabcd, .config_dest = 5, .instr_mod1 = 1);
    assert_int_equal(v->load_macro.sequence[1][9], 0xabcd);
    RUN_OK(f, 0, SFPCONFIG, .imm16_math = 0xabcd, .config_dest = 2, .instr_mod1 = 1); /* would not fit: ignored */
    assert_int_equal(v->load_macro.instruction_template[2][9], 77);
    for (unsigned i = 0; i < 4; i++) {
        RUN_OK(f, 0, SFPCONFIG, .config_dest = 11 + i, .instr_mod1 = 1);
        ASSERT_LREG(f, 11 + i, defaults[i]);
    }
}

static void misc_and_lane_config_are_combined_bitwise(void **state)
{
    static const uint32_t expected[] = {0x0f0, 0x3f3, 0x030, 0x3c3};
    struct fixture *f = *state;
    struct vector_unit *v = vector_of(f);
    for (unsigned i = 0; i < 4; i++) {
        for (unsigned lane = 0; lane < SFPU_LANES; lane++) {
            v->load_macro.misc[lane] = 0x333;
            v->lane_config[lane] = 0x20333;
        }
        vector_configure(v);
        RUN_OK(f, 0, SFPCONFIG, .imm16_math = 0x0f0, .config_dest = 8, .instr_mod1 = 1 | 2 * i);
        RUN_OK(f, 0, SFPCONFIG, .imm16_math = 0x0f0, .config_dest = 15, .instr_mod1 = 1 | 2 * i);
        assert_int_equal(v->load_macro.misc[31], expected[i]);
        assert_int_equal(v->lane_config[31],
                         0x20000 | expected[i]); /* the bits outside of the immediate keep their values */
        assert_int_equal(v->any_lane_config, 0x20000 | expected[i]);
    }
    fill(f, 0, 0xfff01001);
    RUN_OK(f, 0, SFPCONFIG, .config_dest = 15);
    assert_int_equal(v->lane_config[3], 0x01001);
    assert_int_equal(v->row_masked, 0xff);
}

static void lanes_are_chosen_by_flags_and_by_the_immediate(void **state)
{
    struct fixture *f = *state;
    fill(f, 0, 77);
    fill(f, 12, 0);
    enable_lanes(f, 0xffffff0f); /* only flags of the first row matter */
    RUN_OK(f, 0, SFPCONFIG, .imm16_math = 0x0c15, .config_dest = 12, .instr_mod1 = 8); /* lanes 0, 1, 2, 5 */
    ASSERT_LREG_IN(f, 12, 0x07070707, 77, 0);
}

static void there_is_nothing_at_9_and_10(void **state)
{
    struct fixture *f = *state;
    RUN(f, 0, SFPCONFIG, .config_dest = 9);
    assert_int_equal(f->diagnostics.entries[0].category, BH_NON_CONTRACTUAL);
    ASSERT_LREG(f, 9, 0);
}

static void destinations_from_12_on_make_templates(void **state)
{
    struct fixture *f = *state;
    struct vector_unit *v = vector_of(f);
    const uint32_t mad = 0x84000000 | 1 << 16 | 2 << 12 | 3 << 8 | 13 << 4, store = 0x72e00000;
    f->state.dst.valid[0] = 0;
    assert_int_equal(tensix_execute(&f->tensix, 0, mad, 0), STEP_DONE);
    assert_int_equal(tensix_execute(&f->tensix, 0, store, 0), STEP_DONE);
    assert_int_equal(f->diagnostics.count, 0);
    for (unsigned lane = 0; lane < SFPU_LANES; lane++) {
        assert_int_equal(v->load_macro.instruction_template[1][lane], mad);
        assert_int_equal(v->load_macro.instruction_template[2][lane], store);
    }
    assert_int_equal(f->state.dst.valid[0], 0);
}

static void templates_are_not_made_where_that_is_disabled(void **state)
{
    struct fixture *f = *state;
    struct vector_unit *v = vector_of(f);
    set_lane_config(f, LANE_CONFIG_DISABLE_BACKDOOR_LOAD);
    fill(f, 14, 0x3f800000);
    assert_int_equal(tensix_execute(&f->tensix, 0, 0x72e00000 | 3 << 16, 0), STEP_DONE); /* stores LReg[14] */
    assert_int_equal(v->load_macro.instruction_template[2][0], 0);
    assert_int_equal(f->state.dst.rows[0][0], 0x3f80);
}

static void writing_index_registers_by_computing_is_an_erratum(void **state)
{
    struct fixture *f = *state;
    set_lane_config(f, LANE_CONFIG_ENABLE_DEST_INDEX);
    RUN_OK(f, 0, SFPMOV, .lreg_c = 1, .lreg_dest = 3);
    RUN_OK(f, 0, SFPLOADI, .lreg_ind = 4, .instr_mod0 = 2, .imm16 = 5);
    RUN(f, 0, SFPMOV, .lreg_c = 1, .lreg_dest = 4);
    assert_int_equal(f->diagnostics.count, 1);
    assert_int_equal(f->diagnostics.entries[0].category, BH_UNPREDICTABLE_VALUE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FIXTURE_TEST(values_come_from_the_first_row_of_lreg0),
        FIXTURE_TEST(immediates_are_values_or_choose_defaults),
        FIXTURE_TEST(misc_and_lane_config_are_combined_bitwise),
        FIXTURE_TEST(lanes_are_chosen_by_flags_and_by_the_immediate),
        FIXTURE_TEST(there_is_nothing_at_9_and_10),
        FIXTURE_TEST(destinations_from_12_on_make_templates),
        FIXTURE_TEST(templates_are_not_made_where_that_is_disabled),
        FIXTURE_TEST(writing_index_registers_by_computing_is_an_erratum),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
