#include "tensix/num/pack_formats.h"

#include <string.h>

#include "tensix/num/clones.h"

enum { INFINITY_32 = 0x7f800000, MAGNITUDE_32 = 0x7fffffff, SMALLEST_NORMAL_32 = 0x00800000 };
enum { NARROW_SIGN = 0x8000, NARROW_MAGNITUDE = 0x7fff, NARROW_SMALLEST_NORMAL = 0x400 };
enum { REBIAS = 127 - 15 };

#define SIGN_32 UINT32_C(0x80000000)

/* Flushing loses the sign too: minus zero becomes plus zero (FormatConversion.md, "Rounding"). */
static inline uint32_t flush_wide(uint32_t datum)
{
    return (datum & MAGNITUDE_32) < SMALLEST_NORMAL_32 ? 0 : datum;
}

static inline uint32_t nan_to_infinity(uint32_t datum)
{
    return (datum & MAGNITUDE_32) > INFINITY_32 ? (datum & SIGN_32) | INFINITY_32 : datum;
}

static inline uint32_t flush_narrow(uint32_t datum)
{
    return (datum & NARROW_MAGNITUDE) < NARROW_SMALLEST_NORMAL ? 0 : datum;
}

/* Rounds to nearest, ties away from zero, so that `dropped` low bits of the mantissa go; then flushes: a denormal may
   round up to the smallest normal number. */
static inline uint32_t round_wide(uint32_t datum, unsigned dropped)
{
    uint32_t low = (UINT32_C(1) << dropped) - 1;
    return flush_wide((nan_to_infinity(datum) + ((low + 1) >> 1)) & ~low);
}

static inline uint32_t flush_bf16(uint32_t datum)
{
    return flush_wide(nan_to_infinity(datum));
}

/* Here denormals go before rounding. */
static inline uint32_t round_bf16_to_e8m6(uint32_t datum)
{
    return (flush_bf16(datum) + 0x10000) & 0xfffe0000;
}

/* There is no infinity: what would round beyond the largest number is that number. */
static inline uint32_t round_fp16_to_e5m6(uint32_t datum)
{
    uint32_t limited = (datum & NARROW_MAGNITUDE) > 0x7ff7 ? (datum & NARROW_SIGN) | 0x7ff0 : datum;
    return flush_narrow((limited + 8) & 0xfff0);
}

/* Exponent 0 of the result is not flushed: 2^-15 < |x| < 2^-14 is what the documentation calls mishandled. */
static inline uint32_t narrow(uint32_t datum)
{
    uint32_t sign = datum >> 16 & NARROW_SIGN;
    int32_t exponent = (int32_t)(datum >> 23 & 0xff) - REBIAS;
    uint32_t magnitude = (uint32_t)exponent << 10 | (datum >> 13 & 0x3ff);
    magnitude = exponent < 0 ? 0 : magnitude;
    magnitude = exponent > 31 ? NARROW_MAGNITUDE : magnitude;
    return sign | magnitude;
}

/* INT32 is sign and magnitude. The bits that a shift drops round the rest, ties away from zero. */
static inline uint32_t shift_magnitude(uint32_t datum, unsigned shift)
{
    uint32_t magnitude = datum & MAGNITUDE_32;
    return (magnitude >> shift) + (shift ? magnitude >> (shift - 1) & 1 : 0);
}

static inline uint32_t int32_to_int8(uint32_t datum, unsigned shift)
{
    uint32_t magnitude = shift_magnitude(datum, shift);
    return (datum & SIGN_32) >> 24 | (magnitude > 127 ? 127 : magnitude);
}

static inline uint32_t int32_to_uint8(uint32_t datum, unsigned shift)
{
    uint32_t magnitude = shift_magnitude(datum, shift);
    magnitude = magnitude > 255 ? 255 : magnitude;
    return datum & SIGN_32 ? 0 : magnitude;
}

static inline void widen_row(const uint16_t *restrict cells, uint32_t *restrict row)
{
    AS_VECTOR
    for (unsigned column = 0; column < ROW_COLUMNS; column++) {
        row[column] = cells[column];
    }
}

static inline void join_row(const uint16_t *restrict high, const uint16_t *restrict low, uint32_t *restrict row)
{
    uint16_t bits[ROW_COLUMNS];
    AS_VECTOR
    for (unsigned column = 0; column < ROW_COLUMNS; column++) {
        bits[column] = dst_to_hardware(low[column]);
    }
    AS_VECTOR
    for (unsigned column = 0; column < ROW_COLUMNS; column++) {
        row[column] = (uint32_t)high[column] << 16 | bits[column];
    }
}

CLONES(void, pack_read_rows,
       (const struct dst_register_file *dst, bool read_32b, const uint32_t *row, pack_row *rows, unsigned count),
       (dst, read_32b, row, rows, count))
{
    for (unsigned i = 0; i < count; i++) {
        uint32_t high = dst_place(dst, read_32b, row[i]);
        if (!dst->valid[high]) {
            memset(rows[i], 0, sizeof rows[i]);
        } else if (read_32b) {
            join_row(dst->rows[high], dst->rows[high + DST_LOW_HALF], rows[i]);
        } else {
            widen_row(dst->rows[high], rows[i]);
        }
    }
}

CLONES(uint32_t, pack_largest, (uint32_t mask, const pack_row *rows, unsigned count), (mask, rows, count))
{
    const uint32_t *data = (const uint32_t *)rows; /* one row behind the other */
    uint32_t largest = 0;
    for (unsigned i = 0; i < count * ROW_COLUMNS; i++) {
        uint32_t field = data[i] & mask;
        largest = field > largest ? field : largest;
    }
    return largest;
}

#define EACH_DATUM(expression)                                                                                         \
    for (unsigned row = 0; row < count; row++) {                                                                       \
        for (unsigned column = 0; column < ROW_COLUMNS; column++) {                                                    \
            uint32_t datum = rows[row][column];                                                                        \
            rows[row][column] = (expression);                                                                          \
        }                                                                                                              \
    }                                                                                                                  \
    return

CLONES(void, pack_early_rows, (enum pack_early early, unsigned shift, pack_row *rows, unsigned count),
       (early, shift, rows, count))
{
    switch (early) {
    case PACK_EARLY_32B: return;
    case PACK_EARLY_32B_TO_TF32: EACH_DATUM(round_wide(datum, 13));
    case PACK_EARLY_32B_TO_BF16: EACH_DATUM(round_wide(datum, 16));
    case PACK_EARLY_32B_TO_BF16_TRUNCATED: EACH_DATUM(datum & 0xffff0000);
    /* To BF16 by truncation, and from there to six bits: one rounding in all. */
    case PACK_EARLY_32B_TO_E8M6: EACH_DATUM(round_wide(datum, 17));
    case PACK_EARLY_32B_TO_INT16: EACH_DATUM(dst_to_hardware((uint16_t)(datum >> 16)));
    case PACK_EARLY_32B_TO_INT8: EACH_DATUM(int32_to_int8(datum, shift));
    case PACK_EARLY_32B_TO_UINT8: EACH_DATUM(int32_to_uint8(datum, shift));
    case PACK_EARLY_32B_TO_INT8_LOW_BITS: EACH_DATUM((datum & SIGN_32) >> 24 | (datum & 0x7f));
    case PACK_EARLY_32B_TO_UINT8_LOW_BITS: EACH_DATUM(datum & 0xff);
    case PACK_EARLY_BF16: EACH_DATUM(datum << 16);
    case PACK_EARLY_BF16_FLUSHED: EACH_DATUM(flush_bf16(datum << 16));
    case PACK_EARLY_BF16_TO_E8M6: EACH_DATUM(round_bf16_to_e8m6(datum << 16));
    case PACK_EARLY_BF16_TO_FP16: EACH_DATUM(narrow(datum << 16));
    case PACK_EARLY_FP16: EACH_DATUM(dst_to_fp16((uint16_t)datum));
    case PACK_EARLY_FP16_FLUSHED: EACH_DATUM(flush_narrow(dst_to_fp16((uint16_t)datum)));
    case PACK_EARLY_FP16_TO_E5M7: EACH_DATUM(dst_to_fp16((uint16_t)datum) & 0xfff8u);
    case PACK_EARLY_FP16_TO_E5M6: EACH_DATUM(round_fp16_to_e5m6(dst_to_fp16((uint16_t)datum)));
    case PACK_EARLY_FP16_TO_FP8: EACH_DATUM(dst_to_fp16((uint16_t)datum) & 0xff00u);
    case PACK_EARLY_INT16: EACH_DATUM(dst_to_hardware((uint16_t)datum));
    case PACK_EARLY_16B_TO_INT8_SIGN: EACH_DATUM(datum >> 8 & 0x80);
    case PACK_EARLY_CONVERSIONS: return;
    }
}

/* Denormals are mishandled, as the documentation says: their mantissa is widened, their exponent stays zero. */
static inline uint32_t widen(uint32_t datum)
{
    uint32_t rebias = datum & 0x7c00 ? (uint32_t)REBIAS << 10 : 0;
    return (datum & NARROW_SIGN) << 16 | ((datum & NARROW_MAGNITUDE) + rebias) << 13;
}

static inline uint32_t truncate_to_bf16(uint32_t datum)
{
    return flush_wide(datum) >> 16;
}

static inline uint32_t narrow_to_bf16(uint32_t datum)
{
    uint32_t normal = (datum & NARROW_SIGN) | (((datum & NARROW_MAGNITUDE) + (REBIAS << 10)) >> 3);
    return datum & 0x7c00 ? normal : 0;
}

static inline uint32_t narrow_to_e5m2(uint32_t datum)
{
    return (datum & 0x7c00 ? datum : datum & NARROW_SIGN) >> 8;
}

/* Exponents 9 to 23 become 1 to 15; below is zero with its sign, above is the largest magnitude. */
static inline uint32_t narrow_to_e4m3(uint32_t datum)
{
    uint32_t exponent = datum >> 10 & 31;
    uint32_t magnitude = ((datum & NARROW_MAGNITUDE) - (8 << 10)) >> 7;
    magnitude = exponent <= 8 ? 0 : magnitude;
    magnitude = exponent >= 24 ? 0x7f : magnitude;
    return (datum & NARROW_SIGN) >> 8 | magnitude;
}

/* Seven bits of mantissa below the exponent, where BF16 has its. */
static inline uint32_t narrow_to_e5m7(uint32_t datum)
{
    return datum & 0x7c00 ? (datum & NARROW_SIGN) | (datum & NARROW_MAGNITUDE) >> 3 : 0;
}

CLONES(void, pack_late_rows, (enum pack_late late, pack_row *rows, unsigned count), (late, rows, count))
{
    switch (late) {
    case PACK_LATE_IDENTITY: return;
    case PACK_LATE_WIDE_TO_TF32: EACH_DATUM(datum & ~UINT32_C(0x1fff));
    case PACK_LATE_WIDE_TO_BF16: EACH_DATUM(datum >> 16);
    case PACK_LATE_WIDE_TO_BF16_TRUNCATED: EACH_DATUM(truncate_to_bf16(datum));
    case PACK_LATE_WIDE_TO_FP16: EACH_DATUM(narrow(datum));
    case PACK_LATE_WIDE_TO_FP8_E5M2: EACH_DATUM(narrow(datum) >> 8);
    case PACK_LATE_WIDE_TO_FP8_E4M3: EACH_DATUM(narrow_to_e4m3(narrow(datum)));
    case PACK_LATE_WIDE_TO_E5M7: EACH_DATUM(narrow_to_e5m7(narrow(datum)));
    case PACK_LATE_NARROW_TO_FP32: EACH_DATUM(widen(datum));
    case PACK_LATE_NARROW_TO_BF16: EACH_DATUM(narrow_to_bf16(datum));
    case PACK_LATE_NARROW_TO_FP8_E5M2: EACH_DATUM(narrow_to_e5m2(datum));
    case PACK_LATE_NARROW_TO_FP8_E4M3: EACH_DATUM(narrow_to_e4m3(datum));
    case PACK_LATE_NARROW_TO_E5M7: EACH_DATUM(narrow_to_e5m7(datum));
    case PACK_LATE_FP8: EACH_DATUM(datum >> 8);
    case PACK_LATE_E5M7: EACH_DATUM((datum & NARROW_SIGN) | (datum & NARROW_MAGNITUDE) >> 3);
    case PACK_LATE_CONVERSIONS: return;
    }
}

CLONES(void, pack_narrow_rows, (pack_row * rows, unsigned count), (rows, count))
{
    EACH_DATUM(narrow(datum));
}

static uint32_t load(const uint8_t *bytes, unsigned size)
{
    uint32_t value = 0;
    memcpy(&value, bytes, size);
    return value;
}

void pack_read_l1(const uint8_t *bytes, enum data_format format, unsigned count, uint32_t *datums)
{
    unsigned size = (format & 3) == 0 ? 4 : (format & 3) == 1 ? 2 : 1;
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

/* A negative threshold is not compared with: what is negative is zero before. */
static inline uint32_t relu_min(uint32_t datum, uint32_t sign, uint32_t threshold)
{
    return datum & sign || datum <= threshold ? 0 : datum;
}

/* Hardware compares no more bits than TF32 has: a datum that differs from the threshold below them stays. */
static inline uint32_t relu_max_wide(uint32_t datum, uint32_t threshold)
{
    uint32_t limited = datum >> 13 > threshold >> 13 ? threshold : datum;
    return datum & SIGN_32 ? 0 : limited;
}

static inline uint32_t relu_max_narrow(uint32_t datum, uint32_t threshold)
{
    uint32_t limited = datum > threshold ? threshold : datum;
    return datum & NARROW_SIGN ? 0 : limited;
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
        EACH_DATUM(datum & negative ? 0 : datum);
    }
    if (relu == PACK_RELU_MIN_THRESHOLD) {
        EACH_DATUM(relu_min(datum, negative, threshold));
    }
    if (kind == PACK_WIDE) {
        EACH_DATUM(relu_max_wide(datum, threshold));
    }
    EACH_DATUM(relu_max_narrow(datum, threshold));
}

CLONES(void, pack_exponent_threshold_rows, (enum pack_kind kind, uint32_t threshold, pack_row *rows, unsigned count),
       (kind, threshold, rows, count))
{
    if (kind == PACK_WIDE) {
        EACH_DATUM((datum >> 23 & 0xff) < threshold ? 0 : datum);
    }
    if (kind == PACK_NARROW) {
        EACH_DATUM((datum >> 10 & 0x1f) < threshold ? 0 : datum);
    }
}

/* The magnitude of one datum of a group: its mantissa with the hidden bit, aligned to the shared exponent, rounded to
   seven bits, ties away from zero, and no larger than seven bits hold; then truncated to what the format has. */
static inline uint32_t bfp_magnitude(uint32_t datum, uint32_t shared, unsigned bits)
{
    uint32_t exponent = datum >> 7 & 0xff;
    uint32_t mantissa = (datum & 0x7f) | (exponent ? 0x80 : 0);
    uint32_t shift = shared - exponent;
    shift = shift > 8 ? 8 : shift; /* 8 and more: nothing is left, not even by rounding */
    uint32_t magnitude = ((mantissa >> shift) + 1) >> 1;
    magnitude = magnitude > 127 ? 127 : magnitude;
    return magnitude >> (8 - bits);
}

CLONES(uint8_t, pack_bfp_group, (const uint32_t datums[16], unsigned bits, uint8_t *bytes), (datums, bits, bytes))
{
    uint32_t shared = 0;
    for (unsigned i = 0; i < 16; i++) {
        uint32_t exponent = datums[i] >> 7 & 0xff;
        shared = exponent > shared ? exponent : shared;
    }
    uint32_t codes[16];
    for (unsigned i = 0; i < 16; i++) {
        uint32_t magnitude = bfp_magnitude(datums[i], shared, bits);
        uint32_t sign = (datums[i] >> 15 & 1) << (bits - 1);
        codes[i] = magnitude ? sign | magnitude : 0; /* minus zero would mean minus infinity */
    }
    if (bits == 8) {
        for (unsigned i = 0; i < 16; i++) {
            bytes[i] = (uint8_t)codes[i];
        }
    } else if (bits == 4) {
        for (size_t i = 0; i < 8; i++) {
            bytes[i] = (uint8_t)(codes[2 * i] | codes[2 * i + 1] << 4);
        }
    } else {
        for (size_t i = 0; i < 4; i++) {
            bytes[i] = (uint8_t)(codes[4 * i] | codes[4 * i + 1] << 2 | codes[4 * i + 2] << 4 | codes[4 * i + 3] << 6);
        }
    }
    return (uint8_t)shared;
}

static inline void narrow_to_16_bits(const uint32_t *restrict datums, uint8_t *restrict bytes)
{
    uint16_t values[ROW_COLUMNS];
    AS_VECTOR
    for (unsigned i = 0; i < ROW_COLUMNS; i++) {
        values[i] = (uint16_t)datums[i];
    }
    memcpy(bytes, values, sizeof values);
}

static inline void narrow_to_8_bits(const uint32_t *restrict datums, uint8_t *restrict bytes)
{
    AS_VECTOR
    for (unsigned i = 0; i < ROW_COLUMNS; i++) {
        bytes[i] = (uint8_t)datums[i];
    }
}

CLONES(void, pack_lay_out, (unsigned bits, const uint32_t *datums, unsigned count, uint8_t *bytes),
       (bits, datums, count, bytes))
{
    for (size_t i = 0; i < count; i += ROW_COLUMNS) {
        if (bits == 32) {
            memcpy(bytes + 4 * i, datums + i, ROW_COLUMNS * sizeof *datums);
        } else if (bits == 16) {
            narrow_to_16_bits(datums + i, bytes + 2 * i);
        } else {
            narrow_to_8_bits(datums + i, bytes + i);
        }
    }
}
