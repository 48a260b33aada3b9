/* Fields of FP32, as ISA documentation SFPEXEXP.md, SFPEXMAN.md, SFPSETEXP.md, SFPSETMAN.md, SFPSETSGN.md and
   SFPDIVP2.md state them. */
#include "tensix/units/vector/fixture.h"

enum { PATTERN = 0x0ff05a3c };

static void exponents_are_extracted_with_or_without_bias(void **state)
{
    struct fixture *f = *state;
    for (uint32_t exponent = 0; exponent < 256; exponent++) {
        fill(f, 1, 0x80123456 | exponent << 23);
        RUN_OK(f, 0, SFPEXEXP, .lreg_c = 1, .lreg_dest = 2);
        ASSERT_LREG(f, 2, exponent - 127);
        RUN_OK(f, 0, SFPEXEXP, .lreg_c = 1, .lreg_dest = 2, .instr_mod1 = 1);
        ASSERT_LREG(f, 2, exponent);
        enable_lanes(f, PATTERN);
        RUN_OK(f, 0, SFPEXEXP, .lreg_c = 1, .lreg_dest = 2, .instr_mod1 = 2);
        assert_int_equal(vector_of(f)->lane_flags, exponent < 127 ? PATTERN : 0);
        enable_lanes(f, PATTERN);
        RUN_OK(f, 0, SFPEXEXP, .lreg_c = 1, .lreg_dest = 2, .instr_mod1 = 2 | 8);
        assert_int_equal(vector_of(f)->lane_flags, exponent < 127 ? 0 : PATTERN);
        vector_of(f)->use_lane_flags = 0;
    }
}

static void mantissas_are_extracted_with_or_without_the_hidden_bit(void **state)
{
    struct fixture *f = *state;
    fill(f, 1, 0xffabcdef);
    RUN_OK(f, 0, SFPEXMAN, .lreg_c = 1, .lreg_dest = 2);
    ASSERT_LREG(f, 2, 0x00abcdef);
    RUN_OK(f, 0, SFPEXMAN, .lreg_c = 1, .lreg_dest = 2, .instr_mod1 = 1);
    ASSERT_LREG(f, 2, 0x002bcdef);
}

static void fields_are_replaced_from_immediates_and_registers(void **state)
{
    struct fixture *f = *state;
    enable_lanes(f, PATTERN);
    fill(f, 1, 0xbf923456);
#define EXPECT(name, vd, imm, mod1, expected)                                                                          \
    do {                                                                                                               \
        fill(f, 2, vd);                                                                                                \
        RUN_OK(f, 0, name, .imm12_math = (imm), .lreg_c = 1, .lreg_dest = 2, .instr_mod1 = (mod1));                    \
        ASSERT_LREG_IN(f, 2, PATTERN, expected, vd);                                                                   \
    } while (0)
    EXPECT(SFPSETEXP, 0x12345683, 0, 0, 0xc1923456);                      /* the low eight bits, 0x83 */
    EXPECT(SFPSETEXP, 0x12345683, 0xfe, 1, 0xff123456);                   /* the immediate */
    EXPECT(SFPSETEXP, 0x12345683, 0, 2, 0x92123456);                      /* the exponent, 0x24 */
    EXPECT(SFPSETMAN, 0x12e45683, 0, 0, 0xbfe45683);                      /* the low 23 bits */
    EXPECT(SFPSETMAN, 0x12e45683, 0xabc, 1, 0xbf800000 + (0xabcu << 11)); /* the high 12 bits */
    EXPECT(SFPSETSGN, 0x12345683, 0, 0, 0x3f923456);
    EXPECT(SFPSETSGN, 0x92345683, 0, 0, 0xbf923456);
    EXPECT(SFPSETSGN, 0x92345683, 0, 1, 0x3f923456);
    EXPECT(SFPSETSGN, 0x12345683, 1, 1, 0xbf923456);
    EXPECT(SFPDIVP2, 0, 0x85, 0, 0xc2923456);
    EXPECT(SFPDIVP2, 0, 3, 1, 0xc1123456);
    EXPECT(SFPDIVP2, 0, 0xfff, 1, 0xbf123456); /* minus one */
#undef EXPECT
}

static void adding_to_exponents_wraps_but_leaves_infinity_and_nan(void **state)
{
    struct fixture *f = *state;
    static const uint32_t cases[][2] = {
        {0x7f123456, 0x7f923456}, {0x7f800000, 0x7f800000}, {0xffc00001, 0xffc00001}, {0x00000001, 0x00800001}};
    for (unsigned i = 0; i < COUNT_OF(cases); i++) {
        fill(f, 1, cases[i][0]);
        RUN_OK(f, 0, SFPDIVP2, .imm12_math = 1, .lreg_c = 1, .lreg_dest = 2, .instr_mod1 = 1);
        ASSERT_LREG(f, 2, cases[i][1]);
    }
    fill(f, 1, 0x3f800000);
    RUN_OK(f, 0, SFPDIVP2, .imm12_math = 0x81, .lreg_c = 1, .lreg_dest = 2, .instr_mod1 = 1);
    ASSERT_LREG(f, 2, 0);
    RUN(f, 0, SFPDIVP2, .imm12_math = 0x181, .lreg_c = 1, .lreg_dest = 2, .instr_mod1 = 1);
    assert_int_equal(f->diagnostics.entries[0].category, BH_NON_CONTRACTUAL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FIXTURE_TEST(exponents_are_extracted_with_or_without_bias),
        FIXTURE_TEST(mantissas_are_extracted_with_or_without_the_hidden_bit),
        FIXTURE_TEST(fields_are_replaced_from_immediates_and_registers),
        FIXTURE_TEST(adding_to_exponents_wraps_but_leaves_infinity_and_nan),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
