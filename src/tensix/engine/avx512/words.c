/* Operations on words as instructions of the host: each is taken apart into nodes, from which instructions are emitted
   that leave its result in the registers of its LReg. */
#include "tensix/engine/avx512/lowering.h"

static bool is_same(const struct node *a, const struct node *b)
{
    return a->kind == b->kind && a->operation == b->operation && a->x == b->x && a->y == b->y && a->z == b->z &&
           a->number == b->number;
}

static value new_node(struct lowering *t, struct node node)
{
    for (value v = FIRST_NODE; v < t->nodes_count; v++) {
        if (is_same(&t->nodes[v], &node)) {
            return v;
        }
    }
    t->nodes[t->nodes_count] = node;
    return t->nodes_count++;
}

static value constant(struct lowering *t, uint32_t number)
{
    return new_node(t, (struct node){.kind = NODE_CONSTANT, .number = number});
}

static bool is_constant(const struct lowering *t, value v)
{
    return t->nodes[v].kind == NODE_CONSTANT;
}

static uint32_t bits_of(float number)
{
    uint32_t bits;
    memcpy(&bits, &number, sizeof bits);
    return bits;
}

static float with_bits(uint32_t bits)
{
    float number;
    memcpy(&number, &bits, sizeof number);
    return number;
}

/* Of numbers that a float can have. */
static uint32_t float_of(uint32_t number)
{
    return bits_of((float)number);
}

/* Of two constants, whose sum is exact if they are floats. */
static value folded(struct lowering *t, enum evex_operation operation, uint32_t x, uint32_t y)
{
    switch (operation) {
    case EVEX_ADD: return constant(t, x + y);
    case EVEX_SUB: return constant(t, x - y);
    case EVEX_SHIFT_RIGHT: return constant(t, x >> y);
    case EVEX_ADD_FLOATS: return constant(t, bits_of(with_bits(x) + with_bits(y)));
    default: __builtin_unreachable();
    }
}

/* A result that is not of bits alone. */
static value binary(struct lowering *t, enum evex_operation operation, value x, value y)
{
    if (is_constant(t, x) && is_constant(t, y)) {
        return folded(t, operation, t->nodes[x].number, t->nodes[y].number);
    }
    if (t->nodes[y].kind == NODE_CONSTANT && t->nodes[y].number == 0) { /* sums and differences */
        return x;
    }
    return new_node(t, (struct node){.kind = NODE_RESULT, .operation = operation, .x = x, .y = y});
}

/* number: the count of a shift. */
static value unary(struct lowering *t, enum evex_operation operation, value x, uint32_t number)
{
    if (operation == EVEX_SHIFT_RIGHT && is_constant(t, x)) {
        return folded(t, operation, t->nodes[x].number, number);
    }
    return new_node(t, (struct node){.kind = NODE_RESULT, .operation = operation, .x = x, .y = x, .number = number});
}

static value by_sign(struct lowering *t, value sign, value x, value y)
{
    return new_node(t, (struct node){.kind = NODE_BY_SIGN, .x = x, .y = y, .z = sign});
}

/* Functions of up to three bits: what is made of others becomes one as long as those are of no more than three. */
enum {
    LEAVES = 3,
    TABLE_AND = 0x88,
    TABLE_OR = 0xee,
    TABLE_XOR = 0x66,
    TABLE_NOT = 0x55,
    TABLE_AND_NOT = 0x22,
    TABLE_X_AND_NOT_Y = 0x44
};
static const uint8_t tables_of_leaves[LEAVES] = {EVEX_TABLE_Y, EVEX_TABLE_X, EVEX_TABLE_TO};
struct bits {
    value leaves[LEAVES];
    uint8_t count, table;
};

static bool is_of_bits(const struct node *node)
{
    return node->kind == NODE_RESULT && node->operation == EVEX_TERNARY;
}

/* The table of a function of three others. */
static uint8_t composed(uint8_t table, uint8_t z, uint8_t x, uint8_t y)
{
    unsigned result = 0;
    for (unsigned i = 0; i < 8; i++) {
        if (table >> i & 1) {
            result |= (i & 4 ? z : ~z) & (i & 2 ? x : ~x) & (i & 1 ? y : ~y);
        }
    }
    return (uint8_t)result;
}

/* Returns the table of a leaf, which becomes one if it was not; 0: there are too many. */
static uint8_t add_leaf(struct bits *bits, value leaf)
{
    uint8_t i = 0;
    while (i < bits->count && bits->leaves[i] != leaf) {
        i++;
    }
    if (i == LEAVES) {
        return 0;
    }
    if (i == bits->count) {
        bits->leaves[bits->count++] = leaf;
    }
    return tables_of_leaves[i];
}

/* The same of a value, or of those that it is made of. */
static uint8_t add_value(const struct lowering *t, struct bits *bits, value v, bool apart)
{
    const struct node *node = &t->nodes[v];
    if (!apart || !is_of_bits(node)) {
        return add_leaf(bits, v);
    }
    uint8_t y = add_leaf(bits, node->y), x = add_leaf(bits, node->x), z = add_leaf(bits, node->z);
    return x && y && z ? composed((uint8_t)node->number, z, x, y) : 0;
}

/* A function of the bits of three values; of fewer, z is x, and x is y. */
static value of_bits(struct lowering *t, uint8_t table, value z, value x, value y)
{
    static const uint8_t orders[] = {7, 6, 5, 3, 4, 2, 1, 0}; /* which to take apart, until they fit */
    for (unsigned i = 0; i < sizeof orders; i++) {
        struct bits bits = {.count = 0};
        uint8_t of_y = add_value(t, &bits, y, orders[i] & 1), of_x = add_value(t, &bits, x, orders[i] & 2),
                of_z = add_value(t, &bits, z, orders[i] & 4);
        if (!of_x || !of_y || !of_z) { /* of what is always 0, too: then it is not taken apart */
            continue;
        }
        value first = bits.leaves[0], second = bits.count > 1 ? bits.leaves[1] : first,
              third = bits.count > 2 ? bits.leaves[2] : second;
        return new_node(t, (struct node){.kind = NODE_RESULT,
                                         .operation = EVEX_TERNARY,
                                         .x = second,
                                         .y = first,
                                         .z = third,
                                         .number = composed(table, of_z, of_x, of_y)});
    }
    __builtin_unreachable();
}

static value and_bits(struct lowering *t, value x, value y)
{
    bool all = t->nodes[y].kind == NODE_CONSTANT && t->nodes[y].number == UINT32_MAX;
    return all ? x : of_bits(t, TABLE_AND, x, x, y);
}

static value or_bits(struct lowering *t, uint8_t table, value x, value y)
{
    bool none = t->nodes[y].kind == NODE_CONSTANT && t->nodes[y].number == 0;
    return none ? x : of_bits(t, table, x, x, y);
}

/* Before a shift that copies the sign instead of after it. */
static value invert(struct lowering *t, value x)
{
    const struct node *node = &t->nodes[x];
    if (node->kind == NODE_RESULT && node->operation == EVEX_SHIFT_RIGHT_SIGNED) {
        return unary(t, EVEX_SHIFT_RIGHT_SIGNED, invert(t, node->x), node->number);
    }
    return of_bits(t, TABLE_NOT, x, x, x);
}

#define CONSTANT(word) constant(t, word)
#define IS_CONSTANT(x) is_constant(t, x)
#define SHARED(x) (x)
#define ADD(x, y) binary(t, EVEX_ADD, x, y)
#define SUB(x, y) binary(t, EVEX_SUB, x, y)
#define ADD_FLOATS(x, y) binary(t, EVEX_ADD_FLOATS, x, y)
#define MINIMUM(x, y) binary(t, EVEX_MINIMUM, x, y)
#define MULTIPLY(x, y) binary(t, EVEX_MULTIPLY, x, y)
#define MULTIPLY_UPPER(x, y) multiply_upper(t, x, y)
#define TO_FLOAT(x) unary(t, EVEX_TO_FLOAT, x, 0)
#define TRUNCATE(x) unary(t, EVEX_TRUNCATE, x, 0)
#define AND(x, y) and_bits(t, x, y)
#define OR(x, y) or_bits(t, TABLE_OR, x, y)
#define XOR(x, y) or_bits(t, TABLE_XOR, x, y)
#define NOT(x) invert(t, x)
#define SHIFT_LEFT(x, by) unary(t, EVEX_SHIFT_LEFT, x, by)
#define SHIFT_RIGHT(x, by) unary(t, EVEX_SHIFT_RIGHT, x, by)
#define SHIFT_RIGHT_SIGNED(x, by) unary(t, EVEX_SHIFT_RIGHT_SIGNED, x, by)
#define NEGATIVE(x) SHIFT_RIGHT_SIGNED(x, 31)
#define SHIFT_LEFT_BY(x, y) binary(t, EVEX_SHIFT_LEFT_BY, x, y)
#define SHIFT_RIGHT_BY(x, y) binary(t, EVEX_SHIFT_RIGHT_BY, x, y)
#define SHIFT_RIGHT_SIGNED_BY(x, y) binary(t, EVEX_SHIFT_RIGHT_SIGNED_BY, x, y)
#define ABSOLUTE(x) unary(t, EVEX_ABSOLUTE, x, 0)
#define LEADING_ZEROS(x) unary(t, EVEX_LEADING_ZEROS, x, 0)
#define SELECT(field, x, y) of_bits(t, EVEX_TABLE_SELECT, field, x, y)
#define IF_NEGATIVE(sign, x, y) by_sign(t, sign, x, y)

/* The upper words of products of 64 bits: of those of even places, and of odd ones that have been moved to even ones.
 */
static value multiply_upper(struct lowering *t, value x, value y)
{
    enum { WORD = 32 };
    value even = binary(t, EVEX_MULTIPLY_EVEN, x, y);
    value odd = binary(t, EVEX_MULTIPLY_EVEN, unary(t, EVEX_SHIFT_RIGHT_WIDE, x, WORD),
                       unary(t, EVEX_SHIFT_RIGHT_WIDE, y, WORD));
    value even_places = unary(t, EVEX_SHIFT_RIGHT_WIDE, CONSTANT(UINT32_MAX), WORD);
    return SELECT(even_places, unary(t, EVEX_SHIFT_RIGHT_WIDE, even, WORD), odd);
}

/* Fills in t->nodes with b and c of a operation, and nothing else. */
static void begin_nodes(struct lowering *t, const struct vector_operation *operation)
{
    t->nodes[NODE_B] = operation->vb >= ROUNDING_BY
                           ? (struct node){.kind = NODE_CONSTANT, .number = fixed_rounding(operation->vb - ROUNDING_BY)}
                           : (struct node){.kind = NODE_LREG, .number = operation->vb};
    t->nodes[NODE_C] = (struct node){.kind = NODE_LREG, .number = operation->vc};
    t->nodes_count = FIRST_NODE;
    t->last_shared = t->first_kept;
}

/* What results share is not needed any more. */
static void end_nodes(struct lowering *t)
{
    t->code.live &= ~evex_registers(FIRST_TEMPORARY, t->first_kept - FIRST_TEMPORARY);
}

/* Marks what more than one result is made of; only now, since what was made of bits may have been taken apart. */
static void find_shared(struct lowering *t, value v)
{
    struct node *node = &t->nodes[v];
    if (node->kind != NODE_RESULT && node->kind != NODE_BY_SIGN) {
        return;
    }
    node->shared = node->used && node->kind == NODE_RESULT;
    if (node->used) {
        return;
    }
    node->used = true;
    find_shared(t, node->x);
    if (node->y != node->x) {
        find_shared(t, node->y);
    }
    if ((is_of_bits(node) || node->kind == NODE_BY_SIGN) && node->z != node->x && node->z != node->y) {
        find_shared(t, node->z);
    }
}

static value node_of(struct lowering *t, const struct vector_operation *operation)
{
    const uint32_t immediate = operation->immediate;
    const value b = NODE_B, c = NODE_C;
    switch (operation->word_operation) {
#define VECTOR_WORD_OPERATION(name, expression)                                                                        \
    case WORDS_##name: return expression;
        VECTOR_WORD_OPERATIONS
        VECTOR_DST_OPERATIONS
        VECTOR_ROUNDING_OPERATIONS
#undef VECTOR_WORD_OPERATION
    default: __builtin_unreachable();
    }
}

/* Fills in t->nodes for an operation. Returns the one that is its result. */
static value take_apart(struct lowering *t, const struct vector_operation *operation)
{
    begin_nodes(t, operation);
    value v = node_of(t, operation);
    find_shared(t, v);
    return v;
}

struct evex_operand lowered_lreg(struct lowering *t, uint32_t lreg)
{
    uint32_t number = HALVES * lreg + t->half;
    if (lreg >= IN_REGISTER) {
        return (struct evex_operand){EVEX_REGISTER, lreg - IN_REGISTER};
    }
    if (lreg >= LREG_WRITABLE) {
        return (struct evex_operand){EVEX_VECTOR, number};
    }
    if (!(t->loaded >> number & 1)) {
        t->loaded |= 1u << number;
        t->loaded_first |= 1u << number;
        evex_emit(&t->code, &(struct evex_instruction){
                                .operation = EVEX_MOVE, .to = (uint8_t)number, .y = {EVEX_VECTOR, number}});
        t->code.live |= 1u << number & ~t->destinations;
    }
    return (struct evex_operand){EVEX_REGISTER, number};
}

static struct evex_operand emit_value(struct lowering *t, value v, uint8_t temporary);
static void emit_result(struct lowering *t, const struct node *node, uint8_t to, uint8_t mask, uint8_t temporary);

void lower_move(struct lowering *t, uint8_t to, uint8_t mask, struct evex_operand from)
{
    if (from.place != EVEX_REGISTER || from.number != to) {
        evex_emit(&t->code, &(struct evex_instruction){.operation = EVEX_MOVE, .to = to, .mask = mask, .y = from});
    }
}

/* A value in a register. */
static uint8_t emit_into_register(struct lowering *t, value v, uint8_t temporary)
{
    struct evex_operand operand = emit_value(t, v, temporary);
    if (operand.place != EVEX_REGISTER) {
        lower_move(t, temporary, 0, operand);
        return temporary;
    }
    return (uint8_t)operand.number;
}

/* From which register on they are free, if they were from `temporary` on, and one is used now. */
static uint8_t free_behind(uint8_t temporary, uint32_t used)
{
    return (uint8_t)(temporary + (used == temporary));
}

/* The instruction for a function of bits of one or two values, if there is one that does not read `to`. */
static bool emit_binary(struct lowering *t, const struct node *node, uint8_t to, uint8_t mask, uint8_t temporary)
{
    static const struct {
        uint8_t table, operation;
        bool reversed;
    } operations[] = {{TABLE_AND, EVEX_AND, false},
                      {TABLE_OR, EVEX_OR, false},
                      {TABLE_XOR, EVEX_XOR, false},
                      {TABLE_AND_NOT, EVEX_AND_NOT, false},
                      {TABLE_X_AND_NOT_Y, EVEX_AND_NOT, true}};
    struct evex_instruction instruction = {.operation = EVEX_XOR, .to = to, .mask = mask};
    if (node->number == TABLE_NOT) {
        instruction.x = emit_into_register(t, node->x, temporary);
        instruction.y = lowered_constant(t, UINT32_MAX);
        evex_emit(&t->code, &instruction);
        return true;
    }
    for (unsigned i = 0; i < sizeof operations / sizeof *operations; i++) {
        if (node->number == operations[i].table) {
            instruction.operation = (enum evex_operation)operations[i].operation;
            instruction.x = emit_into_register(t, operations[i].reversed ? node->y : node->x, temporary);
            instruction.y =
                emit_value(t, operations[i].reversed ? node->x : node->y, free_behind(temporary, instruction.x));
            evex_emit(&t->code, &instruction);
            return true;
        }
    }
    return false;
}

static bool is_in_memory(const struct lowering *t, value v)
{
    const struct node *node = &t->nodes[v];
    return node->kind == NODE_CONSTANT ||
           (node->kind == NODE_LREG && node->number >= LREG_WRITABLE && node->number < IN_REGISTER);
}

static void exchange(struct bits *bits, unsigned i, unsigned j)
{
    value leaf = bits->leaves[i];
    bits->leaves[i] = bits->leaves[j];
    bits->leaves[j] = leaf;
}

/* Which operand is to be y, x and `to`: y can be in memory, and in place of another that is there a result of its own
   register becomes `to`, for it is lost. */
static struct bits in_order(const struct lowering *t, const struct node *node)
{
    struct bits bits = {{node->y, node->x, node->z}, LEAVES, 0}, before = bits;
    if (!is_in_memory(t, bits.leaves[0])) {
        exchange(&bits, 0, is_in_memory(t, bits.leaves[1]) ? 1 : 2);
    }
    bool private = t->nodes[bits.leaves[1]].kind == NODE_RESULT && !t->nodes[bits.leaves[1]].shared;
    if (is_in_memory(t, bits.leaves[1]) || (private && !is_in_memory(t, bits.leaves[2]))) {
        exchange(&bits, 1, 2);
    }
    uint8_t tables[LEAVES] = {0};
    for (unsigned i = 0; i < LEAVES; i++) {
        for (unsigned j = LEAVES; j--;) {
            tables[i] = before.leaves[i] == bits.leaves[j] ? tables_of_leaves[j] : tables[i];
        }
    }
    bits.table = composed((uint8_t)node->number, tables[2], tables[1], tables[0]);
    return bits;
}

/* A function of three values; the first is lost with the register that it is in, which is that of the result if the
   others are not in it. */
static void emit_ternary(struct lowering *t, const struct node *node, uint8_t to, uint8_t mask, uint8_t temporary)
{
    struct bits bits = in_order(t, node);
    struct evex_operand z = emit_value(t, bits.leaves[2], temporary);
    bool same = bits.leaves[1] == bits.leaves[2] && z.place == EVEX_REGISTER;
    bool lost = z.place == EVEX_REGISTER && z.number == temporary;
    uint8_t free = (uint8_t)(temporary + lost);
    uint8_t x = same ? (uint8_t)z.number : emit_into_register(t, bits.leaves[1], free);
    free = free_behind(free, x);
    struct evex_operand y = bits.leaves[0] == bits.leaves[2]   ? z
                            : bits.leaves[0] == bits.leaves[1] ? (struct evex_operand){EVEX_REGISTER, x}
                                                               : emit_value(t, bits.leaves[0], free);
    bool reads = x == to || (y.place == EVEX_REGISTER && y.number == to);
    free = y.place == EVEX_REGISTER ? free_behind(free, y.number) : free;
    uint8_t result = !mask && !reads ? to : lost ? temporary : free;
    lower_move(t, result, 0, z);
    evex_emit(&t->code,
              &(struct evex_instruction){.operation = EVEX_TERNARY, .to = result, .x = x, .count = bits.table, .y = y});
    lower_move(t, to, mask, (struct evex_operand){EVEX_REGISTER, result});
}

static void emit_by_sign(struct lowering *t, const struct node *node, uint8_t to, uint8_t mask, uint8_t temporary)
{
    lower_move(t, temporary, 0, emit_value(t, node->y, temporary));
    uint8_t sign = emit_into_register(t, node->z, (uint8_t)(temporary + 1));
    const struct evex_instruction signs = {.operation = EVEX_SIGNS, .to = MASK_TEMPORARY, .y = {EVEX_REGISTER, sign}};
    evex_emit(&t->code, &signs);
    emit_result(t, &t->nodes[node->x], temporary, MASK_TEMPORARY, (uint8_t)(temporary + 1));
    lower_move(t, to, mask, (struct evex_operand){EVEX_REGISTER, temporary});
}

/* A result, in the lanes of k`mask`, into register `to`. Registers from `temporary` on are free. */
static void emit_result(struct lowering *t, const struct node *node, uint8_t to, uint8_t mask, uint8_t temporary)
{
    struct evex_instruction instruction = {
        .operation = node->operation, .to = to, .mask = mask, .count = (uint8_t)node->number};
    if (node->kind == NODE_BY_SIGN) {
        emit_by_sign(t, node, to, mask, temporary);
        return;
    }
    if (is_of_bits(node)) {
        if (!emit_binary(t, node, to, mask, temporary)) {
            emit_ternary(t, node, to, mask, temporary);
        }
        return;
    }
    if (node->x == node->y) {
        instruction.y = (struct evex_operand){EVEX_REGISTER, emit_into_register(t, node->x, temporary)};
        instruction.x = (uint8_t)instruction.y.number;
    } else {
        instruction.x = emit_into_register(t, node->x, temporary);
        instruction.y = emit_value(t, node->y, free_behind(temporary, instruction.x));
    }
    evex_emit(&t->code, &instruction);
}

/* Where a value is; a result is computed first, into register `temporary`, from which on registers are free, or into
   one of its own if it is shared. */
static struct evex_operand emit_value(struct lowering *t, value v, uint8_t temporary)
{
    struct node *node = &t->nodes[v];
    switch (node->kind) {
    case NODE_CONSTANT: return lowered_constant(t, node->number);
    case NODE_LREG: return lowered_lreg(t, node->number);
    default: break;
    }
    if (!node->shared) {
        emit_result(t, node, temporary, 0, temporary);
        return (struct evex_operand){EVEX_REGISTER, temporary};
    }
    if (!node->in_register) {
        node->in_register = --t->last_shared;
        t->lowest_shared = t->last_shared < t->lowest_shared ? t->last_shared : t->lowest_shared;
        emit_result(t, node, node->in_register, 0, temporary);
        lowered_needs(t, node->in_register, true);
    }
    return (struct evex_operand){EVEX_REGISTER, node->in_register};
}

/* A value, in the lanes of k`mask`, into register `to`. */
static void emit_into(struct lowering *t, value v, uint8_t to, uint8_t mask)
{
    if (!t->nodes[v].shared && (t->nodes[v].kind == NODE_RESULT || t->nodes[v].kind == NODE_BY_SIGN)) {
        emit_result(t, &t->nodes[v], to, mask, FIRST_TEMPORARY);
    } else {
        lower_move(t, to, mask, emit_value(t, v, FIRST_TEMPORARY));
    }
}

void lower_into(struct lowering *t, const struct vector_operation *operation, uint8_t to, uint8_t mask)
{
    emit_into(t, take_apart(t, operation), to, mask);
    end_nodes(t);
}

void lower_pair_into(struct lowering *t, const struct vector_operation *one, uint8_t to_one,
                     const struct vector_operation *other, uint8_t to_other)
{
    begin_nodes(t, one);
    value v = node_of(t, one), w = node_of(t, other);
    find_shared(t, v);
    find_shared(t, w);
    emit_into(t, v, to_one, 0);
    emit_into(t, w, to_other, 0);
    end_nodes(t);
}

/* An operand, which need not wait for lane flags if the last instruction has computed it: lanes have become no more
   since. */
static uint8_t operand(const struct lowering *t, uint8_t lreg)
{
    return lreg == t->result_of ? (uint8_t)(IN_REGISTER + FIRST_RESULT + t->half) : lreg;
}

void lower_operation(struct lowering *t, const struct vector_operation *given, struct lane_mask mask)
{
    struct vector_operation placed = *given, *operation = &placed;
    for (t->half = 0; t->half < HALVES; t->half++) {
        operation->vb = operand(t, given->vb);
        operation->vc = operand(t, given->vc);
        lowered_needs(t, FIRST_RESULT + t->half, false); /* after this half of the instruction */
        value v = take_apart(t, operation);
        uint32_t number = HALVES * operation->vd + t->half;
        uint8_t to = (uint8_t)number, k = mask_register(mask, t->half);
        if (k) { /* what is there stays in other lanes */
            lowered_lreg(t, operation->vd);
        }
        if (k && lowered_has_result(operation)) {
            uint8_t result = (uint8_t)(FIRST_RESULT + t->half);
            emit_into(t, v, result, 0);
            lower_move(t, to, k, (struct evex_operand){EVEX_REGISTER, result});
        } else {
            emit_into(t, v, to, k);
        }
        end_nodes(t);
        t->loaded |= 1u << number;
        t->written |= 1u << number;
    }
}

void lower_comparison(struct lowering *t, const struct vector_operation *operation, bool less, uint8_t to)
{
    begin_nodes(t, operation);
    value before = BEFORE(NODE_C, NODE_B);
    find_shared(t, before);
    uint8_t tested = emit_into_register(t, before, FIRST_TEMPORARY);
    evex_emit(&t->code, &(struct evex_instruction){.operation = less ? EVEX_TEST : EVEX_TEST_NOT,
                                                   .to = to,
                                                   .x = tested,
                                                   .y = lowered_constant(t, SIGN_BIT)});
    end_nodes(t);
}
