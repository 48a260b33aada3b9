#include "tensix/units/pack/convert.h"

/* What Dst is read as. */
struct reading {
    enum data_format intermediate;
    bool read_32b, raw, unsigned_, round_10b_mant;
    enum data_format late_from, late_to;
    bool from_l1;
};

struct early_choice {
    bool legal;
    enum pack_early early;
    enum pack_kind kind;
    unsigned mantissa; /* mantissa bits of the result */
};

static struct early_choice early_from_32b(const struct reading *reading)
{
    const struct early_choice fp32 = {true, PACK_EARLY_32B, PACK_WIDE, 23};
    const struct early_choice tf32 = {true, PACK_EARLY_32B_TO_TF32, PACK_WIDE, 10};
    const struct early_choice truncated = {true, PACK_EARLY_32B_TO_BF16_TRUNCATED, PACK_WIDE, 7};
    switch (reading->intermediate) {
    case FORMAT_FP32: return reading->round_10b_mant && !reading->raw ? tf32 : fp32;
    case FORMAT_TF32: return reading->raw ? fp32 : tf32;
    case FORMAT_BF16:
        if (reading->raw) {
            return truncated;
        }
        if (reading->round_10b_mant && (reading->late_from == FORMAT_FP16 || reading->late_to == FORMAT_FP16)) {
            /* For FP16 under any of its names: the late conversion uses ten mantissa bits. */
            return (struct early_choice){true, PACK_EARLY_32B_TO_TF32, PACK_WIDE, 7};
        }
        return (struct early_choice){true, PACK_EARLY_32B_TO_BF16, PACK_WIDE, 7};
    case FORMAT_BFP8:
        return reading->raw ? truncated : (struct early_choice){true, PACK_EARLY_32B_TO_E8M6, PACK_WIDE, 6};
    case FORMAT_FP16: /* Blackhole: rounded to TF32, which the gasket converts to FP16 */
        return reading->round_10b_mant ? tf32 : (struct early_choice){.legal = false};
    case FORMAT_INT32:
        return reading->late_from == FORMAT_INT32 ? (struct early_choice){true, PACK_EARLY_32B, PACK_INTEGER, 31}
                                                  : fp32;
    case FORMAT_INT16: return (struct early_choice){true, PACK_EARLY_32B_TO_INT16, PACK_INTEGER, 15};
    case FORMAT_INT8: {
        static const enum pack_early early[2][2] = {
            {PACK_EARLY_32B_TO_INT8, PACK_EARLY_32B_TO_UINT8},
            {PACK_EARLY_32B_TO_INT8_LOW_BITS, PACK_EARLY_32B_TO_UINT8_LOW_BITS},
        };
        return (struct early_choice){true, early[reading->raw][reading->unsigned_], PACK_INTEGER, 7};
    }
    default: return (struct early_choice){.legal = false};
    }
}

static struct early_choice early_from_16b(const struct reading *reading)
{
    const struct early_choice flushed = {true, PACK_EARLY_BF16_FLUSHED, PACK_WIDE, 7};
    const struct early_choice identity = {true, PACK_EARLY_BF16, PACK_WIDE, 7};
    const struct early_choice none = {.legal = false};
    switch (reading->intermediate) {
    case FORMAT_FP32: /* to TF32 */ return reading->round_10b_mant && !reading->raw ? flushed : none;
    case FORMAT_TF32: return reading->raw ? none : flushed;
    case FORMAT_BF16: return reading->raw ? identity : flushed;
    case FORMAT_BFP8:
        return reading->raw ? identity : (struct early_choice){true, PACK_EARLY_BF16_TO_E8M6, PACK_WIDE, 6};
    case FORMAT_FP16:
        if (reading->round_10b_mant) { /* Blackhole: Dst holds BF16 */
            return (struct early_choice){true, PACK_EARLY_BF16_TO_FP16, PACK_NARROW, 10};
        }
        return (struct early_choice){true, reading->raw ? PACK_EARLY_FP16 : PACK_EARLY_FP16_FLUSHED, PACK_NARROW, 10};
    case FORMAT_BFP8A:
        return reading->raw ? (struct early_choice){true, PACK_EARLY_FP16_TO_E5M7, PACK_NARROW, 7}
                            : (struct early_choice){true, PACK_EARLY_FP16_TO_E5M6, PACK_NARROW, 6};
    case FORMAT_FP8: return reading->raw ? (struct early_choice){true, PACK_EARLY_FP16_TO_FP8, PACK_NARROW, 2} : none;
    case FORMAT_INT16: return (struct early_choice){true, PACK_EARLY_INT16, PACK_INTEGER, 15};
    case FORMAT_INT8:
        return reading->raw && !reading->unsigned_
                   ? (struct early_choice){true, PACK_EARLY_16B_TO_INT8_SIGN, PACK_INTEGER, 7}
                   : none;
    default: return none;
    }
}

/* Data from L1 have no early conversion: they are treated as if Dst had been read in their format. */
static struct early_choice early_from_l1(const struct reading *reading)
{
    switch (reading->late_from) {
    case FORMAT_FP32: return (struct early_choice){true, PACK_EARLY_32B, PACK_WIDE, 23};
    case FORMAT_BF16:
    case FORMAT_BFP8: return (struct early_choice){true, PACK_EARLY_BF16, PACK_WIDE, 7};
    case FORMAT_FP16: return (struct early_choice){true, PACK_EARLY_FP16, PACK_NARROW, 10};
    case FORMAT_BFP8A: return (struct early_choice){true, PACK_EARLY_FP16_TO_E5M7, PACK_NARROW, 7};
    case FORMAT_FP8: return (struct early_choice){true, PACK_EARLY_FP16_TO_FP8, PACK_NARROW, 2};
    case FORMAT_INT32: return (struct early_choice){true, PACK_EARLY_32B, PACK_INTEGER, 31};
    case FORMAT_INT16: return (struct early_choice){true, PACK_EARLY_INT16, PACK_INTEGER, 15};
    case FORMAT_INT8: {
        bool unsigned_ = reading->unsigned_;
        return (struct early_choice){
            true, unsigned_ ? PACK_EARLY_32B_TO_UINT8_LOW_BITS : PACK_EARLY_32B_TO_INT8_LOW_BITS, PACK_INTEGER, 7};
    }
    default: return (struct early_choice){.legal = false};
    }
}

/* The number of mantissa bits that the late conversion uses of a datum in this format; 0: the format can not be
   converted. */
static unsigned late_from_mantissa(enum data_format format, enum pack_kind kind)
{
    static const uint8_t mantissa[3][FORMATS] = {
        [PACK_WIDE] = {[FORMAT_FP32] = 23, [FORMAT_TF32] = 10, [FORMAT_BF16] = 7, [FORMAT_BFP8] = 7},
        [PACK_NARROW] = {[FORMAT_FP16] = 10, [FORMAT_BFP8A] = 7, [FORMAT_FP8] = 2},
        [PACK_INTEGER] = {[FORMAT_INT32] = 31, [FORMAT_INT16] = 15, [FORMAT_INT8] = 7},
    };
    return mantissa[kind][format];
}

struct late_choice {
    bool legal;
    enum pack_late late;
};

static struct late_choice late_from_wide(enum data_format from, enum data_format to, bool e4m3)
{
    bool narrows = from == FORMAT_FP32 || from == FORMAT_TF32;
    switch (to) {
    case FORMAT_FP32: return (struct late_choice){true, PACK_LATE_IDENTITY};
    case FORMAT_TF32: return (struct late_choice){from != FORMAT_FP32, PACK_LATE_WIDE_TO_TF32};
    case FORMAT_BF16:
    case FORMAT_BFP8:
    case FORMAT_BFP4:
    case FORMAT_BFP2:
        return (struct late_choice){true, narrows ? PACK_LATE_WIDE_TO_BF16_TRUNCATED : PACK_LATE_WIDE_TO_BF16};
    case FORMAT_FP16: return (struct late_choice){true, PACK_LATE_WIDE_TO_FP16};
    case FORMAT_FP8: return (struct late_choice){true, e4m3 ? PACK_LATE_WIDE_TO_FP8_E4M3 : PACK_LATE_WIDE_TO_FP8_E5M2};
    case FORMAT_BFP8A:
    case FORMAT_BFP4A:
    case FORMAT_BFP2A: return (struct late_choice){true, PACK_LATE_WIDE_TO_E5M7};
    default: return (struct late_choice){false, PACK_LATE_IDENTITY};
    }
}

static struct late_choice late_from_narrow(enum data_format from, enum data_format to, bool e4m3)
{
    switch (to) {
    case FORMAT_FP32:
    case FORMAT_TF32: return (struct late_choice){true, PACK_LATE_NARROW_TO_FP32};
    case FORMAT_BF16:
    case FORMAT_BFP8:
    case FORMAT_BFP4:
    case FORMAT_BFP2: return (struct late_choice){true, PACK_LATE_NARROW_TO_BF16};
    case FORMAT_FP16: return (struct late_choice){true, PACK_LATE_IDENTITY};
    case FORMAT_FP8:
        if (e4m3) {
            return (struct late_choice){true, PACK_LATE_NARROW_TO_FP8_E4M3};
        }
        return (struct late_choice){true, from == FORMAT_FP8 ? PACK_LATE_FP8 : PACK_LATE_NARROW_TO_FP8_E5M2};
    case FORMAT_BFP8A:
    case FORMAT_BFP4A:
    case FORMAT_BFP2A:
        return (struct late_choice){true, from == FORMAT_FP16 ? PACK_LATE_NARROW_TO_E5M7 : PACK_LATE_E5M7};
    default: return (struct late_choice){false, PACK_LATE_IDENTITY};
    }
}

/* Conversions that drop no mantissa bits are the same with random rounding. */
static enum step choose_rounding(struct tensix *tensix, const uint32_t *config, struct pack_conversion *conversion)
{
    const unsigned rounds = 1u << PACK_EARLY_32B_TO_TF32 | 1u << PACK_EARLY_32B_TO_BF16 | 1u << PACK_EARLY_32B_TO_E8M6 |
                            1u << PACK_EARLY_32B_TO_INT8 | 1u << PACK_EARLY_32B_TO_UINT8 |
                            1u << PACK_EARLY_BF16_TO_E8M6 | 1u << PACK_EARLY_FP16_TO_E5M6;
    bool integer = conversion->kind == PACK_INTEGER;
    conversion->random_early = CONFIG_GET(config, ALU_ROUNDING_MODE_Gasket_srnd_en) &&
                               rounds >> conversion->early & 1 &&
                               (!integer || conversion->shift || conversion->shift_by_plane);
    conversion->random_bfp = CONFIG_GET(config, ALU_ROUNDING_MODE_Packer_srnd_en) && conversion->bfp;
    return conversion->random_early || conversion->random_bfp ? stochastic_warn(tensix) : STEP_DONE;
}

/* Whether all bytes of INT_DESCALE_VALUES, of which mode 1 selects one for each datum, have the same shift. */
static bool one_shift(const uint32_t *config)
{
    enum { FIRST = INT_DESCALE_VALUES_SEC0_Value_ADDR32, LAST = INT_DESCALE_VALUES_SEC15_Value_ADDR32 };
    const uint32_t counts = UINT32_C(0x1f1f1f1f), first = config[FIRST] & counts;
    bool same = first == (first & 31) * UINT32_C(0x01010101);
    for (unsigned i = FIRST; i <= LAST; i++) {
        same &= (config[i] & counts) == first;
    }
    return same;
}

static enum step choose_shift(struct tensix *tensix, const uint32_t *config, struct pack_conversion *conversion)
{
    bool shifts = conversion->early == PACK_EARLY_32B_TO_INT8 || conversion->early == PACK_EARLY_32B_TO_UINT8;
    if (!shifts || !CONFIG_GET(config, INT_DESCALE_Enable)) {
        return STEP_DONE;
    }
    conversion->shift = CONFIG_GET(config, INT_DESCALE_VALUES_SEC0_Value) & 31;
    conversion->shift_by_plane = CONFIG_GET(config, INT_DESCALE_Mode) && !one_shift(config);
    if (!conversion->shift_by_plane) {
        return STEP_DONE;
    }
    return diagnose(tensix->diagnostics, BH_NON_CONTRACTUAL,
                    "INT_DESCALE_Mode 1 with INT_DESCALE_VALUES that differ: the documentation does not say which of "
                    "the 64 bytes a datum takes, the vendor's description that each output filter has its own: taken "
                    "to be that of the tile's plane, from ZOffset on");
}

unsigned pack_shift_of_plane(const uint32_t *config, uint32_t plane)
{
    enum { VALUES = 64 };
    uint32_t value = plane % VALUES;
    return config[INT_DESCALE_VALUES_SEC0_Value_ADDR32 + value / 4] >> (8 * (value % 4)) & 31;
}

static enum step choose_relu(struct tensix *tensix, const uint32_t *config, enum data_format intermediate,
                             struct pack_conversion *conversion)
{
    conversion->relu = (enum pack_relu)(CONFIG_GET(config, STACC_RELU_ApplyRelu) & 3);
    if (conversion->relu == PACK_RELU_NONE) {
        return STEP_DONE;
    }
    uint32_t threshold = CONFIG_GET(config, STACC_RELU_ReluThreshold);
    conversion->relu_threshold = conversion->kind == PACK_WIDE ? threshold << 16 : threshold;
    bool unsigned_ =
        conversion->early == PACK_EARLY_32B_TO_UINT8 || conversion->early == PACK_EARLY_32B_TO_UINT8_LOW_BITS;
    conversion->relu_sign = intermediate == FORMAT_INT32   ? UINT32_C(0x80000000)
                            : intermediate == FORMAT_INT16 ? 0x8000
                            : unsigned_                    ? 0
                                                           : 0x80;
    if (conversion->relu == PACK_RELU_ZERO) {
        return STEP_DONE;
    }
    if (conversion->kind == PACK_INTEGER) {
        return diagnose(tensix->diagnostics, BH_UNDEFINED_BEHAVIOR,
                        "STACC_RELU_ApplyRelu is %u with %s data: integers know 0 and 1 only", conversion->relu,
                        format_name(intermediate));
    }
    if (threshold & 0x8000) {
        return diagnose(tensix->diagnostics, BH_UNDEFINED_BEHAVIOR, "STACC_RELU_ReluThreshold 0x%04x is negative",
                        threshold);
    }
    return STEP_DONE;
}

static enum step choose_exponent_threshold(struct tensix *tensix, const uint32_t *config, enum data_format late_from,
                                           struct pack_conversion *conversion)
{
    conversion->exponent_threshold_enabled = CONFIG_GET(config, THCON_SEC0_REG1_Exp_threshold_en);
    conversion->exponent_threshold = CONFIG_GET(config, THCON_SEC0_REG1_Exp_threshold);
    if (conversion->exponent_threshold_enabled && late_from == FORMAT_BFP2A) {
        return diagnose(tensix->diagnostics, BH_UNDEFINED_BEHAVIOR,
                        "THCON_SEC0_REG1_Exp_threshold_en with In_data_format BFP2A");
    }
    return STEP_DONE;
}

static enum step choose_accumulation(struct tensix *tensix, const uint32_t *config, struct pack_conversion *conversion)
{
    conversion->accumulation = PACK_OVERWRITE;
    if (!CONFIG_GET(config, THCON_SEC0_REG1_Pack_L1_Acc)) {
        return STEP_DONE;
    }
    if (conversion->compress) {
        return diagnose(tensix->diagnostics, BH_UNSUPPORTED,
                        "THCON_SEC0_REG1_Pack_L1_Acc with zero compression: set Disable_zero_compress");
    }
    switch (conversion->out) {
    case FORMAT_FP32: conversion->accumulation = PACK_ACCUMULATE_FP32; return STEP_DONE;
    case FORMAT_FP16: conversion->accumulation = PACK_ACCUMULATE_FP16; return STEP_DONE;
    case FORMAT_BF16: conversion->accumulation = PACK_ACCUMULATE_BF16; return STEP_DONE;
    case FORMAT_INT32: conversion->accumulation = PACK_ACCUMULATE_INT32; return STEP_DONE;
    default:
        return diagnose(tensix->diagnostics, BH_UNDEFINED_BEHAVIOR,
                        "THCON_SEC0_REG1_Pack_L1_Acc with Out_data_format %s: L1 adds FP32, FP16, BF16 and INT32 only",
                        format_name(conversion->out));
    }
}

static enum step choose_formats(struct tensix *tensix, const uint32_t *config, const struct reading *reading,
                                struct pack_conversion *conversion)
{
    struct early_choice early = reading->from_l1    ? early_from_l1(reading)
                                : reading->read_32b ? early_from_32b(reading)
                                                    : early_from_16b(reading);
    conversion->early = early.early;
    conversion->kind = early.kind;
    if (!early.legal && reading->from_l1) {
        return diagnose(tensix->diagnostics, BH_UNDEFINED_BEHAVIOR,
                        "the packer does not read %s (THCON_SEC0_REG1_In_data_format) from L1",
                        format_name(reading->late_from));
    }
    if (!early.legal) {
        return diagnose(
            tensix->diagnostics, BH_UNDEFINED_BEHAVIOR,
            "no early format conversion from %s Dst to %s with Read_int8 %d, Read_unsigned %d, "
            "Round_10b_mant %d: set PCK_DEST_RD_CTRL and ALU_FORMAT_SPEC_REG2_Dstacc to a pair that there is",
            reading->read_32b ? "32-bit" : "16-bit", format_name(reading->intermediate), reading->raw,
            reading->unsigned_, reading->round_10b_mant);
    }
    enum pack_kind kind = early.kind;
    conversion->narrow = kind == PACK_WIDE && reading->round_10b_mant && reading->late_from == FORMAT_FP16;
    kind = conversion->narrow ? PACK_NARROW : kind;
    unsigned mantissa = conversion->narrow ? 10 : early.mantissa;
    if (late_from_mantissa(reading->late_from, kind) < mantissa) {
        enum step step = diagnose(tensix->diagnostics, BH_UNDEFINED_BEHAVIOR,
                                  "the early format conversion gives %s%s, which In_data_format %s does not hold: make "
                                  "ALU_FORMAT_SPEC_REG2_Dstacc and THCON_SEC0_REG1_In_data_format the same",
                                  format_name(reading->intermediate), reading->raw ? " (read raw)" : "",
                                  format_name(reading->late_from));
        if (step != STEP_DONE) {
            return step;
        }
    }
    bool e4m3 = CONFIG_GET(config, THCON_SEC0_REG1_Pac_LF8_4b_exp);
    struct late_choice late = {reading->late_from == reading->late_to, PACK_LATE_IDENTITY};
    if (kind == PACK_WIDE) {
        late = late_from_wide(reading->late_from, reading->late_to, e4m3);
    } else if (kind == PACK_NARROW) {
        late = late_from_narrow(reading->late_from, reading->late_to, e4m3);
    }
    conversion->late = late.late;
    if (!late.legal || !format_bits(reading->late_to)) {
        return diagnose(tensix->diagnostics, BH_UNDEFINED_BEHAVIOR,
                        "no late format conversion from In_data_format %s to Out_data_format %s",
                        format_name(reading->late_from), format_name(reading->late_to));
    }
    return STEP_DONE;
}

static uint32_t minus_infinity(enum pack_early early, enum pack_kind kind)
{
    if (kind == PACK_WIDE) {
        return 0xff800000;
    }
    return early == PACK_EARLY_FP16_TO_E5M7   ? 0xfff8
           : early == PACK_EARLY_FP16_TO_E5M6 ? 0xfff0
           : early == PACK_EARLY_FP16_TO_FP8  ? 0xff00
                                              : 0xffff;
}

enum step pack_choose_conversion(struct tensix *tensix, const uint32_t *config, struct pack_conversion *conversion)
{
    struct reading reading = {
        .intermediate = CONFIG_GET(config, ALU_FORMAT_SPEC_REG_Dstacc_override)
                            ? CONFIG_GET(config, ALU_FORMAT_SPEC_REG_Dstacc_val)
                            : CONFIG_GET(config, ALU_FORMAT_SPEC_REG2_Dstacc),
        .read_32b = CONFIG_GET(config, PCK_DEST_RD_CTRL_Read_32b_data),
        .raw = CONFIG_GET(config, PCK_DEST_RD_CTRL_Read_int8),
        .unsigned_ = CONFIG_GET(config, PCK_DEST_RD_CTRL_Read_unsigned),
        .round_10b_mant = CONFIG_GET(config, PCK_DEST_RD_CTRL_Round_10b_mant),
        .late_from = CONFIG_GET(config, THCON_SEC0_REG1_In_data_format),
        .late_to = CONFIG_GET(config, THCON_SEC0_REG1_Out_data_format),
        .from_l1 = CONFIG_GET(config, THCON_SEC0_REG1_Source_interface_selection),
    };
    if (reading.from_l1) {
        reading.intermediate = reading.late_from;
        reading.round_10b_mant = false;
    }
    *conversion = (struct pack_conversion){
        .read_32b = reading.read_32b,
        .in = reading.late_from,
        .out = reading.late_to,
        .bfp = format_is_bfp(reading.late_to),
        .apart = format_is_bfp(reading.late_to) && CONFIG_GET(config, THCON_SEC0_REG1_Dis_shared_exp_assembler),
        .bits = format_bits(reading.late_to),
        .compress = !CONFIG_GET(config, THCON_SEC0_REG1_Disable_zero_compress),
        .zero_flags = !CONFIG_GET(config, THCON_SEC0_REG1_Disable_pack_zero_flags),
    };
    enum step step = choose_formats(tensix, config, &reading, conversion);
    step = step == STEP_DONE ? choose_shift(tensix, config, conversion) : step;
    step = step == STEP_DONE ? choose_rounding(tensix, config, conversion) : step;
    step = step == STEP_DONE ? choose_relu(tensix, config, reading.intermediate, conversion) : step;
    step = step == STEP_DONE ? choose_exponent_threshold(tensix, config, reading.late_from, conversion) : step;
    step = step == STEP_DONE ? choose_accumulation(tensix, config, conversion) : step;
    conversion->minus_infinity = minus_infinity(conversion->early, conversion->kind);
    return step;
}
