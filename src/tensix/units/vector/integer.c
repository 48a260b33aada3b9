/* Integers and bits, lane by lane: SFPIADD, SFPMUL24, SFPABS, SFPAND, SFPOR, SFPXOR, SFPNOT, SFPLZ, SFPSHFT.
   Sources: the ISA documentation's page of each. */
#include "tensix/units/vector/words.h"
#include "util/bits.h"

enum { IADD_ARG_IMM = 1, IADD_SUBTRACT = 2, CC_NONE = 4, CC_GTE0 = 8 };

static struct vector_operation addition_operation(struct args_SFPIADD args)
{
    enum vector_word_operation operation = args.instr_mod1 & IADD_ARG_IMM    ? WORDS_add_immediate
                                           : args.instr_mod1 & IADD_SUBTRACT ? WORDS_subtract
                                                                             : WORDS_add;
    return vector_updating_operation(operation, args.lreg_dest, args.lreg_c,
                                     (uint32_t)bits_sign_extend(args.imm12_math, 12));
}

struct vector_operation vector_decode_SFPIADD(struct args_SFPIADD args)
{
    struct vector_operation operation = addition_operation(args);
    switch (args.instr_mod1 & (CC_NONE | CC_GTE0)) {
    case CC_NONE: return operation;
    case CC_NONE | CC_GTE0: return vector_comparing_operation(operation, CONDITION_NOT_SET);
    case CC_GTE0: return vector_comparing_operation(operation, CONDITION_NOT_NEGATIVE);
    default: return vector_comparing_operation(operation, CONDITION_NEGATIVE);
    }
}

enum step execute_SFPIADD(struct tensix *tensix, unsigned thread, struct args_SFPIADD args)
{
    struct vector_unit *vector = &tensix->state->vector;
    uint32_t mod1 = args.instr_mod1, vd = args.lreg_dest, lanes;
    enum step step = vector_execute_operation(tensix, addition_operation(args), &lanes);
    if (lanes && vd < LREG_WRITABLE) {
        uint32_t flags = mod1 & CC_NONE ? vector->lane_flags : vector_negative_lanes(vector->lreg[vd]);
        vector_set_flags(vector, lanes, mod1 & CC_GTE0 ? ~flags : flags);
    }
    return step;
}

/* The effect of the floating-point adder's datapath on a product when VC is not zero: Mul24ShiftAdd of the
   documentation. The product is treated as a mantissa with the exponent 129. */
static uint32_t shift_and_add(uint32_t product, uint32_t c)
{
    enum { PRODUCT_EXPONENT = 129 };
    uint32_t exponent = bits_get(c, 23, 8);
    if (exponent == 0) {
        return product;
    }
    uint32_t larger = exponent > PRODUCT_EXPONENT ? exponent : PRODUCT_EXPONENT;
    uint32_t addend = (1u << 23 | (c & MANTISSA_BITS)) << 3, shift = (larger - exponent) & 31;
    uint32_t shifted = addend >> shift;
    product >>= (larger - PRODUCT_EXPONENT) & 31;
    if (shifted == 0) {
        return product;
    }
    uint32_t lost = (shifted << shift) ^ addend;
    return (product + shifted + ((lost > 0xffff ? 1u : 0u) << 16)) & MANTISSA_BITS;
}

enum { MUL24_UPPER = 1, MUL24_INDIRECT_VA = 4, MUL24_INDIRECT_VD = 8 };

/* A product without an addend. */
static struct vector_operation product_operation(struct args_SFPMUL24 args)
{
    return vector_lanewise_operation(args.instr_mod1 & MUL24_UPPER ? WORDS_multiply_upper : WORDS_multiply_lower,
                                     args.lreg_dest, args.lreg_src_a, args.lreg_src_b, 0);
}

struct vector_operation vector_decode_SFPMUL24(struct args_SFPMUL24 args)
{
    enum { ZERO = 9 };
    bool plain = args.lreg_src_c == ZERO && !(args.instr_mod1 & (MUL24_INDIRECT_VA | MUL24_INDIRECT_VD));
    return plain ? product_operation(args) : (struct vector_operation){0};
}

enum step execute_SFPMUL24(struct tensix *tensix, unsigned thread, struct args_SFPMUL24 args)
{
    struct vector_unit *vector = &tensix->state->vector;
    uint32_t mod1 = args.instr_mod1, executing;
    enum step step = vector_begin_result(tensix, args.lreg_dest, &executing);
    if (step != STEP_DONE) {
        return step;
    }
    uint32_t lanes = executing & vector_enabled_lanes(vector);
    bool addend = vector_nonzero_lanes(vector->lreg[args.lreg_src_c]) & lanes;
    if (addend) {
        step = diagnose(tensix->diagnostics, BH_NON_CONTRACTUAL,
                        "SFPMUL24 adds LReg[%u] to the product in a way that is not part of the contract: use VC = 9, "
                        "the constant zero",
                        args.lreg_src_c);
        if (step != STEP_DONE) {
            return step;
        }
    }
    if (!addend && !(mod1 & (MUL24_INDIRECT_VA | MUL24_INDIRECT_VD))) {
        if (vector_writable(args.lreg_dest)) {
            vector_lane_operations[product_operation(args).word_operation](
                vector->lreg[args.lreg_dest], vector->lreg[args.lreg_src_a], vector->lreg[args.lreg_src_b], 0, lanes);
        }
        return STEP_DONE;
    }
    for (unsigned lane = 0; lane < SFPU_LANES; lane++) {
        uint32_t indirect = vector->lreg[LREG_INDIRECT][lane] & 15;
        uint32_t a = vector->lreg[mod1 & MUL24_INDIRECT_VA ? indirect : args.lreg_src_a][lane];
        uint32_t b = vector->lreg[args.lreg_src_b][lane], c = vector->lreg[args.lreg_src_c][lane];
        uint64_t product = (uint64_t)(a & MANTISSA_BITS) * (b & MANTISSA_BITS);
        uint32_t d = (uint32_t)(mod1 & MUL24_UPPER ? product >> 23 : product & MANTISSA_BITS);
        uint32_t vd = mod1 & MUL24_INDIRECT_VD && args.lreg_dest != LREG_MACRO ? indirect : args.lreg_dest;
        if (lanes >> lane & 1 && vector_writable(vd)) {
            vector->lreg[vd][lane] = addend && c ? shift_and_add(d, c) : d;
        }
    }
    return STEP_DONE;
}

/* -NaN is not changed, nor is -2^31. */
struct vector_operation vector_decode_SFPABS(struct args_SFPABS args)
{
    enum { FLOAT = 1 };
    return vector_lanewise_operation(args.instr_mod1 & FLOAT ? WORDS_float_absolute : WORDS_integer_absolute,
                                     args.lreg_dest, args.lreg_c, args.lreg_c, 0);
}

enum step execute_SFPABS(struct tensix *tensix, unsigned thread, struct args_SFPABS args)
{
    return vector_execute_operation(tensix, vector_decode_SFPABS(args), NULL);
}

enum { BITWISE_USE_VB = 1 };

/* SFPAND and SFPOR have a field for VB. */
static struct vector_operation bitwise_operation(enum vector_word_operation word_operation, uint32_t mod1, uint32_t vd,
                                                 uint32_t vb, uint32_t vc)
{
    struct vector_operation operation = vector_updating_operation(word_operation, vd, vc, 0);
    operation.vb = (uint8_t)(mod1 & BITWISE_USE_VB ? vb : vd);
    return operation;
}

struct vector_operation vector_decode_SFPAND(struct args_SFPAND args)
{
    return bitwise_operation(WORDS_bitwise_and, args.instr_mod1, args.lreg_dest, args.imm12_math, args.lreg_c);
}

enum step execute_SFPAND(struct tensix *tensix, unsigned thread, struct args_SFPAND args)
{
    return vector_execute_operation(tensix, vector_decode_SFPAND(args), NULL);
}

struct vector_operation vector_decode_SFPOR(struct args_SFPOR args)
{
    return bitwise_operation(WORDS_bitwise_or, args.instr_mod1, args.lreg_dest, args.imm12_math, args.lreg_c);
}

enum step execute_SFPOR(struct tensix *tensix, unsigned thread, struct args_SFPOR args)
{
    return vector_execute_operation(tensix, vector_decode_SFPOR(args), NULL);
}

struct vector_operation vector_decode_SFPXOR(struct args_SFPXOR args)
{
    return vector_updating_operation(WORDS_bitwise_xor, args.lreg_dest, args.lreg_c, 0);
}

enum step execute_SFPXOR(struct tensix *tensix, unsigned thread, struct args_SFPXOR args)
{
    return vector_execute_operation(tensix, vector_decode_SFPXOR(args), NULL);
}

struct vector_operation vector_decode_SFPNOT(struct args_SFPNOT args)
{
    return vector_lanewise_operation(WORDS_bitwise_not, args.lreg_dest, args.lreg_c, args.lreg_c, 0);
}

enum step execute_SFPNOT(struct tensix *tensix, unsigned thread, struct args_SFPNOT args)
{
    return vector_execute_operation(tensix, vector_decode_SFPNOT(args), NULL);
}

enum { LZ_CC_NE0 = 2, LZ_NOSGN_MASK = 4, LZ_CC_COMP = 8 };

static struct vector_operation leading_zeros_operation(struct args_SFPLZ args)
{
    return vector_lanewise_operation(WORDS_leading_zeros, args.lreg_dest, args.lreg_c, args.lreg_c,
                                     args.instr_mod1 & LZ_NOSGN_MASK ? ~SIGN_BIT : UINT32_MAX);
}

struct vector_operation vector_decode_SFPLZ(struct args_SFPLZ args)
{
    struct vector_operation operation = leading_zeros_operation(args);
    switch (args.instr_mod1 & (LZ_CC_NE0 | LZ_CC_COMP)) {
    case 0: return operation;
    case LZ_CC_NE0: return vector_comparing_operation(operation, CONDITION_NOT_32);
    case LZ_CC_COMP: return vector_comparing_operation(operation, CONDITION_NOT_SET);
    default: return vector_comparing_operation(operation, CONDITION_32);
    }
}

enum step execute_SFPLZ(struct tensix *tensix, unsigned thread, struct args_SFPLZ args)
{
    enum { ZERO = 32 };
    struct vector_unit *vector = &tensix->state->vector;
    uint32_t vd = args.lreg_dest, lanes;
    enum step step = vector_execute_operation(tensix, leading_zeros_operation(args), &lanes);
    if (lanes && vd < LREG_WRITABLE) {
        uint32_t flags = vector->lane_flags;
        if (args.instr_mod1 & LZ_CC_NE0) {
            flags = 0;
            for (unsigned lane = 0; lane < SFPU_LANES; lane++) {
                flags |= (uint32_t)(vector->lreg[vd][lane] != ZERO) << lane;
            }
        }
        vector_set_flags(vector, lanes, args.instr_mod1 & LZ_CC_COMP ? ~flags : flags);
    }
    return step;
}

/* Positive amounts shift left, negative ones right, modulo 32. */
enum { SHFT_ARG_IMM = 1, SHFT_ARITHMETIC = 2, SHFT_ARG_IMM_USE_VC = 4, SHFT_MODES = 8 };

static bool shift_is_reserved(uint32_t mod1)
{
    return mod1 >= SHFT_MODES || mod1 == SHFT_ARG_IMM_USE_VC || mod1 == (SHFT_ARG_IMM_USE_VC | SHFT_ARITHMETIC);
}

static struct vector_operation shift_operation(struct args_SFPSHFT args)
{
    uint32_t mod1 = args.instr_mod1, immediate = (uint32_t)bits_sign_extend(args.imm12_math, 12);
    if (!(mod1 & SHFT_ARG_IMM)) {
        return vector_updating_operation(mod1 & SHFT_ARITHMETIC ? WORDS_shift_signed : WORDS_shift, args.lreg_dest,
                                         args.lreg_c, 0);
    }
    enum vector_word_operation operation = (int32_t)immediate >= 0  ? WORDS_shift_left_immediate
                                           : mod1 & SHFT_ARITHMETIC ? WORDS_shift_right_signed_immediate
                                                                    : WORDS_shift_right_immediate;
    return mod1 & SHFT_ARG_IMM_USE_VC
               ? vector_lanewise_operation(operation, args.lreg_dest, args.lreg_c, args.lreg_c, immediate)
               : vector_updating_operation(operation, args.lreg_dest, args.lreg_dest, immediate);
}

struct vector_operation vector_decode_SFPSHFT(struct args_SFPSHFT args)
{
    return shift_is_reserved(args.instr_mod1) ? (struct vector_operation){0} : shift_operation(args);
}

enum step execute_SFPSHFT(struct tensix *tensix, unsigned thread, struct args_SFPSHFT args)
{
    if (shift_is_reserved(args.instr_mod1)) {
        enum step step =
            diagnose(tensix->diagnostics, BH_NON_CONTRACTUAL, "SFPSHFT: Mod1 = %u is reserved", args.instr_mod1);
        if (step != STEP_DONE) {
            return step;
        }
        args.instr_mod1 &= SHFT_MODES - 1;
    }
    return vector_execute_operation(tensix, shift_operation(args), NULL);
}

TENSIX_RUN(SFPIADD)
TENSIX_RUN(SFPSHFT)
TENSIX_RUN(SFPABS)
TENSIX_RUN(SFPAND)
TENSIX_RUN(SFPOR)
TENSIX_RUN(SFPNOT)
TENSIX_RUN(SFPLZ)
TENSIX_RUN(SFPXOR)
TENSIX_RUN(SFPMUL24)
