/* Sums and products in translated code: calls of functions of the host's
   registers, which leave those of LRegs as they are (num/sfpu_mad_registers.h). Each half of the lanes is a call. */
#include "jit/evex_call.h"
#include "tensix/engine/avx512/translation.h"
#include "tensix/num/sfpu_mad_registers.h"

/* LRegs are in the upper half of the host's registers, so that what is computed on the way is where functions have
   their arguments. */
_Static_assert(FIRST_TEMPORARY + FIRST_HOST_REGISTER == 32, "the first temporary is the host's zmm0");

static bool calls(const struct vector_plan *plan)
{
    return plan->kind == VECTOR_SUM || plan->effect == EFFECT_LOOK_UP;
}

bool vector_translation_calls(const struct vector_plan *plans, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (calls(&plans[i])) {
            return true;
        }
    }
    return false;
}

bool vector_translates_sums(void)
{
    return sfpu_mad_in_registers(SFPU_MULTIPLY_ADD);
}

void translate_frame(struct translation *t)
{
    evex_emit_frame(&t->code, t->calls);
}

void translate_end_of_frame(struct translation *t)
{
    evex_emit_end_of_frame(&t->code, t->calls);
}

static struct evex_operand factor(struct translation *t, const struct vector_plan *plan)
{
    return plan->va == VA_IMMEDIATE ? translated_constant(t, plan->immediate) : translated_lreg(t, plan->va);
}

/* Argument `number`, with its sign inverted if so said. */
static void emit_argument(struct translation *t, uint8_t number, struct evex_operand from, uint32_t sign)
{
    uint8_t to = (uint8_t)(FIRST_TEMPORARY + number);
    translate_move(t, to, 0, from);
    if (sign) {
        evex_emit(&t->code, &(struct evex_instruction){
                                .operation = EVEX_XOR, .to = to, .x = to, .y = translated_constant(t, sign)});
    }
}

/* The arguments of this half that are vectors. Returns what is to be called: multiplying by one, and adding zero, is
 * exact. */
static enum sfpu_mad_function emit_arguments(struct translation *t, const struct vector_plan *plan)
{
    uint32_t x_sign = plan->x_sign, z_sign = plan->z_sign;
    if (plan->vc == LREG_ZERO && !z_sign) {
        emit_argument(t, 0, factor(t, plan), x_sign);
        emit_argument(t, 1, translated_lreg(t, plan->vb), 0);
        return SFPU_MULTIPLY;
    }
    if (plan->vb == LREG_ONE || plan->va == LREG_ONE) {
        emit_argument(t, 0, plan->vb == LREG_ONE ? factor(t, plan) : translated_lreg(t, plan->vb), x_sign);
        emit_argument(t, 1, translated_lreg(t, plan->vc), z_sign);
        return SFPU_ADD;
    }
    emit_argument(t, 0, factor(t, plan), x_sign);
    emit_argument(t, 1, translated_lreg(t, plan->vb), 0);
    emit_argument(t, 2, translated_lreg(t, plan->vc), z_sign);
    return SFPU_MULTIPLY_ADD;
}

struct lane_mask translate_calls(struct translation *t)
{
    struct lane_mask kept = translated_kept_flags(t);
    if (kept.kind == MASK_PAIR) {
        evex_emit_keep_masks(&t->code, mask_register(kept, 0), mask_register(kept, 1));
    }
    t->code.live_masks = 0;
    return kept;
}

void translate_end_of_calls(struct translation *t, struct lane_mask kept)
{
    for (unsigned half = 0; kept.kind == MASK_PAIR && half < HALVES; half++) {
        evex_emit_kept_mask(&t->code, mask_register(kept, half), half);
    }
    translate_stack_entry(t);
}

void translate_call(struct translation *t, enum sfpu_mad_function function, uint8_t mask)
{
    if (mask) {
        evex_emit_kept_argument(&t->code, t->half);
    } else {
        evex_emit_full_argument(&t->code);
    }
    evex_emit_call(&t->code, sfpu_mad_in_registers(function));
    if (mask) {
        evex_emit_kept_mask(&t->code, mask, t->half);
    }
}

void translate_sum(struct translation *t, const struct vector_plan *plan, struct lane_mask lanes)
{
    struct lane_mask kept = translate_calls(t);
    for (t->half = 0; t->half < HALVES; t->half++) {
        uint8_t to = (uint8_t)(HALVES * plan->vd + t->half), mask = mask_register(lanes, t->half);
        if (mask) { /* what is there stays in other lanes */
            translated_lreg(t, plan->vd);
        }
        translate_call(t, emit_arguments(t, plan), mask);
        translate_move(t, to, mask, (struct evex_operand){EVEX_REGISTER, FIRST_TEMPORARY});
        t->loaded |= 1u << to;
        t->written |= 1u << to;
    }
    translate_end_of_calls(t, kept);
}
