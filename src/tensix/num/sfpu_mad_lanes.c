/* The multiply-add on 32 lanes, in steps that compilers turn into vector code: no branch, no call. sfpu_mad.c says what
   the steps are; here a sum is aligned to bit 31 instead, so that all that is rounded away lies in the lowest byte. */
#include "tensix/num/clones.h"
#include "tensix/num/sfpu_mad_variants.h"

enum { LANES = 32, EXPONENT_BIAS = 127, EXPONENT_MAX = 255, SHIFTED_OUT = 31 };
enum { IMPLICIT_ONE = 1 << 23, MANTISSA = IMPLICIT_ONE - 1 };

#define SIGN 0x80000000u

static inline int32_t exponent_of(uint32_t x)
{
    return (int32_t)(x >> 23 & 0xff);
}

static inline uint32_t mantissa_of(uint32_t x)
{
    return exponent_of(x) ? (x & MANTISSA) | IMPLICIT_ONE : 0;
}

static inline int32_t larger(int32_t x, int32_t y)
{
    return x > y ? x : y;
}

/* How many zeros are above the highest set bit of x, which is less than 2^30. Conversion to float finds it: without the
   bit below the highest one no way of rounding can carry into the next power of two. */
static inline int32_t leading_zeros(uint32_t x)
{
    union {
        float value;
        uint32_t bits;
    } converted = {.value = (float)(int32_t)(x & ~(x >> 1))};
    return 31 + EXPONENT_BIAS - (int32_t)(converted.bits >> 23);
}

/* Whether an infinity, NaN, or an overflow of the product is involved. */
static inline uint32_t is_special(uint32_t x, uint32_t y, uint32_t z)
{
    int32_t product_exponent = exponent_of(x) + exponent_of(y) - EXPONENT_BIAS;
    int32_t factor_exponent = larger(exponent_of(x), exponent_of(y));
    return larger(larger(product_exponent, factor_exponent), exponent_of(z)) >= EXPONENT_MAX;
}

/* x * y + z where is_special() is not. */
__attribute__((always_inline)) static inline uint32_t multiply_add(uint32_t x, uint32_t y, uint32_t z)
{
    uint64_t full = (uint64_t)mantissa_of(x) * mantissa_of(y);
    uint32_t product = (uint32_t)(full >> 20) | ((full & 0xfffff) != 0), addend = mantissa_of(z) << 3;
    int32_t product_exponent = exponent_of(x) + exponent_of(y) - EXPONENT_BIAS, addend_exponent = exponent_of(z);

    /* A product that is zero, or underflows by itself, must not shift the addend. */
    uint32_t counts = product != 0 && product_exponent >= 0 ? UINT32_MAX : 0;
    product &= counts;
    product_exponent &= (int32_t)counts;

    uint32_t product_sign = (x ^ y) & SIGN, addend_sign = z & SIGN;
    int32_t difference = product_exponent - addend_exponent;
    uint32_t product_leads = difference >= 0 ? UINT32_MAX : 0;
    uint32_t big = (product & product_leads) | (addend & ~product_leads);
    uint32_t small = product ^ addend ^ big;
    uint32_t big_sign = (product_sign & product_leads) | (addend_sign & ~product_leads);
    int32_t exponent = larger(product_exponent, addend_exponent);
    int32_t distance = difference >= 0 ? difference : -difference;
    distance = distance > SHIFTED_OUT ? SHIFTED_OUT : distance;
    uint32_t aligned = small >> distance;
    aligned |= aligned != 0 && aligned << distance != small;

    uint32_t subtract = product_sign ^ addend_sign;
    int32_t sum = (int32_t)(big + (subtract ? -aligned : aligned));
    uint32_t magnitude = (uint32_t)(sum < 0 ? -sum : sum);
    uint32_t sign = magnitude ? big_sign ^ ((uint32_t)sum & SIGN) : product_sign & addend_sign;

    int32_t zeros = leading_zeros(magnitude);
    uint32_t normal = magnitude << (zeros & 31), mantissa = normal >> 8;
    exponent += 5 - zeros;
    uint32_t up = (normal & 0xff) + (mantissa & 1) > 0x80;
    uint32_t rounded = ((uint32_t)exponent << 23) + (mantissa & MANTISSA) + up;
    uint32_t underflown = mantissa == (IMPLICIT_ONE | MANTISSA) ? IMPLICIT_ONE : 0;
    rounded = exponent >= EXPONENT_MAX ? (uint32_t)EXPONENT_MAX << 23 : rounded;
    rounded = exponent <= 0 ? underflown : rounded;
    return sign | (magnitude ? rounded : 0);
}

/* Returns whether any lane is special; what its sum is then, does not matter. */
STATIC_CLONES(uint32_t, compute, (uint32_t *restrict sums, const struct sfpu_mad_operands *operands), (sums, operands))
{
    const uint32_t *x = operands->x, *y = operands->y, *z = operands->z;
    uint32_t x_sign = operands->x_sign, z_sign = operands->z_sign, special = 0;
    for (unsigned lane = 0; lane < LANES; lane++) {
        sums[lane] = multiply_add(x[lane] ^ x_sign, y[lane], z[lane] ^ z_sign);
        special |= is_special(x[lane], y[lane], z[lane]);
    }
    return special;
}

const uint32_t sfpu_mad_zeros[LANES] = {0};

void sfpu_mad_lanes_portable(uint32_t *result, const struct sfpu_mad_operands *given, uint32_t lanes)
{
    const struct sfpu_mad_operands with_zeros = sfpu_mad_with_zeros(given), *operands = &with_zeros;
    uint32_t sums[LANES];
    if (__builtin_expect(compute(sums, operands) != 0, 0)) {
        for (unsigned lane = 0; lane < LANES; lane++) {
            sums[lane] =
                sfpu_mad(operands->x[lane] ^ operands->x_sign, operands->y[lane], operands->z[lane] ^ operands->z_sign);
        }
    }
    for (unsigned lane = 0; lane < LANES; lane++) {
        result[lane] = lanes >> lane & 1 ? sums[lane] : result[lane];
    }
}

void sfpu_mad_lanes(uint32_t *result, const struct sfpu_mad_operands *operands, uint32_t lanes)
{
    if (host_has_avx512()) {
        sfpu_mad_lanes_avx512(result, operands, lanes);
    } else {
        sfpu_mad_lanes_portable(result, operands, lanes);
    }
}

void sfpu_mad_sequence(const struct sfpu_mad_step *first, size_t stride, uint32_t count, uint32_t lanes)
{
    if (host_has_avx512()) {
        sfpu_mad_sequence_avx512(first, stride, count, lanes);
        return;
    }
    for (const struct sfpu_mad_step *step = first; count; count--, step = sfpu_mad_next(step, stride)) {
        sfpu_mad_lanes_portable(step->result, &step->operands, lanes);
    }
}
