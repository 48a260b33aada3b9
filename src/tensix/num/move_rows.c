#include "tensix/num/move_rows.h"

#include <string.h>

#include "tensix/num/clones.h"

#define MOVE_LEVEL(name) name##_basic
#include "tensix/num/move_rows.inc"

void move_rows_to_dst(const struct row_move *move, const uint32_t src[][ROW_COLUMNS], struct dst_register_file *dst,
                      const struct row_places *places, uint32_t count)
{
    MOVES_OF_HOST(move_rows_to_dst)(move, src, dst, places, count);
}

void move_rows_from_dst(const struct row_move *move, uint32_t src[][ROW_COLUMNS], const struct dst_register_file *dst,
                        const struct row_places *places, uint32_t count)
{
    MOVES_OF_HOST(move_rows_from_dst)(move, src, dst, places, count);
}

void move_rows_to_srca(const struct row_move *move, const uint32_t srcb[][ROW_COLUMNS], uint32_t srca[][ROW_COLUMNS],
                       const struct row_places *places, uint32_t count)
{
    MOVES_OF_HOST(move_rows_to_srca)(move, srcb, srca, places, count);
}

CLONES(void, src_bank_fill, (uint32_t bank[SRC_ROWS][ROW_COLUMNS], uint32_t value), (bank, value))
{
    for (unsigned row = 0; row < SRC_ROWS; row++) {
        AS_VECTOR
        for (unsigned column = 0; column < ROW_COLUMNS; column++) {
            bank[row][column] = value;
        }
    }
}

static void transpose_datum_by_datum(const uint32_t rows[ROW_COLUMNS][ROW_COLUMNS],
                                     uint32_t columns[ROW_COLUMNS][ROW_COLUMNS])
{
    uint32_t turned[ROW_COLUMNS][ROW_COLUMNS];
    for (unsigned row = 0; row < ROW_COLUMNS; row++) {
        for (unsigned column = 0; column < ROW_COLUMNS; column++) {
            turned[column][row] = rows[row][column];
        }
    }
    memcpy(columns, turned, sizeof turned);
}

#if defined(__x86_64__)
#define AVX512 __attribute__((target("avx512f")))

/* Transposes 4x4 data in each of the quarters of four vectors. */
AVX512 static inline void transpose_quarters(const __m512i row[4], __m512i turned[4])
{
    __m512i low_01 = _mm512_unpacklo_epi32(row[0], row[1]), high_01 = _mm512_unpackhi_epi32(row[0], row[1]);
    __m512i low_23 = _mm512_unpacklo_epi32(row[2], row[3]), high_23 = _mm512_unpackhi_epi32(row[2], row[3]);
    turned[0] = _mm512_unpacklo_epi64(low_01, low_23);
    turned[1] = _mm512_unpackhi_epi64(low_01, low_23);
    turned[2] = _mm512_unpacklo_epi64(high_01, high_23);
    turned[3] = _mm512_unpackhi_epi64(high_01, high_23);
}

/* Loads whole rows: they may just have been stored by rows, and loads of other parts would wait for the stores. */
AVX512 static void transpose_avx512(const uint32_t rows[ROW_COLUMNS][ROW_COLUMNS],
                                    uint32_t columns[ROW_COLUMNS][ROW_COLUMNS])
{
    enum { EVEN_QUARTERS = 0x88, ODD_QUARTERS = 0xdd };
    __m512i turned[ROW_COLUMNS], row[ROW_COLUMNS];
#pragma GCC unroll 16
    for (unsigned i = 0; i < ROW_COLUMNS; i++) {
        row[i] = _mm512_loadu_si512(rows[i]);
    }
#pragma GCC unroll 4
    for (unsigned i = 0; i < ROW_COLUMNS; i += 4) {
        transpose_quarters(row + i, turned + i);
    }
    /* Vector 4 i + j has columns j, 4 + j, 8 + j and 12 + j of rows 4 i to 4 i + 3. */
#pragma GCC unroll 4
    for (unsigned j = 0; j < 4; j++) {
        __m512i even_01 = _mm512_shuffle_i32x4(turned[j], turned[4 + j], EVEN_QUARTERS);
        __m512i odd_01 = _mm512_shuffle_i32x4(turned[j], turned[4 + j], ODD_QUARTERS);
        __m512i even_23 = _mm512_shuffle_i32x4(turned[8 + j], turned[12 + j], EVEN_QUARTERS);
        __m512i odd_23 = _mm512_shuffle_i32x4(turned[8 + j], turned[12 + j], ODD_QUARTERS);
        _mm512_storeu_si512(columns[j], _mm512_shuffle_i32x4(even_01, even_23, EVEN_QUARTERS));
        _mm512_storeu_si512(columns[8 + j], _mm512_shuffle_i32x4(even_01, even_23, ODD_QUARTERS));
        _mm512_storeu_si512(columns[4 + j], _mm512_shuffle_i32x4(odd_01, odd_23, EVEN_QUARTERS));
        _mm512_storeu_si512(columns[12 + j], _mm512_shuffle_i32x4(odd_01, odd_23, ODD_QUARTERS));
    }
}

#define AVX2 __attribute__((target("avx2")))

/* Eight rows of eight of 16 columns. */
struct square {
    __m256i row[8];
};

AVX2 static inline struct square load_square(const uint32_t rows[][ROW_COLUMNS], unsigned column)
{
    struct square square;
#pragma GCC unroll 8
    for (unsigned i = 0; i < 8; i++) {
        square.row[i] = _mm256_loadu_si256((const __m256i *)(rows[i] + column));
    }
    return square;
}

AVX2 static inline void store_transposed(const struct square *square, uint32_t rows[][ROW_COLUMNS], unsigned column)
{
    __m256i turned[8];
#pragma GCC unroll 2
    for (unsigned i = 0; i < 8; i += 4) { /* 4x4 data in each half of four vectors */
        const __m256i *row = square->row + i;
        __m256i low_01 = _mm256_unpacklo_epi32(row[0], row[1]), high_01 = _mm256_unpackhi_epi32(row[0], row[1]);
        __m256i low_23 = _mm256_unpacklo_epi32(row[2], row[3]), high_23 = _mm256_unpackhi_epi32(row[2], row[3]);
        turned[i] = _mm256_unpacklo_epi64(low_01, low_23);
        turned[i + 1] = _mm256_unpackhi_epi64(low_01, low_23);
        turned[i + 2] = _mm256_unpacklo_epi64(high_01, high_23);
        turned[i + 3] = _mm256_unpackhi_epi64(high_01, high_23);
    }
#pragma GCC unroll 4
    for (unsigned i = 0; i < 4; i++) {
        _mm256_storeu_si256((__m256i *)(rows[i] + column), _mm256_permute2x128_si256(turned[i], turned[4 + i], 0x20));
        _mm256_storeu_si256((__m256i *)(rows[4 + i] + column),
                            _mm256_permute2x128_si256(turned[i], turned[4 + i], 0x31));
    }
}

AVX2 static void transpose_avx2(const uint32_t rows[ROW_COLUMNS][ROW_COLUMNS],
                                uint32_t columns[ROW_COLUMNS][ROW_COLUMNS])
{
    enum { SIDE = 8 };
    const struct square right = load_square(rows, SIDE), left = load_square(rows + SIDE, 0);
    store_transposed(&right, columns + SIDE, 0);
    store_transposed(&left, columns, SIDE);
    for (unsigned i = 0; i < ROW_COLUMNS; i += SIDE) {
        const struct square on_diagonal = load_square(rows + i, i);
        store_transposed(&on_diagonal, columns + i, i);
    }
}

void src_transpose(const uint32_t rows[ROW_COLUMNS][ROW_COLUMNS], uint32_t columns[ROW_COLUMNS][ROW_COLUMNS])
{
    (host_has_avx512()                 ? transpose_avx512
     : host_vectors == HOST_VECTORS_V3 ? transpose_avx2
                                       : transpose_datum_by_datum)(rows, columns);
}
#else
void src_transpose(const uint32_t rows[ROW_COLUMNS][ROW_COLUMNS], uint32_t columns[ROW_COLUMNS][ROW_COLUMNS])
{
    transpose_datum_by_datum(rows, columns);
}
#endif
