#include "tensix/num/formats_unpack.h"

#include <string.h>

#include "tensix/num/clones.h"
#include "tensix/num/registers.h"

enum { GROUP = 16 };

/* Which register formats go with an L1 format whose datums become BF16. The documentation asks for equal formats; the
   vendor's kernel library declares the wider ones good too, and configures BFP4 and BFP2 with BFP8. */
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

/* Sixteen datums at once: a row, and what shares an exponent. */
typedef uint32_t words __attribute__((vector_size(4 * GROUP)));
typedef int32_t integers __attribute__((vector_size(4 * GROUP)));
typedef float floats __attribute__((vector_size(4 * GROUP)));
typedef uint16_t halves __attribute__((vector_size(2 * GROUP)));
typedef uint8_t bytes __attribute__((vector_size(GROUP)));

#define INLINE __attribute__((always_inline)) static inline

/* `yes` where the condition holds, else `no`. A condition is a comparison of vectors: all ones, or zero. */
INLINE words choose(words condition, words yes, words no)
{
    return (condition & yes) | (~condition & no);
}

INLINE words src_from_fp16_words(words fp16)
{
    return (fp16 & 0x8000) << 16 | (fp16 & 0x7fff) << 13;
}

/* Each of these makes Src datums of datums in L1. */

INLINE words fp32_to_tf32(words fp32)
{
    return fp32 & 0xffffe000;
}

INLINE words fp32_to_bf16(words fp32)
{
    words denormal = (words)((fp32 & 0x7f800000) == 0);
    return (fp32 & ~denormal & 0xffff0000) | (fp32 & 0x80000000);
}

INLINE words fp32_to_fp16(words fp32)
{
    integers exponent = (integers)(fp32 >> 23 & 0xff) - (127 - 15);
    words magnitude = (words)exponent << 23 | (fp32 & 0x007fe000);
    magnitude = choose((words)(exponent > 31), (words){} + 0x0fffe000, magnitude);
    return (fp32 & 0x80000000) | (magnitude & ~(words)(exponent < 0));
}

INLINE words bf16_to_src(words bf16)
{
    return bf16 << 16;
}

/* The bits lie in Src, and in Dst, in hardware's order: sign, mantissa, exponent. */
INLINE words int16_to_src(words bits)
{
    return (bits & 0x8000) << 16 | (bits & 0xff) << 23 | (bits & 0x7f00) << 8;
}

/* Blackhole widens the largest magnitude to the largest magnitude of FP16. */
INLINE words e5m2_to_src(words fp8)
{
    words largest = (words)((fp8 & 0x7f) == 0x7f);
    return src_from_fp16_words(fp8 << 8 | (largest & 0xff));
}

INLINE words e4m3_to_src(words fp8)
{
    words exponent = fp8 >> 3 & 0xf;
    words rebiased = (exponent + (15 - 7)) & (words)(exponent != 0);
    words largest = (words)((fp8 & 0x7f) == 0x7f);
    return src_from_fp16_words((fp8 & 0x80) << 8 | rebiased << 10 | (fp8 & 7) << 7 | (largest & 0x7f));
}

/* "Integer 8": overlaid onto FP16 with exponent 16, or 0 when the magnitude is zero. */
INLINE words integer8(words sign, words magnitude)
{
    return src_from_fp16_words(sign << 8 | magnitude | ((words)(magnitude != 0) & 16u << 10));
}

INLINE words int8_to_src(words int8)
{
    return integer8(int8 & 0x80, int8 & 0x7f);
}

INLINE words uint8_to_src(words uint8)
{
    return integer8(uint8 & 0, uint8);
}

/* Block floats whose sign is bit 7 of the datum and whose magnitude is (datum & 0x7f) / 64 * 2^(exponent - bias).
   Converting the magnitude to a float normalises it exactly; the exponent wraps in its eight bits as in hardware. A
   magnitude of zero is zero, or with a sign `negative_zero`. */
INLINE words bfp_to_src(words datums, uint32_t exponent, uint32_t negative_zero)
{
    words magnitude = datums & 0x7f, sign = (datums & 0x80) << 24;
    words bits = (words) __builtin_convertvector((integers)magnitude, floats);
    bits = ((bits + ((exponent - 127 - 6) << 23)) & 0x7fffffff) | sign;
    words zero = (words)(sign != 0) & negative_zero;
    return choose((words)(magnitude != 0), bits, zero);
}

/* Sixteen datums of 4, 2 or 1 bytes. */
INLINE words load_group(const uint8_t *datums, size_t datum_size)
{
    if (datum_size == 4) {
        words group;
        memcpy(&group, datums, sizeof group);
        return group;
    }
    if (datum_size == 2) {
        halves group;
        memcpy(&group, datums, sizeof group);
        return __builtin_convertvector(group, words);
    }
    bytes group;
    memcpy(&group, datums, sizeof group);
    /* In two steps, for each of which hosts have an instruction. */
    return __builtin_convertvector(__builtin_convertvector(group, halves), words);
}

/* The first `count` < 16 of sixteen datums. */
INLINE words load_part(const uint8_t *datums, size_t datum_size, size_t count)
{
    uint8_t padded[4 * GROUP] = {};
    memcpy(padded, datums, count * datum_size);
    return load_group(padded, datum_size);
}

INLINE void convert_each(words (*convert)(words), size_t datum_size, const uint8_t *datums, uint32_t *src, size_t count)
{
    words group;
    for (; count >= GROUP; count -= GROUP, src += GROUP, datums += GROUP * datum_size) {
        group = convert(load_group(datums, datum_size));
        memcpy(src, &group, sizeof group);
    }
    if (count) {
        group = convert(load_part(datums, datum_size, count));
        memcpy(src, &group, count * sizeof *src);
    }
}

/* Spreads datums of four or two bits into bytes, their sign into bit 7. Returns the first datum's byte. */
INLINE const uint8_t *spread(const struct unpack_source *source, uint8_t *spread_bytes, size_t count)
{
    size_t per_byte = 8 / source->datum_bits;
    size_t used = (source->datum_phase + count + per_byte - 1) / per_byte;
    if (per_byte == 2) {
        for (size_t i = 0; i < used; i++) {
            spread_bytes[2 * i] = (uint8_t)(source->datums[i] << 4);
            spread_bytes[2 * i + 1] = source->datums[i] & 0xf0;
        }
    } else {
        for (size_t i = 0; i < used; i++) {
            for (size_t j = 0; j < 4; j++) {
                spread_bytes[4 * i + j] = (uint8_t)(source->datums[i] >> 2 * j << 6);
            }
        }
    }
    return spread_bytes + source->datum_phase;
}

/* Block floats to Src datums with eight exponent bits. */
INLINE void convert_bfp(const struct unpack_source *source, uint32_t *src, size_t count, uint32_t negative_zero)
{
    uint8_t spread_bytes[UNPACK_CONVERT_MAX + 8];
    const uint8_t *datums = source->datum_bits < 8 ? spread(source, spread_bytes, count) : source->datums;
    const uint8_t *exponents = source->exponents;
    size_t in_group = GROUP - source->exponent_phase;
    words group;
    while (count) {
        if (in_group == GROUP && count >= GROUP) {
            group = bfp_to_src(load_group(datums, 1), *exponents, negative_zero);
            memcpy(src, &group, sizeof group);
        } else {
            in_group = in_group < count ? in_group : count;
            group = bfp_to_src(load_part(datums, 1, in_group), *exponents, negative_zero);
            memcpy(src, &group, in_group * sizeof *src);
        }
        datums += in_group;
        src += in_group;
        count -= in_group;
        in_group = GROUP;
        exponents += source->exponent_forced ? 0 : 1;
    }
}

/* Keeps five exponent bits. Returns whether there were no more. */
INLINE bool narrow_exponents(uint32_t *src, size_t count)
{
    uint32_t lost = 0;
    for (size_t i = 0; i < count; i++) {
        lost |= src[i] & 0x70000000;
        src[i] &= 0x8fffffff;
    }
    return !lost;
}

CLONES(bool, unpack_convert,
       (enum unpack_conversion conversion, const struct unpack_source *source, uint32_t *src, unsigned count),
       (conversion, source, src, count))
{
    const uint8_t *datums = source->datums;
    switch (conversion) {
    case UNPACK_RAW32: memcpy(src, datums, 4 * (size_t)count); break;
    case UNPACK_FP32_TO_TF32: convert_each(fp32_to_tf32, 4, datums, src, count); break;
    case UNPACK_FP32_TO_BF16: convert_each(fp32_to_bf16, 4, datums, src, count); break;
    case UNPACK_FP32_TO_FP16: convert_each(fp32_to_fp16, 4, datums, src, count); break;
    case UNPACK_BF16: convert_each(bf16_to_src, 2, datums, src, count); break;
    case UNPACK_FP16: convert_each(src_from_fp16_words, 2, datums, src, count); break;
    case UNPACK_INT16: convert_each(int16_to_src, 2, datums, src, count); break;
    case UNPACK_FP8_E5M2: convert_each(e5m2_to_src, 1, datums, src, count); break;
    case UNPACK_FP8_E4M3: convert_each(e4m3_to_src, 1, datums, src, count); break;
    case UNPACK_INT8: convert_each(int8_to_src, 1, datums, src, count); break;
    case UNPACK_UINT8: convert_each(uint8_to_src, 1, datums, src, count); break;
    case UNPACK_BFP: convert_bfp(source, src, count, 0xff800000); break;
    case UNPACK_BFPA: convert_bfp(source, src, count, 0x8f800000); return narrow_exponents(src, count);
    }
    return true;
}

/* Rows of `width` datums, `stride` bytes apart in L1, one behind the other in Src. */
INLINE void convert_each_row(words (*convert)(words), size_t datum_size, const uint8_t *datums, size_t stride,
                             uint32_t *src, unsigned width, unsigned rows)
{
    for (unsigned row = 0; row < rows; row++) {
        convert_each(convert, datum_size, datums + row * stride, src + (size_t)row * width, width);
    }
}

CLONES(bool, unpack_convert_rows,
       (enum unpack_conversion conversion, const uint8_t *datums, size_t stride, uint32_t *src, unsigned width,
        unsigned rows),
       (conversion, datums, stride, src, width, rows))
{
    switch (conversion) {
    case UNPACK_FP32_TO_TF32: convert_each_row(fp32_to_tf32, 4, datums, stride, src, width, rows); return true;
    case UNPACK_FP32_TO_BF16: convert_each_row(fp32_to_bf16, 4, datums, stride, src, width, rows); return true;
    case UNPACK_FP32_TO_FP16: convert_each_row(fp32_to_fp16, 4, datums, stride, src, width, rows); return true;
    case UNPACK_BF16: convert_each_row(bf16_to_src, 2, datums, stride, src, width, rows); return true;
    case UNPACK_FP16: convert_each_row(src_from_fp16_words, 2, datums, stride, src, width, rows); return true;
    case UNPACK_INT16: convert_each_row(int16_to_src, 2, datums, stride, src, width, rows); return true;
    case UNPACK_FP8_E5M2: convert_each_row(e5m2_to_src, 1, datums, stride, src, width, rows); return true;
    case UNPACK_FP8_E4M3: convert_each_row(e4m3_to_src, 1, datums, stride, src, width, rows); return true;
    case UNPACK_INT8: convert_each_row(int8_to_src, 1, datums, stride, src, width, rows); return true;
    case UNPACK_UINT8: convert_each_row(uint8_to_src, 1, datums, stride, src, width, rows); return true;
    case UNPACK_RAW32:
    case UNPACK_BFP:
    case UNPACK_BFPA: return false;
    }
    return false;
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
