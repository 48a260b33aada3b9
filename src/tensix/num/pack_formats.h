/* The packer's conversions of data between Dst and L1, one row of 16 datums at a time.

   Between the two format conversions a datum has 32 bits, in one of three forms:
     wide     eight exponent bits (FP32, TF32, BF16, E8M6): as FP32 in memory, with zeroes below its mantissa
     narrow   five exponent bits (FP16, E5M7, E5M6, FP8): as FP16 in memory, in the low half, zeroes below its mantissa
     integer  INT32, INT16, INT8, UINT8: as in L1

   Functions are specified for one datum; the row functions apply them to 16 at a time, without branches, so that the
   compiler can vectorise them.

   Source: ISA documentation Packers/FormatConversion.md, ReLU.md, FloatBitPatterns.md; ttsim where they are silent. */
#ifndef BHEMU_TENSIX_NUM_PACK_FORMATS_H
#define BHEMU_TENSIX_NUM_PACK_FORMATS_H

#include <stdbool.h>
#include <stdint.h>

#include "tensix/num/formats.h"
#include "tensix/num/registers.h"

typedef uint32_t pack_row[ROW_COLUMNS];

enum pack_kind { PACK_WIDE, PACK_NARROW, PACK_INTEGER };

/* The early conversion, of a datum in Dst's layout (16 bits in the low half, or 32 bits). */
enum pack_early {
    PACK_EARLY_32B,         /* FP32 or INT32, unchanged */
    PACK_EARLY_32B_TO_TF32, /* rounded */
    PACK_EARLY_32B_TO_BF16, /* rounded */
    PACK_EARLY_32B_TO_BF16_TRUNCATED,
    PACK_EARLY_32B_TO_E8M6,  /* rounded */
    PACK_EARLY_32B_TO_INT16, /* the high half, unchanged */
    PACK_EARLY_32B_TO_INT8,
    PACK_EARLY_32B_TO_UINT8,
    PACK_EARLY_32B_TO_INT8_LOW_BITS,
    PACK_EARLY_32B_TO_UINT8_LOW_BITS,
    PACK_EARLY_BF16, /* unchanged */
    PACK_EARLY_BF16_FLUSHED,
    PACK_EARLY_BF16_TO_E8M6, /* rounded */
    PACK_EARLY_BF16_TO_FP16,
    PACK_EARLY_FP16, /* unchanged */
    PACK_EARLY_FP16_FLUSHED,
    PACK_EARLY_FP16_TO_E5M7, /* truncated */
    PACK_EARLY_FP16_TO_E5M6, /* rounded */
    PACK_EARLY_FP16_TO_FP8,  /* truncated to e5m2 */
    PACK_EARLY_INT16,
    PACK_EARLY_16B_TO_INT8_SIGN,
    PACK_EARLY_CONVERSIONS
};

/* The late conversion. For BFP formats it prepares groups: sign in bit 15, exponent from bit 7 on, 7 bits of
   mantissa. */
enum pack_late {
    PACK_LATE_IDENTITY,
    PACK_LATE_WIDE_TO_TF32,
    PACK_LATE_WIDE_TO_BF16,           /* for data with at most seven bits of mantissa */
    PACK_LATE_WIDE_TO_BF16_TRUNCATED, /* from more: denormals become zero */
    PACK_LATE_WIDE_TO_FP16,
    PACK_LATE_WIDE_TO_FP8_E5M2,
    PACK_LATE_WIDE_TO_FP8_E4M3,
    PACK_LATE_WIDE_TO_E5M7,
    PACK_LATE_NARROW_TO_FP32,
    PACK_LATE_NARROW_TO_BF16,
    PACK_LATE_NARROW_TO_FP8_E5M2, /* for data with more than two bits of mantissa: denormals become zero */
    PACK_LATE_NARROW_TO_FP8_E4M3,
    PACK_LATE_NARROW_TO_E5M7, /* for data with more than seven bits of mantissa: denormals become zero */
    PACK_LATE_FP8,            /* the datum has no more than e5m2's bits */
    PACK_LATE_E5M7,           /* the datum has no more than e5m7's bits */
    PACK_LATE_CONVERSIONS
};

enum pack_relu { PACK_RELU_NONE, PACK_RELU_ZERO, PACK_RELU_MIN_THRESHOLD, PACK_RELU_MAX_THRESHOLD };

enum pack_accumulation {
    PACK_OVERWRITE,
    PACK_ACCUMULATE_FP32,
    PACK_ACCUMULATE_FP16,
    PACK_ACCUMULATE_BF16,
    PACK_ACCUMULATE_INT32
};

/* All conversions of a datum that the configuration asks for: see units/pack/convert.h. */
struct pack_conversion {
    bool read_32b;
    enum pack_early early;
    unsigned shift;      /* of INT32 to INT8 */
    bool shift_by_plane; /* INT_DESCALE_Mode 1: each plane of a tile has its own shift: pack_shift_of_plane() */
    enum pack_kind kind; /* of the early conversion's result */
    enum pack_relu relu;
    uint32_t relu_threshold, relu_sign;
    bool narrow; /* the early conversion gives wide data, the packer takes narrow ones: the gasket converts */
    bool exponent_threshold_enabled;
    uint32_t exponent_threshold;
    enum data_format in; /* input of the late conversion */
    enum pack_late late;
    enum data_format out;
    bool bfp;
    bool apart;                    /* Dis_shared_exp_assembler: mantissas are aligned to their own exponents */
    bool random_early, random_bfp; /* random rounding in the early conversion; of block floats */
    unsigned bits;                 /* of a datum in L1 */
    enum pack_accumulation accumulation;
    bool compress;           /* leave out zeroes */
    bool zero_flags;         /* flag compressed rows that are all zero */
    uint32_t minus_infinity; /* in the form of the early conversion's result */
};

/* Reads rows of Dst: 16-bit cells, or 32-bit data of two. */
void pack_read_rows(const struct dst_register_file *dst, bool read_32b, const uint32_t *row, pack_row *rows,
                    unsigned count);

/* Reads data of L1 instead of Dst, in the form of an early conversion's result. Data of a block format have signs and
   mantissas, and an exponent of zero. */
unsigned pack_l1_datum_bytes(enum data_format format);
void pack_read_l1(const uint8_t *bytes, enum data_format format, unsigned count, uint32_t *datums);

void pack_early_rows(enum pack_early early, unsigned shift, pack_row *rows, unsigned count);
void pack_late_rows(enum pack_late late, pack_row *rows, unsigned count);

/* Wide to narrow data: the exponent saturates, the mantissa is truncated to ten bits. */
void pack_narrow_rows(pack_row *rows, unsigned count);

/* `threshold` has the kind of the datums. `sign`: the bit that makes an integer negative; 0: integers are unsigned. */
void pack_relu_rows(enum pack_relu relu, enum pack_kind kind, uint32_t threshold, uint32_t sign, pack_row *rows,
                    unsigned count);

/* The largest value of the bits that `mask` selects. */
uint32_t pack_largest(uint32_t mask, const pack_row *rows, unsigned count);

/* Zeroes data whose exponent is below `threshold`. */
void pack_exponent_threshold_rows(enum pack_kind kind, uint32_t threshold, pack_row *rows, unsigned count);

/* Sets the masked columns of each row, those not in `masks`, to `fill`. */
void pack_mask_rows(const uint16_t *masks, uint32_t fill, pack_row *rows, unsigned count);

/* All of the above in order for `count` rows of Dst, except random rounding, compression, and shifts by planes.
   `masks`: the unmasked columns of each row, or NULL for all; others become `fill`. Returns the largest exponent after
   ReLU, in its bit position for wide or narrow datums. */
uint32_t pack_convert_rows(const struct dst_register_file *dst, const struct pack_conversion *conversion,
                           const uint32_t *row, unsigned count, const uint16_t *masks, uint32_t fill, pack_row *rows);

/* The exponent's bits in a datum, for the statistics. */
uint32_t pack_exponent_mask(const struct pack_conversion *conversion);

/* Writes data of 32, 16 or 8 bits contiguously. Reads and writes whole rows of 16: both buffers have room for them. */
void pack_lay_out(unsigned bits, const uint32_t *datums, unsigned count, uint8_t *bytes);

/* Makes a BFP group of 16 results of the late conversion: writes 16 * bits / 8 bytes (bits: 8, 4 or 2) and returns the
   shared exponent. */
uint8_t pack_bfp_group(const uint32_t datums[16], unsigned bits, uint8_t *bytes);

/* The same for `count` rows, contiguously. */
void pack_bfp_groups(const pack_row *rows, unsigned count, unsigned bits, uint8_t *bytes, uint8_t *exponents);

#endif
