/* What rounds with random numbers, which advance (SFP_STOCH_RND, SFPCAST), in generated code. */
#include "tensix/units/vector/rounding.h"
#include "tensix/engine/avx512/lowering.h"

/* What to round with, and the random numbers that it comes from. */
enum { BITS = FIRST_RESULT, RANDOM };
enum { VECTOR_BYTES = 64, FIRST_NUMBERS = offsetof(struct vector_unit, prng) / VECTOR_BYTES };
_Static_assert(offsetof(struct vector_unit, prng) % VECTOR_BYTES == 0, "numbers are vectors of the host");

void lower_first_random(struct lowering *t)
{
    for (unsigned half = 0; t->keeps_random && half < HALVES; half++) {
        lower_move(t, (uint8_t)(FIRST_RANDOM + half), 0, (struct evex_operand){EVEX_VECTOR, FIRST_NUMBERS + half});
        lowered_needs(t, FIRST_RANDOM + half, true);
    }
}

void lower_last_random(struct lowering *t)
{
    for (unsigned half = 0; t->keeps_random && half < HALVES; half++) {
        evex_emit_store(&t->code, (uint8_t)(FIRST_RANDOM + half), FIRST_NUMBERS + half);
    }
}

/* The register in which random numbers are, now. */
static uint8_t emit_random(struct lowering *t)
{
    if (t->keeps_random) {
        return (uint8_t)(FIRST_RANDOM + t->half);
    }
    lower_move(t, RANDOM, 0, (struct evex_operand){EVEX_VECTOR, FIRST_NUMBERS + t->half});
    return RANDOM;
}

/* Those of the lanes of k`mask` advance. */
static void emit_steps(struct lowering *t, uint8_t random, uint32_t steps, uint8_t mask)
{
    lowered_needs(t, random, false); /* as they are before */
    while (steps) {
        uint32_t some = steps < STEPS_AT_ONCE ? steps : STEPS_AT_ONCE;
        const struct vector_operation advance = {
            .word_operation = WORDS_advance_random, .immediate = some, .vc = (uint8_t)(IN_REGISTER + random)};
        lower_into(t, &advance, random, mask);
        steps -= some;
    }
    if (!t->keeps_random) {
        evex_emit_store(&t->code, random, FIRST_NUMBERS + t->half);
    }
    lowered_needs(t, random, t->keeps_random);
}

void lower_due_random(struct lowering *t)
{
    if (t->random_due && !t->keeps_random) { /* RANDOM is one of the registers for results */
        lowered_forget_result(t);
    }
    for (t->half = 0; t->random_due && t->half < HALVES; t->half++) {
        emit_steps(t, emit_random(t), t->random_due, 0);
    }
    t->random_due = 0;
}

/* Random numbers that are not used, and that all lanes have, need not advance at once. */
void lower_rounding(struct lowering *t, const struct vector_operation *operation, struct lane_mask lanes)
{
    const bool at_random = operation->vb == ROUND_AT_RANDOM, later = !at_random && lanes.kind == MASK_ALL;
    const struct vector_operation conversion = {
        .word_operation = operation->rounding,
        .immediate = operation->immediate,
        .vb = (uint8_t)(at_random ? IN_REGISTER + BITS : ROUNDING_BY + operation->vb),
        .vc = operation->vc};
    if (lanes.kind == MASK_NONE) {
        return;
    }
    if (!later) {
        lower_due_random(t);
    }
    for (t->half = 0; t->half < HALVES; t->half++) {
        uint32_t number = HALVES * operation->vd + t->half;
        uint8_t mask = mask_register(lanes, t->half), random = later ? 0 : emit_random(t);
        if (mask) { /* what is there stays in other lanes */
            lowered_lreg(t, operation->vd);
        }
        if (at_random) {
            evex_emit(&t->code,
                      &(struct evex_instruction){
                          .operation = EVEX_AND, .to = BITS, .x = random, .y = lowered_constant(t, ROUNDING_BITS)});
        }
        lower_into(t, &conversion, (uint8_t)number, mask);
        t->loaded |= 1u << number;
        t->written |= 1u << number;
        if (!later) {
            emit_steps(t, random, 1, mask);
        }
    }
    t->random_due += later;
}

void lower_conversion(struct lowering *t, const struct vector_operation *operation, struct lane_mask lanes)
{
    const struct vector_operation conversion = {
        .word_operation = operation->rounding, .vb = operation->vc, .vc = operation->vc};
    for (t->half = 0; lanes.kind != MASK_NONE && t->half < HALVES; t->half++) {
        uint32_t number = HALVES * operation->vd + t->half;
        uint8_t mask = mask_register(lanes, t->half);
        if (mask) { /* what is there stays in other lanes */
            lowered_lreg(t, operation->vd);
        }
        if (operation->rounding == WORDS_NONE) {
            lower_reciprocal(t, (uint8_t)number, operation->vc, mask);
        } else {
            lower_into(t, &conversion, (uint8_t)number, mask);
        }
        t->loaded |= 1u << number;
        t->written |= 1u << number;
    }
}
