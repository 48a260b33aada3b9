/* Conditional execution: lane flags. SFPSETCC, SFPENCC, SFPCOMPC, and the comparisons SFPLE and SFPGT. Sources: the ISA
   documentation's page of each. */
#include "tensix/units/vector/words.h"

/* Mod1 of SFPSETCC. */
enum { IMM_BIT0 = 1, LREG_LT0 = 0, LREG_NE0 = 2, LREG_GTE0 = 4, LREG_EQ0 = 6, CLEAR = 8 };

struct vector_operation vector_decode_SFPSETCC(struct args_SFPSETCC args)
{
    struct vector_operation operation = vector_effect_operation(EFFECT_NARROW, args.lreg_dest);
    operation.tested = (uint8_t)args.lreg_c;
    if (args.instr_mod1 & CLEAR) {
        operation.condition = CONDITION_NEVER;
    } else if (args.instr_mod1 & IMM_BIT0) {
        operation.condition = args.imm12_math ? CONDITION_ALWAYS : CONDITION_NEVER;
    } else {
        operation.condition = args.instr_mod1 == LREG_LT0    ? CONDITION_NEGATIVE
                              : args.instr_mod1 == LREG_NE0  ? CONDITION_NOT_ZERO
                              : args.instr_mod1 == LREG_GTE0 ? CONDITION_NOT_NEGATIVE
                                                             : CONDITION_ZERO;
    }
    return operation;
}

enum step execute_SFPSETCC(struct tensix *tensix, unsigned thread, struct args_SFPSETCC args)
{
    struct vector_unit *vector = &tensix->state->vector;
    uint32_t executing;
    enum step step = vector_begin(tensix, args.lreg_dest, &executing);
    if (step != STEP_DONE) {
        return step;
    }
    uint32_t flags;
    if (args.instr_mod1 & CLEAR) {
        flags = 0;
    } else if (args.instr_mod1 & IMM_BIT0) {
        flags = args.imm12_math ? ALL_LANES : 0;
    } else {
        const uint32_t *c = vector->lreg[args.lreg_c];
        switch (args.instr_mod1) {
        case LREG_LT0: flags = vector_negative_lanes(c); break;
        case LREG_NE0: flags = vector_nonzero_lanes(c); break;
        case LREG_GTE0: flags = ~vector_negative_lanes(c); break;
        default: flags = ~vector_nonzero_lanes(c); break;
        }
    }
    /* Lane flags that are not in use are cleared. */
    vector_set_flags(vector, executing & vector_enabled_lanes(vector), flags & vector->use_lane_flags);
    return STEP_DONE;
}

/* Mod1 and the immediate of SFPENCC. */
enum { INVERT_ENABLE = 1, SET_ENABLE = 2, SET_FLAGS = 8, IMMEDIATE_ENABLE = 1, IMMEDIATE_FLAGS = 2 };

struct vector_operation vector_decode_SFPENCC(struct args_SFPENCC args)
{
    struct vector_operation operation = vector_effect_operation(EFFECT_ENABLE, args.lreg_dest);
    bool flags = !(args.instr_mod1 & SET_FLAGS) || args.imm12_math & IMMEDIATE_FLAGS;
    operation.condition = flags ? CONDITION_ALWAYS : CONDITION_NEVER;
    operation.immediate = ENABLE_UNCHANGED;
    if (args.instr_mod1 & SET_ENABLE) {
        operation.immediate = args.imm12_math & IMMEDIATE_ENABLE ? ENABLE_LANE_FLAGS : ENABLE_ALL_LANES;
    } else if (args.instr_mod1 & INVERT_ENABLE) {
        operation.immediate = ENABLE_INVERTED;
    }
    return operation;
}

enum step execute_SFPENCC(struct tensix *tensix, unsigned thread, struct args_SFPENCC args)
{
    struct vector_unit *vector = &tensix->state->vector;
    uint32_t executing;
    enum step step = vector_begin(tensix, args.lreg_dest, &executing);
    if (step != STEP_DONE) {
        return step;
    }
    if (args.instr_mod1 & SET_ENABLE) {
        uint32_t enable = args.imm12_math & IMMEDIATE_ENABLE ? ALL_LANES : 0;
        vector->use_lane_flags = vector_select(executing, enable, vector->use_lane_flags);
    } else if (args.instr_mod1 & INVERT_ENABLE) {
        vector->use_lane_flags ^= executing;
    }
    bool flags = !(args.instr_mod1 & SET_FLAGS) || args.imm12_math & IMMEDIATE_FLAGS;
    vector_set_flags(vector, executing, flags ? ALL_LANES : 0);
    return STEP_DONE;
}

struct vector_operation vector_decode_SFPCOMPC(struct args_SFPCOMPC args)
{
    return vector_effect_operation(EFFECT_COMPLEMENT, args.lreg_dest);
}

enum step execute_SFPCOMPC(struct tensix *tensix, unsigned thread, struct args_SFPCOMPC args)
{
    struct vector_unit *vector = &tensix->state->vector;
    uint32_t executing;
    enum step step = vector_begin(tensix, args.lreg_dest, &executing);
    if (step != STEP_DONE) {
        return step;
    }
    struct vector_flags top = vector_stack_top(vector); /* an empty stack counts as set */
    uint32_t enclosing = (top.use_lane_flags & top.lane_flags) | top.missing;
    vector_set_flags(vector, executing, enclosing & vector->use_lane_flags & ~vector->lane_flags);
    return STEP_DONE;
}

/* Mod1 of SFPGT and SFPLE. */
enum { COMPARE_SET_CC = 1, COMPARE_MUTATE_STACK = 2, COMPARE_MUTATE_OR = 4, COMPARE_SET_VD = 8 };

static struct vector_operation comparison_operation(uint32_t vd, uint32_t vc, uint32_t mod1, bool inverted)
{
    struct vector_operation operation =
        vector_updating_operation(inverted ? WORDS_not_greater : WORDS_greater, vd, vc, 0);
    if (mod1 & COMPARE_MUTATE_STACK || !(mod1 & (COMPARE_SET_CC | COMPARE_SET_VD))) {
        return (struct vector_operation){0};
    }
    if (!(mod1 & COMPARE_SET_VD)) {
        operation.word_operation = WORDS_NONE;
        return vector_comparing_operation(operation, inverted ? CONDITION_NOT_GREATER : CONDITION_GREATER);
    }
    return mod1 & COMPARE_SET_CC ? vector_comparing_operation(operation, CONDITION_NOT_ZERO) : operation;
}

/* The result of a comparison goes to VD, to the lane flags, and into the flags on top of the stack: the last also in
   lanes that are not enabled. */
static enum step compare(struct tensix *tensix, uint32_t vd, uint32_t vc, uint32_t mod1, bool inverted)
{
    struct vector_unit *vector = &tensix->state->vector;
    uint32_t executing;
    enum step step =
        mod1 & COMPARE_SET_VD ? vector_begin_result(tensix, vd, &executing) : vector_begin(tensix, vd, &executing);
    if (step != STEP_DONE) {
        return step;
    }
    uint32_t lanes = executing & vector_enabled_lanes(vector);
    uint32_t vb = vector_source_b(vector, vd);
    uint32_t outcome = vector_smaller_lanes(vector->lreg[vc], vector->lreg[vb]) ^ (inverted ? ALL_LANES : 0);
    if (mod1 & COMPARE_SET_VD) {
        uint32_t value[SFPU_LANES];
        for (unsigned lane = 0; lane < SFPU_LANES; lane++) {
            value[lane] = outcome >> lane & 1 ? ALL_LANES : 0;
        }
        vector_write(vector, vd, value, lanes);
    }
    if (mod1 & COMPARE_SET_CC) {
        vector_set_flags(vector, lanes, outcome);
    }
    if (mod1 & COMPARE_MUTATE_STACK) {
        struct vector_flags top = vector_stack_top(vector);
        top.lane_flags = mod1 & COMPARE_MUTATE_OR ? top.lane_flags | outcome : top.lane_flags & outcome;
        vector_stack_replace(vector, executing, top);
    }
    return STEP_DONE;
}

/* VD > VC. */
struct vector_operation vector_decode_SFPGT(struct args_SFPGT args)
{
    return comparison_operation(args.lreg_dest, args.lreg_c, args.instr_mod1, false);
}

enum step execute_SFPGT(struct tensix *tensix, unsigned thread, struct args_SFPGT args)
{
    return compare(tensix, args.lreg_dest, args.lreg_c, args.instr_mod1, false);
}

/* VD <= VC. */
struct vector_operation vector_decode_SFPLE(struct args_SFPLE args)
{
    return comparison_operation(args.lreg_dest, args.lreg_c, args.instr_mod1, true);
}

enum step execute_SFPLE(struct tensix *tensix, unsigned thread, struct args_SFPLE args)
{
    return compare(tensix, args.lreg_dest, args.lreg_c, args.instr_mod1, true);
}

TENSIX_RUN(SFPSETCC)
TENSIX_RUN(SFPENCC)
TENSIX_RUN(SFPCOMPC)
TENSIX_RUN(SFPLE)
TENSIX_RUN(SFPGT)
