/* fpu_multiply_matrices() and its siblings for elements, for hosts with AVX-512, which has what portable code lacks:
   shifts of 16-bit lanes by a count of their own, and rounding halves. Products are summed for two rows of the result
   at once, in the even and the odd lanes of 32 lanes of 16 bits: in 32-bit lane j the low half is column j of the first
   row, the high half of the second. What follows is done to four rows step by step, so that the host has four things to
   do while it waits for the result of a step. */
#include "tensix/num/fpu_variants.h"

#if defined(__x86_64__)
#include <immintrin.h>

#define AVX512 __attribute__((target("avx512f,avx512bw,avx512cd,avx512dq,avx512vl")))

#define INLINE_AVX512 AVX512 __attribute__((always_inline)) static inline

/* Keeps the compiler from holding the object's parts in registers, or from taking them out of the lanes of one: reading
   them from memory, as operands of instructions, costs nothing. */
#define STAYS_IN_MEMORY(object) __asm__("" : "+m"(object))

enum { MOST_ROWS = 8, ROW_PAIR = 2, AT_ONCE = 4, ZERO_EXPONENT = -8192 };

/* A step for each of AT_ONCE rows `r`. */
#define EACH(step)                                                                                                     \
    _Pragma("GCC unroll 4") for (unsigned r = 0; r < AT_ONCE; r++)                                                     \
    {                                                                                                                  \
        step;                                                                                                          \
    }

/* SrcA as the multipliers take it, every lane twice. A zero has an exponent so small that no shift leaves anything of
   its product. */
struct srca_factors {
    __m512i exponent[FPU_DEPTH];
    __m512i twice[FPU_DEPTH];     /* twice the multiplicand */
    uint32_t negative[FPU_DEPTH]; /* one bit for each lane */
};

/* A pair of rows of SrcB: the first row in the low half of each element. */
struct srcb_factors {
    uint32_t exponent[FPU_DEPTH]; /* with the offset of the product's exponent */
    uint32_t multiplicand[FPU_DEPTH];
    uint32_t negative[FPU_DEPTH]; /* of the products: one bit for each lane */
};

/* For a group of eight products: the exponent of their sum, and the sum in units of 2^-10. */
struct sums {
    __m512i exponent, value;
};

AVX512 static inline __m512i all(uint32_t value)
{
    return _mm512_set1_epi32((int)value);
}

/* Both halves of each lane are bits 31:16 of the datum, or 23:8 if `low`. */
AVX512 static inline __m512i twice_16_bits(__m512i datum, bool low)
{
    const __m512i bytes = _mm512_broadcast_i32x4(_mm_setr_epi8(2, 3, 2, 3, 6, 7, 6, 7, 10, 11, 10, 11, 14, 15, 14, 15));
    return _mm512_shuffle_epi8(datum, _mm512_sub_epi8(bytes, _mm512_set1_epi8(low)));
}

AVX512 static inline __m512i all16(int32_t value)
{
    return _mm512_set1_epi16((int16_t)value);
}

/* Exponents of data in lanes of 16 bits: of zeroes `zero`. */
AVX512 static inline __m512i exponents_16(__m512i high_halves, __m512i zero)
{
    __m512i exponent = _mm512_and_si512(_mm512_srli_epi16(high_halves, 7), all16(0xff));
    return _mm512_mask_mov_epi16(exponent, _mm512_testn_epi16_mask(exponent, exponent), zero);
}

AVX512 static inline void factor_srca(const struct fpu_mode *mode, const uint32_t a[FPU_DEPTH][FPU_COLUMNS],
                                      struct srca_factors *factors)
{
    bool low = mode->fidelity_phase & 1;
    __m512i bits = all(mode->srca_bits), mask = all16(low ? 31 << 1 : 15 << 1), implicit = all16(low ? 0 : 16 << 1);
    __m128i shift = _mm_cvtsi32_si128(low ? 14 - 8 - 1 : 19 - 16 - 1);
#pragma GCC unroll 2
    for (unsigned k = 0; k < FPU_DEPTH; k++) {
        __m512i datum = _mm512_and_si512(_mm512_loadu_si512(a[k]), bits), high = twice_16_bits(datum, false);
        __m512i multiplicand = _mm512_srl_epi16(low ? twice_16_bits(datum, true) : high, shift);
        factors->exponent[k] = exponents_16(high, all16(ZERO_EXPONENT));
        factors->twice[k] = _mm512_or_si512(_mm512_and_si512(multiplicand, mask), implicit);
        factors->negative[k] = _cvtmask32_u32(_mm512_movepi16_mask(high));
    }
}

AVX512 static inline void factor_srcb(const struct fpu_mode *mode, int32_t offset, const struct srca_factors *srca,
                                      const uint32_t first[FPU_DEPTH], const uint32_t second[FPU_DEPTH],
                                      struct srcb_factors *factors)
{
    const __m512i element = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
    const __m512i low_halves = _mm512_or_si512(element, _mm512_slli_epi32(_mm512_or_si512(element, all(32)), 16));
    const __m512i high_halves = _mm512_or_si512(low_halves, all(0x00010001));
    enum { SELECT = 0xca }; /* where the first operand has a bit set that of the second, else that of the third */
    bool low = mode->fidelity_phase & 2;
    __m512i x = _mm512_and_si512(_mm512_loadu_si512(first), all(mode->srcb_bits));
    __m512i y = _mm512_and_si512(_mm512_loadu_si512(second), all(mode->srcb_bits));
    __m512i high = _mm512_permutex2var_epi16(x, high_halves, y);
    __m512i exponent = exponents_16(high, all16(mode->keep_srcb_denormals ? 0 : ZERO_EXPONENT));
    _mm512_storeu_si512(factors->exponent, _mm512_add_epi16(exponent, all16(offset)));

    /* Seven bits of mantissa and three above bit 13: the lower four are not all in one half. */
    __m512i multiplicand = _mm512_srli_epi16(high, 1);
    if (low) {
        multiplicand = _mm512_permutex2var_epi16(_mm512_srli_epi32(x, 13), low_halves, _mm512_srli_epi32(y, 13));
    }
    multiplicand = _mm512_or_si512(_mm512_and_si512(multiplicand, all16(low ? 15 : 63)), all16(low ? 0 : 64));
    _mm512_storeu_si512(factors->multiplicand, _mm512_sll_epi16(multiplicand, _mm_cvtsi32_si128(low ? 3 : 0)));

    /* The sign of a row of SrcB in all the lanes of 32 bits that are those of the row. */
    __m512i signs = _mm512_srai_epi16(high, 15);
    __m512i of_first = _mm512_srai_epi32(_mm512_slli_epi32(signs, 16), 16), of_second = _mm512_srai_epi32(signs, 16);
    __m512i negative = _mm512_ternarylogic_epi32(all(0x55555555), of_first, of_second, SELECT);
    _mm512_storeu_si512(factors->negative, _mm512_xor_si512(negative, _mm512_loadu_si512(srca->negative)));
}

/* Aligns the products to the largest of their exponents, ties away from zero, and sums them. Shifting twice the product
   and averaging with zero rounds; a count of 16 and more gives zero. */
AVX512 static inline struct sums sum_group(const struct srca_factors *a, const struct srcb_factors *b, unsigned first,
                                           __m512i zero_exponent)
{
    __m512i exponents[FPU_GROUP];
    struct sums sums = {.exponent = zero_exponent, .value = _mm512_setzero_si512()};
#pragma GCC unroll 8
    for (unsigned k = 0; k < FPU_GROUP; k++) {
        exponents[k] = _mm512_add_epi16(a->exponent[first + k], all(b->exponent[first + k]));
        sums.exponent = _mm512_max_epi16(sums.exponent, exponents[k]);
    }
#pragma GCC unroll 8
    for (unsigned k = 0; k < FPU_GROUP; k++) {
        __m512i product = _mm512_mullo_epi16(a->twice[first + k], all(b->multiplicand[first + k]));
        product = _mm512_srlv_epi16(product, _mm512_sub_epi16(sums.exponent, exponents[k]));
        product = _mm512_avg_epu16(product, _mm512_setzero_si512());
        __mmask32 subtract = _cvtu32_mask32(b->negative[first + k]);
        sums.value = _mm512_mask_sub_epi16(_mm512_add_epi16(sums.value, product), subtract, sums.value, product);
    }
    __mmask32 some = _mm512_cmpgt_epi16_mask(sums.exponent, _mm512_setzero_si512());
    sums.value = _mm512_maskz_mov_epi16(some, sums.value);
    return sums;
}

/* What accumulate() needs to know, once for each instruction. Values are in units of half a last place of FP32 here, so
   that adding one and clearing the lowest bit rounds. */
struct rounding {
    __m512i half;       /* of what is lost when a value is aligned: less than one, or what a Dst of 16 bits drops too */
    __m512i kept_value; /* mask of the rest */
    __m512i half_ulp;   /* of a sum whose leading bit is bit 30 */
    __m512i kept;       /* mask of the mantissa bits that Dst keeps */
    __m512i exponent_limit, infinity;
};

AVX512 static inline struct rounding rounding_of_dst16(const struct fpu_mode *mode)
{
    bool fp16 = !mode->exponent_8b;
    unsigned discarded = fp16 ? 13 : 16;
    return (struct rounding){
        .half = all(0x2001),
        .kept_value = all(~UINT32_C(0x3fff)),
        .half_ulp = all(UINT32_C(1) << (6 + discarded)),
        .kept = all(UINT32_C(0x7fffff) >> discarded << discarded),
        .exponent_limit = all(fp16 ? 32 : 255),
        .infinity = all(fp16 ? 31u << 23 | 0x3ff << 13 : 0xffu << 23),
    };
}

AVX512 static inline struct rounding rounding_of_dst32(void)
{
    return (struct rounding){
        .half = all(1),
        .kept_value = all(~UINT32_C(1)),
        .half_ulp = all(1 << 6),
        .kept = all(0x7fffff),
        .exponent_limit = all(255),
        .infinity = all(0xffu << 23),
    };
}

AVX512 static inline __m512i exponent_of(__m512i datum)
{
    return _mm512_and_si512(_mm512_srli_epi32(datum, 23), all(0xff));
}

/* value / 2^shift, ties upwards, less what Dst drops. A shift of 32 and more leaves 0, or -1 which is rounded up. */
AVX512 static inline __m512i align_value(const struct rounding *rounding, __m512i value, __m512i shift)
{
    value = _mm512_add_epi32(_mm512_srav_epi32(value, shift), rounding->half);
    return _mm512_and_si512(value, rounding->kept_value);
}

/* Adds addends to Dst, whose exponents are dst_exponent; the former are aligned to `exponent`, the latter is not. Then
   normalises and rounds the sums. What a sum has below the last place that Dst keeps is all in sight once its leading
   bit is bit 30; a carry out of there is the exponent's. */
INLINE_AVX512 void add_to_dst(const struct rounding *rounding, __m512i exponent[AT_ONCE], const __m512i addend[AT_ONCE],
                              const __m512i dst_exponent[AT_ONCE], __m512i dst[AT_ONCE])
{
    __m512i z[AT_ONCE], sum[AT_ONCE], zeros[AT_ONCE];
    __mmask16 some[AT_ONCE];
    EACH(some[r] = _mm512_test_epi32_mask(dst_exponent[r], dst_exponent[r]))
    EACH(z[r] = _mm512_and_si512(_mm512_add_epi32(dst[r], dst[r]), all(0xfffffe)))
    EACH(z[r] = _mm512_maskz_or_epi32(some[r], z[r], all(0x1000000)))
    EACH(z[r] = align_value(rounding, z[r], _mm512_sub_epi32(exponent[r], dst_exponent[r])))
    EACH(some[r] = _mm512_movepi32_mask(dst[r]))
    EACH(sum[r] = _mm512_add_epi32(addend[r], z[r]))
    EACH(sum[r] = _mm512_mask_sub_epi32(sum[r], some[r], addend[r], z[r]))

    EACH(z[r] = _mm512_abs_epi32(sum[r]))
    EACH(zeros[r] = _mm512_lzcnt_epi32(z[r])) /* from 1 on, and 32 of zero */
    EACH(z[r] = _mm512_sllv_epi32(z[r], _mm512_sub_epi32(zeros[r], all(1))))
    EACH(z[r] = _mm512_add_epi32(z[r], rounding->half_ulp))
    EACH(exponent[r] = _mm512_sub_epi32(_mm512_add_epi32(exponent[r], all(7)), zeros[r]))
    EACH(exponent[r] = _mm512_add_epi32(exponent[r], _mm512_srli_epi32(z[r], 31)))
    EACH(z[r] = _mm512_and_si512(_mm512_srli_epi32(z[r], 7), rounding->kept))
    EACH(z[r] = _mm512_or_si512(z[r], _mm512_slli_epi32(exponent[r], 23)))
    EACH(some[r] = _mm512_cmpge_epi32_mask(exponent[r], rounding->exponent_limit))
    EACH(z[r] = _mm512_mask_mov_epi32(z[r], some[r], rounding->infinity))
    EACH(z[r] = _mm512_or_si512(z[r], _mm512_and_si512(sum[r], all(0x80000000))))
    EACH(some[r] = _mm512_test_epi32_mask(sum[r], sum[r]))
    EACH(some[r] = _mm512_mask_cmpgt_epi32_mask(some[r], exponent[r], _mm512_setzero_si512()))
    EACH(dst[r] = _mm512_maskz_mov_epi32(some[r], z[r]))
}

/* Values, and the exponents of those that are 2^24 here. */
struct values {
    __m512i exponent[AT_ONCE], value[AT_ONCE];
};

/* As accumulate() of the reference. */
INLINE_AVX512 void accumulate(const struct rounding *rounding, struct values *x, struct values *y, __m512i dst[AT_ONCE])
{
    __m512i exponent[AT_ONCE], dst_exponent[AT_ONCE];
    EACH(dst_exponent[r] = exponent_of(dst[r]))
    EACH(exponent[r] = _mm512_max_epi32(dst_exponent[r], _mm512_max_epi32(x->exponent[r], y->exponent[r])))
    EACH(x->value[r] = align_value(rounding, x->value[r], _mm512_sub_epi32(exponent[r], x->exponent[r])))
    EACH(y->value[r] = align_value(rounding, y->value[r], _mm512_sub_epi32(exponent[r], y->exponent[r])))
    EACH(x->value[r] = _mm512_add_epi32(x->value[r], y->value[r]))
    add_to_dst(rounding, exponent, x->value, dst_exponent, dst);
}

/* The same for one value. */
INLINE_AVX512 void accumulate_one(const struct rounding *rounding, struct values *x, __m512i dst[AT_ONCE])
{
    __m512i exponent[AT_ONCE], dst_exponent[AT_ONCE];
    EACH(dst_exponent[r] = exponent_of(dst[r]))
    EACH(exponent[r] = _mm512_max_epi32(dst_exponent[r], x->exponent[r]))
    EACH(x->value[r] = align_value(rounding, x->value[r], _mm512_sub_epi32(exponent[r], x->exponent[r])))
    add_to_dst(rounding, exponent, x->value, dst_exponent, dst);
}

/* The sums of two pairs of rows, row by row. Exponents are not negative, and units of 2^-10 are 2^14 here. */
INLINE_AVX512 struct values of_rows(const struct sums sums[AT_ONCE / ROW_PAIR])
{
    struct values values;
    _Pragma("GCC unroll 2") for (unsigned i = 0; i < AT_ONCE / ROW_PAIR; i++)
    {
        __m512i exponent = sums[i].exponent, value = sums[i].value, *of_pair = values.value + ROW_PAIR * i;
        values.exponent[ROW_PAIR * i] = _mm512_and_si512(exponent, all(0xffff));
        values.exponent[ROW_PAIR * i + 1] = _mm512_srli_epi32(exponent, 16);
        of_pair[0] = _mm512_srai_epi32(_mm512_slli_epi32(value, 16), 2);
        of_pair[1] = _mm512_srai_epi32(_mm512_and_si512(value, all(0xffff0000)), 2);
    }
    return values;
}

INLINE_AVX512 void multiply_matrices(const struct fpu_mode *mode, struct rounding rounding,
                                     const uint32_t a[FPU_DEPTH][FPU_COLUMNS], const uint32_t b[][FPU_DEPTH],
                                     uint32_t dst[][FPU_COLUMNS], unsigned rows)
{
    int32_t offset = fpu_product_exponent_offset(mode);
    __m512i zero_exponent = _mm512_set1_epi16((int16_t)(offset > 0 ? offset : 0));
    struct srca_factors srca;
    factor_srca(mode, a, &srca);
    struct srcb_factors srcb[MOST_ROWS / ROW_PAIR];
    for (unsigned i = 0; i < rows / ROW_PAIR; i++) {
        factor_srcb(mode, offset, &srca, b[ROW_PAIR * i], b[ROW_PAIR * i + 1], &srcb[i]);
    }
    STAYS_IN_MEMORY(srca);
    STAYS_IN_MEMORY(srcb);
    struct sums x[MOST_ROWS / ROW_PAIR], y[MOST_ROWS / ROW_PAIR];
    for (unsigned i = 0; i < rows / ROW_PAIR; i++) {
        x[i] = sum_group(&srca, &srcb[i], 0, zero_exponent);
        y[i] = sum_group(&srca, &srcb[i], FPU_GROUP, zero_exponent);
    }
    for (unsigned i = 0; i < rows; i += AT_ONCE) {
        struct values first = of_rows(x + i / ROW_PAIR), second = of_rows(y + i / ROW_PAIR);
        __m512i data[AT_ONCE];
        EACH(data[r] = _mm512_loadu_si512(dst[i + r]))
        accumulate(&rounding, &first, &second, data);
        EACH(_mm512_storeu_si512(dst[i + r], data[r]))
    }
}

AVX512
void fpu_multiply_matrices_avx512(const struct fpu_mode *mode, const uint32_t a[FPU_DEPTH][FPU_COLUMNS],
                                  const uint32_t b[][FPU_DEPTH], uint32_t dst[][FPU_COLUMNS], unsigned rows)
{
    if (mode->dst32) {
        multiply_matrices(mode, rounding_of_dst32(), a, b, dst, rows);
    } else {
        multiply_matrices(mode, rounding_of_dst16(mode), a, b, dst, rows);
    }
}

AVX512 static inline __m512i negate(__m512i value, __mmask16 where)
{
    return _mm512_mask_sub_epi32(value, where, _mm512_setzero_si512(), value);
}

INLINE_AVX512 void multiply_elements(const struct fpu_mode *mode, struct rounding rounding,
                                     const uint32_t a[][FPU_COLUMNS], const uint32_t b[][FPU_COLUMNS],
                                     uint32_t dst[][FPU_COLUMNS], unsigned rows)
{
    int32_t offset = fpu_product_exponent_offset(mode);
    __m512i zero_exponent = all((uint32_t)(offset > 0 ? offset : 0)), offsets = all((uint32_t)offset);
    bool a_low = mode->fidelity_phase & 1, b_low = mode->fidelity_phase & 2;
    __m128i a_shift = _mm_cvtsi32_si128(a_low ? 14 : 19), b_shift = _mm_cvtsi32_si128(b_low ? 13 : 17);
    __m128i weight = _mm_cvtsi32_si128(b_low ? 17 : 14);
    __m512i a_mask = all(a_low ? 31 : 15), a_implicit = all(a_low ? 0 : 16);
    __m512i b_mask = all(b_low ? 15 : 63), b_implicit = all(b_low ? 0 : 64);
    __mmask16 keep_b = mode->keep_srcb_denormals ? 0xffff : 0;
    for (unsigned i = 0; i < rows; i += AT_ONCE) {
        __m512i x[AT_ONCE], y[AT_ONCE], y_exponent[AT_ONCE], data[AT_ONCE];
        __mmask16 some[AT_ONCE];
        struct values product;
        EACH(x[r] = _mm512_and_si512(_mm512_loadu_si512(a[i + r]), all(mode->srca_bits)))
        EACH(y[r] = _mm512_and_si512(_mm512_loadu_si512(b[i + r]), all(mode->srcb_bits)))
        EACH(product.exponent[r] = exponent_of(x[r]))
        EACH(y_exponent[r] = exponent_of(y[r]))
        EACH(some[r] = _mm512_test_epi32_mask(product.exponent[r], product.exponent[r]))
        EACH(some[r] &= _mm512_test_epi32_mask(y_exponent[r], y_exponent[r]) | keep_b)
        EACH(y_exponent[r] = _mm512_add_epi32(y_exponent[r], offsets))
        EACH(product.exponent[r] = _mm512_add_epi32(product.exponent[r], y_exponent[r]))
        EACH(some[r] = _mm512_mask_cmpgt_epi32_mask(some[r], product.exponent[r], _mm512_setzero_si512()))
        EACH(product.exponent[r] = _mm512_mask_mov_epi32(zero_exponent, some[r], product.exponent[r]))
        /* Less than 2^12: the low half of a lane holds it. */
        EACH(product.value[r] = _mm512_or_si512(_mm512_and_si512(_mm512_srl_epi32(x[r], a_shift), a_mask), a_implicit))
        EACH(data[r] = _mm512_or_si512(_mm512_and_si512(_mm512_srl_epi32(y[r], b_shift), b_mask), b_implicit))
        EACH(product.value[r] = _mm512_sll_epi32(_mm512_mullo_epi16(product.value[r], data[r]), weight))
        EACH(product.value[r] = negate(product.value[r], _mm512_movepi32_mask(_mm512_xor_si512(x[r], y[r]))))
        EACH(product.value[r] = _mm512_maskz_mov_epi32(some[r], product.value[r]))
        EACH(data[r] = _mm512_loadu_si512(dst[i + r]))
        accumulate_one(&rounding, &product, data);
        EACH(_mm512_storeu_si512(dst[i + r], data[r]))
    }
}

AVX512
void fpu_multiply_elements_avx512(const struct fpu_mode *mode, const uint32_t a[][FPU_COLUMNS],
                                  const uint32_t b[][FPU_COLUMNS], uint32_t dst[][FPU_COLUMNS], unsigned rows)
{
    if (mode->dst32) {
        multiply_elements(mode, rounding_of_dst32(), a, b, dst, rows);
    } else {
        multiply_elements(mode, rounding_of_dst16(mode), a, b, dst, rows);
    }
}

/* Twice ten mantissa bits with the hidden one; 0 of a zero. */
AVX512 static inline __m512i hidden_and_mantissa(__m512i datum)
{
    __m512i mantissa = _mm512_and_si512(_mm512_srli_epi32(datum, 12), all(0x3ff << 1));
    return _mm512_maskz_or_epi32(_mm512_test_epi32_mask(datum, datum), mantissa, all(0x400 << 1));
}

INLINE_AVX512 void add_elements(const struct fpu_mode *mode, struct rounding rounding, const uint32_t a[][FPU_COLUMNS],
                                const uint32_t b[][FPU_COLUMNS], uint32_t dst[][FPU_COLUMNS], unsigned rows)
{
    const __m512i zero = _mm512_setzero_si512();
    bool rebias = mode->dst32 && !mode->exponent_8b;
    uint32_t phase_offset = (mode->fidelity_phase & 1) * 5 + (mode->fidelity_phase >> 1 & 1) * 7;
    __m512i bias = all((rebias ? 127 - 15 : 0) - phase_offset), zero_bias = all((rebias ? 127 - 30 : 0) - phase_offset);
    __m512i others = all(phase_offset ? 0 : 0x7f800000);
    __mmask16 keep_b = mode->keep_srcb_denormals ? 0xffff : 0;
    for (unsigned i = 0; i < rows; i += AT_ONCE) {
        __m512i x[AT_ONCE], y[AT_ONCE], small[AT_ONCE], shift[AT_ONCE], data[AT_ONCE];
        __mmask16 some[AT_ONCE];
        struct values sum;
        EACH(x[r] = _mm512_and_si512(_mm512_loadu_si512(a[i + r]), all(mode->srca_bits)))
        EACH(some[r] = _mm512_test_epi32_mask(x[r], all(0x7f800000)))
        EACH(x[r] = _mm512_maskz_mov_epi32(some[r], x[r]))
        EACH(y[r] = _mm512_and_si512(_mm512_loadu_si512(b[i + r]), all(mode->srcb_bits)))
        EACH(some[r] = _mm512_test_epi32_mask(y[r], all(0x7f800000)) | keep_b)
        EACH(y[r] = _mm512_maskz_mov_epi32(some[r], y[r]))
        /* Without their signs, compared as they are: `x` becomes the larger one. */
        EACH(some[r] = _mm512_cmplt_epu32_mask(_mm512_add_epi32(x[r], x[r]), _mm512_add_epi32(y[r], y[r])))
        EACH(small[r] = _mm512_mask_mov_epi32(y[r], some[r], x[r]))
        EACH(x[r] = _mm512_mask_mov_epi32(x[r], some[r], y[r]))

        EACH(sum.exponent[r] = exponent_of(x[r]))
        EACH(shift[r] = _mm512_sub_epi32(sum.exponent[r], exponent_of(small[r])))
        EACH(y[r] = _mm512_srlv_epi32(hidden_and_mantissa(small[r]), shift[r]))
        EACH(y[r] = _mm512_and_si512(_mm512_add_epi32(y[r], all(1)), all(~UINT32_C(1)))) /* rounded */
        EACH(y[r] = negate(y[r], _mm512_movepi32_mask(small[r])))
        EACH(sum.value[r] = negate(hidden_and_mantissa(x[r]), _mm512_movepi32_mask(x[r])))
        EACH(sum.value[r] = _mm512_slli_epi32(_mm512_add_epi32(sum.value[r], y[r]), 13))

        EACH(some[r] = _mm512_test_epi32_mask(sum.exponent[r], sum.exponent[r]))
        EACH(sum.exponent[r] = _mm512_add_epi32(sum.exponent[r], _mm512_mask_mov_epi32(zero_bias, some[r], bias)))
        /* Too small for any format: after a phase's division in any case, else if Dst has no exponent either. */
        EACH(data[r] = _mm512_loadu_si512(dst[i + r]))
        EACH(shift[r] = _mm512_max_epi32(sum.exponent[r], _mm512_and_si512(data[r], others)))
        EACH(some[r] = _mm512_cmpgt_epi32_mask(shift[r], zero))
        EACH(sum.value[r] = _mm512_maskz_mov_epi32(some[r], sum.value[r]))
        EACH(sum.exponent[r] = _mm512_max_epi32(sum.exponent[r], zero))
        accumulate_one(&rounding, &sum, data);
        EACH(_mm512_storeu_si512(dst[i + r], data[r]))
    }
}

AVX512
void fpu_add_elements_avx512(const struct fpu_mode *mode, const uint32_t a[][FPU_COLUMNS],
                             const uint32_t b[][FPU_COLUMNS], uint32_t dst[][FPU_COLUMNS], unsigned rows)
{
    if (mode->dst32) {
        add_elements(mode, rounding_of_dst32(), a, b, dst, rows);
    } else {
        add_elements(mode, rounding_of_dst16(mode), a, b, dst, rows);
    }
}

#else

void fpu_multiply_matrices_avx512(const struct fpu_mode *mode, const uint32_t a[FPU_DEPTH][FPU_COLUMNS],
                                  const uint32_t b[][FPU_DEPTH], uint32_t dst[][FPU_COLUMNS], unsigned rows)
{
    fpu_multiply_matrices_portable(mode, a, b, dst, rows);
}

void fpu_multiply_elements_avx512(const struct fpu_mode *mode, const uint32_t a[][FPU_COLUMNS],
                                  const uint32_t b[][FPU_COLUMNS], uint32_t dst[][FPU_COLUMNS], unsigned rows)
{
    fpu_multiply_elements_portable(mode, a, b, dst, rows);
}

void fpu_add_elements_avx512(const struct fpu_mode *mode, const uint32_t a[][FPU_COLUMNS],
                             const uint32_t b[][FPU_COLUMNS], uint32_t dst[][FPU_COLUMNS], unsigned rows)
{
    fpu_add_elements_portable(mode, a, b, dst, rows);
}

#endif
