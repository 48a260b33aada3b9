#include "tensix/num/pack_rows_variants.h"

#include <string.h>

#include "tensix/num/clones.h"

enum { BF16_MAGNITUDE = 0x7fff, BF16_INFINITY = 0x7f80, BF16_SMALLEST_NORMAL = 0x80 };

/* NaN becomes infinity, denormals plus zero: PACK_EARLY_BF16_FLUSHED of a cell. */
static inline uint16_t flush_cell(uint16_t cell)
{
    uint16_t magnitude = cell & BF16_MAGNITUDE;
    uint16_t limited = magnitude > BF16_INFINITY ? BF16_INFINITY : magnitude;
    return limited < BF16_SMALLEST_NORMAL ? 0 : (uint16_t)((cell & 0x8000) | limited);
}

/* Reads the cells of the row at `place`, of which `valid_place` says whether they are valid. */
static inline void read_cells(const struct dst_register_file *dst, uint32_t place, uint32_t valid_place, bool flush,
                              uint16_t cells[restrict ROW_COLUMNS])
{
    uint16_t valid = dst->valid[valid_place] ? UINT16_MAX : 0;
    const uint16_t *source = dst->rows[place];
    AS_VECTOR
    for (unsigned column = 0; column < ROW_COLUMNS; column++) {
        uint16_t cell = source[column] & valid;
        cells[column] = flush ? flush_cell(cell) : cell;
    }
}

static inline uint16_t largest_of(const uint16_t *magnitudes)
{
    uint16_t largest = 0;
    for (unsigned i = 0; i < ROW_COLUMNS; i++) {
        largest = magnitudes[i] > largest ? magnitudes[i] : largest;
    }
    return largest;
}

/* Column by column, the larger of `largest` and the magnitude of the cell. */
static inline void take_magnitudes(const uint16_t *restrict cells, uint16_t *restrict largest)
{
    AS_VECTOR
    for (unsigned column = 0; column < ROW_COLUMNS; column++) {
        uint16_t magnitude = cells[column] & BF16_MAGNITUDE;
        largest[column] = magnitude > largest[column] ? magnitude : largest[column];
    }
}

static inline void bf16_row(const struct dst_register_file *dst, uint32_t place, bool flush, uint8_t *bytes,
                            uint16_t *restrict largest)
{
    uint16_t cells[ROW_COLUMNS];
    read_cells(dst, place, place, flush, cells);
    take_magnitudes(cells, largest);
    memcpy(bytes, cells, sizeof cells);
}

CLONES(uint32_t, pack_rows_bf16_to_bf16_portable,
       (const struct dst_register_file *dst, const uint32_t *row, unsigned count, bool flush, uint8_t *bytes),
       (dst, row, count, flush, bytes))
{
    uint16_t largest[ROW_COLUMNS] = {0};
    for (size_t i = 0; i < count; i++) {
        bf16_row(dst, dst_place(dst, false, row[i]), flush, bytes + i * ROW_COLUMNS * sizeof(uint16_t), largest);
    }
    return largest_of(largest) >> 7;
}

static inline uint32_t four_bf16_rows(const struct dst_register_file *dst, uint32_t place, bool flush, uint8_t *bytes)
{
    uint16_t largest[ROW_COLUMNS] = {0};
#pragma GCC unroll 4
    for (unsigned i = 0; i < PACK_FOUR_ROWS; i++) {
        bf16_row(dst, place + i, flush, bytes + i * ROW_COLUMNS * sizeof(uint16_t), largest);
    }
    return largest_of(largest) >> 7;
}

CLONES(uint32_t, pack_four_rows_bf16_to_bf16_portable,
       (const struct dst_register_file *dst, uint32_t place, bool flush, uint8_t *bytes), (dst, place, flush, bytes))
{
    return flush ? four_bf16_rows(dst, place, true, bytes) : four_bf16_rows(dst, place, false, bytes);
}

/* The magnitude of one datum of a group, as bfp_magnitude() of pack_formats.c says, in lanes of 16 bits. */
static inline uint16_t bfp8_magnitude(uint16_t cell, uint16_t shared)
{
    uint16_t exponent = cell >> 7 & 0xff;
    uint16_t mantissa = (uint16_t)((cell & 0x7f) | (exponent ? 0x80 : 0));
    uint16_t shift = (uint16_t)(shared - exponent);
    shift = shift > 8 ? 8 : shift;
    uint16_t shifted = (uint16_t)(mantissa >> shift);
    uint16_t magnitude = (uint16_t)((uint16_t)(shifted + 1) >> 1);
    return magnitude > 127 ? 127 : magnitude;
}

/* As pack_bfp_group(). Returns the largest magnitude, whose exponent is the shared one. */
static inline uint16_t bfp8_row(const struct dst_register_file *dst, uint32_t place, bool flush,
                                uint8_t *restrict packed)
{
    uint16_t cells[ROW_COLUMNS], magnitudes[ROW_COLUMNS] = {0}, codes[ROW_COLUMNS];
    read_cells(dst, place, place, flush, cells);
    take_magnitudes(cells, magnitudes);
    uint16_t largest = largest_of(magnitudes), shared = largest >> 7;
    AS_VECTOR
    for (unsigned column = 0; column < ROW_COLUMNS; column++) {
        uint16_t code = bfp8_magnitude(cells[column], shared), sign = cells[column] >> 8 & 0x80;
        codes[column] = code ? sign | code : 0;
    }
    AS_VECTOR
    for (unsigned column = 0; column < ROW_COLUMNS; column++) {
        packed[column] = (uint8_t)codes[column];
    }
    return largest;
}

CLONES(uint32_t, pack_rows_bf16_to_bfp8,
       (const struct dst_register_file *dst, const uint32_t *row, unsigned count, bool flush, uint8_t *bytes,
        uint8_t *exponents),
       (dst, row, count, flush, bytes, exponents))
{
    uint16_t largest = 0;
    for (size_t i = 0; i < count; i++) {
        uint16_t magnitude = bfp8_row(dst, dst_place(dst, false, row[i]), flush, bytes + i * ROW_COLUMNS);
        exponents[i] = (uint8_t)(magnitude >> 7);
        largest = magnitude > largest ? magnitude : largest;
    }
    return largest >> 7;
}

static inline uint32_t four_bfp8_rows(const struct dst_register_file *dst, uint32_t place, bool flush, uint8_t *bytes,
                                      uint8_t exponents[PACK_FOUR_ROWS])
{
    uint16_t largest = 0;
#pragma GCC unroll 4
    for (unsigned i = 0; i < PACK_FOUR_ROWS; i++) {
        uint16_t magnitude = bfp8_row(dst, place + i, flush, bytes + i * ROW_COLUMNS);
        exponents[i] = (uint8_t)(magnitude >> 7);
        largest = magnitude > largest ? magnitude : largest;
    }
    return largest >> 7;
}

CLONES(uint32_t, pack_four_rows_bf16_to_bfp8_portable,
       (const struct dst_register_file *dst, uint32_t place, bool flush, uint8_t *bytes,
        uint8_t exponents[PACK_FOUR_ROWS]),
       (dst, place, flush, bytes, exponents))
{
    return flush ? four_bfp8_rows(dst, place, true, bytes, exponents)
                 : four_bfp8_rows(dst, place, false, bytes, exponents);
}

/* The exponent of a datum is in its high half. */
static inline void row_32b(const struct dst_register_file *dst, uint32_t place, uint32_t *restrict packed,
                           uint16_t *restrict largest)
{
    uint16_t high[ROW_COLUMNS], low[ROW_COLUMNS];
    read_cells(dst, place, place, false, high);
    read_cells(dst, place + DST_LOW_HALF, place, false, low);
    take_magnitudes(high, largest);
    AS_VECTOR
    for (unsigned column = 0; column < ROW_COLUMNS; column++) {
        low[column] = dst_to_hardware(low[column]);
    }
    AS_VECTOR
    for (unsigned column = 0; column < ROW_COLUMNS; column++) {
        packed[column] = (uint32_t)high[column] << 16 | low[column];
    }
}

CLONES(uint32_t, pack_rows_32b_portable,
       (const struct dst_register_file *dst, const uint32_t *row, unsigned count, uint8_t *bytes),
       (dst, row, count, bytes))
{
    uint16_t largest[ROW_COLUMNS] = {0};
    for (size_t i = 0; i < count; i++) {
        row_32b(dst, dst_row32(row[i]), (uint32_t *)(bytes + i * ROW_COLUMNS * sizeof(uint32_t)), largest);
    }
    return largest_of(largest) >> 7;
}

CLONES(uint32_t, pack_four_rows_32b_portable, (const struct dst_register_file *dst, uint32_t place, uint8_t *bytes),
       (dst, place, bytes))
{
    uint16_t largest[ROW_COLUMNS] = {0};
#pragma GCC unroll 4
    for (unsigned i = 0; i < PACK_FOUR_ROWS; i++) {
        row_32b(dst, place + i, (uint32_t *)(bytes + i * ROW_COLUMNS * sizeof(uint32_t)), largest);
    }
    return largest_of(largest) >> 7;
}

uint32_t pack_four_rows_bf16_to_bf16(const struct dst_register_file *dst, uint32_t place, bool flush, uint8_t *bytes)
{
    return host_has_avx512() ? pack_four_rows_bf16_to_bf16_avx512(dst, place, flush, bytes)
                             : pack_four_rows_bf16_to_bf16_portable(dst, place, flush, bytes);
}

uint32_t pack_four_rows_bf16_to_bfp8(const struct dst_register_file *dst, uint32_t place, bool flush, uint8_t *bytes,
                                     uint8_t exponents[PACK_FOUR_ROWS])
{
    return host_has_avx512() ? pack_four_rows_bf16_to_bfp8_avx512(dst, place, flush, bytes, exponents)
                             : pack_four_rows_bf16_to_bfp8_portable(dst, place, flush, bytes, exponents);
}

uint32_t pack_four_rows_32b(const struct dst_register_file *dst, uint32_t place, uint8_t *bytes)
{
    return host_has_avx512() ? pack_four_rows_32b_avx512(dst, place, bytes)
                             : pack_four_rows_32b_portable(dst, place, bytes);
}

uint32_t pack_rows_bf16_to_bf16(const struct dst_register_file *dst, const uint32_t *row, unsigned count, bool flush,
                                uint8_t *bytes)
{
    return host_has_avx512() ? pack_rows_bf16_to_bf16_avx512(dst, row, count, flush, bytes)
                             : pack_rows_bf16_to_bf16_portable(dst, row, count, flush, bytes);
}

uint32_t pack_rows_32b(const struct dst_register_file *dst, const uint32_t *row, unsigned count, uint8_t *bytes)
{
    return host_has_avx512() ? pack_rows_32b_avx512(dst, row, count, bytes)
                             : pack_rows_32b_portable(dst, row, count, bytes);
}
