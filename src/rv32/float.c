#include "rv32/float.h"

#include "tensix/num/sfpu_mad.h"

const struct float_format float_single = {8, 23, FLOAT_NEAREST_EVEN};
const struct float_format float_half = {5, 10, FLOAT_NEAREST_EVEN};
const struct float_format float_bf16 = {8, 7, FLOAT_TOWARDS_ZERO};
const struct float_format float_bf16_nearest = {8, 7, FLOAT_NEAREST_EVEN};

/* significand * 2^exponent, an exact value; significand 0 is zero. */
struct number {
    uint64_t significand;
    int exponent;
    bool negative, infinite;
};

static int bias(struct float_format format)
{
    return (1 << (format.exponent_bits - 1)) - 1;
}

static bool is_negative(struct float_format format, uint32_t a)
{
    return a & float_sign(format);
}

static bool is_signaling(struct float_format format, uint32_t a)
{
    return float_is_nan(format, a) && !(a >> (format.mantissa_bits - 1) & 1);
}

/* What is not a NaN, as a number. */
static struct number unpack(struct float_format format, uint32_t a)
{
    uint32_t field = (a & float_infinity(format)) >> format.mantissa_bits;
    uint32_t mantissa = a & ((UINT32_C(1) << format.mantissa_bits) - 1);
    return (struct number){
        .significand = field ? mantissa | UINT64_C(1) << format.mantissa_bits : mantissa,
        .exponent = (field ? (int)field : 1) - bias(format) - format.mantissa_bits,
        .negative = is_negative(format, a),
        .infinite = (a & (float_sign(format) - 1)) == float_infinity(format),
    };
}

/* Unpacks a number; denormals become zero. */
static struct number unpack_normal(struct float_format format, uint32_t a)
{
    struct number number = unpack(format, a);
    if (!(a & float_infinity(format))) {
        number.significand = 0;
    }
    return number;
}

static uint32_t signed_bits(struct float_format format, bool negative, uint32_t magnitude)
{
    return negative ? float_sign(format) | magnitude : magnitude;
}

/* value / 2^shift, rounded; *inexact: bits were lost. */
static uint64_t shift_and_round(uint64_t value, int shift, enum float_rounding rounding, bool *inexact)
{
    if (shift <= 0) {
        *inexact = false;
        return value << -shift;
    }
    if (shift > 63) { /* the remainder is below one half and never rounds up */
        *inexact = value != 0;
        return 0;
    }
    uint64_t kept = value >> shift, rest = value & ((UINT64_C(1) << shift) - 1), half = UINT64_C(1) << (shift - 1);
    *inexact = rest != 0;
    return kept + (rounding == FLOAT_NEAREST_EVEN && (rest > half || (rest == half && (kept & 1))));
}

/* A nonzero finite number below 2^63 units, as bits of the format. */
static uint32_t pack(struct float_format format, struct number number, uint32_t *flags)
{
    int leading = 63 - __builtin_clzll(number.significand);
    int field = number.exponent + leading + bias(format);
    int shift = leading - format.mantissa_bits;
    if (field <= 0) { /* denormal, unless it rounds up to the smallest normal number */
        shift += 1 - field;
        field = 1;
    }
    bool inexact;
    uint64_t rounded = shift_and_round(number.significand, shift, (enum float_rounding)format.rounding, &inexact);
    uint64_t magnitude = ((uint64_t)(field - 1) << format.mantissa_bits) +
                         rounded; /* the leading one of `rounded` adds 1 to the field */
    if (magnitude >= float_infinity(format)) {
        *flags |= FLOAT_OVERFLOW | FLOAT_INEXACT;
        magnitude = float_infinity(format) - (format.rounding == FLOAT_TOWARDS_ZERO);
    } else if (magnitude >> format.mantissa_bits == 0) {
        *flags |= FLOAT_UNDERFLOW | FLOAT_INEXACT;
        magnitude = 0;
    } else if (inexact) {
        *flags |= FLOAT_INEXACT;
    }
    return signed_bits(format, number.negative, (uint32_t)magnitude);
}

/* Brings the leading one of a nonzero number to bit 62. */
static struct number normalize(struct number number)
{
    int shift = __builtin_clzll(number.significand) - 1;
    number.significand <<= shift;
    number.exponent -= shift;
    return number;
}

/* Shifts right by any amount; if bits are lost, the lowest bit of the result is set (sticky). */
static uint64_t shift_sticky(uint64_t value, int amount)
{
    return amount > 63 ? 1 : value >> amount | ((value & ((UINT64_C(1) << amount) - 1)) != 0);
}

/* The sum of two nonzero numbers; bits more than 60 places below its leading one are merged into a sticky bit. */
static struct number sum(struct number a, struct number b)
{
    a = normalize(a);
    b = normalize(b);
    if (a.exponent < b.exponent || (a.exponent == b.exponent && a.significand < b.significand)) {
        struct number larger = b;
        b = a;
        a = larger;
    }
    uint64_t aligned = shift_sticky(b.significand, a.exponent - b.exponent);
    a.significand += a.negative == b.negative ? aligned : -aligned;
    return a;
}

uint32_t float_fused(struct float_format format, uint32_t a, uint32_t b, uint32_t c, uint32_t *flags)
{
    bool nan = float_is_nan(format, a) || float_is_nan(format, b) || float_is_nan(format, c);
    struct number x = unpack_normal(format, a), y = unpack_normal(format, b), z = unpack_normal(format, c);
    if (is_signaling(format, a) || is_signaling(format, b) || is_signaling(format, c) ||
        (x.infinite && y.significand == 0) || (y.infinite && x.significand == 0)) {
        *flags |= FLOAT_INVALID;
        nan = true;
    }
    if (nan) {
        return float_nan(format);
    }
    struct number product = {
        .significand = x.significand * y.significand,
        .exponent = x.exponent + y.exponent,
        .negative = x.negative != y.negative,
        .infinite = x.infinite || y.infinite,
    };
    if (product.infinite && z.infinite && product.negative != z.negative) {
        *flags |= FLOAT_INVALID;
        return float_nan(format);
    }
    if (product.infinite || z.infinite) {
        return signed_bits(format, product.infinite ? product.negative : z.negative, float_infinity(format));
    }
    if (product.significand == 0 && z.significand == 0) {
        return signed_bits(format, product.negative && z.negative, 0);
    }
    if (product.significand == 0) {
        return c;
    }
    if (z.significand) {
        product = sum(product, z);
    }
    return product.significand ? pack(format, product, flags) : 0;
}

/* Whether a number is neither infinite nor NaN, and is not flushed to zero. */
static bool is_ordinary(uint32_t single)
{
    uint32_t field = single >> 23 & 0xff;
    return field != 0 && field != 0xff;
}

uint32_t float_multiply_add(struct float_format format, uint32_t a, uint32_t b, uint32_t c, uint32_t *flags)
{
    if (format.mantissa_bits != float_single.mantissa_bits) {
        return float_fused(format, a, b, c, flags);
    }
    uint32_t result = sfpu_mad(a, b, c);
    if (*flags & FLOAT_INEXACT && is_ordinary(result)) {
        return result; /* no other flag is possible: an infinity or a NaN would have made the result one */
    }
    uint32_t fused = float_fused(format, a, b, c, flags);
    if (result != fused) {
        *flags |= FLOAT_INEXACT;
    }
    return result;
}

uint32_t float_add(struct float_format format, uint32_t a, uint32_t b, uint32_t *flags)
{
    uint32_t one = (uint32_t)bias(format) << format.mantissa_bits;
    return float_multiply_add(format, a, one, b, flags);
}

uint32_t float_multiply(struct float_format format, uint32_t a, uint32_t b, uint32_t *flags)
{
    return float_multiply_add(format, a, b, (a ^ b) & float_sign(format), flags);
}

/* Raises invalid for a signaling NaN, and for any if `quiet_too`. Returns whether there is a NaN. */
static bool check_nans(struct float_format format, uint32_t a, uint32_t b, bool quiet_too, uint32_t *flags)
{
    bool nan = float_is_nan(format, a) || float_is_nan(format, b);
    if (is_signaling(format, a) || is_signaling(format, b) || (nan && quiet_too)) {
        *flags |= FLOAT_INVALID;
    }
    return nan;
}

/* An integer with the same order as floating-point numbers; -0 is just below +0. */
static int32_t order(struct float_format format, uint32_t a)
{
    int32_t magnitude = (int32_t)(a & (float_sign(format) - 1));
    return is_negative(format, a) ? -magnitude - 1 : magnitude;
}

/* Likewise, with both zeros equal. */
static int32_t value_order(struct float_format format, uint32_t a)
{
    int32_t magnitude = (int32_t)(a & (float_sign(format) - 1));
    return is_negative(format, a) ? -magnitude : magnitude;
}

static uint32_t choose(struct float_format format, uint32_t a, uint32_t b, bool larger, uint32_t *flags)
{
    if (check_nans(format, a, b, false, flags)) {
        return !float_is_nan(format, a) ? a : !float_is_nan(format, b) ? b : float_nan(format);
    }
    return (order(format, a) < order(format, b)) != larger ? a : b;
}

uint32_t float_minimum(struct float_format format, uint32_t a, uint32_t b, uint32_t *flags)
{
    return choose(format, a, b, false, flags);
}

uint32_t float_maximum(struct float_format format, uint32_t a, uint32_t b, uint32_t *flags)
{
    return choose(format, a, b, true, flags);
}

bool float_equal(struct float_format format, uint32_t a, uint32_t b, uint32_t *flags)
{
    return !check_nans(format, a, b, false, flags) && value_order(format, a) == value_order(format, b);
}

bool float_less(struct float_format format, uint32_t a, uint32_t b, uint32_t *flags)
{
    return !check_nans(format, a, b, true, flags) && value_order(format, a) < value_order(format, b);
}

bool float_less_equal(struct float_format format, uint32_t a, uint32_t b, uint32_t *flags)
{
    return !check_nans(format, a, b, true, flags) && value_order(format, a) <= value_order(format, b);
}

uint32_t float_classify(struct float_format format, uint32_t a)
{
    if (float_is_nan(format, a)) {
        return is_signaling(format, a) ? 1u << 8 : 1u << 9;
    }
    uint32_t magnitude = a & (float_sign(format) - 1);
    unsigned size = magnitude == 0                         ? 0
                    : !(magnitude >> format.mantissa_bits) ? 1
                    : magnitude < float_infinity(format)   ? 2
                                                           : 3;
    return is_negative(format, a) ? 1u << (3 - size) : 1u << (4 + size);
}

uint32_t float_to_integer(struct float_format format, uint32_t a, unsigned bits, bool is_signed,
                          enum float_rounding rounding, uint32_t *flags)
{
    uint64_t largest = (UINT64_C(1) << (bits - is_signed)) - 1; /* and one more below zero, if signed */
    if (float_is_nan(format, a)) {
        *flags |= FLOAT_INVALID;
        return (uint32_t)largest;
    }
    struct number number = unpack(format, a);
    bool inexact = false, huge = number.infinite || number.exponent > 32;
    uint64_t magnitude = huge ? UINT64_MAX : shift_and_round(number.significand, -number.exponent, rounding, &inexact);
    uint64_t limit = !number.negative ? largest : is_signed ? largest + 1 : 0;
    if (magnitude > limit) {
        *flags |= FLOAT_INVALID;
        magnitude = limit;
    } else if (inexact) {
        *flags |= FLOAT_INEXACT;
    }
    return (uint32_t)(number.negative ? -magnitude : magnitude);
}

uint32_t float_from_integer(struct float_format format, uint32_t value, bool is_signed, uint32_t *flags)
{
    bool negative = is_signed && value >> 31;
    struct number number = {.significand = negative ? -value : value, .negative = negative};
    return value ? pack(format, number, flags) : 0;
}

uint32_t float_convert(struct float_format from, struct float_format to, uint32_t a, uint32_t *flags)
{
    if (float_is_nan(from, a)) {
        check_nans(from, a, a, false, flags);
        return float_nan(to);
    }
    struct number number = unpack_normal(from, a);
    if (number.infinite || number.significand == 0) {
        return signed_bits(to, number.negative, number.infinite ? float_infinity(to) : 0);
    }
    return pack(to, number, flags);
}
