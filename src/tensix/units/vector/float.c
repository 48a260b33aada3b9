/* Floating-point arithmetic of the vector unit: SFPMAD, SFPADD, SFPMUL, SFPADDI, SFPMULI, and the immediates of
   SFPLOADI. Sources: ISA documentation SFPMAD.md, SFPADD.md, SFPMUL.md, SFPADDI.md, SFPMULI.md, SFPLOADI.md. */
#include "tensix/num/sfpu_mad.h"
#include "tensix/units/vector/words.h"

enum { NEGATE_VA = 1, NEGATE_VC = 2, INDIRECT_VA = 4, INDIRECT_VD = 8 };

/* One bit of Mod1 as a mask that inverts signs. */
static uint32_t sign_mask(uint32_t mod1, uint32_t bit)
{
    return mod1 & bit ? SIGN_BIT : 0;
}

/* Writes x * y + z to VD, or to the LReg that LReg[7] selects. */
static void write_result(struct vector_unit *vector, const struct sfpu_mad_operands *operands, uint32_t vd,
                         uint32_t mod1, uint32_t lanes)
{
    if (__builtin_expect(mod1 & INDIRECT_VD && vd != LREG_MACRO, 0)) {
        uint32_t result[SFPU_LANES];
        sfpu_mad_lanes(result, operands, ALL_LANES);
        vector_write_indirect(vector, result, lanes);
    } else if (vector_writable(vd)) {
        sfpu_mad_lanes(vector->lreg[vd], operands, lanes);
    }
}

static enum step multiply_add(struct tensix *tensix, uint32_t va, uint32_t vb, uint32_t vc, uint32_t vd, uint32_t mod1)
{
    struct vector_unit *vector = &tensix->state->vector;
    uint32_t executing, gathered[SFPU_LANES];
    enum step step = vector_begin_result(tensix, vd, &executing);
    if (step != STEP_DONE) {
        return step;
    }
    uint32_t lanes = executing & vector_enabled_lanes(vector);
    const uint32_t *a = vector->lreg[va];
    if (__builtin_expect((mod1 & INDIRECT_VA) != 0, 0)) {
        for (unsigned lane = 0; lane < SFPU_LANES; lane++) {
            gathered[lane] = vector->lreg[vector->lreg[LREG_INDIRECT][lane] & 15][lane];
        }
        a = gathered;
    }
    struct sfpu_mad_operands operands = {
        .x = a,
        .y = vector->lreg[vb],
        .z = vc == LREG_ZERO ? NULL : vector->lreg[vc],
        .x_sign = sign_mask(mod1, NEGATE_VA),
        .z_sign = sign_mask(mod1, NEGATE_VC),
    };
    write_result(vector, &operands, vd, mod1, lanes);
    return STEP_DONE;
}

static struct vector_operation sum_operation(uint32_t va, uint32_t vb, uint32_t vc, uint32_t vd, uint32_t mod1)
{
    if (mod1 & (INDIRECT_VA | INDIRECT_VD)) {
        return (struct vector_operation){0};
    }
    return (struct vector_operation){
        .kind = VECTOR_SUM,
        .vd = (uint8_t)vd,
        .va = (uint8_t)va,
        .vb = (uint8_t)vb,
        .vc = (uint8_t)vc,
        .x_sign = sign_mask(mod1, NEGATE_VA),
        .z_sign = sign_mask(mod1, NEGATE_VC),
    };
}

struct vector_operation vector_decode_SFPMAD(struct args_SFPMAD args)
{
    return sum_operation(args.lreg_src_a, args.lreg_src_b, args.lreg_src_c, args.lreg_dest, args.instr_mod1);
}

enum step execute_SFPMAD(struct tensix *tensix, unsigned thread, struct args_SFPMAD args)
{
    return multiply_add(tensix, args.lreg_src_a, args.lreg_src_b, args.lreg_src_c, args.lreg_dest, args.instr_mod1);
}

/* SFPADD and SFPMUL are SFPMAD under other names: the first is intended for VA * VB with a factor of one, the second
   for VC of zero. */
struct vector_operation vector_decode_SFPADD(struct args_SFPADD args)
{
    return sum_operation(args.lreg_src_a, args.lreg_src_b, args.lreg_src_c, args.lreg_dest, args.instr_mod1);
}

enum step execute_SFPADD(struct tensix *tensix, unsigned thread, struct args_SFPADD args)
{
    return multiply_add(tensix, args.lreg_src_a, args.lreg_src_b, args.lreg_src_c, args.lreg_dest, args.instr_mod1);
}

struct vector_operation vector_decode_SFPMUL(struct args_SFPMUL args)
{
    return sum_operation(args.lreg_src_a, args.lreg_src_b, args.lreg_src_c, args.lreg_dest, args.instr_mod1);
}

enum step execute_SFPMUL(struct tensix *tensix, unsigned thread, struct args_SFPMUL args)
{
    return multiply_add(tensix, args.lreg_src_a, args.lreg_src_b, args.lreg_src_c, args.lreg_dest, args.instr_mod1);
}

STATIC_CLONES(void, broadcast, (uint32_t value, uint32_t *to), (value, to))
{
    for (unsigned lane = 0; lane < SFPU_LANES; lane++) {
        to[lane] = value;
    }
}

/* VD = immediate * VD + 0, or immediate * 1 + VD; the immediate is BF16. */
static enum step with_immediate(struct tensix *tensix, uint32_t immediate, bool multiply, uint32_t vd, uint32_t mod1)
{
    struct vector_unit *vector = &tensix->state->vector;
    uint32_t vc = vector_source_c(vector, vd), executing, x[SFPU_LANES];
    enum step step = vector_begin_result(tensix, vd, &executing);
    if (step != STEP_DONE) {
        return step;
    }
    uint32_t lanes = executing & vector_enabled_lanes(vector), negate = sign_mask(mod1, NEGATE_VC);
    broadcast(immediate, x);
    struct sfpu_mad_operands operands = {
        .x = x,
        .y = vector->lreg[multiply ? vc : LREG_ONE],
        .z = multiply ? NULL : vector->lreg[vc],
        .x_sign = multiply ? negate : 0,
        .z_sign = multiply ? 0 : negate,
    };
    write_result(vector, &operands, vd, mod1, lanes);
    return STEP_DONE;
}

static struct vector_operation immediate_operation(uint32_t immediate, bool multiply, uint32_t vd, uint32_t mod1)
{
    if (mod1 & INDIRECT_VD) {
        return (struct vector_operation){0};
    }
    uint32_t negate = sign_mask(mod1, NEGATE_VC);
    return (struct vector_operation){
        .kind = VECTOR_SUM,
        .immediate = immediate,
        .vd = (uint8_t)vd,
        .va = VA_IMMEDIATE,
        .vb = (uint8_t)(multiply ? vd : LREG_ONE),
        .vc = (uint8_t)(multiply ? LREG_ZERO : vd),
        .x_sign = multiply ? negate : 0,
        .z_sign = multiply ? 0 : negate,
    };
}

struct vector_operation vector_decode_SFPADDI(struct args_SFPADDI args)
{
    return immediate_operation(args.imm16_math << 16, false, args.lreg_dest, args.instr_mod1);
}

struct vector_operation vector_decode_SFPMULI(struct args_SFPMULI args)
{
    return immediate_operation(args.imm16_math << 16, true, args.lreg_dest, args.instr_mod1);
}

enum step execute_SFPADDI(struct tensix *tensix, unsigned thread, struct args_SFPADDI args)
{
    return with_immediate(tensix, args.imm16_math << 16, false, args.lreg_dest, args.instr_mod1);
}

enum step execute_SFPMULI(struct tensix *tensix, unsigned thread, struct args_SFPMULI args)
{
    return with_immediate(tensix, args.imm16_math << 16, true, args.lreg_dest, args.instr_mod1);
}

struct vector_operation vector_decode_SFPLOADI(struct args_SFPLOADI args)
{
    enum { FLOATB = 0, FLOATA = 1, USHORT = 2, SHORT = 4, UPPER = 8, LOWER = 10, REBIAS = 112 << 10 };
    enum vector_word_operation operation = WORDS_load_immediate;
    uint32_t value;
    switch (args.instr_mod0) {
    case FLOATB: value = args.imm16 << 16; break;
    case FLOATA: value = (args.imm16 & 0x8000) << 16 | ((args.imm16 & 0x7fff) + REBIAS) << 13; break;
    case USHORT: value = args.imm16; break;
    case SHORT: value = (uint32_t)(int32_t)(int16_t)args.imm16; break;
    case UPPER:
        value = args.imm16 << 16;
        operation = WORDS_load_upper;
        break;
    case LOWER:
        value = args.imm16;
        operation = WORDS_load_lower;
        break;
    default: return (struct vector_operation){0};
    }
    return vector_lanewise_operation(operation, args.lreg_ind, args.lreg_ind, args.lreg_ind, value);
}

/* Unlike other instructions it may write LReg[4..7] while ENABLE_DEST_INDEX is set. */
enum step execute_SFPLOADI(struct tensix *tensix, unsigned thread, struct args_SFPLOADI args)
{
    struct vector_unit *vector = &tensix->state->vector;
    struct vector_operation operation = vector_decode_SFPLOADI(args);
    if (operation.kind == VECTOR_NOT_DECODED) {
        return diagnose(tensix->diagnostics, BH_UNDEFINED_BEHAVIOR, "SFPLOADI: no meaning is documented for Mod0 = %u",
                        args.instr_mod0);
    }
    uint32_t executing;
    enum step step = vector_begin(tensix, args.lreg_ind, &executing);
    if (step == STEP_DONE && vector_writable(args.lreg_ind)) {
        uint32_t *lreg = vector->lreg[args.lreg_ind];
        vector_lane_operations[operation.word_operation](lreg, lreg, lreg, operation.immediate,
                                                         executing & vector_enabled_lanes(vector));
    }
    return step;
}

struct vector_operation vector_decode_SFPNOP(struct args_SFPNOP args)
{
    return (struct vector_operation){.kind = VECTOR_NOTHING};
}

enum step execute_SFPNOP(struct tensix *tensix, unsigned thread, struct args_SFPNOP args)
{
    return STEP_DONE;
}

TENSIX_RUN(SFPLOADI)
TENSIX_RUN(SFPMULI)
TENSIX_RUN(SFPADDI)
TENSIX_RUN(SFPMAD)
TENSIX_RUN(SFPADD)
TENSIX_RUN(SFPMUL)
TENSIX_RUN(SFPNOP)
