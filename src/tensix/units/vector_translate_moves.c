/* What exchanges LRegs (SFPSWAP), or copies to those that are only configured (SFPCONFIG), in translated code. */
#include "tensix/units/vector_translation.h"

static struct evex_operand in_register(uint32_t number)
{
    return (struct evex_operand){EVEX_REGISTER, number};
}

/* The lanes of this half where x comes before y, in MASK_TEMPORARY, among them any where both are the same. Where both
   are negative, the order is the reverse of that of two's complement. */
static void emit_comes_before(struct translation *t, uint8_t x, uint8_t y)
{
    const struct evex_instruction compare = {
        .operation = EVEX_COMPARE, .to = MASK_TEMPORARY, .x = x, .count = EVEX_LESS, .y = in_register(y)};
    const struct evex_instruction both = {.operation = EVEX_AND, .to = FIRST_TEMPORARY, .x = x, .y = in_register(y)};
    const struct evex_instruction negative = {
        .operation = EVEX_TEST, .to = 0, .x = FIRST_TEMPORARY, .y = translated_constant(t, SIGN_BIT)};
    evex_emit(&t->code, &compare);
    evex_emit(&t->code, &both);
    evex_emit(&t->code, &negative);
    evex_emit_mask(&t->code, EVEX_MASK_XOR, MASK_TEMPORARY, MASK_TEMPORARY, 0);
}

/* Inverts MASK_TEMPORARY in one of the two rows of this half. LReg[15] is twice the lane's number. */
static void emit_inversion_of_row(struct translation *t, bool odd)
{
    enum { LREG_LANES = 15, ODD_ROW = 1 << 4 };
    const struct evex_instruction row = {.operation = odd ? EVEX_TEST : EVEX_TEST_NOT,
                                         .to = 0,
                                         .x = FIRST_TEMPORARY,
                                         .y = translated_constant(t, ODD_ROW)};
    translate_move(t, FIRST_TEMPORARY, 0, translated_lreg(t, LREG_LANES));
    evex_emit(&t->code, &row);
    evex_emit_mask(&t->code, EVEX_MASK_XOR, MASK_TEMPORARY, MASK_TEMPORARY, 0);
}

/* The lanes of this half that are not in order: VD has the smaller value in those of `minimum`, else the larger. */
static void emit_unsorted(struct translation *t, uint32_t minimum, uint8_t d, uint8_t c)
{
    enum { BOTH_ROWS = 0xffff, ODD_ROW = 0xff00 };
    uint32_t half = minimum >> t->half * SFPU_LANES / HALVES & BOTH_ROWS;
    if (half == 0) {
        emit_comes_before(t, d, c);
        return;
    }
    emit_comes_before(t, c, d);
    if (half != BOTH_ROWS) {
        emit_inversion_of_row(t, half != ODD_ROW);
    }
}

void translate_exchange(struct translation *t, const struct vector_plan *plan, struct lane_mask lanes)
{
    enum { LIMIT = FIRST_TEMPORARY + 1 };
    if (lanes.kind == MASK_NONE) {
        return;
    }
    for (t->half = 0; t->half < HALVES; t->half++) {
        bool writes_c = plan->vc < LREG_WRITABLE;
        uint8_t d = translated_written_lreg(t, plan->vd), c = LIMIT, mask = mask_register(lanes, t->half);
        if (writes_c) {
            c = translated_written_lreg(t, plan->vc);
        } else {
            translate_move(t, LIMIT, 0, translated_lreg(t, plan->vc));
        }
        if (plan->condition == CONDITION_UNSORTED) {
            emit_unsorted(t, plan->immediate, d, c);
            if (mask) {
                evex_emit_mask(&t->code, EVEX_MASK_AND, MASK_TEMPORARY, MASK_TEMPORARY, mask);
            }
            mask = MASK_TEMPORARY;
        }
        if (writes_c) {
            translate_move(t, FIRST_TEMPORARY, 0, in_register(d));
        }
        translate_move(t, d, mask, in_register(c));
        if (writes_c) {
            translate_move(t, c, mask, in_register(FIRST_TEMPORARY));
        }
    }
}

/* A register's two lower rows, in all four. */
static void emit_repetition(struct translation *t, uint8_t to, uint32_t from)
{
    evex_emit(&t->code, &(struct evex_instruction){.operation = EVEX_JOIN_HALVES,
                                                   .to = to,
                                                   .x = (uint8_t)from,
                                                   .count = EVEX_LOWER_HALVES,
                                                   .y = in_register(from)});
}

void translate_configuring(struct translation *t, const struct vector_plan *plan, struct lane_mask lanes)
{
    enum { NEW = FIRST_TEMPORARY, CHOSEN, SELECTED };
    if (lanes.kind == MASK_NONE) {
        return;
    }
    t->half = 0;
    emit_repetition(t, NEW, translated_lreg(t, 0).number);
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
                                                    .y = translated_lreg(t, plan->vc)};
            translate_move(t, SELECTED, 0, in_register(CHOSEN));
            evex_emit(&t->code, &select);
            result = SELECTED;
        }
        evex_emit_store(&t->code, result, HALVES * plan->vc + t->half);
    }
}
