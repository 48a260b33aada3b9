/* Arithmetic of F and Zfh against a second model: the host's double arithmetic, in which a product of two of these
   numbers is exact, with the error of a sum found exactly and kept as a sticky bit (rounding to odd). All 16-bit
   operands in pairs for addition, multiplication and comparison; random ones for single precision and multiply-add. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "rv32/float.h"
#include "util/sanitized.h"
#include "util/xorshift.h"

enum { HOST_CASES = FEWER_IF_SANITIZED(FEWER_IF_SANITIZED(10000000)), RANDOM_CASES = FEWER_IF_SANITIZED(400000) };

static uint64_t random_state = 88172645463325252u;

static uint32_t random_word(void)
{
    return xorshift64_word(&random_state);
}

/* A random operand; half of the operands have a similar magnitude, so that sums cancel. */
static uint32_t random_operand(struct float_format format)
{
    uint32_t word = random_word() & (2 * float_sign(format) - 1);
    if (random_word() % 2) {
        uint32_t middle = ((1u << (format.exponent_bits - 1)) - 3 + random_word() % 6) << format.mantissa_bits;
        word = (word & ~float_infinity(format)) | middle;
    }
    return word;
}

static double value_of(struct float_format format, uint32_t a)
{
    double sign = a & float_sign(format) ? -1 : 1;
    uint32_t field = (a & float_infinity(format)) >> format.mantissa_bits;
    uint32_t mantissa = a & ((1u << format.mantissa_bits) - 1);
    int bias = (1 << (format.exponent_bits - 1)) - 1;
    if (field == (1u << format.exponent_bits) - 1) {
        return mantissa ? (double)NAN : sign * (double)INFINITY;
    }
    if (field == 0) {
        return sign * 0.0; /* a denormal counts as zero */
    }
    return sign * ldexp(mantissa + (double)(1u << format.mantissa_bits), (int)field - bias - format.mantissa_bits);
}

/* a + b rounded to odd: the last bit is set if the sum is inexact. */
static double sum_to_odd(double a, double b)
{
    double sum = a + b;
    if (!isfinite(sum)) {
        return sum;
    }
    double part = sum - a, error = (a - (sum - part)) + (b - part);
    uint64_t bits;
    memcpy(&bits, &sum, sizeof bits);
    if (error != 0 && !(bits & 1)) {
        bits += (error > 0) == (sum > 0) ? 1 : (uint64_t)-1;
        memcpy(&sum, &bits, sizeof sum);
    }
    return sum;
}

/* A double, which has more than twice the format's bits, rounded to the format; *inexact etc. are the flags. */
static uint32_t bits_of(struct float_format format, double value, uint32_t *flags)
{
    uint32_t sign = signbit(value) ? float_sign(format) : 0;
    if (isnan(value)) {
        return float_nan(format);
    }
    if (isinf(value)) {
        return sign | float_infinity(format);
    }
    if (value == 0) {
        return sign;
    }
    int exponent, bias = (1 << (format.exponent_bits - 1)) - 1;
    double fraction = frexp(fabs(value), &exponent); /* 0.5 to 1 */
    int field = exponent - 1 + bias, denormal = field < 1 ? 1 - field : 0;
    double scaled = ldexp(fraction, format.mantissa_bits + 1 - denormal);
    double rounded = floor(scaled), rest = scaled - rounded;
    if (format.rounding == FLOAT_NEAREST_EVEN && (rest > 0.5 || (rest == 0.5 && fmod(rounded, 2) == 1))) {
        rounded += 1;
    }
    double magnitude = ldexp((double)(field < 1 ? 0 : field - 1), format.mantissa_bits) + rounded;
    if (magnitude >= float_infinity(format)) {
        *flags |= FLOAT_OVERFLOW | FLOAT_INEXACT;
        return sign | (float_infinity(format) - (format.rounding == FLOAT_TOWARDS_ZERO));
    }
    if (magnitude < ldexp(1, format.mantissa_bits)) {
        *flags |= FLOAT_UNDERFLOW | FLOAT_INEXACT;
        return sign;
    }
    *flags |= rest != 0 ? FLOAT_INEXACT : 0;
    return sign | (uint32_t)magnitude;
}

static bool signaling(struct float_format format, uint32_t a)
{
    return float_is_nan(format, a) && !(a >> (format.mantissa_bits - 1) & 1);
}

static uint32_t model_fused(struct float_format format, uint32_t a, uint32_t b, uint32_t c, uint32_t *flags)
{
    double x = value_of(format, a), y = value_of(format, b), z = value_of(format, c), product = x * y;
    double result = product == 0 && z == 0 ? product + z : sum_to_odd(product, z);
    bool nan_in = isnan(x) || isnan(y) || isnan(z);
    if (signaling(format, a) || signaling(format, b) || signaling(format, c) ||
        (isnan(product) && !isnan(x) && !isnan(y)) || (isnan(result) && !nan_in)) {
        *flags |= FLOAT_INVALID;
    }
    return bits_of(format, result, flags);
}

static const struct float_format *const halves[] = {&float_half, &float_bf16, &float_bf16_nearest};
static const struct float_format *const formats[] = {&float_single, &float_half, &float_bf16, &float_bf16_nearest};

typedef uint32_t binary_operation(struct float_format format, uint32_t a, uint32_t b, uint32_t *flags);

static void check_halves(char sign, binary_operation *operation, binary_operation *model)
{
    for (unsigned f = 0; f < 3; f++) {
        struct float_format format = *halves[f];
        for (uint32_t a = f; a < 0x10000; a += 29) {
            for (uint32_t b = a % 31; b < 0x10000; b += 31) {
                uint32_t flags = 0, expected_flags = 0;
                uint32_t result = operation(format, a, b, &flags);
                uint32_t expected = model(format, a, b, &expected_flags);
                if (result != expected || flags != expected_flags) {
                    fail_msg("0x%04x %c 0x%04x, format %u: 0x%04x flags %u instead of 0x%04x flags %u", a, sign, b, f,
                             result, flags, expected, expected_flags);
                }
            }
        }
    }
}

static uint32_t model_sum(struct float_format format, uint32_t a, uint32_t b, uint32_t *flags)
{
    uint32_t one = ((1u << (format.exponent_bits - 1)) - 1) << format.mantissa_bits;
    return model_fused(format, a, one, b, flags);
}

static void additions_of_halves_are_rounded_once(void **state)
{
    check_halves('+', float_add, model_sum);
}

static uint32_t model_product(struct float_format format, uint32_t a, uint32_t b, uint32_t *flags)
{
    return model_fused(format, a, b, (a ^ b) & float_sign(format), flags);
}

static void multiplications_of_halves_are_rounded_once(void **state)
{
    check_halves('*', float_multiply, model_product);
}

static void fused_operations_are_rounded_once(void **state)
{
    for (unsigned f = 0; f < 4; f++) {
        struct float_format format = *formats[f];
        for (unsigned i = 0; i < RANDOM_CASES / 2; i++) {
            uint32_t a = random_operand(format), b = random_operand(format), c = random_operand(format);
            uint32_t flags = 0, expected_flags = 0;
            uint32_t result = float_fused(format, a, b, c, &flags);
            uint32_t expected = model_fused(format, a, b, c, &expected_flags);
            if (result != expected || flags != expected_flags) {
                fail_msg("0x%04x * 0x%04x + 0x%04x, format %u: 0x%04x flags %u instead of 0x%04x flags %u", a, b, c, f,
                         result, flags, expected, expected_flags);
            }
        }
    }
}

static float float_of(uint32_t a)
{
    float value;
    memcpy(&value, &a, sizeof value);
    return value;
}

static uint32_t bits_of_float(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return isnan(value) ? 0x7fc00000 : bits;
}

static bool is_denormal(uint32_t a)
{
    return !(a & 0x7f800000) && (a & 0x7fffff);
}

/* Without denormals the results are those of IEEE 754, except that a result that IEEE 754 rounds to the smallest
   normal number may have been flushed to zero. */
static void single_precision_is_that_of_ieee_754_without_denormals(void **state)
{
    unsigned compared = 0;
    for (unsigned i = 0; i < HOST_CASES; i++) {
        uint32_t a = random_operand(float_single), b = random_operand(float_single), flags = 0;
        if (is_denormal(a) || is_denormal(b)) {
            continue;
        }
        volatile float x = float_of(a), y = float_of(b), s = x + y, p = x * y;
        uint32_t sum = bits_of_float(s), product = bits_of_float(p);
        compared++;
        if (!is_denormal(sum)) {
            assert_int_equal(float_add(float_single, a, b, &flags), sum);
        }
        if (!is_denormal(product) && (product & 0x7fffffff) != 0x00800000) {
            assert_int_equal(float_multiply(float_single, a, b, &flags), product);
        }
        assert_int_equal(float_equal(float_single, a, b, &flags), x == y);
        assert_int_equal(float_less(float_single, a, b, &flags), x < y);
        assert_int_equal(float_less_equal(float_single, a, b, &flags), x <= y);
    }
    assert_true(compared > HOST_CASES * 9 / 10);
}

static void flags_that_are_there_already_change_no_result(void **state)
{
    for (unsigned i = 0; i < RANDOM_CASES; i++) {
        uint32_t a = random_operand(float_single), b = random_operand(float_single), c = random_operand(float_single);
        uint32_t clear = 0, set = FLOAT_INEXACT;
        assert_int_equal(float_multiply_add(float_single, a, b, c, &clear),
                         float_multiply_add(float_single, a, b, c, &set));
        assert_int_equal(clear | FLOAT_INEXACT, set);
    }
}

static void denormals_count_as_zero_and_results_are_flushed(void **state)
{
    uint32_t flags = 0;
    assert_int_equal(float_add(float_single, 0x00000001, 0x00000001, &flags), 0);
    assert_int_equal(float_add(float_single, 0x80000001, 0x807fffff, &flags), 0x80000000);
    assert_int_equal(float_multiply(float_single, 0x00400000, 0x7f000000, &flags), 0);
    assert_int_equal(flags, 0);
    assert_int_equal(float_multiply(float_single, 0x80800000, 0x3f000000, &flags), 0x80000000);
    assert_int_equal(flags, FLOAT_UNDERFLOW | FLOAT_INEXACT);
    assert_int_equal(float_add(float_half, 0x0400, 0x8401, &flags), 0x8000);
    assert_int_equal(float_minimum(float_single, 0x00000001, 0x00000002, &flags), 1);
    assert_true(float_less(float_half, 0x0001, 0x0002, &flags));
}

static void comparisons_of_halves_follow_their_values(void **state)
{
    for (unsigned f = 0; f < 2; f++) {
        struct float_format format = *halves[f];
        for (uint32_t a = 0; a < 0x10000; a += 7) {
            for (uint32_t b = a % 31; b < 0x10000; b += 31) {
                uint32_t flags = 0;
                float x = f ? float_of(a << 16) : 0, y = f ? float_of(b << 16) : 0;
                bool nan = float_is_nan(format, a) || float_is_nan(format, b);
                if (f == 0) { /* the order is that of the bits, as in single precision */
                    x = float_of((a & 0x8000) << 16 | (a & 0x7fff));
                    y = float_of((b & 0x8000) << 16 | (b & 0x7fff));
                }
                assert_int_equal(float_equal(format, a, b, &flags), !nan && x == y);
                assert_int_equal(flags, signaling(format, a) || signaling(format, b) ? FLOAT_INVALID : 0);
                assert_int_equal(float_less(format, a, b, &flags), !nan && x < y);
                assert_int_equal(float_less_equal(format, a, b, &flags), !nan && x <= y);
                if (nan) {
                    assert_int_equal(flags, FLOAT_INVALID);
                }
                uint32_t least = float_minimum(format, a, b, &flags), most = float_maximum(format, a, b, &flags);
                if (!nan) {
                    assert_int_equal(least, x < y || (x == y && a & 0x8000) ? a : b);
                    assert_int_equal(most, least == a ? b : a);
                } else {
                    uint32_t number = !float_is_nan(format, a) ? a : !float_is_nan(format, b) ? b : float_nan(format);
                    assert_int_equal(least, number);
                    assert_int_equal(most, number);
                }
            }
        }
    }
}

static void conversions_to_integers_round_and_saturate(void **state)
{
    for (unsigned f = 0; f < 4; f++) {
        struct float_format format = *formats[f];
        for (unsigned i = 0; i < (f ? 0x10000 : RANDOM_CASES / 2); i++) {
            uint32_t a = f ? i : random_word(), flags = 0;
            if (f == 0 && i % 2) {
                a = (a & 0x807fffff) | (100 + a / 0x800000 % 64) << 23;
            }
            double value = value_of(format, a), whole = trunc(value), rest = fabs(value - whole);
            bool denormal = !(a & float_infinity(format)) && (a & (float_sign(format) - 1));
            if (format.rounding == FLOAT_NEAREST_EVEN && (rest > 0.5 || (rest == 0.5 && fmod(whole, 2) != 0))) {
                whole += value < 0 ? -1 : 1;
            }
            enum float_rounding rounding = (enum float_rounding)format.rounding;
            for (unsigned is_signed = 0; is_signed < 2; is_signed++) {
                double low = is_signed ? -2147483648.0 : 0, high = is_signed ? 2147483647.0 : 4294967295.0;
                double fits = isnan(value) || whole > high ? high : whole < low ? low : whole;
                flags = 0;
                uint32_t result = float_to_integer(format, a, 32, is_signed, rounding, &flags);
                assert_int_equal(result, (uint32_t)(int64_t)fits);
                uint32_t expected_flags = isnan(value) || fits != whole              ? FLOAT_INVALID
                                          : denormal || (!isinf(value) && rest != 0) ? FLOAT_INEXACT
                                                                                     : 0;
                assert_int_equal(flags, expected_flags);
            }
        }
    }
}

static void conversions_from_integers_are_rounded_once(void **state)
{
    for (unsigned f = 0; f < 4; f++) {
        for (unsigned i = 0; i < RANDOM_CASES / 4; i++) {
            uint32_t value = i < 0x20000 ? i - 0x10000 : random_word() >> random_word() % 32;
            uint32_t flags = 0, expected_flags = 0;
            assert_int_equal(float_from_integer(*formats[f], value, true, &flags),
                             bits_of(*formats[f], (double)(int32_t)value, &expected_flags));
            assert_int_equal(flags, expected_flags);
            flags = expected_flags = 0;
            assert_int_equal(float_from_integer(*formats[f], value, false, &flags),
                             bits_of(*formats[f], (double)value, &expected_flags));
            assert_int_equal(flags, expected_flags);
        }
    }
}

static void conversions_between_formats_are_rounded_once(void **state)
{
    for (unsigned f = 0; f < 3; f++) {
        for (unsigned i = 0; i < RANDOM_CASES / 2; i++) {
            uint32_t a = random_operand(float_single), flags = 0, expected_flags = 0;
            uint32_t expected = bits_of(*halves[f], value_of(float_single, a), &expected_flags);
            assert_int_equal(float_convert(float_single, *halves[f], a, &flags), expected);
            assert_int_equal(flags, expected_flags | (signaling(float_single, a) ? FLOAT_INVALID : 0));
        }
        for (uint32_t a = 0; a < 0x10000; a++) {
            uint32_t flags = 0, expected_flags = 0;
            uint32_t expected = bits_of(float_single, value_of(*halves[f], a), &expected_flags);
            assert_int_equal(float_convert(*halves[f], float_single, a, &flags), expected);
            assert_int_equal(expected_flags, 0);
            assert_int_equal(flags, signaling(*halves[f], a) ? FLOAT_INVALID : 0);
        }
    }
}

/* The ten classes of fclass, bit by bit. */
static void classes_are_told_apart(void **state)
{
    static const uint32_t singles[10] = {0xff800000, 0xbf800000, 0x80000001, 0x80000000, 0x00000000,
                                         0x007fffff, 0x00800000, 0x7f800000, 0x7f800001, 0xffc00000};
    static const uint32_t half[10] = {0xfc00, 0xbc00, 0x8001, 0x8000, 0x0000, 0x03ff, 0x0400, 0x7c00, 0x7c01, 0xfe00};
    for (unsigned i = 0; i < 10; i++) {
        assert_int_equal(float_classify(float_single, singles[i]), 1u << i);
        assert_int_equal(float_classify(float_half, half[i]), 1u << i);
    }
    assert_int_equal(float_classify(float_bf16, 0x7fc0), 1u << 9);
    assert_int_equal(float_classify(float_bf16, 0x0040), 1u << 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(additions_of_halves_are_rounded_once),
        cmocka_unit_test(multiplications_of_halves_are_rounded_once),
        cmocka_unit_test(fused_operations_are_rounded_once),
        cmocka_unit_test(single_precision_is_that_of_ieee_754_without_denormals),
        cmocka_unit_test(flags_that_are_there_already_change_no_result),
        cmocka_unit_test(denormals_count_as_zero_and_results_are_flushed),
        cmocka_unit_test(comparisons_of_halves_follow_their_values),
        cmocka_unit_test(conversions_to_integers_round_and_saturate),
        cmocka_unit_test(conversions_from_integers_are_rounded_once),
        cmocka_unit_test(conversions_between_formats_are_rounded_once),
        cmocka_unit_test(classes_are_told_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
