/* The fast paths of single-precision arithmetic give the results of float.h, and raise nothing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "rv32/float.h"
#include "rv32/float_single.h"
#include "util/xorshift.h"

enum { PAIRS = 3000000 };

static uint64_t random_state = 1;

/* A random operand; exponents are near each other, and significands often have long runs of equal bits. */
static uint32_t random_single(void)
{
    uint32_t word = xorshift64_word(&random_state), how = xorshift64_word(&random_state);
    if (how & 1) {
        word = (word & 0x807fffff) | (100 + (how >> 8) % 56) << SINGLE_MANTISSA;
    }
    if (how & 2) {
        word &= ~UINT32_C(0) << (how >> 16) % 24;
    }
    if (how & 4) {
        word |= (UINT32_C(1) << (how >> 24) % 24) - 1;
    }
    return word;
}

static unsigned simple_results;

/* `simple`: the fast path covered the case, with `result`; the reference gave `expected` and these flags. */
static void check(bool simple, bool inexact, uint32_t result, uint32_t expected, uint32_t flags)
{
    if (simple) {
        simple_results++;
        assert_int_equal(result, expected);
        assert_int_equal(flags & ~(inexact ? FLOAT_INEXACT : 0u), 0);
    }
}

static void sums_and_products_are_those_of_the_reference(void **state)
{
    for (unsigned i = 0; i < PAIRS; i++) {
        uint32_t a = random_single(), b = random_single(), result = 0, flags = 0;
        bool inexact = i & 1, simple;
        uint32_t expected = float_add(float_single, a, b, &flags);
        simple = single_add(a, b, inexact, &result);
        check(simple, inexact, result, expected, flags);
        flags = 0;
        expected = float_multiply(float_single, a, b, &flags);
        simple = single_multiply(a, b, inexact, &result);
        check(simple, inexact, result, expected, flags);
    }
    assert_true(simple_results > PAIRS / 3);
}

static void comparisons_are_those_of_the_reference(void **state)
{
    for (unsigned i = 0; i < PAIRS; i++) {
        uint32_t a = random_single(), b = i % 8 ? random_single() : i % 16 ? a : a ^ SINGLE_SIGN, flags = 0;
        if (single_is_nan(a) || single_is_nan(b)) {
            continue;
        }
        assert_int_equal(single_value_order(a) < single_value_order(b), float_less(float_single, a, b, &flags));
        assert_int_equal(single_value_order(a) <= single_value_order(b), float_less_equal(float_single, a, b, &flags));
        assert_int_equal(single_value_order(a) == single_value_order(b), float_equal(float_single, a, b, &flags));
        assert_int_equal(single_order(a) < single_order(b) ? a : b, float_minimum(float_single, a, b, &flags));
        assert_int_equal(single_order(a) < single_order(b) ? b : a, float_maximum(float_single, a, b, &flags));
        assert_int_equal(flags, 0);
    }
}

static void conversions_are_those_of_the_reference(void **state)
{
    simple_results = 0;
    for (unsigned i = 0; i < PAIRS; i++) {
        uint32_t a = random_single(), result = 0, flags = 0;
        bool inexact = i & 1, is_signed = i & 2, simple;
        uint32_t expected = float_to_integer(float_single, a, 32, is_signed, FLOAT_NEAREST_EVEN, &flags);
        simple = single_to_integer(a, is_signed, inexact, &result);
        check(simple, inexact, result, expected, flags);
        flags = 0;
        a >>= xorshift64_word(&random_state) % 32;
        expected = float_from_integer(float_single, a, is_signed, &flags);
        simple = single_from_integer(a, is_signed, inexact, &result);
        check(simple, inexact, result, expected, flags);
    }
    assert_true(simple_results > PAIRS / 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_and_products_are_those_of_the_reference),
        cmocka_unit_test(comparisons_are_those_of_the_reference),
        cmocka_unit_test(conversions_are_those_of_the_reference),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
