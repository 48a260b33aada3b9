/* The unpackers' conversions between L1 and SrcA, SrcB or Dst. A datum of L1 becomes a Src datum in the layout of
   tensix/num/registers.h; a 16-bit Dst datum is the same value without the bits that Dst does not have; a 32-bit Dst
   datum is the unchanged 32 bits of L1. Nothing rounds: conversions truncate. FP32 to BF16 flushes denormals to zero
   with their sign; FP32 to FP16 clamps to the largest magnitude. Sources: ISA documentation UNPACR_Regular.md
   (FormatConversion), Unpackers/FormatConversion.md, FloatBitPatterns.md; ttsim for FP32 to FP16 and both kinds of
   FP8. */
#ifndef BHEMU_TENSIX_NUM_FORMATS_UNPACK_H
#define BHEMU_TENSIX_NUM_FORMATS_UNPACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tensix/num/formats.h"

enum unpack_conversion {
    UNPACK_RAW32, /* FP32, TF32 and INT32 into 32-bit Dst */
    UNPACK_FP32_TO_TF32,
    UNPACK_FP32_TO_BF16,
    UNPACK_FP32_TO_FP16,
    UNPACK_BF16,
    UNPACK_FP16,
    UNPACK_INT16, /* opaque 16 bits */
    UNPACK_FP8_E5M2,
    UNPACK_FP8_E4M3,
    UNPACK_INT8, /* sign and magnitude */
    UNPACK_UINT8,
    UNPACK_BFP,  /* eight exponent bits: to BF16 */
    UNPACK_BFPA, /* five exponent bits: to FP16 */
};

/* The conversion from L1 format `in` under the configured register format `out`. *defined: the documentation or the
   vendor's kernels define the pair; otherwise it is the most plausible conversion. */
enum unpack_conversion unpack_conversion(enum data_format in, enum data_format out, bool to_dst, bool fp8_e4m3,
                                         bool int8_unsigned, bool *defined);

/* Datums in L1, with shared exponents if their format is a block format. */
struct unpack_source {
    const uint8_t *datums;
    unsigned datum_phase;     /* number of the datum within its byte; 0 except for formats below eight bits */
    unsigned datum_bits;      /* 32, 16, 8, 4, 2 */
    const uint8_t *exponents; /* one for each 16 datums */
    unsigned exponent_phase;  /* 0..15: number of the datum within the first exponent's group */
    bool exponent_forced;     /* the first exponent applies to all datums */
};

/* Converts `count` datums, count <= UNPACK_CONVERT_MAX, to Src datums (UNPACK_RAW32: to the 32 bits). Returns false if
   a value is unpredictable: an exponent of UNPACK_BFPA exceeds its five bits. */
enum { UNPACK_CONVERT_MAX = 1024 };
bool unpack_convert(enum unpack_conversion conversion, const struct unpack_source *source, uint32_t *src,
                    unsigned count);

/* The same for `rows` rows of `width` datums, `stride` bytes apart in L1, whose Src datums are contiguous. false:
   nothing happened, since the conversion is not one to Src of datums with one or more bytes each and no shared
   exponent. */
bool unpack_convert_rows(enum unpack_conversion conversion, const uint8_t *datums, size_t stride, uint32_t *src,
                         unsigned width, unsigned rows);

/* Converts Src datums to a row of 16-bit Dst, and 32-bit datums to the two rows of 32-bit Dst; count <= 16. */
void unpack_src_to_dst16(enum unpack_conversion conversion, const uint32_t *src, uint16_t *cells, unsigned count);
void unpack_raw_to_dst32(const uint32_t *values, uint16_t *high_cells, uint16_t *low_cells, unsigned count);

/* A Src datum with the fields of FP16: sign, five exponent bits, ten mantissa bits. */
static inline uint32_t src_from_fp16(uint32_t fp16)
{
    return (fp16 & 0x8000) << 16 | (fp16 & 0x7fff) << 13;
}

static inline uint16_t src_to_fp16(uint32_t src)
{
    return (uint16_t)((src >> 16 & 0x8000) | (src >> 13 & 0x7fff));
}

/* 16 opaque bits: they have hardware's order in Src, sign, mantissa, exponent. */
static inline uint32_t src_from_int16(uint32_t bits)
{
    return (bits & 0x8000) << 16 | (bits & 0xff) << 23 | (bits & 0x7f00) << 8;
}

static inline uint16_t src_to_int16(uint32_t src)
{
    return (uint16_t)((src >> 16 & 0x8000) | (src >> 8 & 0x7f00) | (src >> 23 & 0xff));
}

#endif
