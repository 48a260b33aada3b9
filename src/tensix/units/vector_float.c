/* Floating-point arithmetic of the vector unit: SFPMAD, SFPADD, SFPMUL, SFPADDI, SFPMULI, and the immediates of
   SFPLOADI. Sources: ISA documentation SFPMAD.md, SFPADD.md, SFPMUL.md, SFPADDI.md, SFPMULI.md, SFPLOADI.md. */
#include "tensix/execute.h"
#include "tensix/num/sfpu_mad.h"
#include "tensix/tensix.h"

#define SIGN 0x80000000u
#define ONE 0x3f800000u

enum { NEGATE_VA = 1, NEGATE_VC = 2, INDIRECT_VA = 4, INDIRECT_VD = 8, LREG_TEMPLATES = 12 };

/* Instructions whose destination is LReg[12..15] load a template for SFPLOADMACRO instead of executing. */
static enum step refuse_template(struct tensix *tensix, uint32_t destination)
{
    return diagnose(tensix->diagnostics, BH_UNSUPPORTED,
                    "loading an SFPLOADMACRO instruction template through destination LReg[%u] is not emulated yet",
                    destination);
}

static enum step multiply_add(struct tensix *tensix, uint32_t va, uint32_t vb, uint32_t vc, uint32_t vd, uint32_t mod1)
{
    struct vector_unit *vector = &tensix->state->vector;
    if (vd >= LREG_TEMPLATES) {
        return refuse_template(tensix, vd);
    }
    uint32_t enabled = vector_enabled_lanes(vector);
    for (unsigned lane = 0; lane < SFPU_LANES; lane++) {
        if (!(enabled >> lane & 1)) {
            continue;
        }
        uint32_t indirect = vector->lreg[7][lane] & 15;
        uint32_t a = vector->lreg[mod1 & INDIRECT_VA ? indirect : va][lane];
        uint32_t c = vector->lreg[vc][lane];
        uint32_t result =
            sfpu_mad(mod1 & NEGATE_VA ? a ^ SIGN : a, vector->lreg[vb][lane], mod1 & NEGATE_VC ? c ^ SIGN : c);
        uint32_t destination = mod1 & INDIRECT_VD ? indirect : vd;
        if (destination < 8) {
            vector->lreg[destination][lane] = result;
        }
    }
    return STEP_DONE;
}

enum step execute_SFPMAD(struct tensix *tensix, unsigned thread, struct args_SFPMAD args)
{
    return multiply_add(tensix, args.lreg_src_a, args.lreg_src_b, args.lreg_src_c, args.lreg_dest, args.instr_mod1);
}

/* SFPADD and SFPMUL are SFPMAD under other names: VA * VB is meant to have a factor of one, VC to be zero. */
enum step execute_SFPADD(struct tensix *tensix, unsigned thread, struct args_SFPADD args)
{
    return multiply_add(tensix, args.lreg_src_a, args.lreg_src_b, args.lreg_src_c, args.lreg_dest, args.instr_mod1);
}

enum step execute_SFPMUL(struct tensix *tensix, unsigned thread, struct args_SFPMUL args)
{
    return multiply_add(tensix, args.lreg_src_a, args.lreg_src_b, args.lreg_src_c, args.lreg_dest, args.instr_mod1);
}

/* VD = immediate * VD, or immediate ± VD; the immediate is BF16. */
static enum step with_immediate(struct tensix *tensix, uint32_t immediate, bool multiply, uint32_t vd, uint32_t mod1)
{
    struct vector_unit *vector = &tensix->state->vector;
    if (vd >= LREG_TEMPLATES) {
        return refuse_template(tensix, vd);
    }
    uint32_t enabled = vector_enabled_lanes(vector), negate = mod1 & NEGATE_VC ? SIGN : 0;
    for (unsigned lane = 0; lane < SFPU_LANES; lane++) {
        if (!(enabled >> lane & 1)) {
            continue;
        }
        uint32_t operand = vector->lreg[vd][lane];
        uint32_t result = multiply ? sfpu_mad(operand, immediate, 0) : sfpu_mad(immediate, ONE, operand ^ negate);
        uint32_t destination = mod1 & INDIRECT_VD ? vector->lreg[7][lane] & 15 : vd;
        if (destination < 8) {
            vector->lreg[destination][lane] = result;
        }
    }
    return STEP_DONE;
}

enum step execute_SFPADDI(struct tensix *tensix, unsigned thread, struct args_SFPADDI args)
{
    return with_immediate(tensix, args.imm16_math << 16, false, args.lreg_dest, args.instr_mod1);
}

enum step execute_SFPMULI(struct tensix *tensix, unsigned thread, struct args_SFPMULI args)
{
    return with_immediate(tensix, args.imm16_math << 16, true, args.lreg_dest, args.instr_mod1);
}

enum step execute_SFPLOADI(struct tensix *tensix, unsigned thread, struct args_SFPLOADI args)
{
    enum { BF16 = 0, FP16 = 1, UINT16 = 2, INT16 = 4, UPPER = 8, LOWER = 10 };
    struct vector_unit *vector = &tensix->state->vector;
    uint32_t value, kept = 0;
    switch (args.instr_mod0) {
    case BF16: value = args.imm16 << 16; break;
    case FP16: value = (args.imm16 & 0x8000) << 16 | ((args.imm16 & 0x7fff) + (112 << 10)) << 13; break;
    case UINT16: value = args.imm16; break;
    case INT16: value = (uint32_t)(int32_t)(int16_t)args.imm16; break;
    case UPPER:
        value = args.imm16 << 16;
        kept = 0x0000ffff;
        break;
    case LOWER:
        value = args.imm16;
        kept = 0xffff0000;
        break;
    default:
        return diagnose(tensix->diagnostics, BH_UNDEFINED_BEHAVIOR, "SFPLOADI: no meaning is documented for Mod0 = %u",
                        args.instr_mod0);
    }
    if (args.lreg_ind >= 8) {
        return args.lreg_ind >= LREG_TEMPLATES ? refuse_template(tensix, args.lreg_ind) : STEP_DONE;
    }
    uint32_t enabled = vector_enabled_lanes(vector), *lreg = vector->lreg[args.lreg_ind];
    for (unsigned lane = 0; lane < SFPU_LANES; lane++) {
        if (enabled >> lane & 1) {
            lreg[lane] = (lreg[lane] & kept) | value;
        }
    }
    return STEP_DONE;
}

enum step execute_SFPNOP(struct tensix *tensix, unsigned thread, struct args_SFPNOP args)
{
    return STEP_DONE;
}
