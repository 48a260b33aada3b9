/* Conditional execution: lane flags. SFPSETCC, SFPENCC, SFPCOMPC, and the comparisons SFPLE and SFPGT. Sources: the ISA
   documentation's page of each. */
#include "tensix/units/vector_parts.h"

enum step execute_SFPSETCC(struct tensix *tensix, unsigned thread, struct args_SFPSETCC args)
{
    enum { IMM_BIT0 = 1, LREG_LT0 = 0, LREG_NE0 = 2, LREG_GTE0 = 4, LREG_EQ0 = 6, CLEAR = 8 };
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
    /* Where lane flags do not decide, they are cleared. */
    vector_set_flags(vector, executing & vector_enabled_lanes(vector), flags & vector->use_lane_flags);
    return STEP_DONE;
}

enum step execute_SFPENCC(struct tensix *tensix, unsigned thread, struct args_SFPENCC args)
{
    enum { INVERT_ENABLE = 1, SET_ENABLE = 2, SET_FLAGS = 8, IMMEDIATE_ENABLE = 1, IMMEDIATE_FLAGS = 2 };
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

enum step execute_SFPCOMPC(struct tensix *tensix, unsigned thread, struct args_SFPCOMPC args)
{
    struct vector_unit *vector = &tensix->state->vector;
    uint32_t executing;
    enum step step = vector_begin(tensix, args.lreg_dest, &executing);
    if (step != STEP_DONE) {
        return step;
    }
    struct vector_flags top = vector_stack_top(vector); /* counts as set where there is none */
    uint32_t enclosing = (top.use_lane_flags & top.lane_flags) | top.missing;
    vector_set_flags(vector, executing, enclosing & vector->use_lane_flags & ~vector->lane_flags);
    return STEP_DONE;
}

/* The outcome of a comparison goes to VD, to the lane flags, and into the flags on top of the stack: the last in lanes
   that are not enabled too. */
static enum step compare(struct tensix *tensix, uint32_t vd, uint32_t vc, uint32_t mod1, bool inverted)
{
    enum { SET_CC = 1, MUTATE_STACK = 2, MUTATE_OR = 4, SET_VD = 8 };
    struct vector_unit *vector = &tensix->state->vector;
    uint32_t executing;
    enum step step = mod1 & SET_VD ? vector_begin_result(tensix, vd, &executing) : vector_begin(tensix, vd, &executing);
    if (step != STEP_DONE) {
        return step;
    }
    uint32_t lanes = executing & vector_enabled_lanes(vector);
    uint32_t vb = vector_source_b(vector, vd);
    uint32_t outcome = vector_smaller_lanes(vector->lreg[vc], vector->lreg[vb]) ^ (inverted ? ALL_LANES : 0);
    if (mod1 & SET_VD) {
        uint32_t value[SFPU_LANES];
        for (unsigned lane = 0; lane < SFPU_LANES; lane++) {
            value[lane] = outcome >> lane & 1 ? ALL_LANES : 0;
        }
        vector_write(vector, vd, value, lanes);
    }
    if (mod1 & SET_CC) {
        vector_set_flags(vector, lanes, outcome);
    }
    if (mod1 & MUTATE_STACK) {
        struct vector_flags top = vector_stack_top(vector);
        top.lane_flags = mod1 & MUTATE_OR ? top.lane_flags | outcome : top.lane_flags & outcome;
        vector_stack_replace(vector, executing, top);
    }
    return STEP_DONE;
}

/* VD > VC. */
enum step execute_SFPGT(struct tensix *tensix, unsigned thread, struct args_SFPGT args)
{
    return compare(tensix, args.lreg_dest, args.lreg_c, args.instr_mod1, false);
}

/* VD <= VC. */
enum step execute_SFPLE(struct tensix *tensix, unsigned thread, struct args_SFPLE args)
{
    return compare(tensix, args.lreg_dest, args.lreg_c, args.instr_mod1, true);
}
