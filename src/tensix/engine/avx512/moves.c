/* What exchanges LRegs (SFPSWAP), or copies to those that are only configured (SFPCONFIG), in generated code. */
#include "tensix/engine/avx512/lowering.h"

static struct evex_operand in_register(uint32_t number)
{
    return (struct evex_operand){EVEX_REGISTER, number};
}

/* What a pair becomes: the larger and the smaller one as signed numbers, and all ones where these are in the reverse
   order since both are negative. */
enum { REVERSED = FIRST_TEMPORARY, LARGER, SMALLER, SORTED = FIRST_RESULT };

static void emit_binary(struct lowering *t, enum evex_operation operation, uint8_t to, uint8_t x, struct evex_operand y)
{
    evex_emit(&t->code, &(struct evex_instruction){.operation = operation, .to = to, .x = x, .y = y});
}

static void emit_shift(struct lowering *t, enum evex_operation operation, uint8_t reg, uint8_t count)
{
    evex_emit(&t->code,
              &(struct evex_instruction){.operation = operation, .to = reg, .count = count, .y = in_register(reg)});
}

/* Inverts REVERSED in the odd rows. LReg[15] is twice the lane's number. */
static void emit_inversion_of_odd_rows(struct lowering *t)
{
    enum { LREG_LANES = 15, ODD_ROW_TO_SIGN = 27, SIGN = 31 };
    lower_move(t, SORTED, 0, lowered_lreg(t, LREG_LANES));
    emit_shift(t, EVEX_SHIFT_LEFT, SORTED, ODD_ROW_TO_SIGN);
    emit_shift(t, EVEX_SHIFT_RIGHT_SIGNED, SORTED, SIGN);
    emit_binary(t, EVEX_XOR, REVERSED, REVERSED, in_register(SORTED));
}

/* The three of this half's d and c. Returns whether d is to have the smaller one where nothing is reversed: it has that
   in the lanes of `minimum`, in others the larger one. */
static bool emit_sorting(struct lowering *t, uint32_t minimum, uint8_t d, uint8_t c)
{
    enum { BOTH_ROWS = 0xffff, EVEN_ROW = 0x00ff };
    uint32_t half = minimum >> t->half * SFPU_LANES / HALVES & BOTH_ROWS;
    emit_binary(t, EVEX_AND, REVERSED, d, in_register(c));
    emit_shift(t, EVEX_SHIFT_RIGHT_SIGNED, REVERSED, 31);
    emit_binary(t, EVEX_MAXIMUM_SIGNED, LARGER, d, in_register(c));
    emit_binary(t, EVEX_MINIMUM_SIGNED, SMALLER, d, in_register(c));
    if (half != 0 && half != BOTH_ROWS) {
        emit_inversion_of_odd_rows(t);
    }
    return half & EVEN_ROW;
}

/* The smaller or the larger one, for what is reversed the other, into register `to` in the lanes of k`mask`. */
static void emit_sorted(struct lowering *t, bool smaller, uint8_t to, uint8_t mask)
{
    uint8_t result = mask ? SORTED : to;
    lower_move(t, result, 0, in_register(REVERSED));
    evex_emit(&t->code, &(struct evex_instruction){.operation = EVEX_TERNARY,
                                                   .to = result,
                                                   .x = smaller ? LARGER : SMALLER,
                                                   .count = EVEX_TABLE_SELECT,
                                                   .y = in_register(smaller ? SMALLER : LARGER)});
    lower_move(t, to, mask, in_register(result));
}

void lower_exchange(struct lowering *t, const struct vector_operation *operation, struct lane_mask lanes)
{
    enum { LIMIT = FIRST_RESULT + 1 };
    if (lanes.kind == MASK_NONE) {
        return;
    }
    for (t->half = 0; t->half < HALVES; t->half++) {
        bool writes_c = operation->vc < LREG_WRITABLE;
        uint8_t d = lowered_written_lreg(t, operation->vd), c = LIMIT, mask = mask_register(lanes, t->half);
        if (writes_c) {
            c = lowered_written_lreg(t, operation->vc);
        } else {
            lower_move(t, LIMIT, 0, lowered_lreg(t, operation->vc));
        }
        if (operation->condition == CONDITION_UNSORTED) {
            bool smaller = emit_sorting(t, operation->immediate, d, c);
            emit_sorted(t, smaller, d, mask);
            if (writes_c) {
                emit_sorted(t, !smaller, c, mask);
            }
        } else {
            lower_move(t, FIRST_TEMPORARY, 0, in_register(d));
            lower_move(t, d, mask, in_register(c));
            lower_move(t, c, mask, in_register(FIRST_TEMPORARY));
        }
    }
}

/* A register's two lower rows, in all four. */
static void emit_repetition(struct lowering *t, uint8_t to, uint32_t from)
{
    evex_emit(&t->code, &(struct evex_instruction){.operation = EVEX_JOIN_HALVES,
                                                   .to = to,
                                                   .x = (uint8_t)from,
                                                   .count = EVEX_LOWER_HALVES,
                                                   .y = in_register(from)});
}

void lower_configuring(struct lowering *t, const struct vector_operation *operation, struct lane_mask lanes)
{
    enum { NEW = FIRST_TEMPORARY, CHOSEN, SELECTED };
    if (lanes.kind == MASK_NONE) {
        return;
    }
    t->half = 0;
    emit_repetition(t, NEW, lowered_lreg(t, 0).number);
    if (lanes.kind == MASK_PAIR) {
        const struct evex_instruction widen = {
            .operation = EVEX_WIDEN, .to = CHOSEN, .y = in_register(mask_register(lanes, 0))};
        evex_emit(&t->code, &widen);
        emit_repetition(t, CHOSEN, CHOSEN);
    }
    for (t->half = 0; t->half < HALVES; t->half++) {
        uint8_t result = NEW;
        if (lanes.kind == MASK_PAIR) {
            const struct evex_instruction select = {.operation = EVEX_TERNARY,
                                                    .to = SELECTED,
                                                    .x = NEW,
                                                    .count = EVEX_TABLE_SELECT,
                                                    .y = lowered_lreg(t, operation->vc)};
            lower_move(t, SELECTED, 0, in_register(CHOSEN));
            evex_emit(&t->code, &select);
            result = SELECTED;
        }
        evex_emit_store(&t->code, result, HALVES * operation->vc + t->half);
    }
}
