/* Lookup and approximation, as ISA documentation SFPLUT.md, SFPLUTFP32.md and SFPARECIP.md state them. */
#include "tensix/units/vector/fixture.h"

static void lut_evaluates_the_line_of_its_interval(void **state)
{
    /* argument, which LReg; the LRegs hold slope and offset 0x00 (1) and 0x10 (0.5), so 1 * |x| + 0.5, 0.5 * |x| + 1,
       and for all ones 0 * |x| + 0. */
    static const uint32_t cases[][2] = {{0x3f000000, 0x3f800000}, {0xbf000000, 0x3f800000}, {0x3f800000, 0x3fc00000},
                                        {0x3fffffff, 0x40000000}, {0x40000000, 0},          {0x7f7fffff, 0}};
    struct fixture *f = *state;
    fill(f, 0, 0x0010);
    fill(f, 1, 0x1000);
    fill(f, 2, 0xffff);
    for (unsigned i = 0; i < COUNT_OF(cases); i++) {
        fill(f, 3, cases[i][0]);
        RUN_OK(f, 0, SFPLUT, .lreg_ind = 4);
        ASSERT_LREG(f, 4, cases[i][1]);
        RUN_OK(f, 0, SFPLUT, .lreg_ind = 4, .instr_mod0 = 4);
        ASSERT_LREG(f, 4, cases[i][1] | (cases[i][0] & 0x80000000));
    }
    fill(f, 3, 0x3f000000);
    fill(f, 7, 0xf5); /* VD is 5 */
    RUN_OK(f, 0, SFPLUT, .lreg_ind = 4, .instr_mod0 = 8);
    ASSERT_LREG(f, 5, 0x3f800000);
}

static void coefficients_of_32_bits_have_three_intervals(void **state)
{
    struct fixture *f = *state;
    static const uint32_t arguments[] = {0x3e800000, 0x3f800000, 0xc0800000}; /* 0.25, 1, -4 */
    static const uint32_t results[] = {0x40200000, 0x40800000, 0x41400000};   /* 2 x + 2, 2 x + 2, 2 |x| + 4 */
    for (unsigned i = 0; i < 3; i++) {
        fill(f, i, 0x40000000);
        fill(f, 4 + i, i < 2 ? 0x40000000 : 0x40800000);
    }
    for (unsigned i = 0; i < 3; i++) {
        fill(f, 3, arguments[i]);
        RUN_OK(f, 0, SFPLUTFP32, .lreg_dest = 7);
        ASSERT_LREG(f, 7, results[i]);
    }
    RUN_OK(f, 0, SFPLUTFP32, .lreg_dest = 7, .instr_mod1 = 4);
    ASSERT_LREG(f, 7, results[2] | 0x80000000);
}

static void coefficients_of_16_bits_have_six_intervals(void **state)
{
    /* Offsets 1, 2, 4, 8, 16, 32 as FP16, slopes with the largest exponent, that is zero. */
    static const struct {
        uint32_t argument, three, four;
    } cases[] = {{0x3e000000, 0x3f800000, 0x3f800000}, {0x3f000000, 0x40000000, 0x40000000},
                 {0x3f800000, 0x40800000, 0x40800000}, {0x3fc00000, 0x41000000, 0x41000000},
                 {0x40000000, 0x41800000, 0x41800000}, {0x40400000, 0x42000000, 0x41800000},
                 {0x40800000, 0x42000000, 0x42000000}};
    struct fixture *f = *state;
    for (unsigned i = 0; i < 3; i++) {
        fill(f, i, 0x7c007c00);
    }
    fill(f, 4, 0x40003c00);
    fill(f, 5, 0x48004400);
    fill(f, 6, 0x50004c00);
    for (unsigned i = 0; i < COUNT_OF(cases); i++) {
        fill(f, 3, cases[i].argument);
        RUN_OK(f, 0, SFPLUTFP32, .lreg_dest = 7, .instr_mod1 = 2);
        ASSERT_LREG(f, 7, cases[i].three);
        RUN_OK(f, 0, SFPLUTFP32, .lreg_dest = 7, .instr_mod1 = 3);
        ASSERT_LREG(f, 7, cases[i].four);
    }
}

static void three_entries_of_16_bits_go_where_lreg7_says(void **state)
{
    struct fixture *f = *state;
    fill(f, 0, 0x40000000 | 0x0000); /* slope 2, offset 2^-15: exponents of zero are ordinary */
    fill(f, 3, 0x3f000000);
    fill(f, 7, 6);
    RUN_OK(f, 0, SFPLUTFP32, .lreg_dest = 5, .instr_mod1 = 10);
    ASSERT_LREG(f, 6, 0x3f800100);
    ASSERT_LREG(f, 5, 0);
}

static void approximations_keep_or_use_the_sign(void **state)
{
    struct fixture *f = *state;
    fill(f, 1, 0xbf800000);
    fill(f, 2, 0x80000000);
    RUN_OK(f, 0, SFPARECIP, .lreg_c = 1, .lreg_dest = 3);
    ASSERT_LREG(f, 3, 0xbf7f0000); /* 0.99609375, as the documentation says */
    RUN_OK(f, 0, SFPARECIP, .imm12_math = 2, .lreg_c = 1, .lreg_dest = 3, .instr_mod1 = 1);
    ASSERT_LREG(f, 3, 0x3f7f0000);
    RUN_OK(f, 0, SFPARECIP, .imm12_math = 9, .lreg_c = 1, .lreg_dest = 3, .instr_mod1 = 1);
    ASSERT_LREG(f, 3, 0xbf800000);
    RUN_OK(f, 0, SFPARECIP, .lreg_c = 1, .lreg_dest = 3, .instr_mod1 = 2);
    ASSERT_LREG(f, 3, 0xc02d0000); /* 2.703125 */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FIXTURE_TEST(lut_evaluates_the_line_of_its_interval),
        FIXTURE_TEST(coefficients_of_32_bits_have_three_intervals),
        FIXTURE_TEST(coefficients_of_16_bits_have_six_intervals),
        FIXTURE_TEST(three_entries_of_16_bits_go_where_lreg7_says),
        FIXTURE_TEST(approximations_keep_or_use_the_sign),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
