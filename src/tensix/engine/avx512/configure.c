/* What copies to LRegs that are only configured (SFPCONFIG), in generated code. */
#include "tensix/engine/avx512/lowering.h"

static struct evex_operand in_register(uint32_t number)
{
    return (struct evex_operand){EVEX_REGISTER, number};
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
