/* The fields of an FP32 datum, lane by lane: SFPEXEXP, SFPEXMAN, SFPSETEXP, SFPSETMAN, SFPSETSGN, SFPDIVP2.
   Sources: the ISA documentation's page of each. */
#include "tensix/units/vector/words.h"

enum { EXEXP_NODEBIAS = 1, SET_CC_SGN_EXP = 2, SET_CC_COMP_EXP = 8, EXPONENT_BIAS = 127 };

static struct vector_operation exponent_operation(struct args_SFPEXEXP args)
{
    return vector_lanewise_operation(WORDS_extract_exponent, args.lreg_dest, args.lreg_c, args.lreg_c,
                                     args.instr_mod1 & EXEXP_NODEBIAS ? 0 : EXPONENT_BIAS);
}

struct vector_operation vector_decode_SFPEXEXP(struct args_SFPEXEXP args)
{
    struct vector_operation operation = exponent_operation(args);
    switch (args.instr_mod1 & (SET_CC_SGN_EXP | SET_CC_COMP_EXP)) {
    case 0: return operation;
    case SET_CC_SGN_EXP: return vector_comparing_operation(operation, CONDITION_NEGATIVE);
    case SET_CC_COMP_EXP: return vector_comparing_operation(operation, CONDITION_NOT_SET);
    default: return vector_comparing_operation(operation, CONDITION_NOT_NEGATIVE);
    }
}

enum step execute_SFPEXEXP(struct tensix *tensix, unsigned thread, struct args_SFPEXEXP args)
{
    struct vector_unit *vector = &tensix->state->vector;
    uint32_t vd = args.lreg_dest, lanes;
    enum step step = vector_execute_operation(tensix, exponent_operation(args), &lanes);
    if (lanes && vd < LREG_WRITABLE) {
        uint32_t flags =
            args.instr_mod1 & SET_CC_SGN_EXP ? vector_negative_lanes(vector->lreg[vd]) : vector->lane_flags;
        vector_set_flags(vector, lanes, args.instr_mod1 & SET_CC_COMP_EXP ? ~flags : flags);
    }
    return step;
}

struct vector_operation vector_decode_SFPEXMAN(struct args_SFPEXMAN args)
{
    enum { PAD9 = 1, HIDDEN_BIT = 1 << 23 };
    return vector_lanewise_operation(WORDS_extract_mantissa, args.lreg_dest, args.lreg_c, args.lreg_c,
                                     args.instr_mod1 & PAD9 ? 0 : HIDDEN_BIT);
}

enum step execute_SFPEXMAN(struct tensix *tensix, unsigned thread, struct args_SFPEXMAN args)
{
    return vector_execute_operation(tensix, vector_decode_SFPEXMAN(args), NULL);
}

struct vector_operation vector_decode_SFPSETEXP(struct args_SFPSETEXP args)
{
    enum { ARG_IMM = 1, ARG_EXPONENT = 2 };
    enum vector_word_operation operation = args.instr_mod1 & ARG_IMM        ? WORDS_set_exponent
                                           : args.instr_mod1 & ARG_EXPONENT ? WORDS_set_exponent_of_float
                                                                            : WORDS_set_exponent_of_integer;
    return vector_updating_operation(operation, args.lreg_dest, args.lreg_c, args.imm12_math << 23);
}

enum step execute_SFPSETEXP(struct tensix *tensix, unsigned thread, struct args_SFPSETEXP args)
{
    return vector_execute_operation(tensix, vector_decode_SFPSETEXP(args), NULL);
}

struct vector_operation vector_decode_SFPSETMAN(struct args_SFPSETMAN args)
{
    enum { ARG_IMM = 1 };
    return vector_updating_operation(args.instr_mod1 & ARG_IMM ? WORDS_set_mantissa : WORDS_set_mantissa_of_register,
                                     args.lreg_dest, args.lreg_c, args.imm12_math << 11);
}

enum step execute_SFPSETMAN(struct tensix *tensix, unsigned thread, struct args_SFPSETMAN args)
{
    return vector_execute_operation(tensix, vector_decode_SFPSETMAN(args), NULL);
}

struct vector_operation vector_decode_SFPSETSGN(struct args_SFPSETSGN args)
{
    enum { ARG_IMM = 1 };
    return vector_updating_operation(args.instr_mod1 & ARG_IMM ? WORDS_set_sign : WORDS_set_sign_of_register,
                                     args.lreg_dest, args.lreg_c, args.imm12_math << 31);
}

enum step execute_SFPSETSGN(struct tensix *tensix, unsigned thread, struct args_SFPSETSGN args)
{
    return vector_execute_operation(tensix, vector_decode_SFPSETSGN(args), NULL);
}

/* The exponent wraps in its eight bits; infinities and NaN keep theirs. */
static struct vector_operation set_or_add_exponent_operation(struct args_SFPDIVP2 args)
{
    enum { ADD = 1 };
    return vector_lanewise_operation(args.instr_mod1 & ADD ? WORDS_add_to_exponent : WORDS_set_exponent, args.lreg_dest,
                                     args.lreg_c, args.lreg_c, (args.imm12_math & 0xff) << 23);
}

/* The immediate is signed, or not. */
static bool in_eight_bits(uint32_t immediate)
{
    uint32_t above = immediate >> 8;
    return above == 0 || above == 0xf;
}

struct vector_operation vector_decode_SFPDIVP2(struct args_SFPDIVP2 args)
{
    return in_eight_bits(args.imm12_math) ? set_or_add_exponent_operation(args) : (struct vector_operation){0};
}

enum step execute_SFPDIVP2(struct tensix *tensix, unsigned thread, struct args_SFPDIVP2 args)
{
    if (!in_eight_bits(args.imm12_math)) {
        enum step step = diagnose(tensix->diagnostics, BH_NON_CONTRACTUAL,
                                  "SFPDIVP2 uses only the low eight bits of its immediate 0x%03x", args.imm12_math);
        if (step != STEP_DONE) {
            return step;
        }
    }
    return vector_execute_operation(tensix, set_or_add_exponent_operation(args), NULL);
}

TENSIX_RUN(SFPDIVP2)
TENSIX_RUN(SFPEXEXP)
TENSIX_RUN(SFPEXMAN)
TENSIX_RUN(SFPSETEXP)
TENSIX_RUN(SFPSETMAN)
TENSIX_RUN(SFPSETSGN)
