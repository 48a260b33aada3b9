/* What moves values between lanes or whole LRegs (SFPTRANSP, SFPSHFT2) in generated code. */
#include "tensix/engine/avx512/lowering.h"

enum { FOUR = 4, PLACES = 16 };

/* In the place of each word its left neighbour among eight, that of the first being the last; and all but the first. */
static const uint32_t left_neighbours[PLACES] = {7, 0, 1, 2, 3, 4, 5, 6, 15, 8, 9, 10, 11, 12, 13, 14};
static const uint32_t all_but_first[PLACES] = {0, ~0u, ~0u, ~0u, ~0u, ~0u, ~0u, ~0u,
                                               0, ~0u, ~0u, ~0u, ~0u, ~0u, ~0u, ~0u};

static struct evex_operand in_register(uint32_t number)
{
    return (struct evex_operand){EVEX_REGISTER, number};
}

/* Register `to` = halves of x and y, in the lanes of k`mask`. */
static void emit_halves(struct lowering *t, uint8_t to, uint8_t mask, uint8_t which, uint8_t x, uint8_t y)
{
    evex_emit(&t->code,
              &(struct evex_instruction){
                  .operation = EVEX_JOIN_HALVES, .to = to, .x = x, .mask = mask, .count = which, .y = in_register(y)});
}

/* Two registers, each of two rows of lanes. */
struct pair {
    uint8_t first, second;
};

/* The first rows of `from` into to.first, their second rows into to.second. */
static void emit_pair(struct lowering *t, struct pair to, uint8_t mask, struct pair from)
{
    emit_halves(t, FIRST_TEMPORARY, 0, EVEX_LOWER_HALVES, from.first, from.second);
    emit_halves(t, to.second, mask, EVEX_UPPER_HALVES, from.first, from.second);
    lower_move(t, to.first, mask, in_register(FIRST_TEMPORARY));
}

/* In each column of lanes, the 4x4 values of four LRegs from `first` on. What two of them have of two rows gets out of
   the way of what the other two have of the other rows. */
static void emit_transposition(struct lowering *t, uint32_t first, struct lane_mask lanes)
{
    enum { OF_FIRST = FIRST_TEMPORARY + 1, OF_SECOND };
    uint8_t low[FOUR], high[FOUR], low_mask = mask_register(lanes, 0), high_mask = mask_register(lanes, 1);
    for (unsigned i = 0; i < FOUR; i++) {
        t->half = 0;
        low[i] = lowered_written_lreg(t, first + i);
        t->half = 1;
        high[i] = lowered_written_lreg(t, first + i);
    }
    const struct pair stays = {low[0], low[1]}, leaves = {high[0], high[1]};
    const struct pair comes = {low[2], low[3]}, stays_too = {high[2], high[3]};
    emit_pair(t, stays, low_mask, stays);
    emit_pair(t, stays_too, high_mask, stays_too);
    emit_halves(t, OF_FIRST, 0, EVEX_LOWER_HALVES, comes.first, comes.second);
    emit_halves(t, OF_SECOND, 0, EVEX_UPPER_HALVES, comes.first, comes.second);
    emit_pair(t, comes, low_mask, leaves);
    lower_move(t, leaves.first, high_mask, in_register(OF_FIRST));
    lower_move(t, leaves.second, high_mask, in_register(OF_SECOND));
}

/* This half of an LReg, each value from its left neighbour, into register `to`. */
static void emit_moved_right(struct lowering *t, uint8_t to, uint8_t mask, uint32_t lreg, bool rotate)
{
    enum { PLACES_OF_WORDS = FIRST_TEMPORARY, MOVED };
    const struct evex_instruction move = {.operation = EVEX_PERMUTE,
                                          .to = rotate ? to : MOVED,
                                          .x = PLACES_OF_WORDS,
                                          .mask = rotate ? mask : 0,
                                          .y = lowered_lreg(t, lreg)};
    const struct evex_instruction clear = {
        .operation = EVEX_AND, .to = to, .x = MOVED, .mask = mask, .y = lowered_table(t, all_but_first)};
    lower_move(t, PLACES_OF_WORDS, 0, lowered_table(t, left_neighbours));
    evex_emit(&t->code, &move);
    if (!rotate) {
        evex_emit(&t->code, &clear);
    }
}

/* LReg[0]'s rows but the first, and zeros, into two registers from `to` on. */
static void emit_following_rows(struct lowering *t, uint8_t to)
{
    uint8_t low, high;
    t->half = 0;
    low = (uint8_t)lowered_lreg(t, 0).number;
    t->half = 1;
    high = (uint8_t)lowered_lreg(t, 0).number;
    emit_halves(t, to, 0, EVEX_INNER_HALVES, low, high);
    lower_move(t, to + 1, 0, lowered_constant(t, 0));
    emit_halves(t, to + 1, 0, EVEX_INNER_HALVES, high, to + 1);
}

/* LReg[0..2] from LReg[1..3], and LReg[3] from what the mode says. */
static void emit_copies(struct lowering *t, const struct vector_operation *operation, struct lane_mask lanes)
{
    enum { LAST = FIRST_TEMPORARY + 2 };
    if (operation->immediate == SHUFFLE_CHAINED_COPY4) {
        emit_following_rows(t, LAST);
    }
    for (t->half = 0; t->half < HALVES; t->half++) {
        uint8_t mask = mask_register(lanes, t->half), last = (uint8_t)(LAST + t->half);
        if (operation->immediate == SHUFFLE_SHFLROR1_AND_COPY4) {
            emit_moved_right(t, last, 0, operation->vc, true);
        } else if (operation->immediate == SHUFFLE_COPY4) {
            lower_move(t, last, 0, lowered_constant(t, 0));
        }
        for (uint32_t i = 0; i < FOUR - 1; i++) {
            lower_move(t, lowered_written_lreg(t, i), mask, lowered_lreg(t, i + 1));
        }
        lower_move(t, lowered_written_lreg(t, FOUR - 1), mask, in_register(last));
    }
}

void lower_shuffle(struct lowering *t, const struct vector_operation *operation, struct lane_mask lanes)
{
    if (lanes.kind == MASK_NONE) {
        return;
    }
    switch (operation->immediate) {
    case SHUFFLE_TRANSPOSE:
        emit_transposition(t, 0, lanes);
        emit_transposition(t, FOUR, lanes);
        break;
    case SHUFFLE_SHFLROR1:
    case SHUFFLE_SHFLSHR1:
        for (t->half = 0; t->half < HALVES; t->half++) {
            emit_moved_right(t, lowered_written_lreg(t, operation->vd), mask_register(lanes, t->half), operation->vc,
                             operation->immediate == SHUFFLE_SHFLROR1);
        }
        break;
    default: emit_copies(t, operation, lanes); break;
    }
}
