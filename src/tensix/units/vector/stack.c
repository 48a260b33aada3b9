/* FlagStack, one for each lane, of lane flags and whether they are in use: SFPPUSHC, SFPPOPC. All lanes have the same
   depth, unless DISABLE_BACKDOOR_LOAD differed between them when one of the two instructions had a destination of 12
   or more, or SFPLOADMACRO scheduled one for some of them. Sources: ISA documentation VectorUnit.md, SFPPUSHC.md,
   SFPPOPC.md. */
#include "tensix/units/vector/parts.h"

/* Whether `lanes` are all lanes, and have the same depth: then one entry serves all. */
static inline bool is_even(const struct vector_unit *vector, uint32_t lanes)
{
    return __builtin_expect(
        lanes == ALL_LANES && (!vector->stack_depth || !vector->stack[vector->stack_depth - 1].missing), 1);
}

struct vector_flags vector_stack_top(const struct vector_unit *vector)
{
    struct vector_flags top = {.missing = ALL_LANES};
    if (is_even(vector, ALL_LANES)) {
        return vector->stack_depth ? vector->stack[vector->stack_depth - 1] : top;
    }
    for (uint32_t i = vector->stack_depth; i-- && top.missing;) {
        const struct vector_flags *entry = &vector->stack[i];
        uint32_t here = top.missing & ~entry->missing;
        top.use_lane_flags |= entry->use_lane_flags & here;
        top.lane_flags |= entry->lane_flags & here;
        top.missing &= ~here;
    }
    return top;
}

void vector_stack_replace(struct vector_unit *vector, uint32_t lanes, struct vector_flags top)
{
    for (uint32_t i = vector->stack_depth; i-- && lanes;) {
        struct vector_flags *entry = &vector->stack[i];
        uint32_t here = lanes & ~entry->missing;
        entry->use_lane_flags = vector_select(here, top.use_lane_flags, entry->use_lane_flags);
        entry->lane_flags = vector_select(here, top.lane_flags, entry->lane_flags);
        lanes &= ~here;
    }
}

/* Lanes whose stack is full. */
static uint32_t full_lanes(const struct vector_unit *vector)
{
    return vector->stack_depth == SFPU_STACK ? ~vector->stack[SFPU_STACK - 1].missing : 0;
}

/* Pushes the current flags; none of the stacks is full. */
static void push(struct vector_unit *vector, uint32_t lanes)
{
    uint32_t top = vector->stack_depth;
    if (is_even(vector, lanes)) {
        vector->stack[top].use_lane_flags = vector->use_lane_flags;
        vector->stack[top].lane_flags = vector->lane_flags;
        vector->stack_depth++;
        return;
    }
    for (uint32_t i = top + 1; i-- && lanes;) {
        uint32_t here = i ? lanes & ~vector->stack[i - 1].missing : lanes;
        if (i == top && here) {
            vector->stack_depth++;
            vector->stack[i].missing = ALL_LANES;
        }
        if (here) {
            struct vector_flags *entry = &vector->stack[i];
            entry->use_lane_flags = vector_select(here, vector->use_lane_flags, entry->use_lane_flags);
            entry->lane_flags = vector_select(here, vector->lane_flags, entry->lane_flags);
            entry->missing &= ~here;
        }
        lanes &= ~here;
    }
}

/* Removes the top entry. */
static void drop(struct vector_unit *vector, uint32_t lanes)
{
    if (is_even(vector, lanes)) {
        vector->stack_depth -= vector->stack_depth != 0;
        return;
    }
    for (uint32_t i = vector->stack_depth; i-- && lanes;) {
        uint32_t here = lanes & ~vector->stack[i].missing;
        vector->stack[i].missing |= here;
        lanes &= ~here;
    }
    while (vector->stack_depth && vector->stack[vector->stack_depth - 1].missing == ALL_LANES) {
        vector->stack[--vector->stack_depth].missing = 0;
    }
}

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

enum { INVERT = 13, SET = 14, CLEAR = 15 };

enum step vector_push(struct tensix *tensix, uint32_t lanes, uint32_t mod1)
{
    struct vector_unit *vector = &tensix->state->vector;
    enum step step = STEP_DONE;
    if (mod1 == 0) {
        uint32_t full = lanes & full_lanes(vector);
        if (full) {
            step = diagnose(tensix->diagnostics, BH_UNDEFINED_BEHAVIOR,
                            "SFPPUSHC: the stack of lane flags is full, it holds %d", SFPU_STACK);
        }
        if (step == STEP_DONE) {
            push(vector, lanes & ~full);
        }
        return step;
    }
    struct vector_flags top = vector_stack_top(vector);
    if (lanes & top.missing) {
        step = diagnose(tensix->diagnostics, BH_UNDEFINED_BEHAVIOR,
                        "SFPPUSHC with Mod1 = %u changes the top of the stack of lane flags, which is empty", mod1);
        if (step != STEP_DONE) {
            return step;
        }
        lanes &= ~top.missing;
    }
    switch (mod1) {
    case INVERT:
        vector->lane_flags ^= lanes;
        top.use_lane_flags = vector->use_lane_flags;
        top.lane_flags = vector->lane_flags;
        break;
    case SET:
    case CLEAR:
        top.use_lane_flags = ALL_LANES;
        top.lane_flags = mod1 == SET ? ALL_LANES : 0;
        break;
    default:
        top.use_lane_flags = vector->use_lane_flags;
        top.lane_flags = boolean_operation(mod1, top.lane_flags, vector->lane_flags);
    }
    vector_stack_replace(vector, lanes, top);
    return STEP_DONE;
}

enum step vector_pop(struct tensix *tensix, uint32_t lanes, uint32_t mod1)
{
    struct vector_unit *vector = &tensix->state->vector;
    struct vector_flags top = vector_stack_top(vector);
    uint32_t use = top.use_lane_flags, flags;
    if (mod1 == 0 && lanes & top.missing) {
        enum step step =
            diagnose(tensix->diagnostics, BH_UNDEFINED_BEHAVIOR, "SFPPOPC: the stack of lane flags is empty");
        if (step != STEP_DONE) {
            return step;
        }
    }
    switch (mod1) {
    case 0:
        drop(vector, lanes);
        flags = top.lane_flags;
        break;
    case INVERT:
        use = vector->use_lane_flags;
        flags = ~vector->lane_flags;
        break;
    case SET:
    case CLEAR:
        use = ALL_LANES;
        flags = mod1 == SET ? ALL_LANES : 0;
        break;
    default: flags = boolean_operation(mod1, vector->lane_flags, top.lane_flags);
    }
    vector->use_lane_flags = vector_select(lanes, use, vector->use_lane_flags);
    vector_set_flags(vector, lanes, flags);
    return STEP_DONE;
}

/* Replacing or combining the top entry is not decoded. */
struct vector_operation vector_decode_SFPPUSHC(struct args_SFPPUSHC args)
{
    return args.instr_mod1 ? (struct vector_operation){0} : vector_effect_operation(EFFECT_PUSH, args.lreg_dest);
}

struct vector_operation vector_decode_SFPPOPC(struct args_SFPPOPC args)
{
    return args.instr_mod1 ? (struct vector_operation){0} : vector_effect_operation(EFFECT_POP, args.lreg_dest);
}

enum step execute_SFPPUSHC(struct tensix *tensix, unsigned thread, struct args_SFPPUSHC args)
{
    uint32_t executing;
    enum step step = vector_begin(tensix, args.lreg_dest, &executing);
    return step == STEP_DONE && executing ? vector_push(tensix, executing, args.instr_mod1) : step;
}

enum step execute_SFPPOPC(struct tensix *tensix, unsigned thread, struct args_SFPPOPC args)
{
    uint32_t executing;
    enum step step = vector_begin(tensix, args.lreg_dest, &executing);
    return step == STEP_DONE && executing ? vector_pop(tensix, executing, args.instr_mod1) : step;
}

TENSIX_RUN(SFPPUSHC)
TENSIX_RUN(SFPPOPC)
