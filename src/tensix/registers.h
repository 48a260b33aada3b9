/* The register files that the units of the Tensix coprocessor share: SrcA, SrcB and Dst.

   SrcA and SrcB: two banks each of 64 rows of 16 columns of 19 bits. A datum is kept left aligned in 32 bits, as its
   FP32 look-alike: sign in bit 31, eight exponent bits in 30:23, ten mantissa bits in 22:13, and zero below. A format
   with five exponent bits (FP16, and FP8 which is widened to it) keeps them in 27:23 with 30:28 zero; integers are kept
   where the documentation overlays them on these fields.

   Dst: 1024 rows of 16 columns of 16 bits, or half as many rows of 32 bits: 32-bit row r lies in 16-bit row
   dst_row32(r), its low half DST_LOW_HALF rows below. Hardware keeps the fields of a datum in the order sign, mantissa,
   exponent, so that a row written in one format and read in another is permuted, not merely reinterpreted. Here a
   16-bit datum is kept as BF16 is in memory (sign, exponent, mantissa), a 32-bit one as FP32 is; FP16 data go through
   dst_from_fp16() and dst_to_fp16(), which give the same permutation. A row whose valid flag is clear reads as zero.

   Sources: ISA documentation SrcASrcB.md, Dst.md. */
#ifndef BHEMU_TENSIX_REGISTERS_H
#define BHEMU_TENSIX_REGISTERS_H

#include <stdbool.h>
#include <stdint.h>

enum { SRC_BANKS = 2, SRC_ROWS = 64, DST_ROWS = 1024, DST_LOW_HALF = 8, ROW_COLUMNS = 16 };

/* Who may use a bank of SrcA or SrcB. */
enum src_client { SRC_UNPACKERS, SRC_MATRIX_UNIT };

struct src_register_file {
    uint32_t rows[SRC_BANKS][SRC_ROWS][ROW_COLUMNS];
    uint8_t owner[SRC_BANKS];  /* enum src_client: AllowedClient of the documentation */
    uint8_t format[SRC_BANKS]; /* data format that the unpacker left in the bank: the implied format */
    uint8_t unpacker_bank;     /* the bank that the unpacker fills next */
    uint8_t matrix_bank;       /* the bank that the matrix unit uses next */
};

struct dst_register_file {
    uint16_t rows[DST_ROWS][ROW_COLUMNS];
    uint8_t valid[DST_ROWS]; /* 0: the row reads as zero */
};

/* The 16-bit row that holds the high halves of 32-bit row `row`. */
static inline uint32_t dst_row32(uint32_t row)
{
    return ((row & 0x1f8) << 1) | (row & 0x207);
}

/* FP16 (sign, 5-bit exponent, 10-bit mantissa) from and to the way a datum is kept in Dst. Hardware holds
   sign|mantissa|exponent for both formats; these two permutations are what that amounts to. */
static inline uint16_t dst_from_fp16(uint16_t fp16)
{
    uint32_t hardware = (uint32_t)(fp16 & 0x8000) | (uint32_t)(fp16 & 0x3ff) << 5 | ((fp16 >> 10) & 0x1f);
    return (uint16_t)((hardware & 0x8000) | (hardware & 0xff) << 7 | ((hardware >> 8) & 0x7f));
}

static inline uint16_t dst_to_fp16(uint16_t datum)
{
    uint32_t hardware = (uint32_t)(datum & 0x8000) | (uint32_t)(datum & 0x7f) << 8 | ((datum >> 7) & 0xff);
    return (uint16_t)((hardware & 0x8000) | (hardware & 0x1f) << 10 | ((hardware >> 5) & 0x3ff));
}

#endif
