/* Vectors of 32-bit lanes, as long as the host's, so that one source serves every vector level: a row of 16 data
   is one vector with AVX-512, two with AVX2, four elsewhere. For files that are compiled once for each level: these
   choose the level first (#pragma GCC target), then include this.

   Operations for which the compiler's operators on vectors give good code (+, -, &, |, ^, shifts by constants) use
   these; this file has the operations that need special instructions, and comparisons, whose results are masks of
   another kind in AVX-512. Functions that end in 16 treat each lane as two lanes of 16 bits. */
#ifndef BHEMU_TENSIX_NUM_LANES_H
#define BHEMU_TENSIX_NUM_LANES_H

#include <stdbool.h>
#include <stdint.h>

#include "tensix/num/registers.h"

#if defined(__AVX512F__)
#define LANES_AVX512
enum { LANES = 16 };
#elif defined(__AVX2__)
#define LANES_AVX2
enum { LANES = 8 };
#else
enum { LANES = 4 };
#endif
#if defined(__x86_64__)
#include <immintrin.h>
#endif

enum { VECTORS_OF_ROW = ROW_COLUMNS / LANES };

typedef uint32_t lanes __attribute__((vector_size(4 * LANES)));
typedef int32_t signed_lanes __attribute__((vector_size(4 * LANES)));
typedef uint16_t lanes16 __attribute__((vector_size(4 * LANES)));
typedef int16_t signed_lanes16 __attribute__((vector_size(4 * LANES)));
typedef uint16_t cell_lanes __attribute__((vector_size(2 * LANES)));

/* Lanes in memory, of any alignment. */
typedef uint32_t lanes_there __attribute__((vector_size(4 * LANES), aligned(1), may_alias));
typedef uint16_t cell_lanes_there __attribute__((vector_size(2 * LANES), aligned(1), may_alias));

#define INLINE __attribute__((always_inline)) static inline

INLINE lanes load(const uint32_t *data)
{
    return *(const lanes_there *)data;
}

INLINE void store(uint32_t *data, lanes value)
{
    *(lanes_there *)data = value;
}

INLINE lanes all(uint32_t value)
{
    return value - (lanes){0};
}

INLINE lanes all16(int32_t value)
{
    return all((uint32_t)value << 16 | (value & 0xffff));
}

/* ---- cells of 16 bits, a lane for each ---- */

INLINE lanes load_cells(const uint16_t *data)
{
#if defined(LANES_AVX512)
    return (lanes)_mm512_cvtepu16_epi32(_mm256_loadu_si256((const __m256i_u *)data));
#elif defined(LANES_AVX2)
    return (lanes)_mm256_cvtepu16_epi32(_mm_loadu_si128((const __m128i_u *)data));
#else
    return __builtin_convertvector((cell_lanes) * (const cell_lanes_there *)data, lanes);
#endif
}

/* The low halves. */
INLINE void store_cells(uint16_t *data, lanes value)
{
#if defined(LANES_AVX512)
    cell_lanes low = (cell_lanes)_mm512_cvtepi32_epi16((__m512i)value);
    __asm__(
        ""
        : "+v"(low)); /* keeps the compiler from merging this with the store into one instruction, which is slower */
#elif defined(LANES_AVX2)
    __m256i packed = _mm256_packus_epi32((__m256i)(value & 0xffff), _mm256_setzero_si256());
    cell_lanes low = (cell_lanes)_mm256_castsi256_si128(_mm256_permute4x64_epi64(packed, 0x8));
#else
    cell_lanes low = __builtin_convertvector(value, cell_lanes);
#endif
    *(cell_lanes_there *)data = low;
}

/* FP16 in cells (dst_to_fp16() of registers.h), from and to Src's layout of FP32. */
INLINE lanes fp16_of_cells(lanes cells)
{
    return (cells & 0x8fff) << 16 | (cells & 0x7000) << 1;
}

INLINE lanes cells_of_fp16(lanes data)
{
    return (data >> 16 & 0x8fff) | (data >> 1 & 0x7000);
}

/* ---- masks: a bit or a lane for each lane ---- */

#if defined(LANES_AVX512)
typedef __mmask16 lane_mask;
#else
typedef lanes lane_mask;
#endif

/* Lanes that have any of the bits. */
INLINE lane_mask any_of(lanes value, lanes bits)
{
#if defined(LANES_AVX512)
    return _mm512_test_epi32_mask((__m512i)value, (__m512i)bits);
#else
    return (lanes)((value & bits) != 0);
#endif
}

INLINE lane_mask negative(lanes value)
{
#if defined(LANES_AVX512)
    return _mm512_movepi32_mask((__m512i)value);
#else
    return (lanes)((signed_lanes)value >> 31);
#endif
}

INLINE lane_mask greater(lanes x, lanes y)
{
#if defined(LANES_AVX512)
    return _mm512_cmpgt_epi32_mask((__m512i)x, (__m512i)y);
#else
    return (lanes)((signed_lanes)x > (signed_lanes)y);
#endif
}

/* Of the lanes `among`, those in which x is greater. */
INLINE lane_mask greater_among(lane_mask among, lanes x, lanes y)
{
#if defined(LANES_AVX512)
    return _mm512_mask_cmpgt_epi32_mask(among, (__m512i)x, (__m512i)y);
#else
    return among & greater(x, y);
#endif
}

INLINE lanes where(lane_mask chosen, lanes value, lanes otherwise)
{
#if defined(LANES_AVX512)
    return (lanes)_mm512_mask_mov_epi32((__m512i)otherwise, chosen, (__m512i)value);
#elif defined(LANES_AVX2)
    __asm__("" : "+x"(chosen)); /* keeps GCC from computing the sign masks of bytes a second time */
    return (lanes)_mm256_blendv_epi8((__m256i)otherwise, (__m256i)value, (__m256i)chosen);
#else
    return (value & chosen) | (otherwise & ~chosen);
#endif
}

/* Sets the other lanes to zero. */
INLINE lanes only(lane_mask chosen, lanes value)
{
#if defined(LANES_AVX512)
    return (lanes)_mm512_maskz_mov_epi32(chosen, (__m512i)value);
#else
    return value & chosen;
#endif
}

/* The lanes of `value` where `tested` has any of the bits, zero elsewhere. */
INLINE lanes only_with(lanes tested, lanes bits, lanes value)
{
#if defined(LANES_AVX2)
    __m256i none = _mm256_cmpeq_epi32((__m256i)(tested & bits), _mm256_setzero_si256());
    return (lanes)_mm256_andnot_si256(none, (__m256i)value);
#else
    return only(any_of(tested, bits), value);
#endif
}

/* ---- arithmetic, with signs ---- */

INLINE lanes larger(lanes x, lanes y)
{
#if defined(LANES_AVX512)
    return (lanes)_mm512_max_epi32((__m512i)x, (__m512i)y);
#elif defined(LANES_AVX2)
    return (lanes)_mm256_max_epi32((__m256i)x, (__m256i)y);
#else
    return where(greater(x, y), x, y);
#endif
}

INLINE lanes absolute(lanes value)
{
#if defined(LANES_AVX512)
    return (lanes)_mm512_abs_epi32((__m512i)value);
#elif defined(LANES_AVX2)
    return (lanes)_mm256_abs_epi32((__m256i)value);
#else
    lanes sign = negative(value);
    return (value ^ sign) - sign;
#endif
}

/* The value, negated if bit 31 of `sign` is set; `sign` is zero only if the value is. */
INLINE lanes with_sign(lanes value, lanes sign)
{
#if defined(LANES_AVX512)
    return (lanes)_mm512_mask_sub_epi32((__m512i)value, negative(sign), _mm512_setzero_si512(), (__m512i)value);
#elif defined(LANES_AVX2)
    return (lanes)_mm256_sign_epi32((__m256i)value, (__m256i)sign);
#else
    lanes inverted = negative(sign);
    return (value ^ inverted) - inverted;
#endif
}

/* ---- shifts by counts of their own: 32 and more leave nothing but the sign, where there is one ---- */

INLINE lanes shift_signed_right(lanes value, lanes count)
{
#if defined(LANES_AVX512)
    return (lanes)_mm512_srav_epi32((__m512i)value, (__m512i)count);
#elif defined(LANES_AVX2)
    return (lanes)_mm256_srav_epi32((__m256i)value, (__m256i)count);
#else
    return (lanes)((signed_lanes)value >> (signed_lanes)where(greater(all(32), count), count, all(31)));
#endif
}

INLINE lanes shift_right(lanes value, lanes count)
{
#if defined(LANES_AVX512)
    return (lanes)_mm512_srlv_epi32((__m512i)value, (__m512i)count);
#elif defined(LANES_AVX2)
    return (lanes)_mm256_srlv_epi32((__m256i)value, (__m256i)count);
#else
    lane_mask some = greater(all(32), count);
    return only(some, value >> only(some, count));
#endif
}

/* Counts 0 to 31. */
INLINE lanes shift_left(lanes value, lanes count)
{
#if defined(LANES_AVX512)
    return (lanes)_mm512_sllv_epi32((__m512i)value, (__m512i)count);
#elif defined(LANES_AVX2)
    return (lanes)_mm256_sllv_epi32((__m256i)value, (__m256i)count);
#else
    return value << (count & 31);
#endif
}

/* Zeros above the highest set bit, for values up to 2^30; of zero it may be anything above 31. */
INLINE lanes leading_zeros(lanes value)
{
#if defined(LANES_AVX512)
    return (lanes)_mm512_lzcnt_epi32((__m512i)value);
#else
    /* Uses the exponent of a float: without the bit below the highest one, no rounding can carry into the next power
       of two. */
    typedef float floats __attribute__((vector_size(4 * LANES)));
    floats rounded = __builtin_convertvector((signed_lanes)(value & ~(value >> 1)), floats);
    return (127 + 31) - ((lanes)rounded >> 23);
#endif
}

/* ---- lanes of 16 bits ---- */

/* Both halves of each lane become bits 31:16 of it, or 23:8 if `low`. */
INLINE lanes both_halves_16(lanes value, bool low)
{
#if defined(LANES_AVX512) || defined(LANES_AVX2)
    const __m128i quarter = _mm_setr_epi8(2, 3, 2, 3, 6, 7, 6, 7, 10, 11, 10, 11, 14, 15, 14, 15);
    const __m128i bytes = _mm_sub_epi8(quarter, _mm_set1_epi8(low));
#endif
#if defined(LANES_AVX512)
    return (lanes)_mm512_shuffle_epi8((__m512i)value, _mm512_broadcast_i32x4(bytes));
#elif defined(LANES_AVX2)
    return (lanes)_mm256_shuffle_epi8((__m256i)value, _mm256_broadcastsi128_si256(bytes));
#else
    lanes half = low ? value >> 8 & 0xffff : value >> 16;
    return half | half << 16;
#endif
}

INLINE lanes add_16(lanes x, lanes y)
{
    return (lanes)((lanes16)x + (lanes16)y);
}

INLINE lanes subtract_16(lanes x, lanes y)
{
    return (lanes)((lanes16)x - (lanes16)y);
}

INLINE lanes multiply_16(lanes x, lanes y)
{
    return (lanes)((lanes16)x * (lanes16)y);
}

INLINE lanes shift_right_16(lanes value, unsigned count)
{
    return (lanes)((lanes16)value >> (uint16_t)count);
}

INLINE lanes larger_16(lanes x, lanes y)
{
#if defined(LANES_AVX512)
    return (lanes)_mm512_max_epi16((__m512i)x, (__m512i)y);
#elif defined(LANES_AVX2)
    return (lanes)_mm256_max_epi16((__m256i)x, (__m256i)y);
#else
    lanes first = (lanes)((signed_lanes16)x > (signed_lanes16)y);
    return (x & first) | (y & ~first);
#endif
}

INLINE lanes absolute_16(lanes value)
{
#if defined(LANES_AVX512)
    return (lanes)_mm512_abs_epi16((__m512i)value);
#elif defined(LANES_AVX2)
    return (lanes)_mm256_abs_epi16((__m256i)value);
#else
    return larger_16(value, subtract_16(all(0), value));
#endif
}

/* The sum of a value and a magnitude, which is subtracted if `sign` is negative, and zero if that is zero. */
INLINE lanes add_with_sign_16(lanes value, lanes magnitude, lanes sign)
{
#if defined(LANES_AVX512)
    __m512i sum = _mm512_add_epi16((__m512i)value, (__m512i)magnitude);
    __mmask32 negative = _mm512_movepi16_mask((__m512i)sign);
    return (lanes)_mm512_mask_sub_epi16(sum, negative, (__m512i)value, (__m512i)magnitude);
#elif defined(LANES_AVX2)
    return add_16(value, (lanes)_mm256_sign_epi16((__m256i)magnitude, (__m256i)sign));
#else
    lanes inverted = (lanes)((signed_lanes16)sign >> 15);
    return add_16(value, subtract_16(magnitude ^ inverted, inverted));
#endif
}

/* The sum of the two products of each pair of signed 16-bit lanes. */
INLINE lanes sum_of_products_16(lanes x, lanes y)
{
#if defined(LANES_AVX512)
    return (lanes)_mm512_madd_epi16((__m512i)x, (__m512i)y);
#elif defined(LANES_AVX2)
    return (lanes)_mm256_madd_epi16((__m256i)x, (__m256i)y);
#elif defined(__SSE2__)
    return (lanes)_mm_madd_epi16((__m128i)x, (__m128i)y);
#else
    signed_lanes low = ((signed_lanes)(x << 16) >> 16) * ((signed_lanes)(y << 16) >> 16);
    return (lanes)(low + ((signed_lanes)x >> 16) * ((signed_lanes)y >> 16));
#endif
}

/* `value` where `sign` is greater than zero, else `otherwise`. */
INLINE lanes where_positive_16(lanes sign, lanes value, lanes otherwise)
{
#if defined(LANES_AVX512)
    __mmask32 positive = _mm512_cmpgt_epi16_mask((__m512i)sign, _mm512_setzero_si512());
    return (lanes)_mm512_mask_mov_epi16((__m512i)otherwise, positive, (__m512i)value);
#else
    return where((lanes)((signed_lanes16)sign > 0), value, otherwise);
#endif
}

/* Half of `twice`, which is even and less than 2^13, divided by 2^count, to nearest, ties upwards. */
INLINE lanes divide_16(lanes twice, lanes count)
{
#if defined(LANES_AVX512)
    return (lanes)_mm512_avg_epu16(_mm512_srlv_epi16((__m512i)twice, (__m512i)count), _mm512_setzero_si512());
#elif defined(LANES_AVX2)
    /* A rounded multiplication by 2^(14 - count) / 2^15. Quotients with a count of 14 or more are zero. The powers are
       looked up byte by byte: one table serves both bytes, at count + 1 and count - 7. */
    const __m256i powers = _mm256_setr_epi8(-128, 64, 32, 16, 8, 4, 2, 1, 0, 0, 0, 0, 0, 0, 0, 0, /* twice */
                                            -128, 64, 32, 16, 8, 4, 2, 1, 0, 0, 0, 0, 0, 0, 0, 0);
    __m256i least = _mm256_min_epu16((__m256i)count, _mm256_set1_epi16(14));
    __m256i indices = _mm256_add_epi8(_mm256_or_si256(least, _mm256_slli_epi16(least, 8)), _mm256_set1_epi16(0x01f9));
    return (lanes)_mm256_mulhrs_epi16((__m256i)twice, _mm256_shuffle_epi8(powers, indices));
#elif defined(__SSE2__)
    /* SSE2 has no shifts of 16-bit lanes by separate counts. */
    lanes16 value = (lanes16)twice, counts = (lanes16)count;
#pragma GCC unroll 4
    for (unsigned bit = 8; bit; bit /= 2) {
        lanes16 shifts = (lanes16)((counts & (uint16_t)bit) != 0);
        value = (value >> (uint16_t)bit & shifts) | (value & ~shifts);
    }
    value &= (lanes16)((signed_lanes16)counts < 16);
    return (lanes)((value + 1) >> 1);
#else
    lanes16 some = (lanes16)((signed_lanes16)count < 16);
    return (lanes)((((lanes16)twice >> ((lanes16)count & 15) & some) + 1) >> 1);
#endif
}

#endif
