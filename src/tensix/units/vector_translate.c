#include "tensix/units/vector_translate.h"

#include "tensix/units/vector_words.h"
#include "util/evex.h"
#include "util/host_vectors.h"

#if defined(__x86_64__) && defined(__linux__)
#include <sys/mman.h>

/* Half h of LReg[i] is vector 2 * i + h, in memory and, of those that can be written, in the host's registers. */
enum { HALVES = 2, FIRST_TEMPORARY = HALVES * LREG_WRITABLE };

/* An index into the nodes of an operation. Its b and its c come first. */
typedef uint8_t value;
enum { NODES = 32, CONSTANTS = 8, NODE_B = 0, NODE_C = 1, FIRST_NODE };

/* Of what an operation is made. */
struct node {
    enum { NODE_LREG, NODE_CONSTANT, NODE_RESULT } kind;
    enum evex_operation operation; /* NODE_RESULT */
    value x, y;                    /* NODE_RESULT */
    uint32_t number;               /* the LReg; the constant; the count of a shift */
};

struct translation {
    struct evex_code code;
    struct {
        uint32_t value, place;
    } constants[CONSTANTS * REPLAY_CAPACITY];
    uint32_t constants_count;
    struct node nodes[NODES]; /* of the operation at hand */
    uint8_t nodes_count;
    uint8_t half;
};

static value new_node(struct translation *t, struct node node)
{
    t->nodes[t->nodes_count] = node;
    return t->nodes_count++;
}

static value binary(struct translation *t, enum evex_operation operation, value x, value y)
{
    return new_node(t, (struct node){.kind = NODE_RESULT, .operation = operation, .x = x, .y = y});
}

/* number: the count of a shift. */
static value unary(struct translation *t, enum evex_operation operation, value x, uint32_t number)
{
    return new_node(t, (struct node){.kind = NODE_RESULT, .operation = operation, .x = x, .y = x, .number = number});
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
#define NEGATIVE(x) unary(t, EVEX_SHIFT_RIGHT_SIGNED, x, 31)
#define SHIFT_LEFT_BY(x, y) binary(t, EVEX_SHIFT_LEFT_BY, x, y)
#define SHIFT_RIGHT_BY(x, y) binary(t, EVEX_SHIFT_RIGHT_BY, x, y)

/* Fills in t->nodes for an operation. Returns the one that is its result. */
static value take_apart(struct translation *t, const struct vector_plan *plan)
{
    const uint32_t immediate = plan->immediate;
    const value b = NODE_B, c = NODE_C;
    t->nodes[b] = (struct node){.kind = NODE_LREG, .number = plan->vb};
    t->nodes[c] = (struct node){.kind = NODE_LREG, .number = plan->vc};
    t->nodes_count = FIRST_NODE;
    switch (plan->word_operation) {
#define VECTOR_WORD_OPERATION(name, expression)                                                                        \
    case WORDS_##name: return expression;
        VECTOR_WORD_OPERATIONS
#undef VECTOR_WORD_OPERATION
    default: __builtin_unreachable();
    }
}

/* Where a constant lies, after all have been emitted. */
static uint32_t constant_place(const struct translation *t, uint32_t number)
{
    uint32_t i = 0;
    while (t->constants[i].value != number) {
        i++;
    }
    return t->constants[i].place;
}

static void emit_constant(struct translation *t, uint32_t number)
{
    for (uint32_t i = 0; i < t->constants_count; i++) {
        if (t->constants[i].value == number) {
            return;
        }
    }
    t->constants[t->constants_count].value = number;
    t->constants[t->constants_count++].place = evex_emit_constant(&t->code, number);
}

static void emit_constants(struct translation *t, const struct vector_plan *plans, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        take_apart(t, &plans[i]);
        for (value v = FIRST_NODE; v < t->nodes_count; v++) {
            if (t->nodes[v].kind == NODE_CONSTANT) {
                emit_constant(t, t->nodes[v].number);
            }
        }
    }
}

static struct evex_operand emit_value(struct translation *t, value v, uint8_t temporary);

/* A value in a register. */
static uint8_t emit_into_register(struct translation *t, value v, uint8_t temporary)
{
    struct evex_operand operand = emit_value(t, v, temporary);
    if (operand.place != EVEX_REGISTER) {
        evex_emit(&t->code, &(struct evex_instruction){.operation = EVEX_MOVE, .to = temporary, .y = operand});
        return temporary;
    }
    return (uint8_t)operand.number;
}

/* A result, in the lanes of `mask`, into register `to`. Registers from `temporary` on are free. */
static void emit_result(struct translation *t, const struct node *node, uint8_t to, uint8_t mask, uint8_t temporary)
{
    struct evex_instruction instruction = {
        .operation = node->operation, .to = to, .mask = mask, .count = (uint8_t)node->number};
    if (node->x == node->y) {
        instruction.y = (struct evex_operand){EVEX_REGISTER, emit_into_register(t, node->x, temporary)};
        instruction.x = (uint8_t)instruction.y.number;
    } else {
        instruction.x = emit_into_register(t, node->x, temporary);
        instruction.y = emit_value(t, node->y, (uint8_t)(temporary + 1));
    }
    evex_emit(&t->code, &instruction);
}

/* Where a value is; a result is computed first, into register `temporary`, from which on registers are free. */
static struct evex_operand emit_value(struct translation *t, value v, uint8_t temporary)
{
    const struct node *node = &t->nodes[v];
    if (node->kind == NODE_CONSTANT) {
        return (struct evex_operand){EVEX_CONSTANT, constant_place(t, node->number)};
    }
    if (node->kind == NODE_LREG) {
        return (struct evex_operand){node->number < LREG_WRITABLE ? EVEX_REGISTER : EVEX_VECTOR,
                                     HALVES * node->number + t->half};
    }
    emit_result(t, node, temporary, 0, temporary);
    return (struct evex_operand){EVEX_REGISTER, temporary};
}

static void emit_operation(struct translation *t, const struct vector_plan *plan, bool masked)
{
    for (t->half = 0; t->half < HALVES; t->half++) {
        value v = take_apart(t, plan);
        uint8_t to = (uint8_t)(HALVES * plan->vd + t->half), mask = masked ? (uint8_t)(t->half + 1) : 0;
        if (t->nodes[v].kind == NODE_RESULT) {
            emit_result(t, &t->nodes[v], to, mask, FIRST_TEMPORARY);
        } else {
            evex_emit(&t->code,
                      &(struct evex_instruction){
                          .operation = EVEX_MOVE, .to = to, .mask = mask, .y = emit_value(t, v, FIRST_TEMPORARY)});
        }
    }
}

/* Loads each LReg of those in the set `lregs` into its registers, or stores it. */
static void emit_transfers(struct translation *t, uint32_t lregs, bool store)
{
    for (unsigned i = 0; i < FIRST_TEMPORARY; i++) {
        if (!(lregs >> i / HALVES & 1)) {
            continue;
        }
        if (store) {
            evex_emit_store(&t->code, (uint8_t)i, i);
        } else {
            evex_emit(&t->code,
                      &(struct evex_instruction){.operation = EVEX_MOVE, .to = (uint8_t)i, .y = {EVEX_VECTOR, i}});
        }
    }
}

/* All operations, in the lanes of the masks or in all, which is faster: a result does not wait for what it replaces. */
static void emit_body(struct translation *t, const struct vector_plan *plans, uint32_t count, bool masked)
{
    uint32_t written = 0, read = 0;
    for (uint32_t i = 0; i < count; i++) {
        read |= 1u << plans[i].vb | 1u << plans[i].vc;
        written |= 1u << plans[i].vd;
    }
    emit_transfers(t, masked ? read | written : read, false);
    for (uint32_t i = 0; i < count; i++) {
        emit_operation(t, &plans[i], masked);
    }
    emit_transfers(t, written, true);
    evex_emit_return(&t->code);
}

/* Returns where in the code execution begins. */
static uint32_t translate(struct translation *t, const struct vector_plan *plans, uint32_t count)
{
    emit_constants(t, plans, count);
    uint32_t start = t->code.size, jump = evex_emit_jump_unless_all(&t->code);
    emit_body(t, plans, count, false);
    evex_land(&t->code, jump);
    evex_emit_masks(&t->code);
    emit_body(t, plans, count, true);
    return start;
}

enum vector_translated vector_translate(struct vector_translator *translator, const struct vector_plan *plans,
                                        uint32_t count, vector_code **code)
{
    enum { LINE = 64 };
    if (!translator->room || !host_has_avx512()) {
        return VECTOR_CANNOT_TRANSLATE;
    }
    struct translation t = {
        .code = {.bytes = translator->room + translator->used, .capacity = VECTOR_CODE_ROOM - translator->used}};
    if (mprotect(translator->room, VECTOR_CODE_ROOM, PROT_READ | PROT_WRITE) != 0) {
        return VECTOR_CANNOT_TRANSLATE;
    }
    uint32_t start = translate(&t, plans, count);
    if (mprotect(translator->room, VECTOR_CODE_ROOM, PROT_READ | PROT_EXEC) != 0) {
        translator->room = NULL; /* nothing of it can be executed any more */
        return VECTOR_ROOM_FULL;
    }
    if (t.code.full) {
        return VECTOR_ROOM_FULL;
    }
    *code = (vector_code *)(uintptr_t)(t.code.bytes + start);
    translator->used += (t.code.size + LINE - 1) / LINE * LINE;
    return VECTOR_TRANSLATED;
}

#else

enum vector_translated vector_translate(struct vector_translator *translator, const struct vector_plan *plans,
                                        uint32_t count, vector_code **code)
{
    return VECTOR_CANNOT_TRANSLATE;
}

#endif
