/* pack_rows.h for hosts with AVX-512: of four rows, two in a vector of 32 cells. pack_rows.c says what the steps are.
 */
#include "tensix/num/pack_rows_variants.h"

#if defined(__x86_64__)
#include <immintrin.h>
#include <string.h>

#define AVX512 __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl")))

struct four_rows {
    __m512i first, second; /* rows 0 and 1, 2 and 3 */
};

AVX512 static inline __m512i all16(uint16_t value)
{
    return _mm512_set1_epi16((int16_t)value);
}

/* 16 bits for each row: those of the rows that are valid, which most are. */
AVX512 static inline uint64_t valid_cells(const uint8_t valid[PACK_FOUR_ROWS])
{
    uint32_t flags;
    memcpy(&flags, valid, sizeof flags);
    if (__builtin_expect(flags == 0x01010101, 1)) {
        return UINT64_MAX;
    }
    __m128i vector = _mm_cvtsi32_si128((int32_t)flags);
    const uint64_t every_fifteen_bits = 0x0000200040008001, every_sixteen_bits = 0x0001000100010001;
    return (_mm_test_epi8_mask(vector, vector) * every_fifteen_bits & every_sixteen_bits) * 0xffff;
}

AVX512 static inline struct four_rows read_rows(const uint16_t cells[][ROW_COLUMNS], uint64_t valid)
{
    return (struct four_rows){_mm512_maskz_loadu_epi16((__mmask32)valid, cells[0]),
                              _mm512_maskz_loadu_epi16((__mmask32)(valid >> 32), cells[2])};
}

AVX512 static inline __m512i magnitude_of(__m512i cells)
{
    return _mm512_and_si512(cells, all16(0x7fff));
}

/* NaN becomes infinity, denormals plus zero. */
AVX512 static inline __m512i flush_cells(__m512i cells)
{
    __m512i limited = _mm512_min_epu16(magnitude_of(cells), all16(0x7f80));
    __mmask32 normal = _mm512_test_epi16_mask(limited, all16(0x7f80));
    return _mm512_maskz_mov_epi16(normal, _mm512_or_si512(limited, _mm512_and_si512(cells, all16(0x8000))));
}

AVX512 static inline struct four_rows read_flushed(const struct dst_register_file *dst, uint32_t place, bool flush)
{
    struct four_rows rows = read_rows(dst->rows + place, valid_cells(dst->valid + place));
    return flush ? (struct four_rows){flush_cells(rows.first), flush_cells(rows.second)} : rows;
}

/* The exponent of the largest magnitude. The instruction for the smallest of eight, with all bits inverted. */
AVX512 static inline uint32_t exponent_of_largest(__m256i of16)
{
    __m128i of8 = _mm_max_epu16(_mm256_castsi256_si128(of16), _mm256_extracti128_si256(of16, 1));
    __m128i smallest = _mm_minpos_epu16(_mm_xor_si128(of8, _mm_set1_epi32(-1)));
    return (uint16_t)~_mm_cvtsi128_si32(smallest) >> 7;
}

AVX512 static inline uint32_t largest_exponent(struct four_rows rows)
{
    __m512i larger = _mm512_max_epu16(magnitude_of(rows.first), magnitude_of(rows.second));
    return exponent_of_largest(_mm256_max_epu16(_mm512_castsi512_si256(larger), _mm512_extracti64x4_epi64(larger, 1)));
}

AVX512 uint32_t pack_four_rows_bf16_to_bf16_avx512(const struct dst_register_file *dst, uint32_t place, bool flush,
                                                   uint8_t *bytes)
{
    struct four_rows rows = read_flushed(dst, place, flush);
    _mm512_storeu_si512(bytes, rows.first);
    _mm512_storeu_si512(bytes + sizeof(__m512i), rows.second);
    return largest_exponent(rows);
}

/* dst_to_hardware() of cells. */
AVX512 static inline __m512i to_hardware(__m512i cells)
{
    enum { SELECT = 0xca }; /* where the first operand has a bit set that of the second, else that of the third */
    __m512i bits = _mm512_ternarylogic_epi32(all16(0x8000), cells, _mm512_slli_epi16(cells, 8), SELECT);
    return _mm512_ternarylogic_epi32(all16(0x00ff), _mm512_srli_epi16(cells, 7), bits, SELECT);
}

/* The numbers of cells that make 32-bit data: those of `low` from 0, those of `high` from 32. `first`: the first row of
   a pair, or 16 for the second. */
AVX512 static inline __m512i joining(uint32_t first)
{
    const __m512i column = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    __m512i low = _mm512_add_epi32(column, _mm512_set1_epi32((int32_t)first));
    return _mm512_or_si512(low, _mm512_slli_epi32(_mm512_add_epi32(low, _mm512_set1_epi32(32)), 16));
}

AVX512 static inline void store_joined(__m512i high, __m512i low, uint8_t *bytes)
{
    __m512i bits = to_hardware(low);
    _mm512_storeu_si512(bytes, _mm512_permutex2var_epi16(bits, joining(0), high));
    _mm512_storeu_si512(bytes + sizeof(__m512i), _mm512_permutex2var_epi16(bits, joining(16), high));
}

AVX512 uint32_t pack_four_rows_32b_avx512(const struct dst_register_file *dst, uint32_t place, uint8_t *bytes)
{
    uint64_t valid = valid_cells(dst->valid + place);
    struct four_rows high = read_rows(dst->rows + place, valid);
    struct four_rows low = read_rows(dst->rows + place + DST_LOW_HALF, valid);
    store_joined(high.first, low.first, bytes);
    store_joined(high.second, low.second, bytes + 2 * sizeof(__m512i));
    return largest_exponent(high);
}

/* ---- rows one by one, wherever they are ---- */

AVX512 static inline __m256i read_cells(const struct dst_register_file *dst, uint32_t place, uint32_t valid_place)
{
    return _mm256_maskz_loadu_epi16(dst->valid[valid_place] ? 0xffff : 0, dst->rows[place]);
}

AVX512 static inline __m256i larger_magnitudes(__m256i largest, __m256i cells)
{
    return _mm256_max_epu16(largest, _mm256_and_si256(cells, _mm256_set1_epi16(0x7fff)));
}

AVX512 uint32_t pack_rows_bf16_to_bf16_avx512(const struct dst_register_file *dst, const uint32_t *row, unsigned count,
                                              bool flush, uint8_t *bytes)
{
    __m256i largest = _mm256_setzero_si256();
    for (unsigned i = 0; i < count; i++) {
        uint32_t place = dst_place(dst, false, row[i]);
        __m256i cells = read_cells(dst, place, place);
        if (flush) {
            cells = _mm512_castsi512_si256(flush_cells(_mm512_castsi256_si512(cells)));
        }
        largest = larger_magnitudes(largest, cells);
        _mm256_storeu_si256((__m256i_u *)(bytes + i * sizeof cells), cells);
    }
    return exponent_of_largest(largest);
}

AVX512 uint32_t pack_rows_32b_avx512(const struct dst_register_file *dst, const uint32_t *row, unsigned count,
                                     uint8_t *bytes)
{
    __m256i largest = _mm256_setzero_si256();
    for (unsigned i = 0; i < count; i++) {
        uint32_t place = dst_row32(row[i]);
        __m256i high = read_cells(dst, place, place), low = read_cells(dst, place + DST_LOW_HALF, place);
        __m512i bits = to_hardware(_mm512_castsi256_si512(low));
        largest = larger_magnitudes(largest, high);
        _mm512_storeu_si512(bytes + i * sizeof bits,
                            _mm512_permutex2var_epi16(bits, joining(0), _mm512_castsi256_si512(high)));
    }
    return exponent_of_largest(largest);
}

/* The largest magnitude of each row in all of 8 lanes: rows 0, 2, 1, 3. */
AVX512 static inline __m512i largest_of_rows(struct four_rows rows)
{
    enum { SWAP_EIGHTS = 0xb1, ROWS_2_AND_3 = 0xcc };
    __m512i x = magnitude_of(rows.first), y = magnitude_of(rows.second);
    x = _mm512_max_epu16(x, _mm512_shuffle_i64x2(x, x, SWAP_EIGHTS));
    y = _mm512_max_epu16(y, _mm512_shuffle_i64x2(y, y, SWAP_EIGHTS));
    x = _mm512_mask_blend_epi64(ROWS_2_AND_3, x, y);
    x = _mm512_max_epu16(x, _mm512_shuffle_epi32(x, _MM_PERM_BADC));
    x = _mm512_max_epu16(x, _mm512_shuffle_epi32(x, _MM_PERM_CDAB));
    return _mm512_max_epu16(x, _mm512_rol_epi32(x, 16));
}

/* As bfp8_row(). A count of 16 and more shifts everything out. */
AVX512 static inline void store_bfp8(__m512i cells, __m512i shared, uint8_t *bytes)
{
    __m512i exponent = _mm512_and_si512(_mm512_srli_epi16(cells, 7), all16(0xff));
    __m512i mantissa = _mm512_and_si512(cells, all16(0x7f));
    mantissa = _mm512_mask_add_epi16(mantissa, _mm512_test_epi16_mask(exponent, exponent), mantissa, all16(0x80));
    mantissa = _mm512_srlv_epi16(mantissa, _mm512_sub_epi16(shared, exponent));
    __m512i magnitude = _mm512_avg_epu16(mantissa, _mm512_setzero_si512());
    magnitude = _mm512_min_epu16(magnitude, all16(127));
    __m512i sign = _mm512_and_si512(_mm512_srli_epi16(cells, 8), all16(0x80));
    __mmask32 some = _mm512_test_epi16_mask(magnitude, magnitude);
    __m256i codes = _mm512_maskz_cvtepi16_epi8(some, _mm512_or_si512(magnitude, sign));
    _mm256_storeu_si256((__m256i_u *)bytes, codes);
}

AVX512 uint32_t pack_four_rows_bf16_to_bfp8_avx512(const struct dst_register_file *dst, uint32_t place, bool flush,
                                                   uint8_t *bytes, uint8_t exponents[PACK_FOUR_ROWS])
{
    enum { EIGHTS_0022 = 0xa0, EIGHTS_1133 = 0xf5 };
    struct four_rows rows = read_flushed(dst, place, flush);
    __m512i shared = _mm512_srli_epi16(largest_of_rows(rows), 7);
    store_bfp8(rows.first, _mm512_shuffle_i64x2(shared, shared, EIGHTS_0022), bytes);
    store_bfp8(rows.second, _mm512_shuffle_i64x2(shared, shared, EIGHTS_1133), bytes + sizeof(__m256i));

    const __m512i in_order = _mm512_castsi128_si512(_mm_setr_epi32(0, 8, 4, 12));
    __m128i of_rows =
        _mm_and_si128(_mm512_castsi512_si128(_mm512_permutexvar_epi32(in_order, shared)), _mm_set1_epi32(0xff));
    uint32_t four = (uint32_t)_mm_cvtsi128_si32(_mm_cvtepi32_epi8(of_rows));
    memcpy(exponents, &four, sizeof four);
    of_rows = _mm_max_epi32(of_rows, _mm_shuffle_epi32(of_rows, 0x4e));
    return (uint32_t)_mm_cvtsi128_si32(_mm_max_epi32(of_rows, _mm_shuffle_epi32(of_rows, 0xb1)));
}

#else

uint32_t pack_four_rows_bf16_to_bf16_avx512(const struct dst_register_file *dst, uint32_t place, bool flush,
                                            uint8_t *bytes)
{
    return pack_four_rows_bf16_to_bf16_portable(dst, place, flush, bytes);
}

uint32_t pack_four_rows_bf16_to_bfp8_avx512(const struct dst_register_file *dst, uint32_t place, bool flush,
                                            uint8_t *bytes, uint8_t exponents[PACK_FOUR_ROWS])
{
    return pack_four_rows_bf16_to_bfp8_portable(dst, place, flush, bytes, exponents);
}

uint32_t pack_four_rows_32b_avx512(const struct dst_register_file *dst, uint32_t place, uint8_t *bytes)
{
    return pack_four_rows_32b_portable(dst, place, bytes);
}

uint32_t pack_rows_bf16_to_bf16_avx512(const struct dst_register_file *dst, const uint32_t *row, unsigned count,
                                       bool flush, uint8_t *bytes)
{
    return pack_rows_bf16_to_bf16_portable(dst, row, count, flush, bytes);
}

uint32_t pack_rows_32b_avx512(const struct dst_register_file *dst, const uint32_t *row, unsigned count, uint8_t *bytes)
{
    return pack_rows_32b_portable(dst, row, count, bytes);
}

#endif
