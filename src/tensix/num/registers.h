/* The register files that the units of the Tensix coprocessor share: SrcA, SrcB and Dst.

   SrcA and SrcB: two banks each of 64 rows of 16 columns of 19 bits. A datum is kept left aligned in 32 bits, as its
   FP32 look-alike: sign in bit 31, eight exponent bits in 30:23, ten mantissa bits in 22:13, and zero below. A format
   with five exponent bits (FP16, and FP8 which is widened to it) keeps them in 27:23 with 30:28 zero; integers are kept
   where the documentation overlays them on these fields.

   Dst: 1024 rows of 16 columns of 16-bit cells, or half as many rows of 32 bits: 32-bit row r lies in row dst_row32(r),
   its low half DST_LOW_HALF rows below. Hardware keeps the fields of a floating-point datum in the order sign,
   mantissa, exponent, so that what was written in one format and is read in another comes out permuted. Here every cell
   is kept as if it held BF16, in the usual order sign, exponent, mantissa. So BF16, and the high half of FP32 and of
   32-bit integers, are read and written as they are; everything else goes through dst_from_hardware() and
   dst_to_hardware(), or dst_from_fp16() and dst_to_fp16(): FP16, 8- and 16-bit integers, and the low half of 32-bit
   data, whose 16 bits hardware stores as they are. Then a cell has one meaning whoever wrote it. A row whose valid flag
   is clear reads as zero. Rows are found with dst_place(): bit 11 of the debug register DBG_FEATURE_DISABLE makes
   16-bit rows the high halves of 32-bit rows. Writing those then leaves something unpredictable in the low halves, here
   what they held.

   Sources: ISA documentation SrcASrcB.md, Dst.md. */
#ifndef BHEMU_TENSIX_NUM_REGISTERS_H
#define BHEMU_TENSIX_NUM_REGISTERS_H

#include <stdbool.h>
#include <stdint.h>

#include "util/aligned.h"

enum { SRC_BANKS = 2, SRC_ROWS = 64, DST_ROWS = 1024, DST_LOW_HALF = 8, ROW_COLUMNS = 16 };

/* Who may use a bank of SrcA or SrcB. */
enum src_client { SRC_UNPACKERS, SRC_MATRIX_UNIT };

struct src_register_file {
    CACHE_LINE_ALIGNED uint32_t rows[SRC_BANKS][SRC_ROWS][ROW_COLUMNS];
    uint8_t owner[SRC_BANKS];  /* enum src_client: AllowedClient of the documentation */
    uint8_t format[SRC_BANKS]; /* data format that the unpacker left in the bank: the implied format */
    uint8_t unpacker_bank;     /* the bank that the unpacker fills next */
    uint8_t matrix_bank;       /* the bank that the matrix unit uses next */
    uint8_t unpacker_row[3];   /* for each thread, the first row that the unpacker fills: 0, 16, 32 or 48 */
    bool zero[SRC_BANKS];      /* all data of the bank are zero; clear: it is not known */
};

struct dst_register_file {
    CACHE_LINE_ALIGNED uint16_t rows[DST_ROWS][ROW_COLUMNS];
    uint8_t valid[DST_ROWS]; /* 0: the row reads as zero */
    bool only_row32;         /* bit 11 of DBG_FEATURE_DISABLE: 16-bit row r is the high half of 32-bit row r */
};

/* The 16-bit row that holds the high halves of 32-bit row `row`. */
static inline uint32_t dst_row32(uint32_t row)
{
    return ((row & 0x1f8) << 1) | (row & 0x207);
}

/* The row with the cells of row `row`, of 32 bits or of 16; of 32 bits, the row with the high halves. */
static inline uint32_t dst_place(const struct dst_register_file *dst, bool row32, uint32_t row)
{
    return row32 || dst->only_row32 ? dst_row32(row) : row;
}

/* Converts between a cell of Dst and the 16 bits in hardware's order. */
static inline uint16_t dst_from_hardware(uint16_t bits)
{
    return (uint16_t)((bits & 0x8000) | (bits & 0xff) << 7 | ((bits >> 8) & 0x7f));
}

static inline uint16_t dst_to_hardware(uint16_t cell)
{
    return (uint16_t)((cell & 0x8000) | (cell & 0x7f) << 8 | ((cell >> 7) & 0xff));
}

/* Converts between a cell of Dst and FP16 in the usual order: sign, 5-bit exponent, 10-bit mantissa. */
static inline uint16_t dst_from_fp16(uint16_t fp16)
{
    return dst_from_hardware((uint16_t)((fp16 & 0x8000) | (fp16 & 0x3ff) << 5 | ((fp16 >> 10) & 0x1f)));
}

static inline uint16_t dst_to_fp16(uint16_t cell)
{
    uint16_t bits = dst_to_hardware(cell);
    return (uint16_t)((bits & 0x8000) | (bits & 0x1f) << 10 | ((bits >> 5) & 0x3ff));
}

/* Converts between a 32-bit datum, FP32 or integer in the usual order, and its two cells. */
static inline uint32_t dst_join32(uint16_t high_cell, uint16_t low_cell)
{
    return (uint32_t)high_cell << 16 | dst_to_hardware(low_cell);
}

static inline uint16_t dst_high_cell(uint32_t datum)
{
    return (uint16_t)(datum >> 16);
}

static inline uint16_t dst_low_cell(uint32_t datum)
{
    return dst_from_hardware((uint16_t)datum);
}

#endif
