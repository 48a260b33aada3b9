/* fpu_multiply_matrices() and its siblings for elements, for hosts with AVX-512, which has what portable code lacks:
   shifts of 16-bit lanes by a count of their own, and rounding halves. Two rows of the result are computed at once, in
   the even and the odd lanes of 32 lanes of 16 bits: in 32-bit lane j the low half is column j of the first row, the
   high half of the second. */
#include "tensix/num/fpu_variants.h"

#if defined(__x86_64__)
#include <immintrin.h>

#define AVX512 __attribute__((target("avx512f,avx512bw,avx512cd,avx512dq,avx512vl")))

#define INLINE_AVX512 AVX512 __attribute__((always_inline)) static inline

/* Keeps the compiler from holding the object's parts in registers, or from taking them out of the lanes of one: reading
   them from memory, as operands of instructions, costs nothing. */
#define STAYS_IN_MEMORY(object) __asm__("" : "+m"(object))

enum { ROW_PAIR = 2, ZERO_EXPONENT = 0xe000e000 };

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

AVX512 static inline __m512i both_halves(__m512i low_half)
{
    return _mm512_or_si512(low_half, _mm512_slli_epi32(low_half, 16));
}

/* Bit i becomes bits 2 i and 2 i + 1. */
AVX512 static inline __mmask32 every_bit_twice(__mmask16 mask)
{
    return _mm512_movepi16_mask(_mm512_movm_epi32(mask));
}

AVX512 static inline void factor_srca(const struct fpu_mode *mode, const uint32_t a[FPU_DEPTH][FPU_COLUMNS],
                                      struct srca_factors *factors)
{
    __m512i bits = all(mode->srca_bits);
    bool low = mode->fidelity_phase & 1;
    __m128i shift = _mm_cvtsi32_si128(low ? 14 : 19);
    __m512i mask = all(low ? 31 : 15), implicit = all(low ? 0 : 16);
    for (unsigned k = 0; k < FPU_DEPTH; k++) {
        __m512i datum = _mm512_and_si512(_mm512_loadu_si512(a[k]), bits);
        __m512i exponent = _mm512_and_si512(_mm512_srli_epi32(datum, 23), all(0xff));
        __mmask16 zero = _mm512_testn_epi32_mask(exponent, exponent);
        factors->exponent[k] = _mm512_mask_mov_epi32(both_halves(exponent), zero, all(ZERO_EXPONENT));
        __m512i multiplicand = _mm512_or_si512(_mm512_and_si512(_mm512_srl_epi32(datum, shift), mask), implicit);
        factors->twice[k] = both_halves(_mm512_add_epi32(multiplicand, multiplicand));
        factors->negative[k] = every_bit_twice(_mm512_movepi32_mask(datum));
    }
}

/* One row of SrcB, in the low halves; `exponent` may have its sign above them. */
struct srcb_row {
    __m512i exponent, multiplicand;
    __mmask16 negative;
};

AVX512 static inline struct srcb_row factor_srcb_row(const struct fpu_mode *mode, int32_t offset,
                                                     const uint32_t b[FPU_DEPTH])
{
    bool low = mode->fidelity_phase & 2;
    __m512i datum = _mm512_and_si512(_mm512_loadu_si512(b), all(mode->srcb_bits));
    __m512i exponent = _mm512_and_si512(_mm512_srli_epi32(datum, 23), all(0xff));
    __mmask16 zero = mode->keep_srcb_denormals ? 0 : _mm512_testn_epi32_mask(exponent, exponent);
    exponent = _mm512_mask_mov_epi32(exponent, zero, all(ZERO_EXPONENT));
    __m512i multiplicand = _mm512_srl_epi32(datum, _mm_cvtsi32_si128(low ? 13 : 17));
    multiplicand = _mm512_or_si512(_mm512_and_si512(multiplicand, all(low ? 15 : 63)), all(low ? 0 : 64));
    return (struct srcb_row){
        .exponent = _mm512_add_epi32(exponent, all((uint32_t)offset)),
        .multiplicand = _mm512_sll_epi32(multiplicand, _mm_cvtsi32_si128(low ? 3 : 0)),
        .negative = _mm512_movepi32_mask(datum),
    };
}

AVX512 static inline void factor_srcb(const struct fpu_mode *mode, int32_t offset, const struct srca_factors *srca,
                                      const uint32_t first[FPU_DEPTH], const uint32_t second[FPU_DEPTH],
                                      struct srcb_factors *factors)
{
    struct srcb_row x = factor_srcb_row(mode, offset, first), y = factor_srcb_row(mode, offset, second);
    const __mmask32 even = 0x55555555, odd = 0xaaaaaaaa;
    _mm512_storeu_si512(factors->exponent, _mm512_mask_mov_epi16(x.exponent, odd, _mm512_slli_epi32(y.exponent, 16)));
    _mm512_storeu_si512(factors->multiplicand, _mm512_or_si512(x.multiplicand, _mm512_slli_epi32(y.multiplicand, 16)));
    __m512i negative =
        _mm512_or_si512(_mm512_maskz_mov_epi32(x.negative, all(even)), _mm512_maskz_mov_epi32(y.negative, all(odd)));
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

AVX512 static inline __m512i first_row(__m512i pair)
{
    return _mm512_srai_epi32(_mm512_slli_epi32(pair, 16), 16);
}

AVX512 static inline __m512i second_row(__m512i pair)
{
    return _mm512_srai_epi32(pair, 16);
}

/* What accumulate() needs to know, once for each instruction. */
struct rounding {
    bool drops;         /* clear where Dst has 32 bits; known wherever a function is inlined, see rounding_of_dst32() */
    __m512i kept_below; /* mask of what a Dst of 16 bits loses before the sum, inverted */
    __m512i half_below; /* half of that */
    __m512i discarded;  /* of the 23 mantissa bits, how many Dst does not keep */
    __m512i kept;       /* mask of the others, where they are before the last shift */
    __m512i exponent_limit, infinity;
};

AVX512 static inline struct rounding rounding_of_dst16(const struct fpu_mode *mode)
{
    bool fp16 = !mode->exponent_8b;
    unsigned discarded = fp16 ? 13 : 16;
    return (struct rounding){
        .drops = true,
        .kept_below = all(~UINT32_C(0x1fff)),
        .half_below = all(0x1000),
        .discarded = all(discarded),
        .kept = all(UINT32_C(0x7fffff) >> discarded << discarded),
        .exponent_limit = all(fp16 ? 32 : 255),
        .infinity = all(fp16 ? 31u << 23 | 0x3ff << 13 : 0xffu << 23),
    };
}

/* All constants, so that what needs not be done is left out. */
AVX512 static inline struct rounding rounding_of_dst32(void)
{
    return (struct rounding){
        .kept_below = all(UINT32_MAX),
        .half_below = all(0),
        .discarded = all(0),
        .kept = all(0x7fffff),
        .exponent_limit = all(255),
        .infinity = all(0xffu << 23),
    };
}

/* value / 2^shift, ties upwards; a shift of 32 and more gives zero, as half of it then is. */
AVX512 static inline __m512i align_value(const struct rounding *rounding, __m512i value, __m512i shift)
{
    __m512i half = _mm512_srli_epi32(_mm512_sllv_epi32(all(1), shift), 1);
    value = _mm512_srav_epi32(_mm512_add_epi32(value, half), shift);
    if (!rounding->drops) {
        return value;
    }
    return _mm512_and_si512(_mm512_add_epi32(value, rounding->half_below), rounding->kept_below);
}

/* Adds `addend` to Dst, whose exponent is dst_exponent; the former is aligned to `exponent`, the latter is not. Then
   normalises and rounds the sum. */
AVX512 static inline __m512i add_to_dst(const struct rounding *rounding, __m512i exponent, __m512i addend,
                                        __m512i dst_exponent, __m512i dst)
{
    __mmask16 dst_some = _mm512_test_epi32_mask(dst_exponent, dst_exponent);
    __m512i z = _mm512_maskz_or_epi32(dst_some, _mm512_and_si512(dst, all(0x7fffff)), all(0x800000));
    z = align_value(rounding, z, _mm512_min_epi32(_mm512_sub_epi32(exponent, dst_exponent), all(31)));
    __m512i sum = _mm512_mask_sub_epi32(_mm512_add_epi32(addend, z), _mm512_movepi32_mask(dst), addend, z);

    __m512i magnitude = _mm512_abs_epi32(sum);
    __m512i zeros = _mm512_lzcnt_epi32(magnitude); /* from 2 on, and 32 of zero */
    __m512i ulp = _mm512_sub_epi32(_mm512_add_epi32(rounding->discarded, all(8)), zeros);
    __m512i half = _mm512_srli_epi32(_mm512_sllv_epi32(all(1), _mm512_max_epi32(ulp, _mm512_setzero_si512())), 1);
    magnitude = _mm512_sllv_epi32(_mm512_add_epi32(magnitude, half), _mm512_sub_epi32(zeros, all(1)));
    exponent = _mm512_add_epi32(_mm512_sub_epi32(exponent, zeros), all(8));
    exponent = _mm512_add_epi32(exponent, _mm512_srli_epi32(magnitude, 31));

    __m512i result = _mm512_and_si512(_mm512_srli_epi32(magnitude, 7), rounding->kept);
    result = _mm512_or_si512(result, _mm512_slli_epi32(exponent, 23));
    __mmask16 large = _mm512_cmpge_epi32_mask(exponent, rounding->exponent_limit);
    result = _mm512_mask_mov_epi32(result, large, rounding->infinity);
    result = _mm512_or_si512(result, _mm512_and_si512(sum, all(0x80000000)));
    __mmask16 some = _mm512_test_epi32_mask(sum, sum) & _mm512_cmpgt_epi32_mask(exponent, _mm512_setzero_si512());
    return _mm512_maskz_mov_epi32(some, result);
}

AVX512 static inline __m512i exponent_of(__m512i datum)
{
    return _mm512_and_si512(_mm512_srli_epi32(datum, 23), all(0xff));
}

/* As accumulate() of the reference. */
AVX512 static inline __m512i accumulate(const struct rounding *rounding, __m512i x_exponent, __m512i x,
                                        __m512i y_exponent, __m512i y, __m512i dst)
{
    __m512i dst_exponent = exponent_of(dst);
    __m512i exponent = _mm512_max_epi32(dst_exponent, _mm512_max_epi32(x_exponent, y_exponent));
    x = align_value(rounding, x, _mm512_min_epi32(_mm512_sub_epi32(exponent, x_exponent), all(31)));
    y = align_value(rounding, y, _mm512_min_epi32(_mm512_sub_epi32(exponent, y_exponent), all(31)));
    return add_to_dst(rounding, exponent, _mm512_add_epi32(x, y), dst_exponent, dst);
}

/* The same for one value. */
AVX512 static inline __m512i accumulate_one(const struct rounding *rounding, __m512i x_exponent, __m512i x, __m512i dst)
{
    __m512i dst_exponent = exponent_of(dst);
    __m512i exponent = _mm512_max_epi32(dst_exponent, x_exponent);
    x = align_value(rounding, x, _mm512_min_epi32(_mm512_sub_epi32(exponent, x_exponent), all(31)));
    return add_to_dst(rounding, exponent, x, dst_exponent, dst);
}

INLINE_AVX512 void multiply_matrices(const struct fpu_mode *mode, struct rounding rounding,
                                     const uint32_t a[FPU_DEPTH][FPU_COLUMNS], const uint32_t b[][FPU_DEPTH],
                                     uint32_t dst[][FPU_COLUMNS], unsigned rows)
{
    int32_t offset = fpu_product_exponent_offset(mode);
    __m512i zero_exponent = _mm512_set1_epi16((int16_t)(offset > 0 ? offset : 0));
    struct srca_factors srca;
    factor_srca(mode, a, &srca);
    for (unsigned i = 0; i < rows; i += ROW_PAIR) {
        struct srcb_factors srcb;
        factor_srcb(mode, offset, &srca, b[i], b[i + 1], &srcb);
        STAYS_IN_MEMORY(srca);
        STAYS_IN_MEMORY(srcb);
        struct sums x = sum_group(&srca, &srcb, 0, zero_exponent);
        struct sums y = sum_group(&srca, &srcb, FPU_GROUP, zero_exponent);
        __m512i first =
            accumulate(&rounding, first_row(x.exponent), _mm512_slli_epi32(first_row(x.value), 13),
                       first_row(y.exponent), _mm512_slli_epi32(first_row(y.value), 13), _mm512_loadu_si512(dst[i]));
        __m512i second = accumulate(&rounding, second_row(x.exponent), _mm512_slli_epi32(second_row(x.value), 13),
                                    second_row(y.exponent), _mm512_slli_epi32(second_row(y.value), 13),
                                    _mm512_loadu_si512(dst[i + 1]));
        _mm512_storeu_si512(dst[i], first);
        _mm512_storeu_si512(dst[i + 1], second);
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
    __m128i weight = _mm_cvtsi32_si128(b_low ? 16 : 13);
    __m512i a_mask = all(a_low ? 31 : 15), a_implicit = all(a_low ? 0 : 16);
    __m512i b_mask = all(b_low ? 15 : 63), b_implicit = all(b_low ? 0 : 64);
    __mmask16 keep_b = mode->keep_srcb_denormals ? 0xffff : 0;
    for (unsigned i = 0; i < rows; i++) {
        __m512i x = _mm512_and_si512(_mm512_loadu_si512(a[i]), all(mode->srca_bits));
        __m512i y = _mm512_and_si512(_mm512_loadu_si512(b[i]), all(mode->srcb_bits));
        __m512i x_exponent = exponent_of(x), y_exponent = exponent_of(y);
        __m512i exponent = _mm512_add_epi32(_mm512_add_epi32(x_exponent, y_exponent), offsets);
        __m512i factor = _mm512_or_si512(_mm512_and_si512(_mm512_srl_epi32(x, a_shift), a_mask), a_implicit);
        __m512i other = _mm512_or_si512(_mm512_and_si512(_mm512_srl_epi32(y, b_shift), b_mask), b_implicit);
        /* Less than 2^12: the low half of a lane holds it. */
        __m512i value = _mm512_sll_epi32(_mm512_mullo_epi16(factor, other), weight);
        value = negate(value, _mm512_movepi32_mask(_mm512_xor_si512(x, y)));
        __mmask16 some = _mm512_test_epi32_mask(x_exponent, x_exponent) &
                         (_mm512_test_epi32_mask(y_exponent, y_exponent) | keep_b) &
                         _mm512_cmpgt_epi32_mask(exponent, _mm512_setzero_si512());
        exponent = _mm512_mask_mov_epi32(zero_exponent, some, exponent);
        value = _mm512_maskz_mov_epi32(some, value);
        _mm512_storeu_si512(dst[i], accumulate_one(&rounding, exponent, value, _mm512_loadu_si512(dst[i])));
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

/* Ten mantissa bits with the hidden one; 0 of a zero. */
AVX512 static inline __m512i hidden_and_mantissa(__m512i datum)
{
    __m512i mantissa = _mm512_and_si512(_mm512_srli_epi32(datum, 13), all(0x3ff));
    return _mm512_maskz_or_epi32(_mm512_test_epi32_mask(datum, datum), mantissa, all(0x400));
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
    for (unsigned i = 0; i < rows; i++) {
        __m512i old = _mm512_loadu_si512(dst[i]);
        __m512i x = _mm512_and_si512(_mm512_loadu_si512(a[i]), all(mode->srca_bits));
        __m512i y = _mm512_and_si512(_mm512_loadu_si512(b[i]), all(mode->srcb_bits));
        x = _mm512_maskz_mov_epi32(_mm512_test_epi32_mask(x, all(0x7f800000)), x);
        y = _mm512_maskz_mov_epi32(_mm512_test_epi32_mask(y, all(0x7f800000)) | keep_b, y);
        __m512i x_magnitude = _mm512_and_si512(x, all(0x7fffffff)), y_magnitude = _mm512_and_si512(y, all(0x7fffffff));
        __mmask16 smaller = _mm512_cmplt_epi32_mask(x_magnitude, y_magnitude);
        __m512i large = _mm512_mask_mov_epi32(x, smaller, y), small = _mm512_mask_mov_epi32(y, smaller, x);
        __m512i exponent = exponent_of(large);
        __m512i shift = _mm512_min_epi32(_mm512_sub_epi32(exponent, exponent_of(small)), all(15));
        __m512i half = _mm512_srli_epi32(_mm512_sllv_epi32(all(1), shift), 1);
        __m512i addend = _mm512_srlv_epi32(_mm512_add_epi32(hidden_and_mantissa(small), half), shift);
        __m512i value = _mm512_add_epi32(negate(hidden_and_mantissa(large), _mm512_movepi32_mask(large)),
                                         negate(addend, _mm512_movepi32_mask(small)));
        value = _mm512_slli_epi32(value, 13);
        exponent = _mm512_add_epi32(exponent,
                                    _mm512_mask_mov_epi32(zero_bias, _mm512_test_epi32_mask(exponent, exponent), bias));
        /* Too small for any format: after a phase's division in any case, else if Dst has no exponent either. */
        __m512i largest = _mm512_max_epi32(exponent, _mm512_and_si512(old, others));
        value = _mm512_maskz_mov_epi32(_mm512_cmpgt_epi32_mask(largest, zero), value);
        exponent = _mm512_max_epi32(exponent, zero);
        _mm512_storeu_si512(dst[i], accumulate_one(&rounding, exponent, value, old));
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
