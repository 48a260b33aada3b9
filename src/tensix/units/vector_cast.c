/* Conversions between number formats: SFPCAST and SFP_STOCH_RND (SFPSTOCHRND in the documentation). Sources: ISA
   documentation SFPCAST_*.md, SFPSTOCHRND_*.md. */
#include "tensix/units/vector_prng.h"
#include "tensix/units/vector_words.h"

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

/* What SFP_STOCH_RND rounds with, in a plan's vb: bits of a random number, or the same in all lanes. */
enum rounding { ROUND_TO_NEAREST, ROUND_AT_RANDOM, ROUND_TO_ZERO };
enum { ROUNDING_BITS = 0x7fffff, HALF_OF_ROUNDING_BITS = 0x400000 };

static inline uint32_t fixed_rounding(uint32_t mode)
{
    return mode == ROUND_TO_NEAREST ? HALF_OF_ROUNDING_BITS : mode == ROUND_TO_ZERO ? ROUNDING_BITS : 0;
}

/* VD = expression of VC (c), in enabled lanes; advances: of their random numbers (b) too, which advance. */
#define CAST_CALL(name, advances, expression)                                                                          \
    LEVELS(bool, name, (const struct vector_calling *calling, const struct vector_plan *plan), (calling, plan))        \
    {                                                                                                                  \
        struct vector_unit *vector = &calling->state->vector;                                                          \
        const uint32_t *source = vector->lreg[plan->vc], immediate = plan->immediate;                                  \
        const uint32_t fixed = fixed_rounding(plan->vb), random = plan->vb == ROUND_AT_RANDOM ? ROUNDING_BITS : 0;     \
        uint32_t lanes = vector_enabled_lanes(vector), *result = vector->lreg[plan->vd], *prng = vector->prng;         \
        (void)prng, (void)immediate, (void)fixed, (void)random;                                                        \
        if (__builtin_expect(lanes == ALL_LANES, 1)) {                                                                 \
            LANES_ARE_INDEPENDENT for (unsigned lane = 0; lane < SFPU_LANES; lane++)                                   \
            {                                                                                                          \
                uint32_t c = source[lane], b = (advances) ? prng[lane] : 0;                                            \
                (void)b;                                                                                               \
                prng[lane] = (advances) ? vector_prng_step(b) : prng[lane];                                            \
                result[lane] = (expression);                                                                           \
            }                                                                                                          \
            return true;                                                                                               \
        }                                                                                                              \
        LANES_ARE_INDEPENDENT for (unsigned lane = 0; lane < SFPU_LANES; lane++)                                       \
        {                                                                                                              \
            uint32_t c = source[lane], b = (advances) ? prng[lane] : 0, d = (expression);                              \
            (void)b;                                                                                                   \
            prng[lane] = (advances) && (lanes >> lane & 1) ? vector_prng_step(b) : prng[lane];                         \
            result[lane] = lanes >> lane & 1 ? d : result[lane];                                                       \
        }                                                                                                              \
        return true;                                                                                                   \
    }
CAST_CALL(call_to_float_nearest, false, integer_to_float(c))
CAST_CALL(call_to_float_stochastic, true, integer_to_float_stochastic(c, b))

enum { SM32_TO_FP32_RNE, SM32_TO_FP32_RNS, INT32_ABS, INT32_SM32, CAST_MODES };

struct vector_plan vector_plan_SFPCAST(struct args_SFPCAST args)
{
    uint32_t vc = args.lreg_src_c, vd = args.lreg_dest;
    switch (args.instr_mod1) {
    case INT32_ABS: return vector_lanewise_plan(lanewise_integer_absolute, vd, vc, vc, 0);
    case INT32_SM32: return vector_lanewise_plan(lanewise_other_integer, vd, vc, vc, 0);
    case SM32_TO_FP32_RNE: return vector_call_plan(CLONE(call_to_float_nearest), vd, vc, 0);
    case SM32_TO_FP32_RNS: return vector_call_plan(CLONE(call_to_float_stochastic), vd, vc, 0);
    default: return (struct vector_plan){0};
    }
}

enum step execute_SFPCAST(struct tensix *tensix, unsigned thread, struct args_SFPCAST args)
{
    struct vector_unit *vector = &tensix->state->vector;
    uint32_t executing, random[SFPU_LANES] = {};
    if (args.instr_mod1 >= CAST_MODES) {
        enum step step =
            diagnose(tensix->diagnostics, BH_NON_CONTRACTUAL, "SFPCAST: Mod1 = %u is reserved", args.instr_mod1);
        if (step != STEP_DONE) {
            return step;
        }
        args.instr_mod1 %= CAST_MODES;
    }
    struct vector_plan plan = vector_plan_SFPCAST(args);
    if (plan.kind == VECTOR_WORDS) {
        return vector_execute_plan(tensix, plan, NULL);
    }
    if (vector_called(tensix, thread, plan)) {
        return STEP_DONE;
    }
    enum step step = vector_begin_result(tensix, args.lreg_dest, &executing);
    if (step != STEP_DONE) {
        return step;
    }
    uint32_t lanes = executing & vector_enabled_lanes(vector);
    if (args.instr_mod1 == SM32_TO_FP32_RNS) {
        vector_advance_prng(vector, lanes, random);
    }
    if (vector_writable(args.lreg_dest)) {
        lane_operation *operation = args.instr_mod1 == SM32_TO_FP32_RNS ? to_float_stochastic : to_float_nearest;
        operation(vector->lreg[args.lreg_dest], random, vector->lreg[args.lreg_src_c], 0, lanes);
    }
    return STEP_DONE;
}

LANE_OPERATION(keep_rounding_bits, c &ROUNDING_BITS)
LANE_OPERATION(same_in_all_lanes, immediate)

/* What lanes round with. Random numbers advance also where they are not used. */
static void rounding_bits(struct vector_unit *vector, uint32_t lanes, uint32_t mode, uint32_t *bits)
{
    vector_advance_prng(vector, lanes, bits);
    if (mode == ROUND_TO_NEAREST || mode == ROUND_TO_ZERO) {
        same_in_all_lanes(bits, bits, bits, fixed_rounding(mode), ALL_LANES);
    } else {
        keep_rounding_bits(bits, bits, bits, 0, ALL_LANES);
    }
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

#define ROUNDING ((b & random) | fixed)
CAST_CALL(call_to_tf32, true, round_float(c, ROUNDING, 13))
CAST_CALL(call_to_bf16, true, round_float(c, ROUNDING, 16))
CAST_CALL(call_to_unsigned, true, float_to_integer(c, ROUNDING, immediate, 0))
CAST_CALL(call_to_signed, true, float_to_integer(c, ROUNDING, immediate, SIGN_BIT))

enum stoch_rnd_mod1 {
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

/* Of conversions of floats. */
struct vector_plan vector_plan_SFP_STOCH_RND(struct args_SFP_STOCH_RND args)
{
    uint32_t vc = args.lreg_src_c, vd = args.lreg_dest;
    struct vector_plan plan = {0};
    switch (args.instr_mod1) {
    case FP32_TO_FP16A: plan = vector_call_plan(CLONE(call_to_tf32), vd, vc, 0); break;
    case FP32_TO_FP16B: plan = vector_call_plan(CLONE(call_to_bf16), vd, vc, 0); break;
    case FP32_TO_UINT8: plan = vector_call_plan(CLONE(call_to_unsigned), vd, vc, 255); break;
    case FP32_TO_INT8: plan = vector_call_plan(CLONE(call_to_signed), vd, vc, 127); break;
    case FP32_TO_UINT16: plan = vector_call_plan(CLONE(call_to_unsigned), vd, vc, 65535); break;
    case FP32_TO_INT16: plan = vector_call_plan(CLONE(call_to_signed), vd, vc, 32767); break;
    default: break;
    }
    bool fixed = args.rnd_mode == ROUND_TO_NEAREST || args.rnd_mode == ROUND_TO_ZERO;
    plan.vb = (uint8_t)(fixed ? args.rnd_mode : ROUND_AT_RANDOM);
    return plan;
}

enum step execute_SFP_STOCH_RND(struct tensix *tensix, unsigned thread, struct args_SFP_STOCH_RND args)
{
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
    if (vector_called(tensix, thread, vector_plan_SFP_STOCH_RND(args))) {
        return STEP_DONE;
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
