/* Conversions, as ISA documentation SFPCAST_*.md and SFPSTOCHRND_*.md state them, and the generators of VectorUnit.md.
 */
#include "tensix/units/vector/fixture.h"

enum { PATTERN = 0x0ff05a3c, NEAREST = 0, STOCHASTIC = 1, TO_ZERO = 2 };

static void integers_become_floats_rounded_to_even(void **state)
{
    static const uint32_t cases[][2] = {{0, 0},
                                        {0x80000000, 0x80000000},
                                        {1, 0x3f800000},
                                        {0x80000003, 0xc0400000},
                                        {0x01000000, 0x4b800000},
                                        {0x01000001, 0x4b800000},
                                        {0x01000003, 0x4b800002},
                                        {0x7fffffff, 0x4f000000},
                                        {0x7fffffc0, 0x4f000000},
                                        {0x7fffffbf, 0x4effffff}};
    struct fixture *f = *state;
    for (unsigned i = 0; i < COUNT_OF(cases); i++) {
        fill(f, 1, cases[i][0]);
        RUN_OK(f, 0, SFPCAST, .lreg_src_c = 1, .lreg_dest = 2);
        ASSERT_LREG(f, 2, cases[i][1]);
    }
}

/* Of every lane. */
static void set_prng(struct fixture *f, uint32_t value)
{
    for (unsigned lane = 0; lane < SFPU_LANES; lane++) {
        vector_of(f)->prng[lane] = value;
    }
}

static void stochastic_casts_use_seven_bits_of_the_generator(void **state)
{
    struct fixture *f = *state;
    fill(f, 1, 0x01000001); /* of the seven lost bits only 0x40 is set */
    for (uint32_t random = 0; random < 128; random++) {
        set_prng(f, random << 10);
        RUN_OK(f, 0, SFPCAST, .lreg_src_c = 1, .lreg_dest = 2, .instr_mod1 = 1);
        ASSERT_LREG(f, 2, 0x4b800000 + (0x40 > random));
        assert_int_equal(vector_of(f)->prng[7], 0x80000000 | random << 9);
    }
}

static void integer_forms_are_exchanged(void **state)
{
    static const uint32_t cases[][3] = {{5, 5, 5},
                                        {0x80000005, 0xfffffffb, 0x7ffffffb},
                                        {0xfffffffb, 0x80000005, 5},
                                        {0x80000000, 0x80000000, 0x80000000}};
    struct fixture *f = *state;
    for (unsigned i = 0; i < COUNT_OF(cases); i++) {
        fill(f, 1, cases[i][0]);
        RUN_OK(f, 0, SFPCAST, .lreg_src_c = 1, .lreg_dest = 2, .instr_mod1 = 3);
        ASSERT_LREG(f, 2, cases[i][1]);
        RUN_OK(f, 0, SFPCAST, .lreg_src_c = 1, .lreg_dest = 2, .instr_mod1 = 2);
        ASSERT_LREG(f, 2, cases[i][2]);
    }
    RUN(f, 0, SFPCAST, .lreg_src_c = 1, .lreg_dest = 2, .instr_mod1 = 6);
    assert_int_equal(f->diagnostics.entries[0].category, BH_NON_CONTRACTUAL);
}

static void generators_step_in_enabled_lanes_whether_used_or_not(void **state)
{
    struct fixture *f = *state;
    static const uint32_t cases[][2] = {
        {0, 0x80000000}, {1, 0}, {3, 0x80000001}, {0x80200003, 0xc0100001}, {0x00200000, 0x00100000}};
    for (unsigned i = 0; i < COUNT_OF(cases); i++) {
        set_prng(f, cases[i][0]);
        enable_lanes(f, PATTERN);
        RUN_OK(f, 0, SFP_STOCH_RND, .lreg_src_c = 1, .lreg_dest = 9, .instr_mod1 = 1);
        for (unsigned lane = 0; lane < SFPU_LANES; lane++) {
            assert_int_equal(vector_of(f)->prng[lane], cases[i][PATTERN >> lane & 1]);
        }
    }
}

static void seeds_reach_all_generators(void **state)
{
    struct fixture *f = *state;
    vector_seed_prng(&f->tensix, 1);
    uint32_t x = 1;
    for (unsigned i = 0; i < 34; i++) {
        x = x >> 1 | ~(x >> 31 ^ x >> 21 ^ x >> 1 ^ x) << 31;
    }
    assert_int_equal(vector_of(f)->prng[31], x);
}

#define EXPECT(rounding, mod1, operand, expected)                                                                      \
    do {                                                                                                               \
        fill(f, 1, operand);                                                                                           \
        RUN_OK(f, 0, SFP_STOCH_RND, .rnd_mode = (rounding), .lreg_src_b = 1, .lreg_src_c = 1, .lreg_dest = 2,          \
               .instr_mod1 = (mod1));                                                                                  \
        ASSERT_LREG(f, 2, expected);                                                                                   \
    } while (0)

static void mantissas_are_cut_to_bf16_and_tf32(void **state)
{
    struct fixture *f = *state;
    EXPECT(NEAREST, 1, 0x3f808000, 0x3f810000);
    EXPECT(NEAREST, 1, 0xbf807fff, 0xbf800000);
    EXPECT(NEAREST, 1, 0x7f7fffff, 0x7f800000);
    EXPECT(NEAREST, 1, 0x80012345, 0);
    EXPECT(NEAREST, 1, 0x80000000, 0);
    EXPECT(NEAREST, 1, 0xffc12345, 0xff800000);
    EXPECT(NEAREST, 0, 0x3f801000, 0x3f802000);
    EXPECT(NEAREST, 0, 0x3f800fff, 0x3f800000);
    EXPECT(TO_ZERO, 0, 0x3f801ffe, 0x3f800000);
    EXPECT(TO_ZERO, 0, 0x3f801fff, 0x3f802000); /* the bug of the hardware */
    EXPECT(TO_ZERO, 1, 0x3f80fffe, 0x3f800000);
    EXPECT(TO_ZERO, 1, 0x3f80ffff, 0x3f810000);
    set_prng(f, 0x1234 << 7);
    EXPECT(STOCHASTIC, 1, 0x3f801234, 0x3f810000);
    set_prng(f, 0x1235 << 7);
    EXPECT(STOCHASTIC, 1, 0x3f801234, 0x3f800000);
}

static void floats_become_limited_integers(void **state)
{
    struct fixture *f = *state;
    EXPECT(NEAREST, 2, 0x437f0000, 255);
    EXPECT(NEAREST, 2, 0xc3800000, 255);
    EXPECT(NEAREST, 3, 0xc2fe0000, 0x8000007f);
    EXPECT(NEAREST, 3, 0xc3000000, 0x8000007f);
    EXPECT(NEAREST, 3, 0x3f000000, 1);
    EXPECT(NEAREST, 3, 0xbf000000, 0x80000001);
    EXPECT(NEAREST, 3, 0xbeffffff, 0);
    EXPECT(TO_ZERO, 3, 0xbf400000, 0); /* no minus zero */
    EXPECT(NEAREST, 6, 0x477fff00, 65535);
    EXPECT(NEAREST, 6, 0x477fff80, 65535);
    EXPECT(NEAREST, 7, 0xc6fffe00, 0x80007fff);
    EXPECT(NEAREST, 7, 0xffc00000, 0x80007fff);
    EXPECT(NEAREST, 6, 0x40200000, 3);
    EXPECT(TO_ZERO, 6, 0x402fffff, 2);
    EXPECT(TO_ZERO, 6, 0x3fffffff, 2); /* the bug of the hardware */
}

static void integers_are_descaled_and_limited(void **state)
{
    struct fixture *f = *state;
    fill(f, 1, 0x80000025);
    fill(f, 3, 34); /* modulo 32: 2 */
    RUN_OK(f, 0, SFP_STOCH_RND, .lreg_src_b = 3, .lreg_src_c = 1, .lreg_dest = 2, .instr_mod1 = 5);
    ASSERT_LREG(f, 2, 0x80000009);
    RUN_OK(f, 0, SFP_STOCH_RND, .imm8_math = 1, .lreg_src_b = 3, .lreg_src_c = 1, .lreg_dest = 2, .instr_mod1 = 13);
    ASSERT_LREG(f, 2, 0x80000013); /* 18.5 rounds away from zero */
    RUN_OK(f, 0, SFP_STOCH_RND, .imm8_math = 7, .lreg_src_c = 1, .lreg_dest = 2, .instr_mod1 = 13);
    ASSERT_LREG(f, 2, 0);
    RUN_OK(f, 0, SFP_STOCH_RND, .imm8_math = 1, .lreg_src_c = 1, .lreg_dest = 2, .instr_mod1 = 12);
    ASSERT_LREG(f, 2, 0x13);
    fill(f, 1, 0x7fffffff);
    RUN_OK(f, 0, SFP_STOCH_RND, .imm8_math = 3, .lreg_src_c = 1, .lreg_dest = 2, .instr_mod1 = 12);
    ASSERT_LREG(f, 2, 255);
}

/* Mod1 of conversions of floats has three bits (SFPSTOCHRND_Float*.md); the vendor's kernels set a fourth:
   ckernel_sfpu_cast_fp32_to_fp16a.h (8), ckernel_sfpu_exp.h (14). */
static void conversions_of_floats_ignore_bit_3_of_mod1(void **state)
{
    static const uint32_t modes[] = {0, 1, 2, 3, 6, 7};
    struct fixture *f = *state;
    for (unsigned i = 0; i < 2 * COUNT_OF(modes); i++) {
        uint32_t rounding = i < COUNT_OF(modes) ? NEAREST : STOCHASTIC, mode = modes[i % COUNT_OF(modes)];
        number(f, 1, 0xc2f70f0f + (i << 20));
        set_prng(f, 0x12345678);
        RUN_OK(f, 0, SFP_STOCH_RND, .rnd_mode = rounding, .imm8_math = 3, .lreg_src_c = 1, .lreg_dest = 2,
               .instr_mod1 = mode);
        set_prng(f, 0x12345678);
        f->diagnostics.now.pc = 4 * i;
        assert_int_equal(RUN(f, 0, SFP_STOCH_RND, .rnd_mode = rounding, .imm8_math = 3, .lreg_src_c = 1, .lreg_dest = 3,
                             .instr_mod1 = mode | 8),
                         STEP_DONE);
        assert_memory_equal(vector_of(f)->lreg[3], vector_of(f)->lreg[2], sizeof vector_of(f)->lreg[2]);
        assert_int_equal(f->diagnostics.count, i == 0); /* macros execute it at several PCs: it is reported once */
        assert_int_equal(f->diagnostics.entries[0].category, BH_NON_CONTRACTUAL);
        f->diagnostics.count = 0;
    }
    diagnostics_set_policy(&f->diagnostics, BH_POLICY_STRICT);
    ASSERT_STOPPED(f, RUN(f, 0, SFP_STOCH_RND, .lreg_src_c = 1, .lreg_dest = 3, .instr_mod1 = 14), BH_NON_CONTRACTUAL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FIXTURE_TEST(integers_become_floats_rounded_to_even),
        FIXTURE_TEST(stochastic_casts_use_seven_bits_of_the_generator),
        FIXTURE_TEST(integer_forms_are_exchanged),
        FIXTURE_TEST(generators_step_in_enabled_lanes_whether_used_or_not),
        FIXTURE_TEST(seeds_reach_all_generators),
        FIXTURE_TEST(mantissas_are_cut_to_bf16_and_tf32),
        FIXTURE_TEST(floats_become_limited_integers),
        FIXTURE_TEST(conversions_of_floats_ignore_bit_3_of_mod1),
        FIXTURE_TEST(integers_are_descaled_and_limited),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
