/* Conversions between number formats: SFPCAST and SFP_STOCH_RND (SFPSTOCHRND in the documentation). Sources: ISA
   documentation SFPCAST_*.md, SFPSTOCHRND_*.md. */
#include "tensix/units/vector/prng.h"
#include "tensix/units/vector/words.h"
#include "tensix/units/vector/words_in_c.h"

LANE_OPERATION(to_float_at_random, INTEGER_TO_FLOAT(c, ROUNDED_AT_RANDOM))

/* The operation of an instruction that advances random numbers. */
static struct vector_operation rounding_operation(enum vector_word_operation rounding, uint32_t vd, uint32_t vc,
                                                  uint32_t limit)
{
    struct vector_operation operation = vector_moving_operation(EFFECT_ROUND, vd, vc, limit);
    operation.rounding = (uint8_t)rounding;
    operation.vb = ROUND_AT_RANDOM;
    return operation;
}

enum { SM32_TO_FP32_RNE, SM32_TO_FP32_RNS, INT32_ABS, INT32_SM32, CAST_MODES };

struct vector_operation vector_decode_SFPCAST(struct args_SFPCAST args)
{
    uint32_t vc = args.lreg_src_c, vd = args.lreg_dest;
    switch (args.instr_mod1) {
    case INT32_ABS: return vector_lanewise_operation(WORDS_integer_absolute, vd, vc, vc, 0);
    case INT32_SM32: return vector_lanewise_operation(WORDS_other_integer, vd, vc, vc, 0);
    case SM32_TO_FP32_RNE: return vector_lanewise_operation(WORDS_integer_to_float, vd, vc, vc, 0);
    case SM32_TO_FP32_RNS: return rounding_operation(WORDS_to_float_at_random, vd, vc, 0);
    default: return (struct vector_operation){0};
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
    struct vector_operation operation = vector_decode_SFPCAST(args);
    if (operation.kind == VECTOR_WORDS) {
        return vector_execute_operation(tensix, operation, NULL);
    }
    enum step step = vector_begin_result(tensix, args.lreg_dest, &executing);
    if (step != STEP_DONE) {
        return step;
    }
    uint32_t lanes = executing & vector_enabled_lanes(vector);
    vector_advance_prng(vector, lanes, random);
    if (vector_writable(args.lreg_dest)) {
        to_float_at_random(vector->lreg[args.lreg_dest], random, vector->lreg[args.lreg_src_c], 0, lanes);
    }
    return STEP_DONE;
}

LANE_OPERATION(keep_rounding_bits, c &ROUNDING_BITS)
LANE_OPERATION(same_in_all_lanes, immediate)

/* The bits that lanes round with. Random numbers advance even if they are not used. */
static void rounding_bits(struct vector_unit *vector, uint32_t lanes, uint32_t mode, uint32_t *bits)
{
    vector_advance_prng(vector, lanes, bits);
    if (mode == ROUND_TO_NEAREST || mode == ROUND_TO_ZERO) {
        same_in_all_lanes(bits, bits, bits, fixed_rounding(mode), ALL_LANES);
    } else {
        keep_rounding_bits(bits, bits, bits, 0, ALL_LANES);
    }
}

/* Shifted right, rounded, and limited as above. A negative number that becomes 0 loses its sign. */
static inline uint32_t descale(uint32_t x, uint32_t shift, uint32_t rounding, uint32_t limit, uint32_t kept_sign)
{
    uint64_t scaled = (uint64_t)(x & ~SIGN_BIT) << 23 >> (shift & 31);
    uint32_t magnitude = (uint32_t)(scaled >> 23) + ((scaled & MANTISSA_BITS) >= rounding);
    magnitude = magnitude > limit ? limit : magnitude;
    return magnitude ? (x & kept_sign) | magnitude : 0;
}

LANE_OPERATION(to_tf32, ROUND_FLOAT(c, 13))
LANE_OPERATION(to_bf16, ROUND_FLOAT(c, 16))
LANE_OPERATION(to_unsigned, MAGNITUDE_OF_FLOAT(c))
LANE_OPERATION(to_signed, SIGNED(c, MAGNITUDE_OF_FLOAT(c)))

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

/* Decodes conversions of floats only. */
struct vector_operation vector_decode_SFP_STOCH_RND(struct args_SFP_STOCH_RND args)
{
    uint32_t vc = args.lreg_src_c, vd = args.lreg_dest;
    struct vector_operation operation = {0};
    switch (args.instr_mod1) {
    case FP32_TO_FP16A: operation = rounding_operation(WORDS_to_tf32, vd, vc, 0); break;
    case FP32_TO_FP16B: operation = rounding_operation(WORDS_to_bf16, vd, vc, 0); break;
    case FP32_TO_UINT8: operation = rounding_operation(WORDS_to_unsigned, vd, vc, 255); break;
    case FP32_TO_INT8: operation = rounding_operation(WORDS_to_signed, vd, vc, 127); break;
    case FP32_TO_UINT16: operation = rounding_operation(WORDS_to_unsigned, vd, vc, 65535); break;
    case FP32_TO_INT16: operation = rounding_operation(WORDS_to_signed, vd, vc, 32767); break;
    default: break;
    }
    if (args.rnd_mode == ROUND_TO_NEAREST || args.rnd_mode == ROUND_TO_ZERO) {
        operation.vb = (uint8_t)args.rnd_mode;
    }
    return operation;
}

enum step execute_SFP_STOCH_RND(struct tensix *tensix, unsigned thread, struct args_SFP_STOCH_RND args)
{
    struct vector_unit *vector = &tensix->state->vector;
    uint32_t mode = args.instr_mod1 % USE_IMM5, vd = args.lreg_dest, executing, rounding[SFPU_LANES];
    if (args.instr_mod1 & USE_IMM5 && mode != INT32_TO_UINT8 && mode != INT32_TO_INT8) {
        enum step step =
            diagnose_once(tensix->diagnostics, BH_NON_CONTRACTUAL,
                          "SFP_STOCH_RND: Mod1 = %u is executed as %u; only conversions of integers (4 and 5) take an "
                          "immediate (+ 8)",
                          args.instr_mod1, mode);
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

TENSIX_RUN(SFP_STOCH_RND)
TENSIX_RUN(SFPCAST)
