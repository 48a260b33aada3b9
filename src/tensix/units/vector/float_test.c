/* SFPMAD and its relatives, as ISA documentation SFPMAD.md, SFPADD.md, SFPMUL.md, SFPADDI.md, SFPMULI.md and
   SFPLOADI.md state them. num/sfpu_mad_test.c tests the arithmetic. */
#include "tensix/units/vector/fixture.h"

enum { PATTERN = 0x0ff05a3c };
#define F1 0x3f800000u
#define F2 0x40000000u
#define F3 0x40400000u
#define F5 0x40a00000u
#define F7 0x40e00000u
#define F_MINUS_1 0xbf800000u

static void multiply_and_add_negates_on_demand(void **state)
{
    static const uint32_t expected[] = {F7, 0xc0a00000, F5, 0xc0e00000}; /* ±(2 * 3) ± 1 */
    struct fixture *f = *state;
    fill(f, 1, F2);
    fill(f, 2, F3);
    fill(f, 3, F1);
    enable_lanes(f, PATTERN);
    for (unsigned mod1 = 0; mod1 < 4; mod1++) {
        fill(f, 4, 99);
        RUN_OK(f, 0, SFPMAD, .lreg_src_a = 1, .lreg_src_b = 2, .lreg_src_c = 3, .lreg_dest = 4, .instr_mod1 = mod1);
        ASSERT_LREG_IN(f, 4, PATTERN, expected[mod1], 99);
    }
    RUN_OK(f, 0, SFPADD, .lreg_src_a = 10, .lreg_src_b = 1, .lreg_src_c = 2, .lreg_dest = 4);
    ASSERT_LREG_IN(f, 4, PATTERN, F5, 99);
    RUN_OK(f, 0, SFPMUL, .lreg_src_a = 1, .lreg_src_b = 11, .lreg_src_c = 9, .lreg_dest = 4, .instr_mod1 = 1);
    ASSERT_LREG_IN(f, 4, PATTERN, F2, 99);
}

static void registers_may_be_chosen_lane_by_lane(void **state)
{
    struct fixture *f = *state;
    fill(f, 0, F2);
    fill(f, 1, F3);
    fill(f, 2, F1);
    for (unsigned lane = 0; lane < SFPU_LANES; lane++) {
        vector_of(f)->lreg[7][lane] = 0xfffffff0 | (lane & 1);
    }
    RUN_OK(f, 0, SFPMAD, .lreg_src_a = 5, .lreg_src_b = 2, .lreg_src_c = 2, .lreg_dest = 3, .instr_mod1 = 4);
    for (unsigned lane = 0; lane < SFPU_LANES; lane++) {
        assert_int_equal(vector_of(f)->lreg[3][lane], lane & 1 ? 0x40800000 : F3);
    }
    RUN_OK(f, 0, SFPMAD, .lreg_src_a = 2, .lreg_src_b = 2, .lreg_src_c = 9, .lreg_dest = 3, .instr_mod1 = 8);
    for (unsigned lane = 0; lane < SFPU_LANES; lane++) {
        assert_int_equal(vector_of(f)->lreg[0][lane], lane & 1 ? F2 : F1);
        assert_int_equal(vector_of(f)->lreg[1][lane], lane & 1 ? F1 : F3);
        assert_int_equal(vector_of(f)->lreg[3][lane], lane & 1 ? 0x40800000 : F3);
    }
    fill(f, 7, 10);
    RUN_OK(f, 0, SFPADDI, .imm16_math = 0x3f80, .lreg_dest = 2, .instr_mod1 = 8); /* constants do not change */
    ASSERT_LREG(f, 10, F1);
    ASSERT_LREG(f, 2, F1);
}

static void immediates_are_bf16(void **state)
{
    struct fixture *f = *state;
    fill(f, 1, F3);
    RUN_OK(f, 0, SFPADDI, .imm16_math = 0x4000, .lreg_dest = 1);
    ASSERT_LREG(f, 1, F5);
    RUN_OK(f, 0, SFPADDI, .imm16_math = 0x4000, .lreg_dest = 1, .instr_mod1 = 2);
    ASSERT_LREG(f, 1, 0xc0400000);
    RUN_OK(f, 0, SFPMULI, .imm16_math = 0xbf80, .lreg_dest = 1);
    ASSERT_LREG(f, 1, F3);
    RUN_OK(f, 0, SFPMULI, .imm16_math = 0xbf80, .lreg_dest = 1, .instr_mod1 = 2);
    ASSERT_LREG(f, 1, F3);
    fill(f, 1, 0x80000000);
    RUN_OK(f, 0, SFPMULI, .imm16_math = 0x3f80, .lreg_dest = 1); /* + 0 */
    ASSERT_LREG(f, 1, 0);
}

static void immediates_are_loaded_in_six_ways(void **state)
{
    static const uint32_t cases[][3] = {{0, 0xbf80, 0xbf800000}, {1, 0xbc00, 0xbf800000}, {1, 0x7fff, 0x47ffe000},
                                        {1, 0x0000, 0x38000000}, {2, 0xfffe, 0x0000fffe}, {4, 0xfffe, 0xfffffffe},
                                        {8, 0xabcd, 0xabcd5678}, {10, 0xabcd, 0x1234abcd}};
    struct fixture *f = *state;
    enable_lanes(f, PATTERN);
    for (unsigned i = 0; i < COUNT_OF(cases); i++) {
        fill(f, 1, 0x12345678);
        RUN_OK(f, 0, SFPLOADI, .lreg_ind = 1, .instr_mod0 = cases[i][0], .imm16 = cases[i][1]);
        ASSERT_LREG_IN(f, 1, PATTERN, cases[i][2], 0x12345678);
    }
    RUN_OK(f, 0, SFPLOADI, .lreg_ind = 11, .instr_mod0 = 2, .imm16 = 5);
    ASSERT_LREG(f, 11, F_MINUS_1);
    ASSERT_STOPPED(f, RUN(f, 0, SFPLOADI, .lreg_ind = 1, .instr_mod0 = 3), BH_UNDEFINED_BEHAVIOR);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FIXTURE_TEST(multiply_and_add_negates_on_demand),
        FIXTURE_TEST(registers_may_be_chosen_lane_by_lane),
        FIXTURE_TEST(immediates_are_bf16),
        FIXTURE_TEST(immediates_are_loaded_in_six_ways),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
