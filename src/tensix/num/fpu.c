/* The rows of 16 columns of fpu.h. Every loop over columns is written so that compilers turn it into vector code: no
   branch, no memory access that depends on data. fpu_reference.c says why the steps are what they are. */
#include "tensix/num/clones.h"
#include "tensix/num/fpu_variants.h"

/* What accumulate() needs to know, once for each instruction. */
struct rounding {
    uint32_t dropped; /* mask of the low bits that a Dst of 16 bits loses before the sum */
    int32_t drop_half;
    int32_t discarded;      /* of the 23 mantissa bits, how many Dst does not keep */
    uint32_t kept;          /* mask of the others */
    int32_t exponent_limit; /* the first exponent that is too large ... */
    uint32_t infinity;      /* ... and what becomes of it */
};

static struct rounding rounding_of(const struct fpu_mode *mode)
{
    struct rounding rounding = {.exponent_limit = 255, .infinity = 0xffu << 23};
    if (!mode->dst32) {
        rounding.dropped = 0x1fff;
        rounding.drop_half = 0x1000;
        rounding.discarded = mode->exponent_8b ? 16 : 13;
        if (!mode->exponent_8b) {
            rounding.exponent_limit = 32;
            rounding.infinity = 31u << 23 | 0x3ff << 13;
        }
    }
    rounding.kept = 0x7fffff >> rounding.discarded << rounding.discarded;
    return rounding;
}

static inline int32_t max32(int32_t x, int32_t y)
{
    return x > y ? x : y;
}

static inline int32_t min32(int32_t x, int32_t y)
{
    return x < y ? x : y;
}

/* The position of the highest set bit of x, which is neither 0 nor above 2^30. Conversion to float finds it: without
   the bit below the highest one no way of rounding can carry into the next power of two. */
static inline int32_t leading_bit(uint32_t x)
{
    union {
        float value;
        uint32_t bits;
    } converted = {.value = (float)(int32_t)(x & ~(x >> 1))};
    return (int32_t)(converted.bits >> 23) - 127;
}

/* value / 2^shift, ties upwards, less what Dst drops. `shift` of 31 shifts everything out, as |value| < 2^28. */
static inline int32_t align_value(struct rounding rounding, int32_t value, int32_t shift)
{
    shift = min32(shift, 31);
    value = (value + (int32_t)((UINT32_C(1) << shift) >> 1)) >> shift;
    return (value + rounding.drop_half) & ~(int32_t)rounding.dropped;
}

/* The magnitude of Dst, aligned. */
static inline int32_t align_dst(struct rounding rounding, uint32_t dst, int32_t exponent)
{
    int32_t dst_exponent = (int32_t)(dst >> 23 & 0xff);
    uint32_t z = dst_exponent ? (dst & 0x7fffff) | 0x800000 : 0;
    int32_t shift = min32(exponent - dst_exponent, 31);
    int32_t aligned = (int32_t)((z + ((UINT32_C(1) << shift) >> 1)) >> shift);
    return (aligned + rounding.drop_half) & ~(int32_t)rounding.dropped;
}

/* Adds `addend` to Dst, both aligned to `exponent`, and normalises and rounds the sum. */
static inline uint32_t add_to_dst(struct rounding rounding, int32_t exponent, int32_t addend, uint32_t dst)
{
    int32_t z = align_dst(rounding, dst, exponent), dst_sign = (int32_t)dst >> 31;
    int32_t sum = ((z ^ dst_sign) - dst_sign) + addend;
    int32_t sum_sign = sum >> 31;
    uint32_t magnitude = (uint32_t)((sum ^ sum_sign) - sum_sign);
    int32_t leading = leading_bit(magnitude | 1);
    uint32_t half = (UINT32_C(1) << max32(leading - 23 + rounding.discarded, 0)) >> 1;
    magnitude = (magnitude + half) << (30 - leading);
    exponent += leading - 23 + (int32_t)(magnitude >> 31);

    uint32_t result = (uint32_t)exponent << 23 | (magnitude >> 7 & rounding.kept);
    result = exponent >= rounding.exponent_limit ? rounding.infinity : result;
    result |= (uint32_t)sum & UINT32_C(0x80000000);
    return exponent <= 0 || sum == 0 ? 0 : result;
}

/* One column of accumulate() of the reference. */
static inline uint32_t accumulate(struct rounding rounding, int32_t x_exponent, int32_t x, int32_t y_exponent,
                                  int32_t y, uint32_t dst)
{
    int32_t exponent = max32((int32_t)(dst >> 23 & 0xff), max32(x_exponent, y_exponent));
    x = align_value(rounding, x, exponent - x_exponent);
    y = align_value(rounding, y, exponent - y_exponent);
    return add_to_dst(rounding, exponent, x + y, dst);
}

/* The same for one value: a second one of zero, with exponent zero, would stay zero. */
static inline uint32_t accumulate_one(struct rounding rounding, int32_t x_exponent, int32_t x, uint32_t dst)
{
    int32_t exponent = max32((int32_t)(dst >> 23 & 0xff), max32(x_exponent, 0));
    return add_to_dst(rounding, exponent, align_value(rounding, x, exponent - x_exponent), dst);
}

/* SrcA as the multipliers take it. Zeroes have an exponent so small that their product vanishes in any alignment. */
enum { ZERO_EXPONENT = -8192 };

struct srca_factors {
    int16_t exponent[FPU_DEPTH][FPU_COLUMNS];
    uint16_t twice[FPU_DEPTH][FPU_COLUMNS]; /* twice the multiplicand */
    int16_t sign[FPU_DEPTH][FPU_COLUMNS];   /* 0 or -1 */
};

/* One row of SrcB as the multipliers take it, with the offset of the product's exponent added. */
struct srcb_factors {
    int16_t exponent[FPU_DEPTH];
    uint16_t multiplicand[FPU_DEPTH];
    int16_t sign[FPU_DEPTH];
};

/* For each group of eight products, and each column: the exponent of the sum, and the sum in units of 2^-10. */
struct sums {
    int16_t exponent[2][FPU_COLUMNS];
    int16_t value[2][FPU_COLUMNS];
};

static inline void factor_srca(const struct fpu_mode *mode, const uint32_t a[FPU_DEPTH][FPU_COLUMNS],
                               struct srca_factors *factors)
{
    uint32_t bits = mode->srca_bits;
    unsigned shift = mode->fidelity_phase & 1 ? 14 : 19;
    uint16_t mask = mode->fidelity_phase & 1 ? 31 : 15, implicit = mode->fidelity_phase & 1 ? 0 : 16;
    for (unsigned k = 0; k < FPU_DEPTH; k++) {
        for (unsigned j = 0; j < FPU_COLUMNS; j++) {
            uint32_t datum = a[k][j] & bits;
            int16_t exponent = (int16_t)(datum >> 23 & 0xff);
            factors->exponent[k][j] = exponent ? exponent : ZERO_EXPONENT;
            factors->twice[k][j] = (uint16_t)(((datum >> shift & mask) | implicit) << 1);
            factors->sign[k][j] = (int16_t)((int32_t)datum >> 31);
        }
    }
}

static inline void factor_srcb(const struct fpu_mode *mode, const uint32_t b[FPU_DEPTH], struct srcb_factors *factors)
{
    uint32_t bits = mode->srcb_bits;
    bool low = mode->fidelity_phase & 2;
    unsigned shift = low ? 13 : 17, weight = low ? 3 : 0;
    uint16_t mask = low ? 15 : 63, implicit = low ? 0 : 64;
    int16_t offset = (int16_t)fpu_product_exponent_offset(mode);
    int16_t zero = mode->keep_srcb_denormals ? 0 : ZERO_EXPONENT;
    for (unsigned k = 0; k < FPU_DEPTH; k++) {
        uint32_t datum = b[k] & bits;
        int16_t exponent = (int16_t)(datum >> 23 & 0xff);
        factors->exponent[k] = (int16_t)((exponent ? exponent : zero) + offset);
        factors->multiplicand[k] = (uint16_t)(((datum >> shift & mask) | implicit) << weight);
        factors->sign[k] = (int16_t)((int32_t)datum >> 31);
    }
}

/* How far each product of a group is shifted down to the largest exponent. That these are stored between the two loops
   lets compilers shift in 16-bit lanes. */
static inline void align_group(const struct srca_factors *restrict a, const struct srcb_factors *restrict b,
                               unsigned first, int16_t zero_exponent, int16_t exponent[restrict FPU_COLUMNS],
                               uint16_t shifts[restrict FPU_GROUP][FPU_COLUMNS])
{
    for (unsigned j = 0; j < FPU_COLUMNS; j++) {
        int16_t exponents[FPU_GROUP];
        int16_t largest = zero_exponent;
#pragma GCC unroll 8
        for (unsigned k = 0; k < FPU_GROUP; k++) {
            exponents[k] = (int16_t)(a->exponent[first + k][j] + b->exponent[first + k]);
            largest = exponents[k] > largest ? exponents[k] : largest;
        }
#pragma GCC unroll 8
        for (unsigned k = 0; k < FPU_GROUP; k++) {
            uint16_t shift = (uint16_t)(largest - exponents[k]);
            shifts[k][j] = shift < 15 ? shift : 15;
        }
        exponent[j] = largest;
    }
}

static inline void sum_group(const struct srca_factors *restrict a, const struct srcb_factors *restrict b,
                             unsigned first, const int16_t exponent[restrict FPU_COLUMNS],
                             const uint16_t shifts[restrict FPU_GROUP][FPU_COLUMNS],
                             int16_t value[restrict FPU_COLUMNS])
{
    for (unsigned j = 0; j < FPU_COLUMNS; j++) {
        int16_t sum = 0;
#pragma GCC unroll 8
        for (unsigned k = 0; k < FPU_GROUP; k++) {
            uint16_t product = (uint16_t)(a->twice[first + k][j] * b->multiplicand[first + k]);
            product = (uint16_t)(product >> shifts[k][j]);
            product = (uint16_t)((uint16_t)(product + 1) >> 1);
            int16_t sign = a->sign[first + k][j] ^ b->sign[first + k];
            sum = (int16_t)(sum + (product ^ sign) - sign);
        }
        value[j] = exponent[j] > 0 ? sum : 0;
    }
}

CLONES(void, fpu_multiply_matrices_portable,
       (const struct fpu_mode *mode, const uint32_t a[FPU_DEPTH][FPU_COLUMNS], const uint32_t b[][FPU_DEPTH],
        uint32_t dst[][FPU_COLUMNS], unsigned rows),
       (mode, a, b, dst, rows))
{
    struct srca_factors srca;
    factor_srca(mode, a, &srca);
    struct rounding rounding = rounding_of(mode);
    int16_t zero_exponent = (int16_t)max32(fpu_product_exponent_offset(mode), 0);
    for (unsigned i = 0; i < rows; i++) {
        struct srcb_factors srcb;
        struct sums sums;
        factor_srcb(mode, b[i], &srcb);
        for (unsigned group = 0; group < 2; group++) {
            uint16_t shifts[FPU_GROUP][FPU_COLUMNS];
            align_group(&srca, &srcb, group * FPU_GROUP, zero_exponent, sums.exponent[group], shifts);
            sum_group(&srca, &srcb, group * FPU_GROUP, sums.exponent[group], shifts, sums.value[group]);
        }
        for (unsigned j = 0; j < FPU_COLUMNS; j++) {
            dst[i][j] = accumulate(rounding, sums.exponent[0][j], sums.value[0][j] * (1 << 13), sums.exponent[1][j],
                                   sums.value[1][j] * (1 << 13), dst[i][j]);
        }
    }
}

void fpu_multiply_matrices(const struct fpu_mode *mode, const uint32_t a[FPU_DEPTH][FPU_COLUMNS],
                           const uint32_t b[][FPU_DEPTH], uint32_t dst[][FPU_COLUMNS], unsigned rows)
{
    if (host_has_avx512() && rows % 4 == 0) {
        fpu_multiply_matrices_avx512(mode, a, b, dst, rows);
    } else {
        fpu_multiply_matrices_portable(mode, a, b, dst, rows);
    }
}

CLONES(void, fpu_multiply_elements_portable,
       (const struct fpu_mode *mode, const uint32_t a[restrict][FPU_COLUMNS], const uint32_t b[restrict][FPU_COLUMNS],
        uint32_t dst[restrict][FPU_COLUMNS], unsigned rows),
       (mode, a, b, dst, rows))
{
    struct rounding rounding = rounding_of(mode);
    uint32_t srca_bits = mode->srca_bits, srcb_bits = mode->srcb_bits;
    int32_t offset = fpu_product_exponent_offset(mode), zero_exponent = max32(offset, 0);
    int32_t keep_srcb = mode->keep_srcb_denormals;
    bool a_low = mode->fidelity_phase & 1, b_low = mode->fidelity_phase & 2;
    unsigned a_shift = a_low ? 14 : 19, b_shift = b_low ? 13 : 17, b_weight = b_low ? 16 : 13;
    int32_t a_mask = a_low ? 31 : 15, a_implicit = a_low ? 0 : 16;
    int32_t b_mask = b_low ? 15 : 63, b_implicit = b_low ? 0 : 64;
    for (unsigned i = 0; i < rows; i++) {
        for (unsigned j = 0; j < FPU_COLUMNS; j++) {
            uint32_t x = a[i][j] & srca_bits, y = b[i][j] & srcb_bits;
            int32_t x_exponent = (int32_t)(x >> 23 & 0xff), y_exponent = (int32_t)(y >> 23 & 0xff);
            int32_t exponent = x_exponent + y_exponent + offset;
            int32_t value = ((int32_t)(x >> a_shift) & a_mask) | a_implicit;
            value *= (((int32_t)(y >> b_shift) & b_mask) | b_implicit) << b_weight;
            int32_t sign = (int32_t)(x ^ y) >> 31;
            value = (value ^ sign) - sign;
            bool none = (x_exponent == 0) | ((y_exponent | keep_srcb) == 0) | (exponent <= 0);
            value = none ? 0 : value;
            exponent = none ? zero_exponent : exponent;
            dst[i][j] = accumulate_one(rounding, exponent, value, dst[i][j]);
        }
    }
}

CLONES(void, fpu_add_elements_portable,
       (const struct fpu_mode *mode, const uint32_t a[restrict][FPU_COLUMNS], const uint32_t b[restrict][FPU_COLUMNS],
        uint32_t dst[restrict][FPU_COLUMNS], unsigned rows),
       (mode, a, b, dst, rows))
{
    struct rounding rounding = rounding_of(mode);
    uint32_t srca_bits = mode->srca_bits, srcb_bits = mode->srcb_bits;
    uint32_t keep_srcb = mode->keep_srcb_denormals;
    bool rebias = mode->dst32 && !mode->exponent_8b;
    int32_t bias = rebias ? 127 - 15 : 0, zero_bias = rebias ? 127 - 30 : 0;
    int32_t phase_offset = (mode->fidelity_phase & 1) * 5 + (mode->fidelity_phase >> 1 & 1) * 7;
    uint32_t others = phase_offset ? 0 : 0x7f800000;
    for (unsigned i = 0; i < rows; i++) {
        for (unsigned j = 0; j < FPU_COLUMNS; j++) {
            uint32_t x = a[i][j] & srca_bits, y = b[i][j] & srcb_bits;
            x = x >> 23 & 0xff ? x : 0;
            y = (y >> 23 & 0xff) | keep_srcb ? y : 0;
            int32_t x_magnitude = (int32_t)(x & 0x7fffffff), y_magnitude = (int32_t)(y & 0x7fffffff);
            uint32_t large = x_magnitude < y_magnitude ? y : x, small = x ^ y ^ large;
            int32_t exponent = (int32_t)(large >> 23 & 0xff);
            int32_t shift = min32(exponent - (int32_t)(small >> 23 & 0xff), 15);
            int32_t value = large ? (int32_t)(large >> 13 & 0x3ff) | 0x400 : 0;
            int32_t addend = small ? (int32_t)(small >> 13 & 0x3ff) | 0x400 : 0;
            addend = (addend + (int32_t)((UINT32_C(1) << shift) >> 1)) >> shift;
            int32_t large_sign = (int32_t)large >> 31, small_sign = (int32_t)small >> 31;
            value = (((value ^ large_sign) - large_sign) + ((addend ^ small_sign) - small_sign)) * (1 << 13);
            exponent += exponent ? bias : zero_bias;
            exponent -= phase_offset;
            /* Too small for any format: after a phase's division in any case, else if Dst has no exponent either. */
            value = max32(exponent, (int32_t)(dst[i][j] & others)) > 0 ? value : 0;
            exponent = max32(exponent, 0);
            dst[i][j] = accumulate_one(rounding, exponent, value, dst[i][j]);
        }
    }
}

void fpu_multiply_elements(const struct fpu_mode *mode, const uint32_t a[][FPU_COLUMNS],
                           const uint32_t b[][FPU_COLUMNS], uint32_t dst[][FPU_COLUMNS], unsigned rows)
{
    (host_has_avx512() && rows % 4 == 0 ? fpu_multiply_elements_avx512 : fpu_multiply_elements_portable)(mode, a, b,
                                                                                                         dst, rows);
}

void fpu_add_elements(const struct fpu_mode *mode, const uint32_t a[][FPU_COLUMNS], const uint32_t b[][FPU_COLUMNS],
                      uint32_t dst[][FPU_COLUMNS], unsigned rows)
{
    (host_has_avx512() && rows % 4 == 0 ? fpu_add_elements_avx512 : fpu_add_elements_portable)(mode, a, b, dst, rows);
}
