/* Calls in generated code: for sums and products, of functions of the host's registers, which leave those of LRegs as
   they are (num/sfpu_mad_registers.h), one for each half of the lanes; for operations that have no code of their own,
   of the portable back end. */
#include "jit/evex_call.h"
#include "tensix/engine/avx512/lowering.h"
#include "tensix/engine/portable.h"
#include "tensix/num/sfpu_mad_registers.h"

/* LRegs are in the upper half of the host's registers, so that what is computed on the way is where functions have
   their arguments. */
_Static_assert(FIRST_TEMPORARY + FIRST_HOST_REGISTER == 32, "the first temporary is the host's zmm0");

static bool calls(const struct vector_operation *operation)
{
    return operation->kind == VECTOR_SUM || operation->effect >= EFFECT_ROUND;
}

bool lowering_calls(const struct vector_operation *operations, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (calls(&operations[i])) {
            return true;
        }
    }
    return false;
}

static struct evex_operand factor(struct lowering *t, const struct vector_operation *operation)
{
    return operation->va == VA_IMMEDIATE ? lowered_constant(t, operation->immediate) : lowered_lreg(t, operation->va);
}

/* Argument `number`, with its sign inverted if so said. */
static void emit_argument(struct lowering *t, uint8_t number, struct evex_operand from, uint32_t sign)
{
    uint8_t to = (uint8_t)(FIRST_TEMPORARY + number);
    lower_move(t, to, 0, from);
    if (sign) {
        evex_emit(&t->code,
                  &(struct evex_instruction){.operation = EVEX_XOR, .to = to, .x = to, .y = lowered_constant(t, sign)});
    }
}

/* The arguments of this half that are vectors. Returns what is to be called: multiplying by one, and adding zero, is
 * exact. */
static enum sfpu_mad_function emit_arguments(struct lowering *t, const struct vector_operation *operation)
{
    uint32_t x_sign = operation->x_sign, z_sign = operation->z_sign;
    if (operation->vc == LREG_ZERO && !z_sign) {
        emit_argument(t, 0, factor(t, operation), x_sign);
        emit_argument(t, 1, lowered_lreg(t, operation->vb), 0);
        return SFPU_MULTIPLY;
    }
    if (operation->vb == LREG_ONE || operation->va == LREG_ONE) {
        emit_argument(t, 0, operation->vb == LREG_ONE ? factor(t, operation) : lowered_lreg(t, operation->vb), x_sign);
        emit_argument(t, 1, lowered_lreg(t, operation->vc), z_sign);
        return SFPU_ADD;
    }
    emit_argument(t, 0, factor(t, operation), x_sign);
    emit_argument(t, 1, lowered_lreg(t, operation->vb), 0);
    emit_argument(t, 2, lowered_lreg(t, operation->vc), z_sign);
    return SFPU_MULTIPLY_ADD;
}

/* Before calls, and after them: lane flags that they are to keep. In between, mask registers are free. */
static struct lane_mask begin_calls(struct lowering *t)
{
    struct lane_mask kept = lowered_kept_flags(t);
    if (kept.kind == MASK_PAIR) {
        evex_emit_keep_masks(&t->code, mask_register(kept, 0), mask_register(kept, 1));
    }
    t->code.live_masks = 0;
    return kept;
}

static void end_calls(struct lowering *t, struct lane_mask kept)
{
    for (unsigned half = 0; kept.kind == MASK_PAIR && half < HALVES; half++) {
        evex_emit_kept_mask(&t->code, mask_register(kept, half), half);
    }
    lower_stack_entry(t);
}

static void emit_call(struct lowering *t, enum sfpu_mad_function function, uint8_t mask)
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

void lower_sum(struct lowering *t, const struct vector_operation *operation, struct lane_mask lanes)
{
    if (!sfpu_mad_in_registers(SFPU_MULTIPLY_ADD)) {
        lower_by_handler(t, lanes);
        return;
    }
    struct lane_mask kept = begin_calls(t);
    for (t->half = 0; t->half < HALVES; t->half++) {
        uint8_t mask = mask_register(lanes, t->half);
        emit_call(t, emit_arguments(t, operation), mask);
        lower_move(t, lowered_result(t, operation->vd, lanes), mask,
                   (struct evex_operand){EVEX_REGISTER, FIRST_TEMPORARY});
    }
    end_calls(t, kept);
}

void lower_by_handler(struct lowering *t, struct lane_mask lanes)
{
    if (lanes.kind == MASK_NONE) {
        return;
    }
    const uint8_t *operation = t->code.bytes + t->place * sizeof(struct vector_operation);
    struct lane_mask kept = begin_calls(t);
    t->written = t->loaded; /* in an earlier round, perhaps */
    lower_stores(t);
    evex_emit_address_argument(&t->code, operation);
    evex_emit_lanes_argument(&t->code, lanes.kind == MASK_PAIR);
    evex_emit_call(&t->code, (const void *)portable_run_alone);
    t->loaded = 0;
    t->handled = true;
    end_calls(t, kept);
}

void lower_handlers(struct lowering *t)
{
    for (uint32_t i = 0; t->calls && i < t->count; i++) {
        struct vector_operation operation = t->operations[i];
        portable_prepare(&operation);
        evex_emit_bytes(&t->code, (const uint8_t *)&operation, sizeof operation);
    }
}
