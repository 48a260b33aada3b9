#include "tensix/num/formats_unpack.h"

#include <string.h>

#include "tensix/registers.h"

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

static inline uint32_t load32(const uint8_t *bytes, unsigned index)
{
    uint32_t value;
    memcpy(&value, bytes + 4 * index, sizeof value);
    return value;
}

static inline uint32_t load16(const uint8_t *bytes, unsigned index)
{
    uint16_t value;
    memcpy(&value, bytes + 2 * index, sizeof value);
    return value;
}

static inline uint32_t fp32_to_fp16(uint32_t fp32)
{
    uint32_t sign = fp32 & 0x80000000;
    int32_t exponent = (int32_t)(fp32 >> 23 & 0xff) - (127 - 15);
    uint32_t magnitude = (uint32_t)exponent << 23 | (fp32 & 0x007fe000);
    magnitude = exponent > 31 ? 0x0fffe000 : magnitude;
    return sign | (exponent < 0 ? 0 : magnitude);
}

static inline uint32_t e5m2_to_src(uint32_t fp8)
{
    /* Blackhole widens the largest magnitude to the largest magnitude of FP16. */
    return src_from_fp16(fp8 << 8 | ((fp8 & 0x7f) == 0x7f ? 0xff : 0));
}

static inline uint32_t e4m3_to_src(uint32_t fp8)
{
    uint32_t exponent = fp8 >> 3 & 0xf;
    uint32_t rebiased = exponent ? exponent + 8 : 0;
    return src_from_fp16((fp8 & 0x80) << 8 | rebiased << 10 | (fp8 & 7) << 7 | ((fp8 & 0x7f) == 0x7f ? 0x7f : 0));
}

/* "Integer 8": overlaid onto FP16 with exponent 16, or 0 when the magnitude is zero. */
static inline uint32_t int8_to_src(uint32_t sign, uint32_t magnitude)
{
    return src_from_fp16(sign << 8 | magnitude | (magnitude ? 16u << 10 : 0));
}

/* A block float datum whose sign is bit 7 of `datum` and whose magnitude, shared exponent and all, is
   (datum & 0x7f) / 64 * 2^(exponent - bias). Converting the magnitude to a float normalises it exactly; the exponent
   wraps in its eight bits as in hardware. A magnitude of zero is zero, or with a sign `negative_zero`. */
static inline uint32_t bfp_to_src(uint32_t datum, uint32_t exponent, uint32_t negative_zero)
{
    uint32_t sign = (datum & 0x80) << 24;
    int32_t magnitude = datum & 0x7f;
    float normalised = (float)magnitude;
    uint32_t bits;
    memcpy(&bits, &normalised, sizeof bits);
    bits = ((bits + ((exponent - 127 - 6) << 23)) & 0x7fffffff) | sign;
    return magnitude ? bits : sign ? negative_zero : 0;
}

/* Spreads datums of four or two bits into bytes, their sign into bit 7. */
static void spread(const struct unpack_source *source, uint8_t *bytes, unsigned count)
{
    if (source->datum_bits == 4) {
        for (unsigned i = 0; i < count; i++) {
            unsigned place = source->datum_phase + i;
            bytes[i] = (uint8_t)(source->datums[place / 2] >> (place % 2 * 4) << 4);
        }
    } else {
        for (unsigned i = 0; i < count; i++) {
            unsigned place = source->datum_phase + i;
            bytes[i] = (uint8_t)(source->datums[place / 4] >> (place % 4 * 2) << 6);
        }
    }
}

/* Block floats to Src datums with eight exponent bits. */
static void convert_bfp(const struct unpack_source *source, uint32_t *src, unsigned count, uint32_t negative_zero)
{
    uint8_t spread_bytes[UNPACK_CONVERT_MAX];
    const uint8_t *datums = source->datums;
    if (source->datum_bits < 8) {
        spread(source, spread_bytes, count);
        datums = spread_bytes;
    }
    const uint8_t *exponents = source->exponents;
    unsigned step = source->exponent_forced ? 0 : 1;
    unsigned done = 0, group = 16 - source->exponent_phase;
    while (done < count) {
        uint32_t exponent = *exponents;
        if (group == 16 && count - done >= 16) {
            for (unsigned i = 0; i < 16; i++) {
                src[done + i] = bfp_to_src(datums[done + i], exponent, negative_zero);
            }
        } else {
            group = group < count - done ? group : count - done;
            for (unsigned i = 0; i < group; i++) {
                src[done + i] = bfp_to_src(datums[done + i], exponent, negative_zero);
            }
        }
        done += group;
        group = 16;
        exponents += step;
    }
}

bool unpack_convert(enum unpack_conversion conversion, const struct unpack_source *source, uint32_t *src,
                    unsigned count)
{
    const uint8_t *datums = source->datums;
    uint32_t unpredictable = 0;
    switch (conversion) {
    case UNPACK_RAW32: memcpy(src, datums, 4 * (size_t)count); break;
    case UNPACK_FP32_TO_TF32:
        for (unsigned i = 0; i < count; i++) {
            src[i] = load32(datums, i) & 0xffffe000;
        }
        break;
    case UNPACK_FP32_TO_BF16:
        for (unsigned i = 0; i < count; i++) {
            uint32_t fp32 = load32(datums, i);
            src[i] = fp32 & (fp32 & 0x7f800000 ? 0xffff0000 : 0x80000000);
        }
        break;
    case UNPACK_FP32_TO_FP16:
        for (unsigned i = 0; i < count; i++) {
            src[i] = fp32_to_fp16(load32(datums, i));
        }
        break;
    case UNPACK_BF16:
        for (unsigned i = 0; i < count; i++) {
            src[i] = load16(datums, i) << 16;
        }
        break;
    case UNPACK_FP16:
        for (unsigned i = 0; i < count; i++) {
            src[i] = src_from_fp16(load16(datums, i));
        }
        break;
    case UNPACK_INT16:
        /* The bits lie in Src, and in Dst, in hardware's order: sign, mantissa, exponent. */
        for (unsigned i = 0; i < count; i++) {
            uint32_t bits = load16(datums, i);
            src[i] = (bits & 0x8000) << 16 | (bits & 0xff) << 23 | (bits & 0x7f00) << 8;
        }
        break;
    case UNPACK_FP8_E5M2:
        for (unsigned i = 0; i < count; i++) {
            src[i] = e5m2_to_src(datums[i]);
        }
        break;
    case UNPACK_FP8_E4M3:
        for (unsigned i = 0; i < count; i++) {
            src[i] = e4m3_to_src(datums[i]);
        }
        break;
    case UNPACK_INT8:
        for (unsigned i = 0; i < count; i++) {
            src[i] = int8_to_src(datums[i] & 0x80, datums[i] & 0x7f);
        }
        break;
    case UNPACK_UINT8:
        for (unsigned i = 0; i < count; i++) {
            src[i] = int8_to_src(0, datums[i]);
        }
        break;
    case UNPACK_BFP: convert_bfp(source, src, count, 0xff800000); break;
    case UNPACK_BFPA:
        convert_bfp(source, src, count, 0x8f800000);
        for (unsigned i = 0; i < count; i++) {
            unpredictable |= src[i] & 0x70000000;
            src[i] &= 0x8fffffff;
        }
        break;
    }
    return !unpredictable;
}

uint16_t unpack_src_to_dst16(enum unpack_conversion conversion, uint32_t src)
{
    switch (conversion) {
    case UNPACK_FP32_TO_FP16:
    case UNPACK_FP16:
    case UNPACK_FP8_E5M2:
    case UNPACK_FP8_E4M3:
    case UNPACK_INT8:
    case UNPACK_UINT8:
    case UNPACK_BFPA: return dst_from_fp16((uint16_t)((src >> 16 & 0x8000) | (src >> 13 & 0x7fff)));
    default: return (uint16_t)(src >> 16);
    }
}
