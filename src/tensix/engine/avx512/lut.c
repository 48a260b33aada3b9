/* Piecewise linear functions (SFPLUT, SFPLUTFP32) in generated code: coefficients are chosen and become FP32, and what
   is made of them is a sum. Approximate reciprocals (SFPARECIP): the host's, rounded. */
#include "tensix/units/vector/lut.h"
#include "tensix/engine/avx512/lowering.h"

/* What is looked up by, and what has been; and masks. */
enum { MAGNITUDE = FIRST_RANDOM, WORD, SLOPE, OFFSET };
enum { BELOW_ONE = 1, BELOW_TWO, IN_LOWER_HALF, CHOSEN };

static struct evex_operand in_register(uint32_t number)
{
    return (struct evex_operand){EVEX_REGISTER, number};
}

/* Register `to` = operation(x, y) in the lanes of k`mask`. */
static void emit(struct lowering *t, enum evex_operation operation, uint8_t to, uint8_t x, uint8_t mask,
                 struct evex_operand y)
{
    evex_emit(&t->code, &(struct evex_instruction){.operation = operation, .to = to, .x = x, .mask = mask, .y = y});
}

static void emit_shift(struct lowering *t, enum evex_operation operation, uint8_t to, uint8_t from, uint8_t count,
                       uint8_t mask)
{
    evex_emit(&t->code, &(struct evex_instruction){
                            .operation = operation, .to = to, .mask = mask, .count = count, .y = in_register(from)});
}

/* k`to` = x compared with y. */
static void emit_comparison(struct lowering *t, enum evex_operation operation, uint8_t to, uint8_t x, uint8_t how,
                            struct evex_operand y)
{
    evex_emit(&t->code, &(struct evex_instruction){.operation = operation, .to = to, .x = x, .count = how, .y = y});
}

/* Register `to` = a value for arguments below one, for those below two, and for others, NaN among them. */
static void emit_choice(struct lowering *t, uint8_t to, struct evex_operand below_one, struct evex_operand below_two,
                        struct evex_operand above)
{
    lower_move(t, to, 0, above);
    lower_move(t, to, BELOW_TWO, below_two);
    lower_move(t, to, BELOW_ONE, below_one);
}

/* The same of three LRegs. */
static void emit_choice_of_lregs(struct lowering *t, uint8_t to, uint32_t first)
{
    emit_choice(t, to, lowered_lreg(t, first), lowered_lreg(t, first + 1), lowered_lreg(t, first + 2));
}

static void emit_intervals(struct lowering *t)
{
    emit(t, EVEX_AND, MAGNITUDE, (uint8_t)lowered_lreg(t, LREG_ARGUMENT).number, 0, lowered_constant(t, ~SIGN_BIT));
    emit_comparison(t, EVEX_COMPARE, BELOW_ONE, MAGNITUDE, EVEX_LESS, lowered_constant(t, ONE));
    emit_comparison(t, EVEX_COMPARE, BELOW_TWO, MAGNITUDE, EVEX_LESS, lowered_constant(t, TWO));
}

/* Register `to` = the byte of WORD that `shift` moves to the top, which is sign, 3 bits of exponent, and 4 of mantissa,
   for magnitudes from 2^-7 to 2; all ones is zero. */
static void emit_of_8_bits(struct lowering *t, uint8_t to, uint8_t shift)
{
    enum { ZERO = 0xff, SIGN_AND_LOWER_BITS = SIGN_BIT | 0x7f << 19, HIGHEST_EXPONENT = 127 << 23 };
    enum { TABLE = (EVEX_TABLE_TO & EVEX_TABLE_X) ^ EVEX_TABLE_Y };
    emit_shift(t, EVEX_SHIFT_LEFT, FIRST_TEMPORARY, WORD, shift, 0);
    emit_comparison(t, EVEX_COMPARE_UNSIGNED, CHOSEN, FIRST_TEMPORARY, EVEX_LESS,
                    lowered_constant(t, (uint32_t)ZERO << 24));
    emit_shift(t, EVEX_SHIFT_RIGHT_SIGNED, FIRST_TEMPORARY, FIRST_TEMPORARY, 5, 0);
    lower_move(t, to, 0, lowered_constant(t, SIGN_AND_LOWER_BITS));
    evex_emit(&t->code, &(struct evex_instruction){.operation = EVEX_TERNARY,
                                                   .to = to,
                                                   .x = FIRST_TEMPORARY,
                                                   .mask = CHOSEN | EVEX_ZEROES,
                                                   .count = TABLE,
                                                   .y = lowered_constant(t, HIGHEST_EXPONENT)});
}

/* Register `word` becomes one of its halves, FP16 without denormals; the largest exponent is zero. */
static void emit_of_16_bits(struct lowering *t, uint8_t word)
{
    enum { NUMBER = FIRST_TEMPORARY, BITS = 0x7fff << 13, LARGEST = 31 << 23, BIAS = 112 << 23 };
    enum { TABLE = (EVEX_TABLE_TO & EVEX_TABLE_Y) | EVEX_TABLE_X };
    emit_shift(t, EVEX_SHIFT_LEFT, word, word, 16, IN_LOWER_HALF);
    emit_shift(t, EVEX_SHIFT_RIGHT, NUMBER, word, 3, 0);
    emit(t, EVEX_AND, NUMBER, NUMBER, 0, lowered_constant(t, BITS));
    emit_comparison(t, EVEX_COMPARE, CHOSEN, NUMBER, EVEX_NOT_LESS, lowered_constant(t, LARGEST));
    emit(t, EVEX_ADD, NUMBER, NUMBER, 0, lowered_constant(t, BIAS));
    emit(t, EVEX_SUB, NUMBER, NUMBER, CHOSEN, lowered_constant(t, LARGEST + BIAS));
    evex_emit(
        &t->code,
        &(struct evex_instruction){
            .operation = EVEX_TERNARY, .to = word, .x = NUMBER, .count = TABLE, .y = lowered_constant(t, SIGN_BIT)});
}

static void emit_coefficients(struct lowering *t, const struct vector_operation *operation)
{
    emit_intervals(t);
    if (operation->vb == LOOK_UP_8_BITS) {
        emit_choice_of_lregs(t, WORD, 0);
        emit_of_8_bits(t, SLOPE, 16);
        emit_of_8_bits(t, OFFSET, 24);
        return;
    }
    emit_choice_of_lregs(t, SLOPE, 0);
    emit_choice_of_lregs(t, OFFSET, 4);
    if (operation->vb == LOOK_UP_16_BITS) { /* each interval falls into two */
        emit_choice(t, WORD, lowered_constant(t, HALF), lowered_constant(t, ONE_AND_A_HALF),
                    lowered_constant(t, vector_look_up_cut(operation->immediate)));
        emit_comparison(t, EVEX_COMPARE, IN_LOWER_HALF, MAGNITUDE, EVEX_LESS, in_register(WORD));
        emit_of_16_bits(t, SLOPE);
        emit_of_16_bits(t, OFFSET);
    }
}

void lower_look_up(struct lowering *t, const struct vector_operation *operation, struct lane_mask lanes)
{
    bool keeps_sign = operation->immediate & LUT_SGN_RETAIN;
    const struct vector_operation result = {.word_operation = keeps_sign ? WORDS_set_sign_of_register : WORDS_move,
                                            .vb = LREG_ARGUMENT,
                                            .vc = IN_REGISTER + SLOPE};
    if (lanes.kind == MASK_NONE) {
        return;
    }
    struct lane_mask kept = lower_calls(t);
    for (t->half = 0; t->half < HALVES; t->half++) {
        uint8_t to = (uint8_t)(HALVES * operation->vd + t->half), mask = mask_register(lanes, t->half);
        emit_coefficients(t, operation);
        lower_move(t, FIRST_TEMPORARY, 0, in_register(SLOPE));
        lower_move(t, FIRST_TEMPORARY + 1, 0, in_register(MAGNITUDE));
        lower_move(t, FIRST_TEMPORARY + 2, 0, in_register(OFFSET));
        lower_call(t, SFPU_MULTIPLY_ADD, mask);
        lower_move(t, SLOPE, 0, in_register(FIRST_TEMPORARY));
        if (mask) { /* what is there stays in other lanes */
            lowered_lreg(t, operation->vd);
        }
        lower_into(t, &result, to, mask);
        t->loaded |= 1u << to;
        t->written |= 1u << to;
    }
    lower_end_of_calls(t, kept);
}

/* sfpu_approximate_reciprocal(), with a sign. The host's is of the middle of the interval, and rounding it to seven
   bits does not depend on how large its error is: none of the 128 reciprocals is as near as that to the middle between
   two results. What has none is zero before or after. */
void lower_reciprocal(struct lowering *t, uint8_t to, uint32_t lreg, uint8_t mask)
{
    enum { X = FIRST_TEMPORARY, SIGN, RESULT, HALF_OF_LAST_PLACE = 1 << 15, KEPT = 0x7fff8000 };
    enum { TABLE_MIDDLE = (EVEX_TABLE_X | EVEX_TABLE_Y) & EVEX_TABLE_TO };
    enum { TABLE_CUT = (EVEX_TABLE_TO & EVEX_TABLE_Y) | EVEX_TABLE_X };
    lower_move(t, X, 0, lowered_lreg(t, lreg));
    emit(t, EVEX_AND, SIGN, X, 0, lowered_constant(t, SIGN_BIT));
    emit(t, EVEX_TEST, MASK_TEMPORARY, X, 0, lowered_constant(t, EXPONENT_BITS));
    lower_move(t, RESULT, 0, lowered_constant(t, KEPT));
    evex_emit(&t->code, &(struct evex_instruction){.operation = EVEX_TERNARY,
                                                   .to = RESULT,
                                                   .x = X,
                                                   .mask = MASK_TEMPORARY | EVEX_ZEROES,
                                                   .count = TABLE_MIDDLE,
                                                   .y = lowered_constant(t, HALF_OF_LAST_PLACE)});
    emit_comparison(t, EVEX_COMPARE, MASK_TEMPORARY, RESULT, EVEX_LESS, lowered_constant(t, TOO_LARGE));
    emit(t, EVEX_RECIPROCAL, RESULT, 0, 0, in_register(RESULT));
    emit(t, EVEX_ADD, RESULT, RESULT, MASK_TEMPORARY | EVEX_ZEROES, lowered_constant(t, HALF_OF_LAST_PLACE));
    evex_emit(&t->code, &(struct evex_instruction){.operation = EVEX_TERNARY,
                                                   .to = RESULT,
                                                   .x = SIGN,
                                                   .count = TABLE_CUT,
                                                   .y = lowered_constant(t, 0xffff0000)});
    lower_move(t, to, mask, in_register(RESULT));
}
