#include "tensix/num/formats_unpack.h"

#include <string.h>

#include "tensix/num/clones.h"
#include "tensix/num/registers.h"
#include "tensix/num/unpack_groups.h"

enum { GROUP = UNPACK_GROUP }; /* datums that share an exponent */

/* Register formats that can be combined with an L1 format whose datums become BF16. The documentation requires equal
   formats; the vendor's kernel library declares the wider ones valid, too, and configures BFP4 and BFP2 with BFP8. */
static bool widens_to_bf16(enum data_format in, enum data_format out, bool to_dst)
{
    return out == in || (out == FORMAT_TF32 && !to_dst) || out == FORMAT_BF16 ||
           (out == FORMAT_BFP8 && format_is_bfp(in));
}

static enum unpack_conversion from_fp32(enum data_format in, enum data_format out, bool to_dst, bool *defined)
{
    *defined = true;
    switch (out) {
    case FORMAT_BF16: return UNPACK_FP32_TO_BF16;
    case FORMAT_FP16: return UNPACK_FP32_TO_FP16;
    case FORMAT_FP32: *defined = to_dst; break;
    case FORMAT_TF32: break;
    default: *defined = false;
    }
    return to_dst && format_bits(out) == 32 ? UNPACK_RAW32 : UNPACK_FP32_TO_TF32;
}

enum unpack_conversion unpack_conversion(enum data_format in, enum data_format out, bool to_dst, bool fp8_e4m3,
                                         bool int8_unsigned, bool *defined)
{
    switch (in) {
    case FORMAT_FP32:
    case FORMAT_TF32: return from_fp32(in, out, to_dst, defined);
    case FORMAT_INT32: *defined = out == in && to_dst; return to_dst ? UNPACK_RAW32 : UNPACK_FP32_TO_TF32;
    case FORMAT_BF16: *defined = widens_to_bf16(in, out, to_dst); return UNPACK_BF16;
    case FORMAT_BFP8:
    case FORMAT_BFP4:
    case FORMAT_BFP2: *defined = widens_to_bf16(in, out, to_dst); return UNPACK_BFP;
    case FORMAT_FP16: *defined = out == in; return UNPACK_FP16;
    case FORMAT_BFP8A:
    case FORMAT_BFP4A:
    case FORMAT_BFP2A: *defined = out == in || out == FORMAT_FP16; return UNPACK_BFPA;
    case FORMAT_FP8: *defined = out == in || out == FORMAT_FP16; return fp8_e4m3 ? UNPACK_FP8_E4M3 : UNPACK_FP8_E5M2;
    case FORMAT_INT16: *defined = out == in; return UNPACK_INT16;
    case FORMAT_INT8: *defined = out == in; return int8_unsigned ? UNPACK_UINT8 : UNPACK_INT8;
    default: *defined = false; return UNPACK_UINT8;
    }
}

#define INLINE __attribute__((always_inline)) static inline

/* Each of these converts a datum of L1 to one of Src, without branches, so that the compiler can vectorise loops. */

INLINE uint32_t fp32_to_tf32(uint32_t fp32)
{
    return fp32 & 0xffffe000;
}

INLINE uint32_t fp32_to_bf16(uint32_t fp32)
{
    return fp32 & (fp32 & 0x7f800000 ? 0xffff0000 : 0x80000000);
}

INLINE uint32_t fp32_to_fp16(uint32_t fp32)
{
    int32_t exponent = (int32_t)(fp32 >> 23 & 0xff) - (127 - 15);
    uint32_t magnitude = (uint32_t)exponent << 23 | (fp32 & 0x007fe000);
    magnitude = exponent > 31 ? 0x0fffe000 : magnitude;
    return (fp32 & 0x80000000) | (exponent < 0 ? 0 : magnitude);
}

INLINE uint32_t bf16_to_src(uint32_t bf16)
{
    return bf16 << 16;
}

/* The bits have hardware's order in Src and in Dst: sign, mantissa, exponent. */
INLINE uint32_t int16_to_src(uint32_t bits)
{
    return src_from_int16(bits);
}

/* Blackhole converts the largest magnitude to the largest magnitude of FP16. */
INLINE uint32_t e5m2_to_src(uint32_t fp8)
{
    return src_from_fp16(fp8 << 8 | ((fp8 & 0x7f) == 0x7f ? 0xff : 0));
}

INLINE uint32_t e4m3_to_src(uint32_t fp8)
{
    uint32_t exponent = fp8 >> 3 & 0xf;
    uint32_t rebiased = exponent ? exponent + (15 - 7) : 0;
    uint32_t below = (fp8 & 0x7f) == 0x7f ? 0x7f : 0;
    return src_from_fp16((fp8 & 0x80) << 8 | rebiased << 10 | (fp8 & 7) << 7 | below);
}

/* "Integer 8": stored as FP16 with exponent 16, or 0 when the magnitude is zero. */
INLINE uint32_t integer8(uint32_t sign, uint32_t magnitude)
{
    return src_from_fp16(sign << 8 | magnitude | (magnitude ? 16u << 10 : 0));
}

INLINE uint32_t int8_to_src(uint32_t int8)
{
    return integer8(int8 & 0x80, int8 & 0x7f);
}

INLINE uint32_t uint8_to_src(uint32_t uint8)
{
    return integer8(0, uint8);
}

INLINE uint32_t load_datum(const uint8_t *datum, size_t size)
{
    uint32_t word;
    uint16_t half;
    switch (size) {
    case 4: memcpy(&word, datum, sizeof word); return word;
    case 2: memcpy(&half, datum, sizeof half); return half;
    default: return *datum;
    }
}

INLINE void convert_each(uint32_t (*convert)(uint32_t), size_t datum_size, const uint8_t *restrict datums,
                         uint32_t *restrict src, size_t count)
{
    if (count == ROW_COLUMNS) { /* a constant count lets the compiler use vectors for short rows */
        AS_VECTOR
        for (size_t i = 0; i < ROW_COLUMNS; i++) {
            src[i] = convert(load_datum(datums + i * datum_size, datum_size));
        }
        return;
    }
    for (size_t i = 0; i < count; i++) {
        src[i] = convert(load_datum(datums + i * datum_size, datum_size));
    }
}

/* The magnitude of a block float converted to a float, which normalises it exactly, and its sign, bit 7. */
INLINE uint32_t normalise(uint32_t datum)
{
    uint32_t bits;
    float magnitude = (float)(int32_t)(datum & 0x7f);
    memcpy(&bits, &magnitude, sizeof bits);
    return (datum & 0x80) << 24 | bits;
}

/* A block float is (magnitude / 64) * 2^(exponent - bias); the exponent wraps in its eight bits as in hardware. A
   magnitude of zero is zero, or with a sign `negative_zero`. */
INLINE uint32_t scale(uint32_t normalised, uint32_t exponent, uint32_t negative_zero)
{
    uint32_t sign = normalised & 0x80000000;
    uint32_t scaled = sign | ((normalised + ((exponent - 127 - 6) << 23)) & 0x7fffffff);
    uint32_t zero = sign ? negative_zero : 0;
    return normalised & 0x7fffffff ? scaled : zero;
}

/* Unpacks datums of four or two bits to bytes, with their sign in bit 7. Returns the first datum's byte. */
INLINE const uint8_t *spread(const struct unpack_source *source, uint8_t *restrict spread_bytes, size_t count)
{
    const uint8_t *restrict datums = source->datums;
    size_t per_byte = 8 / source->datum_bits;
    size_t used = (source->datum_phase + count + per_byte - 1) / per_byte;
    if (per_byte == 2) {
        for (size_t i = 0; i < used; i++) {
            spread_bytes[2 * i] = (uint8_t)(datums[i] << 4);
            spread_bytes[2 * i + 1] = datums[i] & 0xf0;
        }
    } else {
        for (size_t i = 0; i < used; i++) {
            for (size_t j = 0; j < 4; j++) {
                spread_bytes[4 * i + j] = (uint8_t)(datums[i] >> 2 * j << 6);
            }
        }
    }
    return spread_bytes + source->datum_phase;
}

INLINE void scale_each(uint32_t *src, size_t count, uint32_t exponent, uint32_t negative_zero)
{
    AS_VECTOR
    for (size_t i = 0; i < count; i++) {
        src[i] = scale(src[i], exponent, negative_zero);
    }
}

/* Block floats to Src datums with eight exponent bits. */
INLINE void convert_bfp(const struct unpack_source *source, uint32_t *src, size_t count, uint32_t negative_zero)
{
    if (count == GROUP && !source->datum_phase && !source->exponent_phase) {
        unpack_group(source->datums, source->datum_bits, *source->exponents, negative_zero, src);
        return;
    }
    uint8_t spread_bytes[UNPACK_CONVERT_MAX + 8];
    const uint8_t *datums = source->datum_bits < 8 ? spread(source, spread_bytes, count) : source->datums;
    const uint8_t *exponents = source->exponents;
    convert_each(normalise, 1, datums, src, count);
    for (size_t in_group = GROUP - source->exponent_phase; count; in_group = GROUP) {
        if (in_group == GROUP && count >= GROUP) {
            scale_each(src, GROUP, *exponents, negative_zero);
        } else {
            in_group = in_group < count ? in_group : count;
            scale_each(src, in_group, *exponents, negative_zero);
        }
        src += in_group;
        count -= in_group;
        exponents += source->exponent_forced ? 0 : 1;
    }
}

/* Reduces exponents to five bits. Returns whether all fitted. */
INLINE bool narrow_exponents(uint32_t *src, size_t count)
{
    uint32_t lost = 0;
    for (size_t i = 0; i < count; i++) {
        lost |= src[i] & 0x70000000;
        src[i] &= 0x8fffffff;
    }
    return !lost;
}

/* Converts rows of `width` datums, `stride` bytes apart in L1, to contiguous ones in Src. */
INLINE bool convert_rows(enum unpack_conversion conversion, const uint8_t *datums, size_t stride, uint32_t *src,
                         size_t width, size_t rows)
{
#define EACH_ROW(convert, datum_size)                                                                                  \
    for (size_t row = 0; row < rows; row++) {                                                                          \
        convert_each(convert, datum_size, datums + row * stride, src + row * width, width);                            \
    }                                                                                                                  \
    return true;
    switch (conversion) {
    case UNPACK_FP32_TO_TF32: EACH_ROW(fp32_to_tf32, 4)
    case UNPACK_FP32_TO_BF16: EACH_ROW(fp32_to_bf16, 4)
    case UNPACK_FP32_TO_FP16: EACH_ROW(fp32_to_fp16, 4)
    case UNPACK_BF16: EACH_ROW(bf16_to_src, 2)
    case UNPACK_FP16: EACH_ROW(src_from_fp16, 2)
    case UNPACK_INT16: EACH_ROW(int16_to_src, 2)
    case UNPACK_FP8_E5M2: EACH_ROW(e5m2_to_src, 1)
    case UNPACK_FP8_E4M3: EACH_ROW(e4m3_to_src, 1)
    case UNPACK_INT8: EACH_ROW(int8_to_src, 1)
    case UNPACK_UINT8: EACH_ROW(uint8_to_src, 1)
    case UNPACK_RAW32:
    case UNPACK_BFP:
    case UNPACK_BFPA: return false;
    }
#undef EACH_ROW
    return false;
}

CLONES(bool, unpack_convert_rows,
       (enum unpack_conversion conversion, const uint8_t *datums, size_t stride, uint32_t *src, unsigned width,
        unsigned rows),
       (conversion, datums, stride, src, width, rows))
{
    return convert_rows(conversion, datums, stride, src, width, rows);
}

CLONES(bool, unpack_convert,
       (enum unpack_conversion conversion, const struct unpack_source *source, uint32_t *src, unsigned count),
       (conversion, source, src, count))
{
    switch (conversion) {
    case UNPACK_RAW32: memcpy(src, source->datums, 4 * (size_t)count); return true;
    case UNPACK_BFP: convert_bfp(source, src, count, 0xff800000); return true;
    case UNPACK_BFPA: convert_bfp(source, src, count, 0x8f800000); return narrow_exponents(src, count);
    default: return convert_rows(conversion, source->datums, 0, src, count, 1);
    }
}

static bool becomes_fp16(enum unpack_conversion conversion)
{
    switch (conversion) {
    case UNPACK_FP32_TO_FP16:
    case UNPACK_FP16:
    case UNPACK_FP8_E5M2:
    case UNPACK_FP8_E4M3:
    case UNPACK_INT8:
    case UNPACK_UINT8:
    case UNPACK_BFPA: return true;
    default: return false;
    }
}

static inline uint16_t cell_of_bf16(uint32_t src)
{
    return (uint16_t)(src >> 16);
}

static inline uint16_t cell_of_fp16(uint32_t src)
{
    return dst_from_fp16((uint16_t)((src >> 16 & 0x8000) | (src >> 13 & 0x7fff)));
}

INLINE void cut_each(uint16_t (*cell)(uint32_t), const uint32_t *values, uint16_t *cells, unsigned count)
{
    if (count == ROW_COLUMNS) {
        uint16_t row[ROW_COLUMNS];
        for (size_t i = 0; i < ROW_COLUMNS; i++) {
            row[i] = cell(values[i]);
        }
        memcpy(cells, row, sizeof row);
    } else {
        for (size_t i = 0; i < count; i++) {
            cells[i] = cell(values[i]);
        }
    }
}

CLONES(void, unpack_src_to_dst16,
       (enum unpack_conversion conversion, const uint32_t *src, uint16_t *cells, unsigned count),
       (conversion, src, cells, count))
{
    if (becomes_fp16(conversion)) {
        cut_each(cell_of_fp16, src, cells, count);
    } else {
        cut_each(cell_of_bf16, src, cells, count);
    }
}

CLONES(void, unpack_raw_to_dst32, (const uint32_t *values, uint16_t *high_cells, uint16_t *low_cells, unsigned count),
       (values, high_cells, low_cells, count))
{
    cut_each(dst_high_cell, values, high_cells, count);
    cut_each(dst_low_cell, values, low_cells, count);
}
