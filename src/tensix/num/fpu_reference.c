#include <stddef.h>

#include "tensix/num/fpu_variants.h"
#include "tensix/num/rounding.h"

/* A number inside the adders: magnitude * 2^(exponent - bias - 23), so that 1.0 has bit 23 set. */
struct term {
    int32_t exponent;
    int32_t value;
};

enum { FRACTION_BITS = 23, PRODUCT_BITS = 10, SRC_FRACTION_BITS = 10 };

static unsigned exponent_of(uint32_t datum)
{
    return datum >> 23 & 0xff;
}

/* The mantissa of a datum of SrcA or SrcB with its implicit bit: 11 bits. */
static unsigned mantissa_of(uint32_t datum)
{
    return 1u << SRC_FRACTION_BITS | (datum >> 13 & 0x3ff);
}

static int sign_of(uint32_t datum)
{
    return datum >> 31 ? -1 : 1;
}

static bool srca_is_zero(uint32_t a)
{
    return exponent_of(a) == 0;
}

static bool srcb_is_zero(const struct fpu_mode *mode, uint32_t b)
{
    return exponent_of(b) == 0 && !mode->keep_srcb_denormals;
}

/* The five bits of SrcA that enter the multiplier: the implicit bit and the four below, or the next five. The last
   mantissa bit enters in no phase. */
static unsigned srca_multiplicand(const struct fpu_mode *mode, uint32_t a)
{
    return mode->fidelity_phase & 1 ? mantissa_of(a) >> 1 & 31 : mantissa_of(a) >> 6;
}

/* The seven bits of SrcB that enter the multiplier: the implicit bit and the six below, or the last four as its high
   bits. */
static unsigned srcb_multiplicand(const struct fpu_mode *mode, uint32_t b)
{
    return mode->fidelity_phase & 2 ? (mantissa_of(b) & 15) << 3 : mantissa_of(b) >> 4;
}

/* The exponent of a zero product in the search for the largest exponent. */
static int zero_exponent(const struct fpu_mode *mode)
{
    int offset = fpu_product_exponent_offset(mode);
    return offset > 0 ? offset : 0;
}

/* magnitude / 2^shift, ties away from zero. */
static uint32_t shift_magnitude(uint32_t magnitude, int shift)
{
    return shift == 0 ? magnitude : shift > 30 ? 0 : (magnitude + (1u << (shift - 1))) >> shift;
}

/* value / 2^shift, ties upwards. */
static int32_t shift_value(int32_t value, int shift)
{
    return shift == 0 ? value : shift > 30 ? 0 : (value + (1 << (shift - 1))) >> shift;
}

/* Rounds to a multiple of 2^13, with the same ties: Dst of 16 bits has no bits below. */
static uint32_t drop_magnitude(uint32_t magnitude)
{
    return (magnitude + 0x1000) & ~UINT32_C(0x1fff);
}

static int32_t drop_value(int32_t value)
{
    return (value + 0x1000) & ~0x1fff;
}

static int larger(int x, int y)
{
    return x > y ? x : y;
}

/* Dst + the two terms: aligned to the largest of the three exponents, summed, normalised and rounded to the precision
   of Dst, ties away from zero, or at random. A result without exponent is +0. */
static uint32_t accumulate(const struct fpu_mode *mode, struct term x, struct term y, uint32_t dst,
                           const uint32_t *random)
{
    int dst_exponent = (int)exponent_of(dst);
    uint32_t dst_magnitude = dst_exponent == 0 ? 0 : 1u << FRACTION_BITS | (dst & 0x7fffff);
    int exponent = larger(dst_exponent, larger(x.exponent, y.exponent));
    if (exponent <= 0) {
        return 0;
    }

    dst_magnitude = shift_magnitude(dst_magnitude, exponent - dst_exponent);
    int32_t x_value = shift_value(x.value, exponent - x.exponent);
    int32_t y_value = shift_value(y.value, exponent - y.exponent);
    if (!mode->dst32) {
        dst_magnitude = drop_magnitude(dst_magnitude);
        x_value = drop_value(x_value);
        y_value = drop_value(y_value);
    }
    int32_t sum = sign_of(dst) * (int32_t)dst_magnitude + x_value + y_value;
    if (sum == 0) {
        return 0;
    }

    uint32_t sign = sum < 0 ? UINT32_C(0x80000000) : 0;
    uint32_t magnitude = (uint32_t)(sum < 0 ? -sum : sum);
    int leading = 31 - __builtin_clz(magnitude);
    exponent += leading - FRACTION_BITS;
    int kept = mode->dst32 ? FRACTION_BITS : mode->exponent_8b ? 7 : 10;
    uint32_t mantissa = leading <= kept ? magnitude << (kept - leading)
                        : random        ? round_at_random(magnitude, (unsigned)(leading - kept), *random)
                                        : shift_magnitude(magnitude, leading - kept);
    if (mantissa >> (kept + 1)) {
        exponent++; /* rounded up to the next power of two: the kept bits are zero */
    }
    mantissa = mantissa << (FRACTION_BITS - kept) & 0x7fffff;

    if (exponent <= 0) {
        return 0;
    }
    if (mode->dst32 || mode->exponent_8b) {
        return exponent >= 255 ? sign | 0xffu << 23 : sign | (uint32_t)exponent << 23 | mantissa;
    }
    return exponent >= 32 ? sign | 31u << 23 | 0x3ff << 13 : sign | (uint32_t)exponent << 23 | mantissa;
}

/* The sum of eight products, aligned to the largest of their exponents, ties away from zero. */
static struct term sum_of_products(const struct fpu_mode *mode, const uint32_t a[FPU_GROUP],
                                   const uint32_t b[FPU_GROUP])
{
    int exponents[FPU_GROUP];
    uint32_t magnitudes[FPU_GROUP];
    struct term sum = {.exponent = zero_exponent(mode), .value = 0};
    for (unsigned k = 0; k < FPU_GROUP; k++) {
        if (srca_is_zero(a[k]) || srcb_is_zero(mode, b[k])) {
            exponents[k] = zero_exponent(mode);
            magnitudes[k] = 0;
        } else {
            exponents[k] = (int)exponent_of(a[k]) + (int)exponent_of(b[k]) + fpu_product_exponent_offset(mode);
            magnitudes[k] = srca_multiplicand(mode, a[k]) * srcb_multiplicand(mode, b[k]);
        }
        sum.exponent = larger(sum.exponent, exponents[k]);
    }
    if (sum.exponent <= 0) {
        return (struct term){0, 0}; /* too small for any format */
    }
    for (unsigned k = 0; k < FPU_GROUP; k++) {
        int32_t magnitude = (int32_t)shift_magnitude(magnitudes[k], sum.exponent - exponents[k]);
        sum.value += sign_of(a[k]) * sign_of(b[k]) * magnitude;
    }
    sum.value *= 1 << (FRACTION_BITS - PRODUCT_BITS);
    return sum;
}

static uint32_t dot(const struct fpu_mode *mode, const uint32_t a[FPU_DEPTH], const uint32_t b[FPU_DEPTH], uint32_t dst,
                    const uint32_t *random)
{
    uint32_t seen_a[FPU_DEPTH], seen_b[FPU_DEPTH];
    for (unsigned k = 0; k < FPU_DEPTH; k++) {
        seen_a[k] = a[k] & mode->srca_bits;
        seen_b[k] = b[k] & mode->srcb_bits;
    }
    return accumulate(mode, sum_of_products(mode, seen_a, seen_b),
                      sum_of_products(mode, seen_a + FPU_GROUP, seen_b + FPU_GROUP), dst, random);
}

static uint32_t multiply(const struct fpu_mode *mode, uint32_t a, uint32_t b, uint32_t dst, const uint32_t *random)
{
    a &= mode->srca_bits;
    b &= mode->srcb_bits;
    struct term product = {.exponent = zero_exponent(mode), .value = 0};
    int exponent = (int)exponent_of(a) + (int)exponent_of(b) + fpu_product_exponent_offset(mode);
    if (!srca_is_zero(a) && !srcb_is_zero(mode, b) && exponent > 0) {
        unsigned magnitude = srca_multiplicand(mode, a) * srcb_multiplicand(mode, b);
        product.exponent = exponent;
        product.value = sign_of(a) * sign_of(b) * (int32_t)(magnitude << (FRACTION_BITS - PRODUCT_BITS));
    }
    return accumulate(mode, product, (struct term){0, 0}, dst, random);
}

/* The sum of two data of the sources: the smaller one is aligned to the larger one, ties away from zero. Addition uses
   all mantissa bits, yet the phase lowers the weight of the result, as ELWADD.md says. */
static struct term sum_of_data(const struct fpu_mode *mode, uint32_t a, uint32_t b)
{
    bool swap = (a & 0x7fffffff) < (b & 0x7fffffff);
    uint32_t large = swap ? b : a, small = swap ? a : b;
    int exponent = (int)exponent_of(large);
    int32_t value = large ? (int32_t)mantissa_of(large) : 0;
    int32_t addend = small ? (int32_t)shift_magnitude(mantissa_of(small), exponent - (int)exponent_of(small)) : 0;
    value = sign_of(large) * value + sign_of(small) * addend;
    if (mode->dst32 && !mode->exponent_8b) {
        exponent += exponent ? 127 - 15 : 127 - 30;
    }
    if (mode->fidelity_phase) {
        exponent -= (mode->fidelity_phase & 1 ? 5 : 0) + (mode->fidelity_phase & 2 ? 7 : 0);
        if (exponent <= 0) {
            return (struct term){0, 0};
        }
    }
    return (struct term){exponent, value * (1 << (FRACTION_BITS - SRC_FRACTION_BITS))};
}

static uint32_t add(const struct fpu_mode *mode, uint32_t a, uint32_t b, uint32_t dst, const uint32_t *random)
{
    a &= mode->srca_bits;
    b &= mode->srcb_bits;
    return accumulate(mode, sum_of_data(mode, srca_is_zero(a) ? 0 : a, srcb_is_zero(mode, b) ? 0 : b),
                      (struct term){0, 0}, dst, random);
}

uint32_t fpu_reference_dot(const struct fpu_mode *mode, const uint32_t a[FPU_DEPTH], const uint32_t b[FPU_DEPTH],
                           uint32_t dst)
{
    return dot(mode, a, b, dst, NULL);
}

uint32_t fpu_reference_multiply(const struct fpu_mode *mode, uint32_t a, uint32_t b, uint32_t dst)
{
    return multiply(mode, a, b, dst, NULL);
}

uint32_t fpu_reference_add(const struct fpu_mode *mode, uint32_t a, uint32_t b, uint32_t dst)
{
    return add(mode, a, b, dst, NULL);
}

void fpu_multiply_matrices_at_random(const struct fpu_mode *mode, const uint32_t a[FPU_DEPTH][FPU_COLUMNS],
                                     const uint32_t b[][FPU_DEPTH], uint32_t dst[][FPU_COLUMNS], unsigned rows,
                                     const uint32_t random[][FPU_COLUMNS])
{
    for (unsigned j = 0; j < FPU_COLUMNS; j++) {
        uint32_t column[FPU_DEPTH];
        for (unsigned k = 0; k < FPU_DEPTH; k++) {
            column[k] = a[k][j];
        }
        for (unsigned i = 0; i < rows; i++) {
            dst[i][j] = dot(mode, column, b[i], dst[i][j], &random[i][j]);
        }
    }
}

void fpu_multiply_elements_at_random(const struct fpu_mode *mode, const uint32_t a[][FPU_COLUMNS],
                                     const uint32_t b[][FPU_COLUMNS], uint32_t dst[][FPU_COLUMNS], unsigned rows,
                                     const uint32_t random[][FPU_COLUMNS])
{
    for (unsigned i = 0; i < rows; i++) {
        for (unsigned j = 0; j < FPU_COLUMNS; j++) {
            dst[i][j] = multiply(mode, a[i][j], b[i][j], dst[i][j], &random[i][j]);
        }
    }
}

void fpu_add_elements_at_random(const struct fpu_mode *mode, const uint32_t a[][FPU_COLUMNS],
                                const uint32_t b[][FPU_COLUMNS], uint32_t dst[][FPU_COLUMNS], unsigned rows,
                                const uint32_t random[][FPU_COLUMNS])
{
    for (unsigned i = 0; i < rows; i++) {
        for (unsigned j = 0; j < FPU_COLUMNS; j++) {
            dst[i][j] = add(mode, a[i][j], b[i][j], dst[i][j], &random[i][j]);
        }
    }
}
