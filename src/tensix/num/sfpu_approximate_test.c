/* The approximations of SFPARECIP against what ISA documentation SFPARECIP.md promises of them, and against the exact
   functions cut to seven bits. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <math.h>

#include "tensix/num/sfpu_approximate.h"

static double value_of(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return (double)value;
}

static void reciprocals_are_within_their_bounds(void **state)
{
    for (uint32_t x = 0x00800000; x < 0x7e800000; x += 0x1235) {
        double product = value_of(x) * value_of(sfpu_approximate_reciprocal(x));
        assert_true(product > 0.9944 && product < 1.0054);
    }
    assert_int_equal(sfpu_approximate_reciprocal(0), 0x7f800000);
    assert_int_equal(sfpu_approximate_reciprocal(0x007fffff), 0x7f800000);
    assert_int_equal(sfpu_approximate_reciprocal(0x7e800000), 0);
    assert_int_equal(sfpu_approximate_reciprocal(0x3f800000), 0x3f7f0000);
    assert_int_equal(sfpu_approximate_reciprocal(0x3fffffff), 0x3f000000);
}

static void exponentials_are_within_their_bounds(void **state)
{
    for (uint32_t x = 0; x < 0x40000000; x += 0x1235) {
        double ratio = value_of(sfpu_approximate_exponential(x)) / exp(value_of(x));
        assert_true(ratio > 0.9922 && ratio < 1.016);
    }
    assert_int_equal(sfpu_approximate_exponential(0x3f800000), 0x402d0000);
    assert_int_equal(sfpu_approximate_exponential(0x40012345), 0x40802345);
    assert_int_equal(sfpu_approximate_exponential(0x3c7f1234), 0x3f811234);
}

static void exponentials_are_cut_to_seven_bits(void **state)
{
    for (uint32_t high = 0x3c80; high < 0x4000; high++) {
        int exponent;
        double fraction = frexp(exp(value_of(high << 16)), &exponent); /* in [1/2, 1) */
        uint32_t mantissa = (uint32_t)(fraction * 256) - 128;
        uint32_t expected = (uint32_t)(exponent + 126) << 23 | mantissa << 16 | 0xabcd;
        assert_int_equal(sfpu_approximate_exponential(high << 16 | 0xabcd), expected);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reciprocals_are_within_their_bounds),
        cmocka_unit_test(exponentials_are_within_their_bounds),
        cmocka_unit_test(exponentials_are_cut_to_seven_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
