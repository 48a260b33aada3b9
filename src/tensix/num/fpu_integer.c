#include "tensix/num/clones.h"
#include "tensix/num/fpu.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

/* An integer "8" keeps its sign where a float has it and its ten bits of magnitude where a float has its mantissa; a
   zero exponent means zero here too. A fidelity phase selects bits of the magnitudes: of SrcA the low five or the three
   above, of SrcB the low four or the six above (ISA documentation SrcASrcB.md, "Fidelity phases (integer)"). */
static uint32_t srca_magnitude_bits(const struct fpu_mode *mode)
{
    return mode->fidelity_phase & 1 ? 0x01f : 0x0e0;
}

static uint32_t srcb_magnitude_bits(const struct fpu_mode *mode)
{
    return mode->fidelity_phase & 2 ? 0x00f : 0x3f0;
}

static inline int32_t integer_of(uint32_t datum, uint32_t magnitude_bits, bool keep_denormals)
{
    int32_t magnitude = (int32_t)(datum >> 13 & magnitude_bits);
    magnitude = (datum & 0x7f800000) || keep_denormals ? magnitude : 0;
    return (int32_t)datum < 0 ? -magnitude : magnitude;
}

/* Dst + value, where Dst is sign and magnitude; clamped at plus and minus 2^31 - 1. |value| < 2^30. */
static inline uint32_t add_to_dst(uint32_t dst, int32_t value)
{
    int32_t magnitude = (int32_t)(dst & 0x7fffffff);
    int32_t addend = (int32_t)dst < 0 ? -magnitude : magnitude;
    int32_t sum = (int32_t)((uint32_t)addend + (uint32_t)value);
    bool overflow = ((addend ^ sum) & (value ^ sum)) < 0;
    uint32_t clamped = value < 0 ? UINT32_C(0xffffffff) : UINT32_C(0x7fffffff);
    uint32_t result = sum < 0 ? UINT32_C(0x80000000) - (uint32_t)sum : (uint32_t)sum;
    return overflow || sum == INT32_MIN ? clamped : result;
}

STATIC_CLONES(void, multiply_matrices,
              (const struct fpu_mode *mode, const uint32_t a[FPU_DEPTH][FPU_COLUMNS], const uint32_t b[][FPU_DEPTH],
               uint32_t dst[][FPU_COLUMNS], unsigned rows),
              (mode, a, b, dst, rows))
{
    int32_t srca[FPU_DEPTH][FPU_COLUMNS];
    uint32_t a_bits = srca_magnitude_bits(mode), b_bits = srcb_magnitude_bits(mode);
    for (unsigned k = 0; k < FPU_DEPTH; k++) {
        for (unsigned j = 0; j < FPU_COLUMNS; j++) {
            srca[k][j] = integer_of(a[k][j], a_bits, false);
        }
    }
    for (unsigned i = 0; i < rows; i++) {
        int32_t sums[FPU_COLUMNS] = {0}; /* at most 16 * 1023 * 255 */
        for (unsigned k = 0; k < FPU_DEPTH; k++) {
            int32_t factor = integer_of(b[i][k], b_bits, mode->keep_srcb_denormals);
            for (unsigned j = 0; j < FPU_COLUMNS; j++) {
                sums[j] += srca[k][j] * factor;
            }
        }
        for (unsigned j = 0; j < FPU_COLUMNS; j++) {
            dst[i][j] = add_to_dst(dst[i][j], sums[j]);
        }
    }
}

#if defined(__x86_64__)
#define AVX512 __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl")))

/* integer_of() of a row. */
AVX512 static inline __m512i integers_of(const uint32_t row[FPU_COLUMNS], uint32_t magnitude_bits, bool keep_denormals)
{
    __m512i data = _mm512_loadu_si512(row);
    __mmask16 some = _mm512_test_epi32_mask(data, _mm512_set1_epi32(keep_denormals ? -1 : 0x7f800000));
    __m512i bits = _mm512_set1_epi32((int32_t)magnitude_bits);
    __m512i magnitude = _mm512_maskz_and_epi32(some, _mm512_srli_epi32(data, 13), bits);
    return _mm512_mask_sub_epi32(magnitude, _mm512_movepi32_mask(data), _mm512_setzero_si512(), magnitude);
}

/* add_to_dst() of a row. */
AVX512 static inline __m512i add_row_to_dst(__m512i dst, __m512i value)
{
    const __m512i sign = _mm512_set1_epi32(INT32_MIN), largest = _mm512_set1_epi32(INT32_MAX);
    __m512i magnitude = _mm512_and_si512(dst, largest);
    __m512i addend = _mm512_mask_sub_epi32(magnitude, _mm512_movepi32_mask(dst), _mm512_setzero_si512(), magnitude);
    __m512i sum = _mm512_add_epi32(addend, value);
    __m512i opposite = _mm512_and_si512(_mm512_xor_si512(addend, sum), _mm512_xor_si512(value, sum));
    __mmask16 overflow = _mm512_movepi32_mask(opposite) | _mm512_cmpeq_epi32_mask(sum, sign);
    __m512i result = _mm512_mask_sub_epi32(sum, _mm512_movepi32_mask(sum), sign, sum);
    __m512i clamped = _mm512_or_si512(largest, _mm512_and_si512(value, sign));
    return _mm512_mask_mov_epi32(result, overflow, clamped);
}

/* Products are made and summed in pairs of rows of SrcA: integers of 11 bits side by side in lanes of 32. */
AVX512 static void multiply_matrices_avx512(const struct fpu_mode *mode, const uint32_t a[FPU_DEPTH][FPU_COLUMNS],
                                            const uint32_t b[][FPU_DEPTH], uint32_t dst[][FPU_COLUMNS], unsigned rows)
{
    enum { PAIRS = FPU_DEPTH / 2 };
    uint32_t a_bits = srca_magnitude_bits(mode), b_bits = srcb_magnitude_bits(mode);
    __m512i srca[PAIRS];
#pragma GCC unroll 8
    for (unsigned k = 0; k < PAIRS; k++) {
        __m512i even = integers_of(a[2 * k], a_bits, false), odd = integers_of(a[2 * k + 1], a_bits, false);
        srca[k] = _mm512_mask_mov_epi16(even, 0xaaaaaaaa, _mm512_slli_epi32(odd, 16));
    }
    for (unsigned i = 0; i < rows; i++) {
        int32_t factors[PAIRS];
        __m256i of_row = _mm512_cvtepi32_epi16(integers_of(b[i], b_bits, mode->keep_srcb_denormals));
        _mm256_storeu_si256((__m256i_u *)factors, of_row);
        __m512i sums = _mm512_setzero_si512(), others = sums;
#pragma GCC unroll 4
        for (unsigned k = 0; k < PAIRS; k += 2) {
            sums = _mm512_add_epi32(sums, _mm512_madd_epi16(srca[k], _mm512_set1_epi32(factors[k])));
            others = _mm512_add_epi32(others, _mm512_madd_epi16(srca[k + 1], _mm512_set1_epi32(factors[k + 1])));
        }
        __m512i value = _mm512_add_epi32(sums, others);
        _mm512_storeu_si512(dst[i], add_row_to_dst(_mm512_loadu_si512(dst[i]), value));
    }
}
#else
#define multiply_matrices_avx512 multiply_matrices
#endif

void fpu_multiply_integer_matrices(const struct fpu_mode *mode, const uint32_t a[FPU_DEPTH][FPU_COLUMNS],
                                   const uint32_t b[][FPU_DEPTH], uint32_t dst[][FPU_COLUMNS], unsigned rows)
{
    (host_has_avx512() ? multiply_matrices_avx512 : multiply_matrices)(mode, a, b, dst, rows);
}

CLONES(void, fpu_multiply_integer_elements,
       (const struct fpu_mode *mode, const uint32_t a[restrict][FPU_COLUMNS], const uint32_t b[restrict][FPU_COLUMNS],
        uint32_t dst[restrict][FPU_COLUMNS], unsigned rows),
       (mode, a, b, dst, rows))
{
    uint32_t a_bits = srca_magnitude_bits(mode), b_bits = srcb_magnitude_bits(mode);
    bool keep = mode->keep_srcb_denormals;
    for (unsigned i = 0; i < rows; i++) {
        for (unsigned j = 0; j < FPU_COLUMNS; j++) {
            int32_t product = integer_of(a[i][j], a_bits, false) * integer_of(b[i][j], b_bits, keep);
            dst[i][j] = add_to_dst(dst[i][j], product);
        }
    }
}

CLONES(void, fpu_add_integer_elements,
       (const struct fpu_mode *mode, const uint32_t a[restrict][FPU_COLUMNS], const uint32_t b[restrict][FPU_COLUMNS],
        uint32_t dst[restrict][FPU_COLUMNS], unsigned rows),
       (mode, a, b, dst, rows))
{
    bool keep = mode->keep_srcb_denormals;
    for (unsigned i = 0; i < rows; i++) {
        for (unsigned j = 0; j < FPU_COLUMNS; j++) {
            int32_t sum = integer_of(a[i][j], 0x3ff, false) + integer_of(b[i][j], 0x3ff, keep);
            dst[i][j] = add_to_dst(dst[i][j], sum);
        }
    }
}
