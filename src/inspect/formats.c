#include "inspect/formats.h"

#include <string.h>
#include <strings.h>

#include "tensix/num/formats_unpack.h"
#include "tensix/num/registers.h"

struct description {
    char name[8];
    uint8_t kind, digits; /* enum dump_kind, dump_digits() */
    bool wide;
    uint8_t files; /* bits of enum dump_file */
};

enum { DST = 1 << DUMP_DST, SRC = 1 << DUMP_SRC, LREG = 1 << DUMP_LREG };

static const struct description descriptions[DUMP_TYPES] = {
    [DUMP_FP32] = {"fp32", DUMP_FLOAT, 9, true, DST | SRC | LREG},
    [DUMP_TF32] = {"tf32", DUMP_FLOAT, 5, true, DST | SRC},
    [DUMP_BF16] = {"bf16", DUMP_FLOAT, 4, false, DST | SRC},
    [DUMP_FP16] = {"fp16", DUMP_FLOAT, 5, false, DST | SRC},
    [DUMP_INT32] = {"int32", DUMP_SIGNED, 0, true, DST | LREG},
    [DUMP_INT16] = {"int16", DUMP_SIGNED, 0, false, DST | SRC},
    [DUMP_INT8] = {"int8", DUMP_SIGNED, 0, false, DST | SRC},
    [DUMP_UINT8] = {"uint8", DUMP_UNSIGNED, 0, false, DST | SRC},
    [DUMP_UINT16] = {"uint16", DUMP_UNSIGNED, 0, false, DST | SRC},
    [DUMP_UINT32] = {"uint32", DUMP_UNSIGNED, 0, true, DST | LREG},
    [DUMP_SMAG32] = {"smag32", DUMP_SIGNED, 0, true, DST | LREG},
    [DUMP_TWOS32] = {"twos32", DUMP_SIGNED, 0, true, DST | LREG},
    [DUMP_BITS16] = {"bits16", DUMP_BITS, 4, false, DST},
    [DUMP_BITS32] = {"bits32", DUMP_BITS, 8, true, DST | LREG},
    [DUMP_RAW16] = {"raw16", DUMP_BITS, 4, false, DST},
    [DUMP_RAW32] = {"raw32", DUMP_BITS, 8, true, DST},
    [DUMP_BITS19] = {"bits19", DUMP_BITS, 5, false, SRC},
};

const char *dump_type_name(enum dump_type type)
{
    return descriptions[type].name;
}

enum dump_type dump_type_of(enum data_format format)
{
    switch (format) {
    case FORMAT_FP32: return DUMP_FP32;
    case FORMAT_TF32: return DUMP_TF32;
    case FORMAT_INT32: return DUMP_INT32;
    case FORMAT_INT16: return DUMP_INT16;
    case FORMAT_INT8: return DUMP_INT8;
    case FORMAT_FP16:
    case FORMAT_FP8:
    case FORMAT_BFP8A:
    case FORMAT_BFP4A:
    case FORMAT_BFP2A: return DUMP_FP16;
    default: return DUMP_BF16;
    }
}

enum dump_type dump_type_by_name(const char *name)
{
    for (unsigned i = 0; i < DUMP_TYPES; i++) {
        if (strcasecmp(name, descriptions[i].name) == 0) {
            return (enum dump_type)i;
        }
    }
    for (unsigned i = 0; i < FORMATS; i++) {
        if (format_bits((enum data_format)i) && strcasecmp(name, format_name((enum data_format)i)) == 0) {
            return dump_type_of((enum data_format)i);
        }
    }
    return DUMP_TYPES;
}

/* The format of L1 with data of a type; FORMATS: none. */
static enum data_format format_of(enum dump_type type)
{
    switch (type) {
    case DUMP_UINT8: return FORMAT_INT8;
    case DUMP_UINT16: return FORMAT_INT16;
    case DUMP_UINT32:
    case DUMP_SMAG32:
    case DUMP_TWOS32:
    case DUMP_BITS32: return FORMAT_INT32;
    default: return FORMATS;
    }
}

enum data_format dump_format_by_name(const char *name, enum dump_type *type)
{
    for (unsigned i = 0; i < FORMATS; i++) {
        enum data_format format = (enum data_format)i;
        if (format_bits(format) && strcasecmp(name, format_name(format)) == 0) {
            *type = dump_type_of(format);
            return format;
        }
    }
    if (strcasecmp(name, "e4m3") == 0) {
        *type = DUMP_FP16;
        return FORMAT_FP8;
    }
    *type = dump_type_by_name(name);
    return *type == DUMP_TYPES ? FORMATS : format_of(*type);
}

enum dump_kind dump_kind_of(enum dump_type type)
{
    return (enum dump_kind)descriptions[type].kind;
}

unsigned dump_digits(enum dump_type type)
{
    return descriptions[type].digits;
}

bool dump_is_wide(enum dump_type type)
{
    return descriptions[type].wide;
}

bool dump_type_fits(enum dump_type type, enum dump_file file)
{
    return descriptions[type].files >> file & 1;
}

static double float_of(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static double fp16_of(uint16_t bits)
{
    enum { UNIT = 25 }; /* 2^-25 counts the mantissa of a datum with exponent 0 twice */
    unsigned exponent = bits >> 10 & 0x1f, mantissa = bits & 0x3ff;
    unsigned significand = exponent ? mantissa | 0x400 : 2 * mantissa;
    double magnitude = (double)((uint64_t)significand << exponent) / (1u << UNIT);
    return bits & 0x8000 ? -magnitude : magnitude;
}

/* An integer of a sign and a magnitude. */
static double integer_of(bool negative, uint32_t magnitude)
{
    return negative && magnitude ? -(double)magnitude : (double)magnitude;
}

/* The magnitude of the documentation's integer "8", which overlays FP16's mantissa. */
static uint32_t magnitude8(uint16_t fp16)
{
    return fp16 & 0x3ff;
}

static double value_of_16(enum dump_type type, uint16_t fp16, uint16_t opaque)
{
    switch (type) {
    case DUMP_FP16: return fp16_of(fp16);
    case DUMP_INT16: return integer_of(opaque >> 15, opaque & 0x7fff);
    case DUMP_INT8: return integer_of(fp16 >> 15, magnitude8(fp16));
    case DUMP_UINT8: return magnitude8(fp16);
    default: return opaque;
    }
}

static double value_of_32(enum dump_type type, uint32_t datum)
{
    switch (type) {
    case DUMP_FP32:
    case DUMP_TF32: return float_of(datum);
    case DUMP_INT32:
    case DUMP_SMAG32: return integer_of(datum >> 31, datum & INT32_MAX);
    case DUMP_TWOS32: return (int32_t)datum;
    default: return datum;
    }
}

double dump_dst_value(enum dump_type type, uint16_t high, uint16_t low)
{
    switch (type) {
    case DUMP_BF16: return float_of((uint32_t)high << 16);
    case DUMP_BITS16: return high;
    case DUMP_RAW32: return (uint32_t)dst_to_hardware(high) << 16 | dst_to_hardware(low);
    default: break;
    }
    return dump_is_wide(type) ? value_of_32(type, dst_join32(high, low))
                              : value_of_16(type, dst_to_fp16(high), dst_to_hardware(high));
}

double dump_src_value(enum dump_type type, uint32_t word)
{
    enum { BELOW_19_BITS = 13 };
    switch (type) {
    case DUMP_FP32:
    case DUMP_TF32: return float_of(word);
    case DUMP_BF16: return float_of(word & 0xffff0000);
    case DUMP_BITS19: return word >> BELOW_19_BITS;
    default: return value_of_16(type, src_to_fp16(word), src_to_int16(word));
    }
}

double dump_lreg_value(enum dump_type type, uint32_t word)
{
    return value_of_32(type == DUMP_INT32 ? DUMP_TWOS32 : type, word);
}
