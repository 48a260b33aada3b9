/* Conditional execution: lane flags and their stack. SFPSETCC, SFPENCC, SFPCOMPC, SFPPUSHC, SFPPOPC, and the
   comparisons SFPLE and SFPGT. Sources: the ISA documentation's page of each. The stack is one for all lanes: lanes
   part only where their DISABLE_BACKDOOR_LOAD differs, which is refused. */
#include "tensix/units/vector_parts.h"

/* How SFPPUSHC and SFPPOPC combine two sets of flags: BooleanOp of the documentation, for 1 <= mod1 <= 12. */
static uint32_t boolean_operation(uint32_t mod1, uint32_t a, uint32_t b)
{
    switch (mod1) {
    case 1: return b;
    case 2: return ~b;
    case 3: return a & b;
    case 4: return a | b;
    case 5: return a & ~b;
    case 6: return a | ~b;
    case 7: return ~a & b;
    case 8: return ~a | b;
    case 9: return ~a & ~b;
    case 10: return ~a | ~b;
    case 11: return a ^ b;
    default: return ~(a ^ b);
    }
}

static uint32_t select_lanes(uint32_t lanes, uint32_t there, uint32_t elsewhere)
{
    return (there & lanes) | (elsewhere & ~lanes);
}

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
        vector->use_lane_flags = select_lanes(executing, enable, vector->use_lane_flags);
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
    uint32_t top_use = ALL_LANES, top_flags = ALL_LANES;
    if (vector->stack_depth) {
        top_use = vector->stack[vector->stack_depth - 1].use_lane_flags;
        top_flags = vector->stack[vector->stack_depth - 1].lane_flags;
    }
    vector_set_flags(vector, executing, top_use & vector->use_lane_flags & top_flags & ~vector->lane_flags);
    return STEP_DONE;
}

/* A push or pop happens in all lanes or in none. */
static enum step begin_stack(struct tensix *tensix, uint32_t vd, const char *name, bool *happens)
{
    uint32_t executing;
    enum step step = vector_begin(tensix, vd, &executing);
    *happens = executing == ALL_LANES;
    if (step == STEP_DONE && !*happens && executing) {
        return diagnose(tensix->diagnostics, BH_UNSUPPORTED,
                        "%s with destination %u in some lanes only, as DISABLE_BACKDOOR_LOAD differs between them",
                        name, vd);
    }
    return step;
}

enum step execute_SFPPUSHC(struct tensix *tensix, unsigned thread, struct args_SFPPUSHC args)
{
    struct vector_unit *vector = &tensix->state->vector;
    bool happens;
    enum step step = begin_stack(tensix, args.lreg_dest, "SFPPUSHC", &happens);
    if (step != STEP_DONE || !happens) {
        return step;
    }
    if (args.instr_mod1 == 0) {
        if (vector->stack_depth == SFPU_STACK) {
            return diagnose(tensix->diagnostics, BH_UNDEFINED_BEHAVIOR,
                            "SFPPUSHC: the stack of lane flags is full, it holds %d", SFPU_STACK);
        }
        vector->stack_depth++;
        vector->stack[vector->stack_depth - 1].use_lane_flags = vector->use_lane_flags;
        vector->stack[vector->stack_depth - 1].lane_flags = vector->lane_flags;
        return STEP_DONE;
    }
    if (vector->stack_depth == 0) {
        return diagnose(tensix->diagnostics, BH_UNDEFINED_BEHAVIOR,
                        "SFPPUSHC with Mod1 = %u changes the top of the stack of lane flags, which is empty",
                        args.instr_mod1);
    }
    uint32_t *top_use = &vector->stack[vector->stack_depth - 1].use_lane_flags;
    uint32_t *top_flags = &vector->stack[vector->stack_depth - 1].lane_flags;
    switch (args.instr_mod1) {
    case 13:
        vector->lane_flags = ~vector->lane_flags;
        *top_use = vector->use_lane_flags;
        *top_flags = vector->lane_flags;
        break;
    case 14:
    case 15:
        *top_use = ALL_LANES;
        *top_flags = args.instr_mod1 == 14 ? ALL_LANES : 0;
        break;
    default:
        *top_use = vector->use_lane_flags;
        *top_flags = boolean_operation(args.instr_mod1, *top_flags, vector->lane_flags);
    }
    return STEP_DONE;
}

enum step execute_SFPPOPC(struct tensix *tensix, unsigned thread, struct args_SFPPOPC args)
{
    struct vector_unit *vector = &tensix->state->vector;
    bool happens;
    enum step step = begin_stack(tensix, args.lreg_dest, "SFPPOPC", &happens);
    if (step != STEP_DONE || !happens) {
        return step;
    }
    uint32_t top_use = 0, top_flags = 0;
    if (vector->stack_depth) {
        top_use = vector->stack[vector->stack_depth - 1].use_lane_flags;
        top_flags = vector->stack[vector->stack_depth - 1].lane_flags;
    } else if (args.instr_mod1 == 0) {
        step = diagnose(tensix->diagnostics, BH_UNDEFINED_BEHAVIOR, "SFPPOPC: the stack of lane flags is empty");
        if (step != STEP_DONE) {
            return step;
        }
    }
    switch (args.instr_mod1) {
    case 0:
        vector->stack_depth -= vector->stack_depth != 0;
        vector->use_lane_flags = top_use;
        vector->lane_flags = top_flags;
        break;
    case 13: vector->lane_flags = ~vector->lane_flags; break;
    case 14:
    case 15:
        vector->use_lane_flags = ALL_LANES;
        vector->lane_flags = args.instr_mod1 == 14 ? ALL_LANES : 0;
        break;
    default:
        vector->use_lane_flags = top_use;
        vector->lane_flags = boolean_operation(args.instr_mod1, vector->lane_flags, top_flags);
    }
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
    if (mod1 & MUTATE_STACK && vector->stack_depth) {
        uint32_t *top = &vector->stack[vector->stack_depth - 1].lane_flags;
        *top = select_lanes(executing, mod1 & MUTATE_OR ? *top | outcome : *top & outcome, *top);
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
