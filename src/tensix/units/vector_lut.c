/* Piecewise linear functions and approximations: SFPLUT, SFPLUTFP32, SFPARECIP. Sources: the ISA documentation's page
   of each. */
#include "tensix/num/sfpu_approximate.h"
#include "tensix/num/sfpu_mad.h"
#include "tensix/units/vector_parts.h"

enum { LUT_SGN_RETAIN = 4, LUT_INDIRECT_VD = 8, LREG_ARGUMENT = 3 };

/* FP32 bits of the arguments at which intervals end. */
enum {
    HALF = 0x3f000000,
    ONE = 0x3f800000,
    ONE_AND_A_HALF = 0x3fc00000,
    TWO = 0x40000000,
    THREE = 0x40400000,
    FOUR = 0x40800000
};

/* Sign, 3 bits of exponent, 4 of mantissa, for magnitudes from 2^-7 to 2; all ones is zero. */
static uint32_t lut8_to_fp32(uint32_t x)
{
    x &= 0xff;
    return x == 0xff ? 0 : (x & 0x80) << 24 | (127 - (x >> 4 & 7)) << 23 | (x & 15) << 19;
}

/* FP16 without denormals; the largest exponent is zero. */
static uint32_t lut16_to_fp32(uint32_t x)
{
    uint32_t exponent = x >> 10 & 31;
    return (x & 0x8000) << 16 | (exponent == 31 ? 0 : exponent + 112) << 23 | (x & 0x3ff) << 13;
}

/* LReg[3]'s magnitude chooses one of three LRegs. */
static unsigned third_of(uint32_t magnitude)
{
    return (magnitude >= ONE) + (magnitude >= TWO);
}

/* a * |LReg[3]| + c, and where it goes. */
static void evaluate(struct vector_unit *vector, uint32_t mod, uint32_t vd, const uint32_t *a, const uint32_t *c,
                     uint32_t lanes)
{
    const uint32_t *argument = vector->lreg[LREG_ARGUMENT];
    uint32_t magnitude[SFPU_LANES], result[SFPU_LANES], sign = mod & LUT_SGN_RETAIN ? SIGN_BIT : 0;
    for (unsigned lane = 0; lane < SFPU_LANES; lane++) {
        magnitude[lane] = argument[lane] & ~SIGN_BIT;
    }
    sfpu_mad_lanes(result, &(struct sfpu_mad_operands){.x = a, .y = magnitude, .z = c}, ALL_LANES);
    for (unsigned lane = 0; lane < SFPU_LANES; lane++) {
        result[lane] = (result[lane] & ~sign) | (argument[lane] & sign);
    }
    if (mod & LUT_INDIRECT_VD && vd != LREG_MACRO) {
        vector_write_indirect(vector, result, lanes);
    } else {
        vector_write(vector, vd, result, lanes);
    }
}

enum step execute_SFPLUT(struct tensix *tensix, unsigned thread, struct args_SFPLUT args)
{
    struct vector_unit *vector = &tensix->state->vector;
    uint32_t executing, a[SFPU_LANES], c[SFPU_LANES];
    enum step step = vector_begin_result(tensix, args.lreg_ind, &executing);
    if (step != STEP_DONE) {
        return step;
    }
    for (unsigned lane = 0; lane < SFPU_LANES; lane++) {
        uint32_t coefficients = vector->lreg[third_of(vector->lreg[LREG_ARGUMENT][lane] & ~SIGN_BIT)][lane];
        a[lane] = lut8_to_fp32(coefficients >> 8);
        c[lane] = lut8_to_fp32(coefficients);
    }
    evaluate(vector, args.instr_mod0, args.lreg_ind, a, c, executing & vector_enabled_lanes(vector));
    return STEP_DONE;
}

/* Mode FP16_3ENTRY_TABLE has INDIRECT_VD's bit, and so goes where LReg[7] says: a bug of the hardware. */
enum step execute_SFPLUTFP32(struct tensix *tensix, unsigned thread, struct args_SFPLUTFP32 args)
{
    enum { FP16_6ENTRY_TABLE1 = 2, FP16_6ENTRY_TABLE2 = 3, FP16_3ENTRY_TABLE = 10 };
    struct vector_unit *vector = &tensix->state->vector;
    uint32_t mod1 = args.instr_mod1, executing, a[SFPU_LANES], c[SFPU_LANES];
    enum step step = vector_begin_result(tensix, args.lreg_dest, &executing);
    if (step != STEP_DONE) {
        return step;
    }
    bool wide = !(mod1 & FP16_6ENTRY_TABLE1), three = (mod1 & FP16_3ENTRY_TABLE) == FP16_3ENTRY_TABLE;
    uint32_t cut = (mod1 & FP16_6ENTRY_TABLE2) == FP16_6ENTRY_TABLE2 ? FOUR : THREE;
    for (unsigned lane = 0; lane < SFPU_LANES; lane++) {
        uint32_t x = vector->lreg[LREG_ARGUMENT][lane] & ~SIGN_BIT;
        unsigned third = third_of(x); /* NaN is above all */
        uint32_t middle = third == 0 ? HALF : third == 1 ? ONE_AND_A_HALF : cut;
        uint32_t first = vector->lreg[third][lane], second = vector->lreg[4 + third][lane];
        unsigned shift = x >= middle ? 16 : 0;
        if (wide) {
            a[lane] = first;
            c[lane] = second;
        } else if (three) {
            a[lane] = lut16_to_fp32(first >> 16);
            c[lane] = lut16_to_fp32(first);
        } else {
            a[lane] = lut16_to_fp32(first >> shift);
            c[lane] = lut16_to_fp32(second >> shift);
        }
    }
    evaluate(vector, mod1, args.lreg_dest, a, c, executing & vector_enabled_lanes(vector));
    return STEP_DONE;
}

enum step execute_SFPARECIP(struct tensix *tensix, unsigned thread, struct args_SFPARECIP args)
{
    enum { RECIP = 0, COND_RECIP = 1 };
    struct vector_unit *vector = &tensix->state->vector;
    uint32_t executing, result[SFPU_LANES];
    enum step step = vector_begin_result(tensix, args.lreg_dest, &executing);
    if (step != STEP_DONE) {
        return step;
    }
    const uint32_t *b = vector->lreg[args.imm12_math], *c = vector->lreg[args.lreg_c];
    for (unsigned lane = 0; lane < SFPU_LANES; lane++) {
        uint32_t x = c[lane], sign = x & SIGN_BIT, magnitude = x & ~SIGN_BIT;
        switch (args.instr_mod1) {
        case RECIP: result[lane] = sign | sfpu_approximate_reciprocal(magnitude); break;
        case COND_RECIP: result[lane] = b[lane] & SIGN_BIT ? sfpu_approximate_reciprocal(magnitude) : x; break;
        default: result[lane] = sign | sfpu_approximate_exponential(magnitude); break;
        }
    }
    vector_write(vector, args.lreg_dest, result, executing & vector_enabled_lanes(vector));
    return STEP_DONE;
}
