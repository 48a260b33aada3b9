/* Lane flags in generated code: a pair of mask registers, or known to be the same in all lanes. What is pushed goes to
   the stack in memory at once, and stays in its pair as long as that is not needed for something else. */
#include "tensix/engine/avx512/lowering.h"

/* Where the stack of a lowering has the top entry that FlagStack had when the run began, plus one. */
enum { STACK_START = SFPU_STACK };

static bool moves_stack(const struct vector_operation *operation)
{
    return operation->effect == EFFECT_PUSH || operation->effect == EFFECT_POP;
}

static bool looks_at_stack(const struct vector_operation *operation)
{
    return moves_stack(operation) || operation->effect == EFFECT_COMPLEMENT;
}

bool find_trace_guards(const struct vector_unit *vector, const struct vector_operation *operations, uint32_t count,
                       struct trace_guards *guards)
{
    int level = 0, above = 0, below = 0; /* the depth at the time, the greatest, and the least, to what it is now */
    *guards = (struct trace_guards){.use_lane_flags = vector->use_lane_flags, .enclosed = vector->stack_depth};
    for (uint32_t i = 0; i < count; i++) {
        const struct vector_operation *operation = &operations[i];
        guards->any |=
            operation->effect != EFFECT_NONE && operation->effect != EFFECT_EXCHANGE && operation->effect < EFFECT_LOAD;
        guards->outermost |= operation->effect == EFFECT_COMPLEMENT && level == 0 && !guards->enclosed;
        bool looks =
            operation->effect == EFFECT_POP || (operation->effect == EFFECT_COMPLEMENT && (level || guards->enclosed));
        below = looks && 1 - level > below ? 1 - level : below;
        level += operation->effect == EFFECT_PUSH ? 1 : operation->effect == EFFECT_POP ? -1 : 0;
        above = level > above ? level : above;
    }
    if (!guards->any) {
        return true;
    }
    if (above > SFPU_STACK || below > SFPU_STACK) {
        return false;
    }
    guards->depth_minimum = (uint8_t)below;
    guards->depth_maximum = (uint8_t)(guards->outermost ? 0 : SFPU_STACK - above);
    return (vector->use_lane_flags == 0 || vector->use_lane_flags == ALL_LANES) && trace_guards_hold(vector, guards);
}

struct lane_mask lowered_lanes(const struct lowering *t)
{
    return t->flags.use ? t->flags.flags : (struct lane_mask){.kind = MASK_ALL};
}

/* Both registers of a pair. */
static uint8_t registers_of(struct lane_mask mask)
{
    return mask.kind == MASK_PAIR ? (uint8_t)(3u << mask_register(mask, 0)) : 0;
}

uint8_t lowered_live_masks(const struct lowering *t)
{
    uint8_t live = registers_of(t->flags.flags);
    for (unsigned i = 0; i < t->depth; i++) {
        live |= registers_of(t->stack[i].flags);
    }
    return live;
}

static struct evex_address entry_address(unsigned entry, size_t member)
{
    int32_t distance = ((int32_t)entry - STACK_START) * (int32_t)sizeof(struct vector_flags);
    return (struct evex_address){EVEX_RDX, distance + (int32_t)member};
}

static void store_flags(struct lowering *t, struct lane_mask mask, struct evex_address to)
{
    if (mask.kind != MASK_PAIR) {
        evex_emit_word_store(&t->code, mask.kind == MASK_ALL ? ALL_LANES : 0, to);
        return;
    }
    evex_emit_mask(&t->code, EVEX_MASK_JOIN, 0, mask_register(mask, 1), mask_register(mask, 0));
    evex_emit_mask_store(&t->code, 0, to);
}

static void save_entry(struct lowering *t, unsigned entry)
{
    evex_emit_word_store(&t->code, t->stack[entry].use ? ALL_LANES : 0,
                         entry_address(entry, offsetof(struct vector_flags, use_lane_flags)));
    store_flags(t, t->stack[entry].flags, entry_address(entry, offsetof(struct vector_flags, lane_flags)));
}

/* An entry's pair is needed, or its register lost: its flags are in memory from now on. */
static void leave_in_memory(struct lowering *t, unsigned entry)
{
    t->stack[entry].flags.kind = MASK_SAVED;
    t->code.live_masks = lowered_live_masks(t);
}

/* A pair of mask registers that holds nothing that is needed once an instruction that reads it has executed. */
static struct lane_mask new_pair(struct lowering *t)
{
    bool taken[MASK_PAIRS] = {false}, kept[MASK_PAIRS] = {false};
    kept[t->flags.flags.pair] = t->flags.flags.kind == MASK_PAIR;
    for (unsigned i = 0; i < t->depth; i++) {
        taken[t->stack[i].flags.pair] |= t->stack[i].flags.kind == MASK_PAIR;
    }
    uint8_t pair = 0;
    while (pair < MASK_PAIRS && (taken[pair] || kept[pair])) {
        pair++;
    }
    if (pair == MASK_PAIRS) {
        for (pair = 0; kept[pair]; pair++) {
        }
        for (unsigned i = 0; i < t->depth; i++) {
            if (t->stack[i].flags.kind == MASK_PAIR && t->stack[i].flags.pair == pair) {
                leave_in_memory(t, i);
            }
        }
    }
    return (struct lane_mask){.kind = MASK_PAIR, .pair = pair};
}

static struct lane_mask load_pair(struct lowering *t, struct evex_address from)
{
    struct lane_mask mask = new_pair(t);
    for (unsigned half = 0; half < HALVES; half++) {
        evex_emit_mask_load(&t->code, mask_register(mask, half), from);
        from.offset += (int32_t)sizeof(uint16_t);
    }
    return mask;
}

/* What is on top of the stack, its flags in a pair if they are not the same in all lanes. */
static struct known_flags *top_of_stack(struct lowering *t)
{
    struct known_flags *top = &t->stack[t->depth - 1];
    if (!top->known) {
        *top = (struct known_flags){.known = true, .use = t->guards->use_lane_flags, .flags = {.kind = MASK_SAVED}};
    }
    if (top->flags.kind == MASK_SAVED) {
        top->flags = load_pair(t, entry_address(t->depth - 1, offsetof(struct vector_flags, lane_flags)));
    }
    return top;
}

static void push(struct lowering *t)
{
    t->stack[t->depth] = t->flags;
    t->stack[t->depth].known = true;
    save_entry(t, t->depth++);
}

static void pop(struct lowering *t)
{
    t->flags = *top_of_stack(t);
    t->goes_below |= t->depth == STACK_START;
    t->stack[--t->depth] = (struct known_flags){.known = true};
}

/* ~flags & enclosing */
static struct lane_mask inverted_within(struct lowering *t, struct lane_mask flags, struct lane_mask enclosing)
{
    if (flags.kind == MASK_NONE || enclosing.kind == MASK_NONE) {
        return enclosing;
    }
    if (flags.kind == MASK_ALL) {
        return (struct lane_mask){.kind = MASK_NONE};
    }
    struct lane_mask mask = new_pair(t);
    for (unsigned half = 0; half < HALVES; half++) {
        uint8_t to = mask_register(mask, half), from = mask_register(flags, half);
        if (enclosing.kind == MASK_ALL) {
            evex_emit_mask(&t->code, EVEX_MASK_NOT, to, 0, from);
        } else {
            evex_emit_mask(&t->code, EVEX_MASK_AND_NOT, to, from, mask_register(enclosing, half));
        }
    }
    return mask;
}

/* SFPCOMPC. Outside of all that was pushed, all lanes count as enclosing. */
static void complement(struct lowering *t)
{
    struct lane_mask enclosing = {.kind = MASK_ALL};
    if (t->depth > STACK_START || t->guards->enclosed || t->depth < STACK_START) {
        const struct known_flags *top = top_of_stack(t);
        enclosing = top->use ? top->flags : (struct lane_mask){.kind = MASK_NONE};
    }
    t->flags.flags =
        t->flags.use ? inverted_within(t, t->flags.flags, enclosing) : (struct lane_mask){.kind = MASK_NONE};
}

static void enable(struct lowering *t, const struct vector_operation *operation)
{
    switch (operation->immediate) {
    case ENABLE_UNCHANGED: break;
    case ENABLE_INVERTED: t->flags.use = !t->flags.use; break;
    default: t->flags.use = operation->immediate == ENABLE_LANE_FLAGS; break;
    }
    t->flags.flags.kind = operation->condition == CONDITION_ALWAYS ? MASK_ALL : MASK_NONE;
}

/* k`to` = the lanes of this half that meet a operation's condition. */
static void emit_condition(struct lowering *t, const struct vector_operation *operation, uint8_t to)
{
    enum { ALL_ZEROS = 32 };
    struct evex_instruction test = {.operation = EVEX_TEST, .to = to, .x = FIRST_TEMPORARY};
    if (operation->condition == CONDITION_GREATER || operation->condition == CONDITION_NOT_GREATER) {
        lower_comparison(t, operation, operation->condition == CONDITION_GREATER, to);
        return;
    }
    struct evex_operand tested = lowered_lreg(t, operation->tested);
    if (tested.place == EVEX_REGISTER) {
        test.x = (uint8_t)tested.number;
    } else {
        evex_emit(&t->code, &(struct evex_instruction){.operation = EVEX_MOVE, .to = FIRST_TEMPORARY, .y = tested});
    }
    test.y = (struct evex_operand){EVEX_REGISTER, test.x};
    switch (operation->condition) {
    case CONDITION_NEGATIVE: test.y = lowered_constant(t, SIGN_BIT); break;
    case CONDITION_NOT_NEGATIVE:
        test.operation = EVEX_TEST_NOT;
        test.y = lowered_constant(t, SIGN_BIT);
        break;
    case CONDITION_ZERO: test.operation = EVEX_TEST_NOT; break;
    case CONDITION_NOT_32:
    case CONDITION_32:
        test.operation = EVEX_COMPARE;
        test.count = operation->condition == CONDITION_32 ? EVEX_EQUAL : EVEX_NOT_EQUAL;
        test.y = lowered_constant(t, ALL_ZEROS);
        break;
    default: break;
    }
    evex_emit(&t->code, &test);
}

/* Which of `lanes` meet a operation's condition. */
static struct lane_mask meeting_condition(struct lowering *t, const struct vector_operation *operation,
                                          struct lane_mask lanes)
{
    if (operation->condition == CONDITION_NEVER || lanes.kind == MASK_NONE) {
        return (struct lane_mask){.kind = MASK_NONE};
    }
    if (operation->condition == CONDITION_ALWAYS) {
        return lanes;
    }
    if (operation->condition == CONDITION_NOT_SET) { /* where lane flags decide, those of enabled lanes are set */
        return t->flags.use ? (struct lane_mask){.kind = MASK_NONE} : inverted_within(t, t->flags.flags, lanes);
    }
    struct lane_mask mask = new_pair(t);
    for (t->half = 0; t->half < HALVES; t->half++) {
        uint8_t to = mask_register(mask, t->half);
        emit_condition(t, operation, lanes.kind == MASK_ALL ? to : MASK_TEMPORARY);
        if (lanes.kind == MASK_PAIR) { /* apart from the test, which need not wait for them */
            evex_emit_mask(&t->code, EVEX_MASK_AND, to, mask_register(lanes, t->half), MASK_TEMPORARY);
        }
    }
    return mask;
}

void lower_effect(struct lowering *t, const struct vector_operation *operation)
{
    switch (operation->effect) {
    case EFFECT_NARROW:
        t->flags.flags =
            t->flags.use ? meeting_condition(t, operation, t->flags.flags) : (struct lane_mask){MASK_NONE, 0};
        break;
    case EFFECT_COMPARE: t->flags.flags = meeting_condition(t, operation, lowered_lanes(t)); break;
    case EFFECT_ENABLE: enable(t, operation); break;
    case EFFECT_COMPLEMENT: complement(t); break;
    case EFFECT_PUSH: push(t); break;
    case EFFECT_POP: pop(t); break;
    case EFFECT_EXCHANGE: lower_exchange(t, operation, lowered_lanes(t)); break;
    case EFFECT_CONFIGURE: lower_configuring(t, operation, lowered_lanes(t)); break;
    case EFFECT_LOAD: lower_load(t, operation, lowered_lanes(t)); break;
    case EFFECT_STORE: lower_store(t, operation, lowered_lanes(t)); break;
    case EFFECT_COUNT: lower_counting(t, operation); break;
    case EFFECT_CONVERT:
    case EFFECT_ROUND:
    case EFFECT_LOOK_UP:
    case EFFECT_SHUFFLE: lower_by_handler(t, lowered_lanes(t)); break;
    default: break;
    }
}

/* Lane flags, if they are in a pair, into another, whose flags of an entry of the stack are in memory from then on. */
static void flags_into(struct lowering *t, struct lane_mask pair)
{
    if (t->flags.flags.kind != MASK_PAIR || t->flags.flags.pair == pair.pair) {
        return;
    }
    for (unsigned i = 0; i < t->depth; i++) {
        if (t->stack[i].flags.kind == MASK_PAIR && t->stack[i].flags.pair == pair.pair) {
            leave_in_memory(t, i);
        }
    }
    for (unsigned half = 0; half < HALVES; half++) {
        evex_emit_mask(&t->code, EVEX_MASK_MOVE, mask_register(pair, half), 0, mask_register(t->flags.flags, half));
    }
    t->flags.flags = pair;
}

struct lane_mask lowered_kept_flags(struct lowering *t)
{
    for (unsigned i = 0; i < t->depth; i++) {
        if (t->stack[i].flags.kind == MASK_PAIR) {
            leave_in_memory(t, i);
        }
    }
    return t->flags.flags;
}

void lower_stack_entry(struct lowering *t)
{
    bool looks = false;
    for (uint32_t i = 0; t->guards->any && i < t->count; i++) {
        looks |= looks_at_stack(&t->operations[i]);
    }
    if (looks) {
        evex_emit_entry_of_12(&t->code, (int32_t)offsetof(struct vector_unit, stack),
                              (int32_t)offsetof(struct vector_unit, stack_depth));
    }
}

void lower_first_flags(struct lowering *t, bool all_lanes)
{
    memset(t->stack, 0, sizeof t->stack);
    t->depth = STACK_START;
    t->goes_below = false;
    t->flags = (struct known_flags){.use = true, .flags = {.kind = all_lanes ? MASK_ALL : MASK_PAIR}};
    if (!t->guards->any) {
        return;
    }
    lower_stack_entry(t);
    t->flags.use = t->guards->use_lane_flags;
    if (!t->flags.use) {
        t->flags.flags.kind = MASK_NONE;
        t->flags.flags = load_pair(t, IN_VECTOR_UNIT(lane_flags));
    }
}

void lower_last_flags(struct lowering *t)
{
    if (!t->guards->any) {
        return;
    }
    store_flags(t, t->flags.flags, IN_VECTOR_UNIT(lane_flags));
    if (t->flags.use != (t->guards->use_lane_flags != 0)) {
        evex_emit_word_store(&t->code, t->flags.use ? ALL_LANES : 0, IN_VECTOR_UNIT(use_lane_flags));
    }
    if (t->depth != STACK_START) {
        evex_emit_word_add(&t->code, (int8_t)((int)t->depth - STACK_START), IN_VECTOR_UNIT(stack_depth));
    }
}

/* Flags that are the same in all lanes, in a pair. */
static void hold_in_pair(struct lowering *t)
{
    bool all = t->flags.flags.kind == MASK_ALL;
    if (t->flags.flags.kind == MASK_PAIR) {
        return;
    }
    t->flags.flags = new_pair(t);
    for (unsigned half = 0; half < HALVES; half++) {
        uint8_t to = mask_register(t->flags.flags, half);
        evex_emit_mask(&t->code, EVEX_MASK_AND_NOT, to, to, to);
        if (all) {
            evex_emit_mask(&t->code, EVEX_MASK_NOT, to, 0, to);
        }
    }
}

bool lower_flags_again(struct lowering *t, bool all_lanes)
{
    bool used = !t->guards->any || t->guards->use_lane_flags, in_all = used && all_lanes;
    bool all = t->flags.flags.kind == MASK_ALL; /* then, if lane flags decide, the code for all lanes is better */
    if (t->goes_below || t->depth != STACK_START || t->flags.use != used || (used && all != in_all)) {
        return false;
    }
    if (!in_all) {
        hold_in_pair(t);
    }
    flags_into(t, (struct lane_mask){.kind = MASK_PAIR, .pair = 0});
    return true;
}
