/* Constants of generated code: they lie before it, and words that a body has often are in registers while it executes.
 */
#include "tensix/engine/avx512/lowering.h"

struct evex_operand lowered_constant(struct lowering *t, uint32_t number)
{
    uint32_t i = 0;
    while (i < t->constants_count && t->constants[i].value != number) {
        i++;
    }
    struct constant *constant = &t->constants[i];
    if (i == t->constants_count) {
        *constant = (struct constant){.value = number};
        t->constants_count++;
    }
    constant->uses++;
    return constant->in_register ? (struct evex_operand){EVEX_REGISTER, constant->in_register}
                                 : (struct evex_operand){EVEX_CONSTANT, constant->place};
}

void lower_keep_constants(struct lowering *t, bool any)
{
    int room = FIRST_RESULT - 1 - t->highest_temporary;
    for (uint32_t i = 0; i < t->constants_count; i++) {
        t->constants[i].in_register = 0;
    }
    for (t->first_kept = FIRST_RESULT; any && !t->calls && room; room--) {
        struct constant *most = &t->constants[0];
        for (uint32_t i = 1; i < t->constants_count; i++) {
            struct constant *constant = &t->constants[i];
            most = most->in_register || (!constant->in_register && constant->uses > most->uses) ? constant : most;
        }
        if (t->constants_count == 0 || most->in_register || !most->uses) {
            break;
        }
        most->in_register = --t->first_kept;
    }
}

void lower_first_constants(struct lowering *t)
{
    for (uint32_t i = 0; i < t->constants_count; i++) {
        const struct constant *constant = &t->constants[i];
        if (constant->in_register) {
            lower_move(t, constant->in_register, 0, (struct evex_operand){EVEX_CONSTANT, constant->place});
            lowered_needs(t, constant->in_register, true);
        }
    }
}

void lower_constants(struct lowering *t)
{
    for (uint32_t i = 0; i < t->constants_count; i++) {
        t->constants[i].place = evex_emit_constant(&t->code, t->constants[i].value);
    }
}
