/* What unpackers do to a datum on its way from L1 into SrcA, SrcB or Dst.
   A datum of L1 becomes a Src datum, as tensix/num/registers.h keeps it; a 16-bit Dst datum is the same value with the
   bits that Dst does not have cut off; a 32-bit Dst datum is the 32 bits of L1 as they are. Nothing rounds: conversions
   truncate. FP32 to BF16 flushes denormals to zero with their sign; FP32 to FP16 clamps to the largest magnitude.
   Sources: ISA documentation UNPACR_Regular.md (FormatConversion), Unpackers/FormatConversion.md, FloatBitPatterns.md;
   ttsim for FP32 to FP16 and both kinds of FP8. */
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

/* The conversion from L1 format `in` under the configured register format `out`. *defined says whether the
   documentation or the vendor's kernels define the pair; where they do not, it is the most plausible conversion. */
enum unpack_conversion unpack_conversion(enum data_format in, enum data_format out, bool to_dst, bool fp8_e4m3,
                                         bool int8_unsigned, bool *defined);

/* Datums in L1, and the exponents that they share if their format is a block format. */
struct unpack_source {
    const uint8_t *datums;
    unsigned datum_phase;     /* datums of the first byte that come before; 0 but for formats below eight bits */
    unsigned datum_bits;      /* 32, 16, 8, 4, 2 */
    const uint8_t *exponents; /* one for each 16 datums */
    unsigned exponent_phase;  /* 0..15: datums of the first exponent that come before */
    bool exponent_forced;     /* the first exponent is that of all datums */
};

/* Converts `count` datums, count <= UNPACK_CONVERT_MAX, to Src datums (UNPACK_RAW32: to the 32 bits).
   Returns false when some value is not predictable: an exponent of UNPACK_BFPA leaves its five bits. */
enum { UNPACK_CONVERT_MAX = 1024 };
bool unpack_convert(enum unpack_conversion conversion, const struct unpack_source *source, uint32_t *src,
                    unsigned count);

/* The same for `rows` rows of `width` datums, `stride` bytes apart in L1, whose Src datums lie one behind the other.
   false: nothing happened, the conversion is none of datums that each take a byte or more for themselves to Src. */
bool unpack_convert_rows(enum unpack_conversion conversion, const uint8_t *datums, size_t stride, uint32_t *src,
                         unsigned width, unsigned rows);

/* Src datums as a row of 16-bit Dst keeps them, and 32-bit datums as the two rows of 32-bit Dst do; count <= 16. */
void unpack_src_to_dst16(enum unpack_conversion conversion, const uint32_t *src, uint16_t *cells, unsigned count);
void unpack_raw_to_dst32(const uint32_t *values, uint16_t *high_cells, uint16_t *low_cells, unsigned count);

/* A Src datum with the fields of FP16: sign, five exponent bits, ten mantissa bits. */
static inline uint32_t src_from_fp16(uint32_t fp16)
{
    return (fp16 & 0x8000) << 16 | (fp16 & 0x7fff) << 13;
}

#endif
