/* Operations on words as instructions of the host. The expressions of units/vector/words.h and
   units/vector/dst_formats.h are evaluated to the instructions that compute them: those that others need are emitted on
   the way, each into a temporary register, the last one into the registers of an LReg. */
#include "tensix/engine/avx512/lowering.h"

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
        t->loaded_first |= t->handled ? 0 : 1u << number;
        evex_emit(&t->code, &(struct evex_instruction){
                                .operation = EVEX_MOVE, .to = (uint8_t)number, .y = {EVEX_VECTOR, number}});
        t->code.live |= 1u << number & ~t->destinations;
    }
    return (struct evex_operand){EVEX_REGISTER, number};
}

void lower_move(struct lowering *t, uint8_t to, uint8_t mask, struct evex_operand from)
{
    if (from.place != EVEX_REGISTER || from.number != to) {
        evex_emit(&t->code, &(struct evex_instruction){.operation = EVEX_MOVE, .to = to, .mask = mask, .y = from});
    }
}

static bool is_temporary(uint32_t number)
{
    return number >= FIRST_TEMPORARY && number < FIRST_RESULT;
}

static void release(struct lowering *t, uint32_t number)
{
    if (is_temporary(number)) {
        t->taken &= ~(1u << number) | t->shared;
    }
}

/* Emits the instruction of a value. The registers that it was made of are free from then on. */
static void emit(struct lowering *t, value v)
{
    release(t, v.x);
    if (v.y.place == EVEX_REGISTER) {
        release(t, v.y.number);
    }
    evex_emit(&t->code, &v);
}

static uint8_t new_temporary(struct lowering *t)
{
    uint32_t some = evex_registers(FIRST_TEMPORARY, FIRST_RESULT - FIRST_TEMPORARY) & ~t->taken;
    if (!some) {
        t->code.overwrote = true;
        return FIRST_TEMPORARY;
    }
    uint8_t number = (uint8_t)__builtin_ctz(some);
    t->taken |= 1u << number;
    return number;
}

static value in_place(struct evex_operand operand)
{
    return (value){.operation = EVEX_MOVE, .y = operand};
}

/* This half of an LReg, which is loaded when it is needed. */
static value of_lreg(const struct lowering *t, uint32_t lreg)
{
    return in_place(lreg >= IN_REGISTER ? (struct evex_operand){EVEX_REGISTER, lreg - IN_REGISTER}
                                        : (struct evex_operand){EVEX_VECTOR, HALVES * lreg + t->half});
}

static value constant(struct lowering *t, uint32_t number)
{
    return in_place(lowered_constant(t, number));
}

/* Where a value is, once its instruction has been emitted. */
static struct evex_operand emitted(struct lowering *t, value v)
{
    if (v.operation == EVEX_MOVE) {
        return v.y.place == EVEX_VECTOR ? lowered_lreg(t, v.y.number / HALVES) : v.y;
    }
    v.to = v.operation == EVEX_TERNARY ? v.to : new_temporary(t);
    emit(t, v);
    return (struct evex_operand){EVEX_REGISTER, v.to};
}

/* A value into register `to`, in the lanes of k`mask`. */
static void emit_into(struct lowering *t, value v, uint8_t to, uint8_t mask)
{
    if (v.operation == EVEX_MOVE || v.operation == EVEX_TERNARY) {
        lower_move(t, to, mask, emitted(t, v));
    } else {
        v.to = to;
        v.mask = mask;
        emit(t, v);
    }
}

static uint8_t in_register(struct lowering *t, value v)
{
    struct evex_operand operand = emitted(t, v);
    if (operand.place != EVEX_REGISTER) {
        uint8_t to = new_temporary(t);
        lower_move(t, to, 0, operand);
        return to;
    }
    return (uint8_t)operand.number;
}

/* In a register that is free to be written. */
static uint8_t in_own_register(struct lowering *t, value v)
{
    struct evex_operand operand = emitted(t, v);
    if (operand.place == EVEX_REGISTER && is_temporary(operand.number) && t->taken >> operand.number & 1 &&
        !(t->shared >> operand.number & 1)) {
        return (uint8_t)operand.number;
    }
    uint8_t to = new_temporary(t);
    lower_move(t, to, 0, operand);
    return to;
}

static value binary(struct lowering *t, enum evex_operation operation, value x, value y)
{
    uint8_t first = in_register(t, x);
    return (value){.operation = operation, .x = first, .y = emitted(t, y)};
}

/* number: the count of a shift. */
static value unary(struct lowering *t, enum evex_operation operation, value x, uint32_t number)
{
    uint8_t reg = in_register(t, x);
    return (value){.operation = operation, .x = reg, .y = {EVEX_REGISTER, reg}, .count = (uint8_t)number};
}

/* A value that more than one other is made of. */
static value shared(struct lowering *t, value v)
{
    struct evex_operand operand = emitted(t, v);
    if (operand.place == EVEX_REGISTER && is_temporary(operand.number)) {
        t->shared |= 1u << operand.number;
    }
    return in_place(operand);
}

/* The bits of x where `field` has ones, of y where not. */
static value select_bits(struct lowering *t, value field, value x, value y)
{
    uint8_t to = in_own_register(t, field), first = in_register(t, x);
    return (value){.operation = EVEX_TERNARY, .to = to, .x = first, .count = EVEX_TABLE_SELECT, .y = emitted(t, y)};
}

/* x where the sign is set, y where not. */
static value by_sign(struct lowering *t, value sign, value x, value y)
{
    uint8_t to = in_own_register(t, y);
    evex_emit(&t->code, &(struct evex_instruction){
                            .operation = EVEX_SIGNS, .to = MASK_TEMPORARY, .y = {EVEX_REGISTER, in_register(t, sign)}});
    emit_into(t, x, to, MASK_TEMPORARY);
    return in_place((struct evex_operand){EVEX_REGISTER, to});
}

/* The upper words of products of 64 bits: of those of even places, and of odd ones that have been moved to even ones.
 */
static value multiply_upper(struct lowering *t, value x, value y)
{
    enum { WORD = 32 };
    x = shared(t, x);
    y = shared(t, y);
    value even = binary(t, EVEX_MULTIPLY_EVEN, x, y);
    even = unary(t, EVEX_SHIFT_RIGHT_WIDE, even, WORD);
    value odd_x = unary(t, EVEX_SHIFT_RIGHT_WIDE, x, WORD), odd_y = unary(t, EVEX_SHIFT_RIGHT_WIDE, y, WORD);
    value even_places = unary(t, EVEX_SHIFT_RIGHT_WIDE, constant(t, UINT32_MAX), WORD);
    return select_bits(t, even_places, even, binary(t, EVEX_MULTIPLY_EVEN, odd_x, odd_y));
}

#define CONSTANT(word) constant(t, word)
#define SHARED(x) shared(t, x)
#define ADD(x, y) binary(t, EVEX_ADD, x, y)
#define SUB(x, y) binary(t, EVEX_SUB, x, y)
#define MULTIPLY(x, y) binary(t, EVEX_MULTIPLY, x, y)
#define MULTIPLY_UPPER(x, y) multiply_upper(t, x, y)
#define TO_FLOAT(x) unary(t, EVEX_TO_FLOAT, x, 0)
#define AND(x, y) binary(t, EVEX_AND, x, y)
#define OR(x, y) binary(t, EVEX_OR, x, y)
#define XOR(x, y) binary(t, EVEX_XOR, x, y)
#define NOT(x) XOR(x, CONSTANT(UINT32_MAX))
#define SHIFT_LEFT(x, by) unary(t, EVEX_SHIFT_LEFT, x, by)
#define SHIFT_RIGHT(x, by) unary(t, EVEX_SHIFT_RIGHT, x, by)
#define SHIFT_RIGHT_SIGNED(x, by) unary(t, EVEX_SHIFT_RIGHT_SIGNED, x, by)
#define NEGATIVE(x) SHIFT_RIGHT_SIGNED(x, 31)
#define SHIFT_LEFT_BY(x, y) binary(t, EVEX_SHIFT_LEFT_BY, x, y)
#define SHIFT_RIGHT_BY(x, y) binary(t, EVEX_SHIFT_RIGHT_BY, x, y)
#define SHIFT_RIGHT_SIGNED_BY(x, y) binary(t, EVEX_SHIFT_RIGHT_SIGNED_BY, x, y)
#define ABSOLUTE(x) unary(t, EVEX_ABSOLUTE, x, 0)
#define LEADING_ZEROS(x) unary(t, EVEX_LEADING_ZEROS, x, 0)
#define SELECT(field, x, y) select_bits(t, field, x, y)
#define IF_NEGATIVE(sign, x, y) by_sign(t, sign, x, y)
#define EITHER(x, y) (y)

static value value_of(struct lowering *t, const struct vector_operation *operation)
{
    const uint32_t immediate = operation->immediate;
    const value b = of_lreg(t, operation->vb), c = of_lreg(t, operation->vc);
    switch (operation->word_operation) {
#define VECTOR_WORD_OPERATION(name, expression)                                                                        \
    case WORDS_##name: return expression;
        VECTOR_WORD_OPERATIONS
        VECTOR_DST_OPERATIONS
#undef VECTOR_WORD_OPERATION
    default: __builtin_unreachable();
    }
}

void lower_into(struct lowering *t, const struct vector_operation *operation, uint8_t to)
{
    t->taken = t->shared = 0;
    emit_into(t, value_of(t, operation), to, 0);
}

uint8_t lowered_result(struct lowering *t, uint32_t lreg, struct lane_mask lanes)
{
    uint32_t number = HALVES * lreg + t->half;
    if (mask_register(lanes, t->half)) { /* what is there stays in other lanes */
        lowered_lreg(t, lreg);
    }
    t->loaded |= 1u << number;
    t->written |= 1u << number;
    return (uint8_t)number;
}

void lower_half(struct lowering *t, const struct vector_operation *operation, struct lane_mask lanes)
{
    t->taken = t->shared = 0;
    value v = value_of(t, operation);
    uint8_t to = lowered_result(t, operation->vd, lanes);
    emit_into(t, v, to, mask_register(lanes, t->half));
}

void lower_operation(struct lowering *t, const struct vector_operation *operation, struct lane_mask lanes)
{
    for (t->half = 0; t->half < HALVES; t->half++) {
        lower_half(t, operation, lanes);
    }
}

void lower_comparison(struct lowering *t, const struct vector_operation *operation, bool less, uint8_t to)
{
    t->taken = t->shared = 0;
    const value b = of_lreg(t, operation->vb), c = of_lreg(t, operation->vc);
    uint8_t tested = in_register(t, BEFORE(c, b));
    evex_emit(&t->code, &(struct evex_instruction){.operation = less ? EVEX_TEST : EVEX_TEST_NOT,
                                                   .to = to,
                                                   .x = tested,
                                                   .y = lowered_constant(t, SIGN_BIT)});
}

/* All ones in odd rows. LReg[15] is twice the lane's number. */
static value odd_rows(struct lowering *t)
{
    enum { LREG_LANES = 15, ODD_ROW_TO_SIGN = 27 };
    return NEGATIVE(SHIFT_LEFT(of_lreg(t, LREG_LANES), ODD_ROW_TO_SIGN));
}

/* The smaller value in d in the lanes of `minimum`, else the larger one. They are sorted as signed numbers, which is
 * the reverse of their order just where both are negative. */
static void sort(struct lowering *t, uint32_t minimum, value *d, value *c)
{
    enum { BOTH_ROWS = 0xffff, EVEN_ROW = 0x00ff };
    uint32_t half = minimum >> t->half * SFPU_LANES / HALVES & BOTH_ROWS;
    value larger = SHARED(binary(t, EVEX_MAXIMUM_SIGNED, *d, *c));
    value smaller = SHARED(binary(t, EVEX_MINIMUM_SIGNED, *d, *c)), reversed = NEGATIVE(AND(*d, *c));
    reversed = SHARED(half == 0 || half == BOTH_ROWS ? reversed : XOR(reversed, odd_rows(t)));
    value first = SELECT(reversed, larger, smaller), second = SELECT(reversed, smaller, larger);
    *d = half & EVEN_ROW ? first : second;
    *c = half & EVEN_ROW ? second : first;
}

void lower_exchange(struct lowering *t, const struct vector_operation *operation, struct lane_mask lanes)
{
    for (t->half = 0; lanes.kind != MASK_NONE && t->half < HALVES; t->half++) {
        t->taken = t->shared = 0;
        value d = of_lreg(t, operation->vd), c = of_lreg(t, operation->vc);
        if (operation->condition == CONDITION_UNSORTED) {
            sort(t, operation->immediate, &d, &c);
        } else {
            value before = in_place((struct evex_operand){EVEX_REGISTER, in_own_register(t, d)});
            d = c;
            c = before;
        }
        uint8_t mask = mask_register(lanes, t->half);
        emit_into(t, d, lowered_result(t, operation->vd, lanes), mask);
        if (operation->vc < LREG_WRITABLE) {
            emit_into(t, c, lowered_result(t, operation->vc, lanes), mask);
        }
    }
}
