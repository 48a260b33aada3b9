/* What rounds with random numbers, which advance (SFP_STOCH_RND, SFPCAST), in translated code. */
#include "tensix/units/vector_rounding.h"
#include "tensix/units/vector_translation.h"

/* What to round with, and the random numbers that it comes from. */
enum { BITS = FIRST_RESULT, RANDOM };
enum { VECTOR_BYTES = 64, FIRST_NUMBERS = offsetof(struct vector_unit, prng) / VECTOR_BYTES };
_Static_assert(offsetof(struct vector_unit, prng) % VECTOR_BYTES == 0, "numbers are vectors of the host");

/* Register `to` = a number in all lanes, or bits of the random numbers. */
static void emit_rounding_bits(struct translation *t, uint8_t to, uint8_t rounding, uint8_t random)
{
    if (rounding != ROUND_AT_RANDOM) {
        translate_move(t, to, 0, translated_constant(t, fixed_rounding(rounding)));
        return;
    }
    evex_emit(&t->code, &(struct evex_instruction){
                            .operation = EVEX_AND, .to = to, .x = random, .y = translated_constant(t, ROUNDING_BITS)});
}

void translate_first_random(struct translation *t)
{
    for (unsigned half = 0; t->keeps_random && half < HALVES; half++) {
        translate_move(t, (uint8_t)(FIRST_RANDOM + half), 0, (struct evex_operand){EVEX_VECTOR, FIRST_NUMBERS + half});
    }
}

void translate_last_random(struct translation *t)
{
    for (unsigned half = 0; t->keeps_random && half < HALVES; half++) {
        evex_emit_store(&t->code, (uint8_t)(FIRST_RANDOM + half), FIRST_NUMBERS + half);
    }
}

void translate_rounding(struct translation *t, const struct vector_plan *plan, struct lane_mask lanes)
{
    const struct vector_plan conversion = {
        .word_operation = plan->rounding, .immediate = plan->immediate, .vb = IN_REGISTER + BITS, .vc = plan->vc};
    if (lanes.kind == MASK_NONE) {
        return;
    }
    for (t->half = 0; t->half < HALVES; t->half++) {
        const struct evex_operand numbers = {EVEX_VECTOR, FIRST_NUMBERS + t->half};
        uint32_t number = HALVES * plan->vd + t->half;
        uint8_t mask = mask_register(lanes, t->half);
        if (mask) { /* what is there stays in other lanes */
            translated_lreg(t, plan->vd);
        }
        uint8_t random = t->keeps_random ? (uint8_t)(FIRST_RANDOM + t->half) : RANDOM;
        if (!t->keeps_random) {
            translate_move(t, random, 0, numbers);
        }
        emit_rounding_bits(t, BITS, plan->vb, random);
        translate_into(t, &conversion, (uint8_t)number, mask);
        t->loaded |= 1u << number;
        t->written |= 1u << number;
        const struct vector_plan step = {.word_operation = WORDS_next_random, .vc = IN_REGISTER + random};
        translate_into(t, &step, BITS, 0);
        translate_move(t, random, mask, (struct evex_operand){EVEX_REGISTER, BITS});
        if (!t->keeps_random) {
            evex_emit_store(&t->code, random, numbers.number);
        }
    }
}

void translate_conversion(struct translation *t, const struct vector_plan *plan, struct lane_mask lanes)
{
    const struct vector_plan conversion = {.word_operation = plan->rounding, .vb = plan->vc, .vc = plan->vc};
    for (t->half = 0; lanes.kind != MASK_NONE && t->half < HALVES; t->half++) {
        uint32_t number = HALVES * plan->vd + t->half;
        uint8_t mask = mask_register(lanes, t->half);
        if (mask) { /* what is there stays in other lanes */
            translated_lreg(t, plan->vd);
        }
        translate_into(t, &conversion, (uint8_t)number, mask);
        t->loaded |= 1u << number;
        t->written |= 1u << number;
    }
}
