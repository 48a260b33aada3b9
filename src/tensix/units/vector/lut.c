/* Piecewise linear functions and approximations: SFPLUT, SFPLUTFP32, SFPARECIP. Sources: the ISA documentation's page
   of each. */
#include "tensix/units/vector/lut.h"
#include "tensix/num/sfpu_approximate.h"
#include "tensix/num/sfpu_mad.h"
#include "tensix/units/vector/words.h"

/* Sign, 3 bits of exponent, 4 of mantissa, for magnitudes from 2^-7 to 2; all ones is zero. */
static inline uint32_t lut8_to_fp32(uint32_t x)
{
    x &= 0xff;
    return x == 0xff ? 0 : (x & 0x80) << 24 | (127 - (x >> 4 & 7)) << 23 | (x & 15) << 19;
}

/* FP16 without denormals; the largest exponent is zero. */
static inline uint32_t lut16_to_fp32(uint32_t x)
{
    uint32_t exponent = x >> 10 & 31;
    return (x & 0x8000) << 16 | (exponent == 31 ? 0 : exponent + 112) << 23 | (x & 0x3ff) << 13;
}

/* For each lane the one of three LRegs, from `first` on, that LReg[3]'s magnitude selects. NaN selects the last. */
STATIC_CLONES(void, choose, (const struct vector_unit *vector, unsigned first, uint32_t *restrict chosen),
              (vector, first, chosen))
{
    const uint32_t *argument = vector->lreg[LREG_ARGUMENT];
    const uint32_t *low = vector->lreg[first], *middle = vector->lreg[first + 1], *high = vector->lreg[first + 2];
    for (unsigned lane = 0; lane < SFPU_LANES; lane++) {
        uint32_t x = argument[lane] & ~SIGN_BIT, below_one = low[lane], below_two = middle[lane], above = high[lane];
        chosen[lane] = x < ONE ? below_one : x < TWO ? below_two : above;
    }
}

/* Each of those three intervals is divided into two, the last at `cut`: 16 for lanes in the upper part, else 0. */
static inline uint32_t half_of_interval(uint32_t x, uint32_t cut)
{
    uint32_t middle = x < ONE ? HALF : x < TWO ? ONE_AND_A_HALF : cut;
    return x < middle ? 0 : 16;
}

/* c: coefficients of two or more intervals; b: LReg[3]. */
LANE_OPERATION(first_of_8_bits, lut8_to_fp32(c >> 8))
LANE_OPERATION(second_of_8_bits, lut8_to_fp32(c))
LANE_OPERATION(first_of_16_bits, lut16_to_fp32(c >> 16))
LANE_OPERATION(second_of_16_bits, lut16_to_fp32(c))
LANE_OPERATION(of_half_of_interval, lut16_to_fp32(c >> half_of_interval(b & ~SIGN_BIT, immediate)))
LANE_OPERATION(magnitude_of, c & ~SIGN_BIT)
LANE_OPERATION(with_sign_of, (c & ~immediate) | (b & immediate))

/* Writes a * |LReg[3]| + c to its destination. */
static void evaluate(struct vector_unit *vector, uint32_t mod, uint32_t vd, const uint32_t *a, const uint32_t *c,
                     uint32_t lanes)
{
    const uint32_t *argument = vector->lreg[LREG_ARGUMENT];
    uint32_t magnitude[SFPU_LANES], result[SFPU_LANES];
    magnitude_of(magnitude, argument, argument, 0, ALL_LANES);
    sfpu_mad_lanes(result, &(struct sfpu_mad_operands){.x = a, .y = magnitude, .z = c}, ALL_LANES);
    with_sign_of(result, argument, result, mod & LUT_SGN_RETAIN ? SIGN_BIT : 0, ALL_LANES);
    if (mod & LUT_INDIRECT_VD && vd != LREG_MACRO) {
        vector_write_indirect(vector, result, lanes);
    } else {
        vector_write(vector, vd, result, lanes);
    }
}

/* SFPLUT in `lanes`. */
static void look_up_8_bits(struct vector_unit *vector, uint32_t mod0, uint32_t vd, uint32_t lanes)
{
    uint32_t a[SFPU_LANES], c[SFPU_LANES];
    choose(vector, 0, c);
    first_of_8_bits(a, c, c, 0, ALL_LANES);
    second_of_8_bits(c, c, c, 0, ALL_LANES);
    evaluate(vector, mod0, vd, a, c, lanes);
}

/* Left to the unit if LReg[7] selects the destination. */
static struct vector_operation look_up_operation(uint32_t vd, uint32_t mod, enum vector_look_up what)
{
    struct vector_operation operation = vector_moving_operation(EFFECT_LOOK_UP, vd, LREG_ARGUMENT, mod);
    operation.vb = (uint8_t)what;
    if (mod & LUT_INDIRECT_VD) {
        operation.kind = VECTOR_BY_UNIT;
        operation.effect = EFFECT_NONE;
    }
    return operation;
}

struct vector_operation vector_decode_SFPLUT(struct args_SFPLUT args)
{
    return look_up_operation(args.lreg_ind, args.instr_mod0, LOOK_UP_8_BITS);
}

enum step execute_SFPLUT(struct tensix *tensix, unsigned thread, struct args_SFPLUT args)
{
    struct vector_unit *vector = &tensix->state->vector;
    uint32_t executing;
    enum step step = vector_begin_result(tensix, args.lreg_ind, &executing);
    if (step == STEP_DONE) {
        look_up_8_bits(vector, args.instr_mod0, args.lreg_ind, executing & vector_enabled_lanes(vector));
    }
    return step;
}

/* SFPLUTFP32 in `lanes`. Mode FP16_3ENTRY_TABLE contains INDIRECT_VD's bit, so that LReg[7] selects its destination: a
   bug of the hardware. */
static void look_up(struct vector_unit *vector, uint32_t mod1, uint32_t vd, uint32_t lanes)
{
    bool wide = !(mod1 & FP16_6ENTRY_TABLE1), three = (mod1 & FP16_3ENTRY_TABLE) == FP16_3ENTRY_TABLE;
    uint32_t cut = vector_look_up_cut(mod1), a[SFPU_LANES], c[SFPU_LANES];
    const uint32_t *argument = vector->lreg[LREG_ARGUMENT];
    choose(vector, 0, a);
    choose(vector, 4, c);
    if (three) {
        second_of_16_bits(c, a, a, 0, ALL_LANES);
        first_of_16_bits(a, a, a, 0, ALL_LANES);
    } else if (!wide) {
        of_half_of_interval(a, argument, a, cut, ALL_LANES);
        of_half_of_interval(c, argument, c, cut, ALL_LANES);
    }
    evaluate(vector, mod1, vd, a, c, lanes);
}

struct vector_operation vector_decode_SFPLUTFP32(struct args_SFPLUTFP32 args)
{
    return look_up_operation(args.lreg_dest, args.instr_mod1,
                             args.instr_mod1 & FP16_6ENTRY_TABLE1 ? LOOK_UP_16_BITS : LOOK_UP_FP32);
}

enum step execute_SFPLUTFP32(struct tensix *tensix, unsigned thread, struct args_SFPLUTFP32 args)
{
    struct vector_unit *vector = &tensix->state->vector;
    uint32_t executing;
    enum step step = vector_begin_result(tensix, args.lreg_dest, &executing);
    if (step == STEP_DONE) {
        look_up(vector, args.instr_mod1, args.lreg_dest, executing & vector_enabled_lanes(vector));
    }
    return step;
}

enum { ARECIP_RECIP = 0, ARECIP_COND_RECIP = 1 };

/* sfpu_approximate_reciprocal() of numbers that are neither too small nor too large. The quotient is never an integer,
   and far enough from one that the host's rounding does not matter. */
STATIC_CLONES(void, reciprocals, (const uint32_t *x, uint32_t *restrict result), (x, result))
{
    for (unsigned lane = 0; lane < SFPU_LANES; lane++) {
        int32_t divisor = (int32_t)(257 + 2 * (x[lane] >> 16 & 0x7f)), quotient = (int32_t)(131072.0f / (float)divisor);
        uint32_t mantissa = ((uint32_t)quotient + 1) / 2 - 128;
        result[lane] = (253 - (x[lane] >> 23 & 0xff)) << 23 | mantissa << 16;
    }
}

/* b: the result of reciprocals() for c. */
LANE_OPERATION(limited_reciprocal, (c & SIGN_BIT) | ((c & ~SIGN_BIT) < SMALLEST_NORMAL ? EXPONENT_BITS
                                                     : (c & ~SIGN_BIT) >= TOO_LARGE    ? 0
                                                                                       : b))

struct vector_operation vector_decode_SFPARECIP(struct args_SFPARECIP args)
{
    struct vector_operation operation = vector_moving_operation(EFFECT_CONVERT, args.lreg_dest, args.lreg_c, 0);
    operation.rounding = WORDS_NONE;
    return args.instr_mod1 == ARECIP_RECIP ? operation : (struct vector_operation){0};
}

enum step execute_SFPARECIP(struct tensix *tensix, unsigned thread, struct args_SFPARECIP args)
{
    struct vector_unit *vector = &tensix->state->vector;
    uint32_t executing, result[SFPU_LANES];
    enum step step = vector_begin_result(tensix, args.lreg_dest, &executing);
    if (step != STEP_DONE) {
        return step;
    }
    const uint32_t *b = vector->lreg[vector_source_b(vector, args.imm12_math)], *c = vector->lreg[args.lreg_c];
    if (args.instr_mod1 == ARECIP_RECIP) {
        reciprocals(c, result);
        limited_reciprocal(result, result, c, 0, ALL_LANES);
        vector_write(vector, args.lreg_dest, result, executing & vector_enabled_lanes(vector));
        return STEP_DONE;
    }
    for (unsigned lane = 0; lane < SFPU_LANES; lane++) {
        uint32_t x = c[lane], sign = x & SIGN_BIT, magnitude = x & ~SIGN_BIT;
        switch (args.instr_mod1) {
        case ARECIP_COND_RECIP: result[lane] = b[lane] & SIGN_BIT ? sfpu_approximate_reciprocal(magnitude) : x; break;
        default: result[lane] = sign | sfpu_approximate_exponential(magnitude); break;
        }
    }
    vector_write(vector, args.lreg_dest, result, executing & vector_enabled_lanes(vector));
    return STEP_DONE;
}

TENSIX_RUN(SFPLUT)
TENSIX_RUN(SFPLUTFP32)
TENSIX_RUN(SFPARECIP)
