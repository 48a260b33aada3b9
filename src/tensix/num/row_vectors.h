/* A row of 16 data as one vector. For files that are compiled once for each level of the host's vector instructions:
   these choose the level first (#pragma GCC target), then include this. Functions of a lower level that are inlined
   into one of a higher level are split into short vectors before, so all functions on rows have to be compiled for the
   level.

   The compiler does not find some single instructions of AVX-512 in loops and conversions; these have functions here.
 */
#ifndef BHEMU_TENSIX_NUM_ROW_VECTORS_H
#define BHEMU_TENSIX_NUM_ROW_VECTORS_H

#include <stdint.h>

#include "tensix/num/registers.h"

#if defined(__AVX512F__)
#include <immintrin.h>
#endif

/* Where the host has no vectors of this length, the compiler uses several shorter ones. */
typedef uint32_t words __attribute__((vector_size(4 * ROW_COLUMNS)));
typedef int32_t integers __attribute__((vector_size(4 * ROW_COLUMNS)));
typedef uint16_t halves __attribute__((vector_size(2 * ROW_COLUMNS)));

/* Words in memory, of any alignment. Byte copies would go through the stack unless 512-bit vectors are preferred. */
typedef uint32_t words_there __attribute__((vector_size(4 * ROW_COLUMNS), aligned(1), may_alias));
typedef uint16_t halves_there __attribute__((vector_size(2 * ROW_COLUMNS), aligned(1), may_alias));

#define INLINE __attribute__((always_inline)) static inline

INLINE words load_row(const uint32_t *row)
{
    return *(const words_there *)row;
}

INLINE void store_row(uint32_t *row, words value)
{
    *(words_there *)row = value;
}

INLINE words load_cells(const uint16_t *cells)
{
    halves value = *(const halves_there *)cells;
#if defined(__AVX512F__)
    return (words)_mm512_cvtepu16_epi32((__m256i)value);
#else
    return __builtin_convertvector(value, words);
#endif
}

/* Selects each value whose datum in `row` has any of the bits `some`, zero for the others. */
INLINE words where_any_of(words value, words row, uint32_t some)
{
#if defined(__AVX512F__)
    __mmask16 kept = _mm512_test_epi32_mask((__m512i)row, _mm512_set1_epi32((int32_t)some));
    return (words)_mm512_maskz_mov_epi32(kept, (__m512i)value);
#else
    return value & (words)((row & some) != 0);
#endif
}

/* The low halves. */
INLINE void store_cells(uint16_t *cells, words value)
{
#if defined(__AVX512F__)
    halves low = (halves)_mm512_cvtepi32_epi16((__m512i)value);
    __asm__(
        ""
        : "+v"(low)); /* keeps the compiler from merging this with the store into one instruction, which is slower */
#else
    halves low = __builtin_convertvector(value, halves);
#endif
    *(halves_there *)cells = low;
}

/* The same, but stores zero where `row` has none of the bits `some`. */
INLINE void store_cells_with_any_of(uint16_t *cells, words value, words row, uint32_t some)
{
#if defined(__AVX512F__)
    __mmask16 kept = _mm512_test_epi32_mask((__m512i)row, _mm512_set1_epi32((int32_t)some));
    halves low = (halves)_mm512_maskz_cvtepi32_epi16(kept, (__m512i)value);
    *(halves_there *)cells = low;
#else
    store_cells(cells, where_any_of(value, row, some));
#endif
}

#endif
