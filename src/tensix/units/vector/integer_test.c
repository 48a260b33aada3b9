/* Integers and bits, as ISA documentation SFPIADD.md, SFPMUL24.md, SFPABS.md, SFPAND.md, SFPOR.md, SFPXOR.md,
   SFPNOT.md, SFPLZ.md and SFPSHFT.md state them. */
#include "tensix/units/vector/fixture.h"

enum { PATTERN = 0x0ff05a3c, KEPT = 0x55aa55aa };

static void additions_act_on_enabled_lanes_and_set_their_flags(void **state)
{
    struct fixture *f = *state;
    fill(f, 1, 5);
    fill(f, 2, 0xfffffff0);
    enable_lanes(f, PATTERN);
    RUN_OK(f, 0, SFPIADD, .lreg_c = 1, .lreg_dest = 2, .instr_mod1 = 0); /* negative sums keep the flag */
    ASSERT_LREG_IN(f, 2, PATTERN, 0xfffffff5, 0xfffffff0);
    assert_int_equal(vector_of(f)->lane_flags, PATTERN);
    fill(f, 2, 3);
    RUN_OK(f, 0, SFPIADD, .lreg_c = 1, .lreg_dest = 2, .instr_mod1 = 2 | 8); /* 5 - 3; flags where not negative */
    ASSERT_LREG_IN(f, 2, PATTERN, 2, 3);
    assert_int_equal(vector_of(f)->lane_flags, PATTERN);
    RUN_OK(f, 0, SFPIADD, .imm12_math = 0xff8, .lreg_c = 1, .lreg_dest = 3, .instr_mod1 = 1 | 4 | 8);
    assert_int_equal(vector_of(f)->lreg[3][2], (uint32_t)-3);
    assert_int_equal(vector_of(f)->lane_flags, 0); /* CC_NONE with GTE0 inverts the current flags */
}

static void destinations_that_are_constant_change_nothing(void **state)
{
    struct fixture *f = *state;
    fill(f, 1, 5);
    RUN_OK(f, 0, SFPIADD, .lreg_c = 1, .lreg_dest = 10, .instr_mod1 = 8);
    ASSERT_LREG(f, 10, 0x3f800000);
    assert_int_equal(vector_of(f)->lane_flags, 0);
}

static void products_have_23_bits(void **state)
{
    struct fixture *f = *state;
    fill(f, 1, 0xff812345); /* only 0x012345 counts */
    fill(f, 2, 0x00654321);
    uint64_t product = UINT64_C(0x012345) * 0x654321;
    RUN_OK(f, 0, SFPMUL24, .lreg_src_a = 1, .lreg_src_b = 2, .lreg_src_c = 9, .lreg_dest = 3);
    ASSERT_LREG(f, 3, product & 0x7fffff);
    RUN_OK(f, 0, SFPMUL24, .lreg_src_a = 1, .lreg_src_b = 2, .lreg_src_c = 9, .lreg_dest = 3, .instr_mod1 = 1);
    ASSERT_LREG(f, 3, product >> 23);
    fill(f, 7, 4);
    fill(f, 4, 3);
    RUN_OK(f, 0, SFPMUL24, .lreg_src_a = 1, .lreg_src_b = 4, .lreg_src_c = 9, .lreg_dest = 1, .instr_mod1 = 12);
    ASSERT_LREG(f, 4, 9);
}

static void products_with_an_addend_are_outside_the_contract(void **state)
{
    struct fixture *f = *state;
    fill(f, 1, 3);
    fill(f, 2, 5);
    fill(f, 4, 129u << 23); /* one unit of the product's exponent: adds 1 << 26, which is cut off */
    assert_int_equal(RUN(f, 0, SFPMUL24, .lreg_src_a = 1, .lreg_src_b = 2, .lreg_src_c = 4, .lreg_dest = 3), STEP_DONE);
    assert_int_equal(f->diagnostics.entries[0].category, BH_NON_CONTRACTUAL);
    ASSERT_LREG(f, 3, 15);
    fill(f, 4, 126u << 23); /* an eighth of that adds 1 << 23, which is cut off, too */
    RUN(f, 0, SFPMUL24, .lreg_src_a = 1, .lreg_src_b = 2, .lreg_src_c = 4, .lreg_dest = 3);
    ASSERT_LREG(f, 3, 15);
    fill(f, 4, 125u << 23); /* 1 << 22 stays */
    RUN(f, 0, SFPMUL24, .lreg_src_a = 1, .lreg_src_b = 2, .lreg_src_c = 4, .lreg_dest = 3);
    ASSERT_LREG(f, 3, 15 + (1 << 22));
}

static void absolute_values_leave_what_has_none(void **state)
{
    static const uint32_t cases[][3] = {/* operand, integer, float */
                                        {5, 5, 5},
                                        {0xfffffffb, 5, 0xfffffffb},
                                        {0x80000000, 0x80000000, 0},
                                        {0xbf800000, 0x40800000, 0x3f800000},
                                        {0xff800000, 0x00800000, 0x7f800000},
                                        {0xff800001, 0x007fffff, 0xff800001}};
    struct fixture *f = *state;
    for (unsigned i = 0; i < COUNT_OF(cases); i++) {
        fill(f, 1, cases[i][0]);
        RUN_OK(f, 0, SFPABS, .lreg_c = 1, .lreg_dest = 2);
        ASSERT_LREG(f, 2, cases[i][1]);
        RUN_OK(f, 0, SFPABS, .lreg_c = 1, .lreg_dest = 2, .instr_mod1 = 1);
        ASSERT_LREG(f, 2, cases[i][2]);
    }
}

static void bitwise_operations_take_vb_or_vd(void **state)
{
    struct fixture *f = *state;
    fill(f, 1, 0x0f0f3355);
    fill(f, 2, 0x00ffff0f);
    fill(f, 3, 0x12345678);
    enable_lanes(f, PATTERN);
    RUN_OK(f, 0, SFPAND, .lreg_c = 1, .lreg_dest = 3);
    ASSERT_LREG_IN(f, 3, PATTERN, 0x12345678 & 0x0f0f3355, 0x12345678);
    RUN_OK(f, 0, SFPAND, .imm12_math = 2, .lreg_c = 1, .lreg_dest = 3, .instr_mod1 = 1);
    ASSERT_LREG_IN(f, 3, PATTERN, 0x000f3305, 0x12345678);
    RUN_OK(f, 0, SFPOR, .imm12_math = 2, .lreg_c = 1, .lreg_dest = 3, .instr_mod1 = 1);
    ASSERT_LREG_IN(f, 3, PATTERN, 0x0fffff5f, 0x12345678);
    RUN_OK(f, 0, SFPXOR, .lreg_c = 1, .lreg_dest = 2);
    ASSERT_LREG_IN(f, 2, PATTERN, 0x0ff0cc5a, 0x00ffff0f);
    RUN_OK(f, 0, SFPNOT, .lreg_c = 1, .lreg_dest = 4);
    ASSERT_LREG_IN(f, 4, PATTERN, 0xf0f0ccaa, 0);
}

static void leading_zeros_may_skip_the_sign_and_set_flags(void **state)
{
    struct fixture *f = *state;
    for (unsigned i = 0; i <= 32; i++) {
        fill(f, 1, i == 32 ? 0 : 0x80000000 >> i);
        enable_lanes(f, PATTERN);
        RUN_OK(f, 0, SFPLZ, .lreg_c = 1, .lreg_dest = 2, .instr_mod1 = 2);
        ASSERT_LREG_IN(f, 2, PATTERN, i, vector_of(f)->lreg[2][0]);
        assert_int_equal(vector_of(f)->lane_flags, i == 32 ? 0 : PATTERN);
        enable_lanes(f, PATTERN);
        RUN_OK(f, 0, SFPLZ, .lreg_c = 1, .lreg_dest = 2, .instr_mod1 = 2 | 4 | 8);
        ASSERT_LREG_IN(f, 2, PATTERN, i == 0 ? 32 : i, vector_of(f)->lreg[2][0]);
        assert_int_equal(vector_of(f)->lane_flags, i == 0 || i == 32 ? PATTERN : 0);
    }
}

static void shifts_go_left_or_right_by_the_sign_of_the_amount(void **state)
{
    struct fixture *f = *state;
    for (int amount = -40; amount <= 40; amount++) {
        uint32_t value = 0x89abcdef, count = (uint32_t)(amount < 0 ? -amount : amount) % 32;
        uint32_t logical = amount >= 0 ? value << count : value >> count;
        uint32_t arithmetic = amount >= 0 ? value << count : ~(~value >> count);
        for (unsigned mod1 = 0; mod1 < 4; mod1++) {
            fill(f, 1, (uint32_t)amount);
            fill(f, 2, value);
            RUN_OK(f, 0, SFPSHFT, .imm12_math = mod1 & 1 ? (uint32_t)amount & 0xfff : 0, .lreg_c = 1, .lreg_dest = 2,
                   .instr_mod1 = mod1);
            ASSERT_LREG(f, 2, mod1 & 2 ? arithmetic : logical);
        }
        fill(f, 1, value);
        RUN_OK(f, 0, SFPSHFT, .imm12_math = (uint32_t)amount & 0xfff, .lreg_c = 1, .lreg_dest = 2, .instr_mod1 = 5);
        ASSERT_LREG(f, 2, logical);
    }
    RUN(f, 0, SFPSHFT, .lreg_c = 1, .lreg_dest = 2, .instr_mod1 = 8);
    assert_int_equal(f->diagnostics.entries[0].category, BH_NON_CONTRACTUAL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FIXTURE_TEST(additions_act_on_enabled_lanes_and_set_their_flags),
        FIXTURE_TEST(destinations_that_are_constant_change_nothing),
        FIXTURE_TEST(products_have_23_bits),
        FIXTURE_TEST(products_with_an_addend_are_outside_the_contract),
        FIXTURE_TEST(absolute_values_leave_what_has_none),
        FIXTURE_TEST(bitwise_operations_take_vb_or_vd),
        FIXTURE_TEST(leading_zeros_may_skip_the_sign_and_set_flags),
        FIXTURE_TEST(shifts_go_left_or_right_by_the_sign_of_the_amount),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
