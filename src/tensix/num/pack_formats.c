#include "tensix/num/pack_formats.h"

#include <string.h>

#include "tensix/num/clones.h"

enum { INFINITY_32 = 0x7f800000, MAGNITUDE_32 = 0x7fffffff, SMALLEST_NORMAL_32 = 0x00800000 };
enum { NARROW_SIGN = 0x8000, NARROW_MAGNITUDE = 0x7fff, NARROW_SMALLEST_NORMAL = 0x400, REBIAS = 127 - 15 };

#define SIGN_32 UINT32_C(0x80000000)
#define INLINE __attribute__((always_inline)) static inline

static uint32_t load(const uint8_t *bytes, unsigned size)
{
    uint32_t value = 0;
    memcpy(&value, bytes, size);
    return value;
}

unsigned pack_l1_datum_bytes(enum data_format format)
{
    return (format & 3) == 0 ? 4 : (format & 3) == 1 ? 2 : 1;
}

void pack_read_l1(const uint8_t *bytes, enum data_format format, unsigned count, uint32_t *datums)
{
    unsigned size = pack_l1_datum_bytes(format);
    for (unsigned i = 0; i < count; i++) {
        uint32_t datum = load(bytes + (size_t)i * size, size);
        switch (format) {
        case FORMAT_BF16: datums[i] = datum << 16; break;
        case FORMAT_BFP8: datums[i] = (datum & 0x80) << 24 | (datum & 0x7f) << 16; break;
        case FORMAT_BFP8A: datums[i] = (datum & 0x80) << 8 | (datum & 0x7f) << 3; break;
        case FORMAT_FP8: datums[i] = datum << 8; break;
        default: datums[i] = datum; break;
        }
    }
}

uint32_t pack_exponent_mask(const struct pack_conversion *conversion)
{
    bool as_fp32 = conversion->kind == PACK_WIDE || conversion->early == PACK_EARLY_32B;
    return as_fp32 ? 0x7f800000 : conversion->kind == PACK_NARROW ? 0x7c00 : 0xff;
}

/* ---- one datum, without branches, so that the compiler makes vector code of loops over rows ---- */

INLINE uint32_t smaller(uint32_t x, uint32_t y)
{
    return x < y ? x : y;
}

/* dst_to_hardware() and dst_to_fp16(). */
INLINE uint32_t to_hardware(uint32_t cell)
{
    return (cell & 0x8000) | (cell & 0x7f) << 8 | (cell >> 7 & 0xff);
}

INLINE uint32_t to_fp16(uint32_t cell)
{
    return (cell & 0x8000) | (cell << 3 & 0x7ff8) | (cell >> 12 & 7);
}

/* Flushing also loses the sign: minus zero becomes plus zero (FormatConversion.md, "Rounding"). */
INLINE uint32_t flush_wide(uint32_t datum)
{
    return (datum & MAGNITUDE_32) < SMALLEST_NORMAL_32 ? 0 : datum;
}

INLINE uint32_t nan_to_infinity(uint32_t datum)
{
    return (datum & SIGN_32) | smaller(datum & MAGNITUDE_32, INFINITY_32);
}

INLINE uint32_t flush_narrow(uint32_t datum)
{
    return (datum & NARROW_MAGNITUDE) < NARROW_SMALLEST_NORMAL ? 0 : datum;
}

/* Removes `dropped` low bits of the mantissa, rounded to nearest, ties away from zero; then flushes: a denormal may
   round up to the smallest normal number. */
INLINE uint32_t round_wide(uint32_t datum, unsigned dropped)
{
    uint32_t low = (UINT32_C(1) << dropped) - 1;
    return flush_wide((nan_to_infinity(datum) + ((low + 1) >> 1)) & ~low);
}

INLINE uint32_t flush_bf16(uint32_t datum)
{
    return flush_wide(nan_to_infinity(datum));
}

/* Here denormals go before rounding. */
INLINE uint32_t round_bf16_to_e8m6(uint32_t datum)
{
    return (flush_bf16(datum) + 0x10000) & 0xfffe0000;
}

/* There is no infinity: numbers that would round beyond the largest one become the largest one. */
INLINE uint32_t round_fp16_to_e5m6(uint32_t datum)
{
    uint32_t limited = (datum & NARROW_MAGNITUDE) > 0x7ff7 ? (datum & NARROW_SIGN) | 0x7ff0 : datum;
    return flush_narrow((limited + 8) & 0xfff0);
}

/* Exponent 0 of the result is not flushed: 2^-15 < |x| < 2^-14 is the range that the documentation calls mishandled. */
INLINE uint32_t narrow(uint32_t datum)
{
    uint32_t sign = datum >> 16 & NARROW_SIGN;
    int32_t exponent = (int32_t)(datum >> 23 & 0xff) - REBIAS;
    uint32_t magnitude = (uint32_t)exponent << 10 | (datum >> 13 & 0x3ff);
    magnitude = exponent < 0 ? 0 : magnitude;
    return sign | smaller(magnitude, NARROW_MAGNITUDE); /* larger exponents exceed it */
}

/* INT32 is sign and magnitude. The bits that a shift drops round the result, ties away from zero. */
INLINE uint32_t shift_magnitude(uint32_t datum, unsigned shift)
{
    uint32_t magnitude = datum & MAGNITUDE_32;
    return shift ? (magnitude >> shift) + (magnitude >> (shift - 1) & 1) : magnitude;
}

INLINE uint32_t int32_to_int8(uint32_t datum, unsigned shift)
{
    uint32_t magnitude = shift_magnitude(datum, shift);
    return (datum & SIGN_32) >> 24 | smaller(magnitude, 127);
}

INLINE uint32_t int32_to_uint8(uint32_t datum, unsigned shift)
{
    uint32_t magnitude = shift_magnitude(datum, shift);
    magnitude = smaller(magnitude, 255);
    return (datum & SIGN_32) != 0 ? 0 : magnitude;
}

/* Denormals are mishandled, as the documentation says: the mantissa is widened, and the exponent stays zero. */
INLINE uint32_t widen(uint32_t datum)
{
    uint32_t rebias = ((datum & 0x7c00) == 0 ? 0 : ((uint32_t)REBIAS << 10));
    return (datum & NARROW_SIGN) << 16 | ((datum & NARROW_MAGNITUDE) + rebias) << 13;
}

INLINE uint32_t truncate_to_bf16(uint32_t datum)
{
    return flush_wide(datum) >> 16;
}

INLINE uint32_t narrow_to_bf16(uint32_t datum)
{
    uint32_t normal = (datum & NARROW_SIGN) | (((datum & NARROW_MAGNITUDE) + (REBIAS << 10)) >> 3);
    return (datum & 0x7c00) == 0 ? 0 : normal;
}

INLINE uint32_t narrow_to_e5m2(uint32_t datum)
{
    return ((datum & 0x7c00) != 0 ? datum : datum & NARROW_SIGN) >> 8;
}

/* Exponents 9 to 23 become 1 to 15; smaller ones give zero with its sign, larger ones the largest magnitude. */
INLINE uint32_t narrow_to_e4m3(uint32_t datum)
{
    uint32_t exponent = datum >> 10 & 31;
    uint32_t magnitude = ((datum & NARROW_MAGNITUDE) - (8 << 10)) >> 7;
    magnitude = (exponent <= 8 ? 0 : magnitude);
    return (datum & NARROW_SIGN) >> 8 | (exponent >= 24 ? 0x7f : magnitude);
}

/* Seven bits of mantissa below the exponent, where BF16 has its mantissa. */
INLINE uint32_t narrow_to_e5m7(uint32_t datum)
{
    return (datum & 0x7c00) == 0 ? 0 : (datum & NARROW_SIGN) | (datum & NARROW_MAGNITUDE) >> 3;
}

/* Without comparison if the threshold is negative, since negative data are zero already. */
INLINE uint32_t relu_zero(uint32_t datum, uint32_t sign)
{
    return (datum & sign) != 0 ? 0 : datum;
}

INLINE uint32_t relu_min(uint32_t datum, uint32_t sign, uint32_t threshold)
{
    return datum <= threshold ? 0 : relu_zero(datum, sign);
}

/* Hardware compares only the bits of TF32: a datum that exceeds the threshold only in lower bits is not changed. */
INLINE uint32_t relu_max_wide(uint32_t datum, uint32_t threshold)
{
    uint32_t limited = datum >> 13 > threshold >> 13 ? threshold : datum;
    return (datum & SIGN_32) != 0 ? 0 : limited;
}

INLINE uint32_t relu_max_narrow(uint32_t datum, uint32_t threshold)
{
    uint32_t limited = smaller(datum, threshold);
    return (datum & NARROW_SIGN) != 0 ? 0 : limited;
}

/* ---- rows ---- */

#define EACH_DATUM(expression)                                                                                         \
    for (unsigned i = 0; i < count; i++) {                                                                             \
        AS_VECTOR                                                                                                      \
        for (unsigned column = 0; column < ROW_COLUMNS; column++) {                                                    \
            uint32_t datum = rows[i][column];                                                                          \
            rows[i][column] = (expression);                                                                            \
        }                                                                                                              \
    }

CLONES(void, pack_early_rows, (enum pack_early early, unsigned shift, pack_row *rows, unsigned count),
       (early, shift, rows, count))
{
    switch (early) {
    case PACK_EARLY_32B: return;
    case PACK_EARLY_32B_TO_TF32: EACH_DATUM(round_wide(datum, 13)); return;
    case PACK_EARLY_32B_TO_BF16: EACH_DATUM(round_wide(datum, 16)); return;
    case PACK_EARLY_32B_TO_BF16_TRUNCATED: EACH_DATUM(datum & 0xffff0000); return;
    /* Truncated to BF16, then rounded to six bits: a single rounding. */
    case PACK_EARLY_32B_TO_E8M6: EACH_DATUM(round_wide(datum, 17)); return;
    case PACK_EARLY_32B_TO_INT16: EACH_DATUM(to_hardware(datum >> 16)); return;
    case PACK_EARLY_32B_TO_INT8: EACH_DATUM(int32_to_int8(datum, shift)); return;
    case PACK_EARLY_32B_TO_UINT8: EACH_DATUM(int32_to_uint8(datum, shift)); return;
    case PACK_EARLY_32B_TO_INT8_LOW_BITS: EACH_DATUM((datum & SIGN_32) >> 24 | (datum & 0x7f)); return;
    case PACK_EARLY_32B_TO_UINT8_LOW_BITS: EACH_DATUM(datum & 0xff); return;
    case PACK_EARLY_BF16: EACH_DATUM(datum << 16); return;
    case PACK_EARLY_BF16_FLUSHED: EACH_DATUM(flush_bf16(datum << 16)); return;
    case PACK_EARLY_BF16_TO_E8M6: EACH_DATUM(round_bf16_to_e8m6(datum << 16)); return;
    case PACK_EARLY_BF16_TO_FP16: EACH_DATUM(narrow(datum << 16)); return;
    case PACK_EARLY_FP16: EACH_DATUM(to_fp16(datum)); return;
    case PACK_EARLY_FP16_FLUSHED: EACH_DATUM(flush_narrow(to_fp16(datum))); return;
    case PACK_EARLY_FP16_TO_E5M7: EACH_DATUM(to_fp16(datum) & 0xfff8u); return;
    case PACK_EARLY_FP16_TO_E5M6: EACH_DATUM(round_fp16_to_e5m6(to_fp16(datum))); return;
    case PACK_EARLY_FP16_TO_FP8: EACH_DATUM(to_fp16(datum) & 0xff00u); return;
    case PACK_EARLY_INT16: EACH_DATUM(to_hardware(datum)); return;
    case PACK_EARLY_16B_TO_INT8_SIGN: EACH_DATUM(datum >> 8 & 0x80); return;
    case PACK_EARLY_CONVERSIONS: return;
    }
}

CLONES(void, pack_late_rows, (enum pack_late late, pack_row *rows, unsigned count), (late, rows, count))
{
    switch (late) {
    case PACK_LATE_IDENTITY: return;
    case PACK_LATE_WIDE_TO_TF32: EACH_DATUM(datum & ~UINT32_C(0x1fff)); return;
    case PACK_LATE_WIDE_TO_BF16: EACH_DATUM(datum >> 16); return;
    case PACK_LATE_WIDE_TO_BF16_TRUNCATED: EACH_DATUM(truncate_to_bf16(datum)); return;
    case PACK_LATE_WIDE_TO_FP16: EACH_DATUM(narrow(datum)); return;
    case PACK_LATE_WIDE_TO_FP8_E5M2: EACH_DATUM(narrow(datum) >> 8); return;
    case PACK_LATE_WIDE_TO_FP8_E4M3: EACH_DATUM(narrow_to_e4m3(narrow(datum))); return;
    case PACK_LATE_WIDE_TO_E5M7: EACH_DATUM(narrow_to_e5m7(narrow(datum))); return;
    case PACK_LATE_NARROW_TO_FP32: EACH_DATUM(widen(datum)); return;
    case PACK_LATE_NARROW_TO_BF16: EACH_DATUM(narrow_to_bf16(datum)); return;
    case PACK_LATE_NARROW_TO_FP8_E5M2: EACH_DATUM(narrow_to_e5m2(datum)); return;
    case PACK_LATE_NARROW_TO_FP8_E4M3: EACH_DATUM(narrow_to_e4m3(datum)); return;
    case PACK_LATE_NARROW_TO_E5M7: EACH_DATUM(narrow_to_e5m7(datum)); return;
    case PACK_LATE_FP8: EACH_DATUM(datum >> 8); return;
    case PACK_LATE_E5M7: EACH_DATUM((datum & NARROW_SIGN) | (datum & NARROW_MAGNITUDE) >> 3); return;
    case PACK_LATE_CONVERSIONS: return;
    }
}

CLONES(void, pack_narrow_rows, (pack_row * rows, unsigned count), (rows, count))
{
    EACH_DATUM(narrow(datum));
}

CLONES(void, pack_relu_rows,
       (enum pack_relu relu, enum pack_kind kind, uint32_t threshold, uint32_t sign, pack_row *rows, unsigned count),
       (relu, kind, threshold, sign, rows, count))
{
    uint32_t negative = kind == PACK_WIDE ? SIGN_32 : kind == PACK_NARROW ? NARROW_SIGN : sign;
    if (relu == PACK_RELU_NONE) {
        return;
    }
    if (relu == PACK_RELU_ZERO || kind == PACK_INTEGER) {
        EACH_DATUM(relu_zero(datum, negative));
    } else if (relu == PACK_RELU_MIN_THRESHOLD) {
        EACH_DATUM(relu_min(datum, negative, threshold));
    } else if (kind == PACK_WIDE) {
        EACH_DATUM(relu_max_wide(datum, threshold));
    } else {
        EACH_DATUM(relu_max_narrow(datum, threshold));
    }
}

CLONES(uint32_t, pack_largest, (uint32_t mask, const pack_row *rows, unsigned count), (mask, rows, count))
{
    const uint32_t *data = rows[0];
    uint32_t largest = 0;
    for (size_t i = 0; i < (size_t)count * ROW_COLUMNS; i++) {
        largest = (data[i] & mask) > largest ? data[i] & mask : largest;
    }
    return largest;
}

CLONES(void, pack_exponent_threshold_rows, (enum pack_kind kind, uint32_t threshold, pack_row *rows, unsigned count),
       (kind, threshold, rows, count))
{
    if (kind == PACK_WIDE) {
        EACH_DATUM((datum >> 23 & 0xff) < threshold ? 0 : datum);
    } else if (kind == PACK_NARROW) {
        EACH_DATUM((datum >> 10 & 0x1f) < threshold ? 0 : datum);
    }
}

CLONES(void, pack_mask_rows, (const uint16_t *masks, uint32_t fill, pack_row *rows, unsigned count),
       (masks, fill, rows, count))
{
    EACH_DATUM((uint32_t)masks[i] >> column & 1 ? datum : fill);
}

CLONES(void, pack_lay_out, (unsigned bits, const uint32_t *restrict datums, unsigned count, uint8_t *restrict bytes),
       (bits, datums, count, bytes))
{
    if (bits == 32) {
        memcpy(bytes, datums, ((size_t)count + ROW_COLUMNS - 1) / ROW_COLUMNS * sizeof(pack_row));
        return;
    }
    for (size_t i = 0; i < count; i += ROW_COLUMNS) {
        if (bits == 16) {
            AS_VECTOR
            for (size_t column = 0; column < ROW_COLUMNS; column++) {
                uint16_t half = (uint16_t)datums[i + column];
                memcpy(bytes + 2 * (i + column), &half, sizeof half);
            }
        } else {
            AS_VECTOR
            for (size_t column = 0; column < ROW_COLUMNS; column++) {
                bytes[i + column] = (uint8_t)datums[i + column];
            }
        }
    }
}

uint32_t pack_convert_rows(const struct dst_register_file *dst, const struct pack_conversion *conversion,
                           const uint32_t *row, unsigned count, const uint16_t *masks, uint32_t fill, pack_row *rows)
{
    pack_read_rows(dst, conversion->read_32b, row, rows, count);
    pack_early_rows(conversion->early, conversion->shift, rows, count);
    if (masks) {
        pack_mask_rows(masks, fill, rows, count);
    }
    pack_relu_rows(conversion->relu, conversion->kind, conversion->relu_threshold, conversion->relu_sign, rows, count);
    uint32_t largest = pack_largest(pack_exponent_mask(conversion), (const pack_row *)rows, count);
    if (conversion->narrow) {
        pack_narrow_rows(rows, count);
    }
    if (conversion->exponent_threshold_enabled) {
        pack_exponent_threshold_rows(conversion->narrow ? PACK_NARROW : conversion->kind,
                                     conversion->exponent_threshold, rows, count);
    }
    pack_late_rows(conversion->late, rows, count);
    return largest;
}
