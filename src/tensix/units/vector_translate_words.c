/* Operations on words as instructions of the host: each is taken apart into nodes, from which instructions are emitted
   that leave its result in the registers of its LReg. */
#include "tensix/units/vector_translation.h"

static bool is_same(const struct node *a, const struct node *b)
{
    return a->kind == b->kind && a->operation == b->operation && a->x == b->x && a->y == b->y && a->field == b->field &&
           a->number == b->number;
}

static value new_node(struct translation *t, struct node node)
{
    for (value v = FIRST_NODE; v < t->nodes_count; v++) {
        if (is_same(&t->nodes[v], &node)) {
            t->nodes[v].shared = true;
            return v;
        }
    }
    t->nodes[t->nodes_count] = node;
    return t->nodes_count++;
}

static bool is_zero(const struct translation *t, value v)
{
    return t->nodes[v].kind == NODE_CONSTANT && t->nodes[v].number == 0;
}

static value binary(struct translation *t, enum evex_operation operation, value x, value y)
{
    bool changes_nothing =
        operation == EVEX_ADD || operation == EVEX_SUB || operation == EVEX_OR || operation == EVEX_XOR;
    if (changes_nothing && is_zero(t, y)) {
        return x;
    }
    return new_node(t, (struct node){.kind = NODE_RESULT, .operation = operation, .x = x, .y = y});
}

/* number: the count of a shift. */
static value unary(struct translation *t, enum evex_operation operation, value x, uint32_t number)
{
    return new_node(t, (struct node){.kind = NODE_RESULT, .operation = operation, .x = x, .y = x, .number = number});
}

static value select_bits(struct translation *t, value field, value x, value y)
{
    return new_node(t, (struct node){.kind = NODE_RESULT, .operation = EVEX_SELECT, .x = x, .y = y, .field = field});
}

#define CONSTANT(word) new_node(t, (struct node){.kind = NODE_CONSTANT, .number = (word)})
#define ADD(x, y) binary(t, EVEX_ADD, x, y)
#define SUB(x, y) binary(t, EVEX_SUB, x, y)
#define AND(x, y) binary(t, EVEX_AND, x, y)
#define OR(x, y) binary(t, EVEX_OR, x, y)
#define XOR(x, y) binary(t, EVEX_XOR, x, y)
#define NOT(x) unary(t, EVEX_NOT, x, 0)
#define SHIFT_LEFT(x, by) unary(t, EVEX_SHIFT_LEFT, x, by)
#define SHIFT_RIGHT(x, by) unary(t, EVEX_SHIFT_RIGHT, x, by)
#define SHIFT_RIGHT_SIGNED(x, by) unary(t, EVEX_SHIFT_RIGHT_SIGNED, x, by)
#define NEGATIVE(x) SHIFT_RIGHT_SIGNED(x, 31)
#define SHIFT_LEFT_BY(x, y) binary(t, EVEX_SHIFT_LEFT_BY, x, y)
#define SHIFT_RIGHT_BY(x, y) binary(t, EVEX_SHIFT_RIGHT_BY, x, y)
#define SHIFT_RIGHT_SIGNED_BY(x, y) binary(t, EVEX_SHIFT_RIGHT_SIGNED_BY, x, y)
#define ROTATE_LEFT_BY(x, y) binary(t, EVEX_ROTATE_LEFT_BY, x, y)
#define ABSOLUTE(x) unary(t, EVEX_ABSOLUTE, x, 0)
#define LEADING_ZEROS(x) unary(t, EVEX_LEADING_ZEROS, x, 0)
#define LESS(x, y) binary(t, EVEX_COMPARE, x, y)
#define SELECT(field, x, y) select_bits(t, field, x, y)

/* Fills in t->nodes with b and c of a plan, and nothing else. */
static void begin_nodes(struct translation *t, const struct vector_plan *plan)
{
    t->nodes[NODE_B] = (struct node){.kind = NODE_LREG, .number = plan->vb};
    t->nodes[NODE_C] = (struct node){.kind = NODE_LREG, .number = plan->vc};
    t->nodes_count = FIRST_NODE;
    t->last_shared = FIRST_RESULT;
}

/* Fills in t->nodes for an operation. Returns the one that is its result. */
static value take_apart(struct translation *t, const struct vector_plan *plan)
{
    const uint32_t immediate = plan->immediate;
    const value b = NODE_B, c = NODE_C;
    begin_nodes(t, plan);
    switch (plan->word_operation) {
#define VECTOR_WORD_OPERATION(name, expression)                                                                        \
    case WORDS_##name: return expression;
        VECTOR_WORD_OPERATIONS
#undef VECTOR_WORD_OPERATION
    default: __builtin_unreachable();
    }
}

struct evex_operand translated_constant(struct translation *t, uint32_t number)
{
    uint32_t i = 0;
    while (i < t->constants_count && t->constants[i].value != number) {
        i++;
    }
    if (i == t->constants_count) {
        t->constants[t->constants_count++].value = number;
    }
    return (struct evex_operand){EVEX_CONSTANT, t->constants[i].place};
}

struct evex_operand translated_lreg(struct translation *t, uint32_t lreg)
{
    uint32_t number = HALVES * lreg + t->half;
    if (lreg >= LREG_WRITABLE) {
        return (struct evex_operand){EVEX_VECTOR, number};
    }
    if (!(t->loaded >> number & 1)) {
        t->loaded |= 1u << number;
        evex_emit(&t->code, &(struct evex_instruction){
                                .operation = EVEX_MOVE, .to = (uint8_t)number, .y = {EVEX_VECTOR, number}});
    }
    return (struct evex_operand){EVEX_REGISTER, number};
}

static struct evex_operand emit_value(struct translation *t, value v, uint8_t temporary);

void translate_move(struct translation *t, uint8_t to, uint8_t mask, struct evex_operand from)
{
    if (from.place != EVEX_REGISTER || from.number != to) {
        evex_emit(&t->code, &(struct evex_instruction){.operation = EVEX_MOVE, .to = to, .mask = mask, .y = from});
    }
}

/* A value in a register. */
static uint8_t emit_into_register(struct translation *t, value v, uint8_t temporary)
{
    struct evex_operand operand = emit_value(t, v, temporary);
    if (operand.place != EVEX_REGISTER) {
        translate_move(t, temporary, 0, operand);
        return temporary;
    }
    return (uint8_t)operand.number;
}

/* Selects in a register of its own, which holds the field first. */
static void emit_selection(struct translation *t, const struct node *node, uint8_t to, uint8_t mask, uint8_t temporary)
{
    translate_move(t, temporary, 0, emit_value(t, node->field, temporary));
    uint8_t x = emit_into_register(t, node->x, (uint8_t)(temporary + 1));
    struct evex_operand y = emit_value(t, node->y, (uint8_t)(temporary + 2));
    evex_emit(&t->code, &(struct evex_instruction){.operation = EVEX_SELECT, .to = temporary, .x = x, .y = y});
    translate_move(t, to, mask, (struct evex_operand){EVEX_REGISTER, temporary});
}

/* k`to` = x < y, or not. */
static void emit_comparison(struct translation *t, value x, value y, bool less, uint8_t to, uint8_t temporary)
{
    uint8_t first = emit_into_register(t, x, temporary);
    struct evex_operand second = emit_value(t, y, (uint8_t)(temporary + 1));
    evex_emit(
        &t->code,
        &(struct evex_instruction){
            .operation = EVEX_COMPARE, .to = to, .x = first, .count = less ? EVEX_LESS : EVEX_NOT_LESS, .y = second});
}

/* A result, in the lanes of k`mask`, into register `to`. Registers from `temporary` on are free. */
static void emit_result(struct translation *t, const struct node *node, uint8_t to, uint8_t mask, uint8_t temporary)
{
    struct evex_instruction instruction = {
        .operation = node->operation, .to = to, .mask = mask, .count = (uint8_t)node->number};
    if (node->operation == EVEX_SELECT) {
        emit_selection(t, node, to, mask, temporary);
        return;
    }
    if (node->operation == EVEX_COMPARE) {
        struct evex_operand less = {EVEX_REGISTER, MASK_TEMPORARY}, widened = {EVEX_REGISTER, temporary};
        emit_comparison(t, node->x, node->y, true, MASK_TEMPORARY, temporary);
        evex_emit(&t->code, &(struct evex_instruction){.operation = EVEX_WIDEN, .to = temporary, .y = less});
        translate_move(t, to, mask, widened);
        return;
    }
    if (node->x == node->y) {
        instruction.y = (struct evex_operand){EVEX_REGISTER, emit_into_register(t, node->x, temporary)};
        instruction.x = (uint8_t)instruction.y.number;
    } else {
        instruction.x = emit_into_register(t, node->x, temporary);
        instruction.y = emit_value(t, node->y, (uint8_t)(temporary + 1));
    }
    evex_emit(&t->code, &instruction);
}

/* Where a value is; a result is computed first, into register `temporary`, from which on registers are free, or into
   one of its own if it is shared. */
static struct evex_operand emit_value(struct translation *t, value v, uint8_t temporary)
{
    struct node *node = &t->nodes[v];
    switch (node->kind) {
    case NODE_CONSTANT: return translated_constant(t, node->number);
    case NODE_LREG: return translated_lreg(t, node->number);
    default: break;
    }
    if (!node->shared) {
        emit_result(t, node, temporary, 0, temporary);
        return (struct evex_operand){EVEX_REGISTER, temporary};
    }
    if (!node->in_register) {
        node->in_register = --t->last_shared;
        emit_result(t, node, node->in_register, 0, temporary);
    }
    return (struct evex_operand){EVEX_REGISTER, node->in_register};
}

/* A value, in the lanes of k`mask`, into register `to`. */
static void emit_into(struct translation *t, value v, uint8_t to, uint8_t mask)
{
    if (t->nodes[v].kind == NODE_RESULT) {
        emit_result(t, &t->nodes[v], to, mask, FIRST_TEMPORARY);
    } else {
        translate_move(t, to, mask, emit_value(t, v, FIRST_TEMPORARY));
    }
}

void translate_operation(struct translation *t, const struct vector_plan *plan, struct lane_mask mask)
{
    for (t->half = 0; t->half < HALVES; t->half++) {
        value v = take_apart(t, plan);
        uint32_t number = HALVES * plan->vd + t->half;
        uint8_t to = (uint8_t)number, k = mask_register(mask, t->half);
        if (k) { /* what is there stays in other lanes */
            translated_lreg(t, plan->vd);
        }
        if (k && plan->effect == EFFECT_COMPARE) {
            uint8_t result = (uint8_t)(FIRST_RESULT + t->half);
            emit_into(t, v, result, 0);
            translate_move(t, to, k, (struct evex_operand){EVEX_REGISTER, result});
        } else {
            emit_into(t, v, to, k);
        }
        t->loaded |= 1u << number;
        t->written |= 1u << number;
    }
}

void translate_comparison(struct translation *t, const struct vector_plan *plan, bool less, uint8_t to)
{
    begin_nodes(t, plan);
    value x = TOTAL_ORDER(NODE_C), y = TOTAL_ORDER(NODE_B);
    emit_comparison(t, x, y, less, to, FIRST_TEMPORARY);
}
