/* Conversions between number formats: SFPCAST and SFP_STOCH_RND (SFPSTOCHRND in the documentation). Sources: ISA
   documentation SFPCAST_*.md, SFPSTOCHRND_*.md. */
#include "tensix/units/vector_parts.h"

LANE_OPERATION(keep_23_bits, c & 0x7fffff)
LANE_OPERATION(same_in_all_lanes, immediate)

/* What a lane rounds with: bits of its random number, or the same for all. */
static void rounding_bits(struct vector_unit *vector, uint32_t lanes, uint32_t rounding_mode, uint32_t *bits)
{
    enum { NEAREST = 0, ZERO = 2 };
    vector_advance_prng(vector, lanes, bits); /* also where the number is not used */
    bool fixed = rounding_mode == NEAREST || rounding_mode == ZERO;
    (fixed ? same_in_all_lanes : keep_23_bits)(bits, bits, bits, rounding_mode == NEAREST ? 0x400000 : 0x7fffff,
                                               ALL_LANES);
}

/* A magnitude below 2^31 as exponent and mantissa of FP32, truncated; *left_aligned: with its leading one in bit 30, so
   that the bits below bit 7 are those that did not fit. */
static inline uint32_t truncate_to_float(uint32_t magnitude, uint32_t *left_aligned)
{
    uint32_t zeros = magnitude ? (uint32_t)__builtin_clz(magnitude) : 0;
    *left_aligned = magnitude << zeros;
    return magnitude ? ((157 - zeros) << 23) + (*left_aligned >> 8) : 0;
}

/* Ties to even. */
static inline uint32_t integer_to_float(uint32_t integer)
{
    uint32_t aligned, d = (integer & SIGN_BIT) | truncate_to_float(integer & ~SIGN_BIT, &aligned);
    return d + (aligned & 0x80 && aligned & 0x17f);
}

/* Up where the bits that do not fit exceed seven random bits. */
static inline uint32_t integer_to_float_stochastic(uint32_t integer, uint32_t random)
{
    uint32_t aligned, d = (integer & SIGN_BIT) | truncate_to_float(integer & ~SIGN_BIT, &aligned);
    return d + ((aligned & 0xfe) > (random >> 9 & 0xfe));
}

LANE_OPERATION(to_float_nearest, integer_to_float(c))
LANE_OPERATION(to_float_stochastic, integer_to_float_stochastic(c, b))
LANE_OPERATION(absolute, c &SIGN_BIT ? -c : c)
/* From two's complement to sign and magnitude, and back. */
LANE_OPERATION(other_integer, c &SIGN_BIT ? SIGN_BIT | -c : c)

enum step execute_SFPCAST(struct tensix *tensix, unsigned thread, struct args_SFPCAST args)
{
    enum { SM32_TO_FP32_RNE, SM32_TO_FP32_RNS, INT32_ABS, INT32_SM32, MODES = 4 };
    static lane_operation *const operations[MODES] = {to_float_nearest, to_float_stochastic, absolute, other_integer};
    struct vector_unit *vector = &tensix->state->vector;
    uint32_t mode = args.instr_mod1 % MODES, executing, random[SFPU_LANES] = {};
    if (args.instr_mod1 >= MODES) {
        enum step step =
            diagnose(tensix->diagnostics, BH_NON_CONTRACTUAL, "SFPCAST: Mod1 = %u is reserved", args.instr_mod1);
        if (step != STEP_DONE) {
            return step;
        }
    }
    enum step step = vector_begin_result(tensix, args.lreg_dest, &executing);
    if (step != STEP_DONE) {
        return step;
    }
    uint32_t lanes = executing & vector_enabled_lanes(vector);
    if (mode == SM32_TO_FP32_RNS) {
        vector_advance_prng(vector, lanes, random);
    }
    if (vector_writable(args.lreg_dest)) {
        operations[mode](vector->lreg[args.lreg_dest], random, vector->lreg[args.lreg_src_c], 0, lanes);
    }
    return STEP_DONE;
}

/* Fewer mantissa bits, the lowest `dropped` rounded away with as many of the `rounding` bits; rounding up happens too
   easily, at equality. Zero and denormals become +0, NaN infinity. */
static inline uint32_t round_float(uint32_t x, uint32_t rounding, uint32_t dropped)
{
    uint32_t unit = 1u << dropped, rest = x & (unit - 1);
    uint32_t rounded = x - rest + (rest >= rounding >> (23 - dropped) ? unit : 0);
    uint32_t exponent = x & EXPONENT_BITS;
    return exponent == 0 ? 0 : exponent == EXPONENT_BITS ? x & ~MANTISSA_BITS : rounded;
}

/* To an integer of at most `limit`: sign and magnitude if signs are kept, else the magnitude. What is below a half
   becomes 0 and what has no place, NaN too, the limit. */
static inline uint32_t float_to_integer(uint32_t x, uint32_t rounding, uint32_t limit, uint32_t kept_sign)
{
    int32_t exponent = (int32_t)(x >> 23 & 0xff) - 127;
    int32_t place = exponent < -1 ? -1 : exponent > 16 ? 16 : exponent;
    uint32_t mantissa = (x & MANTISSA_BITS) | (MANTISSA_BITS + 1);
    /* 24 + 16 bits: the integer part, and the 23 bits below it */
    uint32_t whole = place < 0 ? 0 : mantissa >> (23 - place);
    uint32_t rest = place < 0 ? mantissa >> 1 : mantissa << place & MANTISSA_BITS;
    uint32_t magnitude = whole + (rest >= rounding);
    magnitude = exponent < -1 ? 0 : exponent >= 16 || magnitude > limit ? limit : magnitude;
    return magnitude ? (x & kept_sign) | magnitude : 0;
}

/* Shifted right, rounded, and limited as above. A negative number that becomes 0 loses its sign. */
static inline uint32_t descale(uint32_t x, uint32_t shift, uint32_t rounding, uint32_t limit, uint32_t kept_sign)
{
    uint64_t scaled = (uint64_t)(x & ~SIGN_BIT) << 23 >> (shift & 31);
    uint32_t magnitude = (uint32_t)(scaled >> 23) + ((scaled & MANTISSA_BITS) >= rounding);
    magnitude = magnitude > limit ? limit : magnitude;
    return magnitude ? (x & kept_sign) | magnitude : 0;
}

LANE_OPERATION(to_tf32, round_float(c, b, 13))
LANE_OPERATION(to_bf16, round_float(c, b, 16))
LANE_OPERATION(to_unsigned, float_to_integer(c, b, immediate, 0))
LANE_OPERATION(to_signed, float_to_integer(c, b, immediate, SIGN_BIT))

enum step execute_SFP_STOCH_RND(struct tensix *tensix, unsigned thread, struct args_SFP_STOCH_RND args)
{
    enum {
        FP32_TO_FP16A,
        FP32_TO_FP16B,
        FP32_TO_UINT8,
        FP32_TO_INT8,
        INT32_TO_UINT8,
        INT32_TO_INT8,
        FP32_TO_UINT16,
        FP32_TO_INT16,
        USE_IMM5 = 8
    };
    struct vector_unit *vector = &tensix->state->vector;
    uint32_t mode = args.instr_mod1 % USE_IMM5, vd = args.lreg_dest, executing, rounding[SFPU_LANES];
    if (args.instr_mod1 & USE_IMM5 && mode != INT32_TO_UINT8 && mode != INT32_TO_INT8) {
        enum step step =
            diagnose(tensix->diagnostics, BH_UNDEFINED_BEHAVIOR,
                     "SFP_STOCH_RND: no meaning is documented for Mod1 = %u; only conversions of integers (4 and 5) "
                     "take an immediate (+ 8)",
                     args.instr_mod1);
        if (step != STEP_DONE) {
            return step;
        }
    }
    enum step step = vector_begin_result(tensix, vd, &executing);
    if (step != STEP_DONE) {
        return step;
    }
    uint32_t lanes = executing & vector_enabled_lanes(vector);
    rounding_bits(vector, lanes, args.rnd_mode, rounding);
    if (!vector_writable(vd)) {
        return STEP_DONE;
    }
    uint32_t *d = vector->lreg[vd];
    const uint32_t *b = vector->lreg[args.lreg_src_b], *c = vector->lreg[args.lreg_src_c];
    switch (mode) {
    case FP32_TO_FP16A: to_tf32(d, rounding, c, 0, lanes); break;
    case FP32_TO_FP16B: to_bf16(d, rounding, c, 0, lanes); break;
    case FP32_TO_UINT8: to_unsigned(d, rounding, c, 255, lanes); break;
    case FP32_TO_INT8: to_signed(d, rounding, c, 127, lanes); break;
    case FP32_TO_UINT16: to_unsigned(d, rounding, c, 65535, lanes); break;
    case FP32_TO_INT16: to_signed(d, rounding, c, 32767, lanes); break;
    default:
        for (unsigned lane = 0; lane < SFPU_LANES; lane++) {
            uint32_t shift = args.instr_mod1 & USE_IMM5 ? args.imm8_math : b[lane];
            uint32_t result = mode == INT32_TO_UINT8 ? descale(c[lane], shift, rounding[lane], 255, 0)
                                                     : descale(c[lane], shift, rounding[lane], 127, SIGN_BIT);
            d[lane] = lanes >> lane & 1 ? result : d[lane];
        }
    }
    return STEP_DONE;
}
