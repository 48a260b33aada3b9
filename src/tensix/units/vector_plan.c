#include "tensix/units/vector_plan.h"

#include "tensix/dispatch.h"
#include "tensix/units/vector_parts.h"

struct vector_plan vector_plan_of(uint32_t word)
{
    struct vector_plan plan = {0};
    switch (word >> 24) {
#define VECTOR_PLANNED(name)                                                                                           \
    case TENSIX_OPCODE_##name: plan = vector_plan_##name(decode_##name(word)); break;
        VECTOR_PLANNED_INSTRUCTIONS
#undef VECTOR_PLANNED
    default: break;
    }
    if (plan.vd >= LREG_WRITABLE || (word & ~tensix_dispatch[word >> 24].fields) != 0) {
        plan.kind = VECTOR_NOT_PLANNED;
    }
    plan.word = word;
    return plan;
}

/* Brings a plan up to date. */
static void refresh(struct vector_unit *vector, struct vector_plan *plan, uint32_t word)
{
    *plan = vector_plan_of(word);
    plan->result = vector->lreg[plan->vd];
    plan->operands.x = vector->lreg[plan->va];
    plan->operands.y = vector->lreg[plan->vb];
    plan->operands.z = vector->lreg[plan->vc];
}

uint32_t vector_run_plans(struct tensix *tensix, const struct pushed *from, struct vector_plan *plans, uint32_t count)
{
    struct vector_unit *vector = &tensix->state->vector;
    if (vector->any_lane_config & LANE_CONFIG_ENABLE_DEST_INDEX) { /* warnings */
        return 0;
    }
    uint32_t lanes = vector_enabled_lanes(vector), i;
    for (i = 0; i < count; i++) {
        struct vector_plan *plan = &plans[i];
        if (__builtin_expect(plan->word != from[i].word, 0)) {
            refresh(vector, plan, from[i].word);
        }
        if (plan->kind == VECTOR_LANEWISE) {
            plan->operation(plan->result, plan->operands.y, plan->operands.z, plan->immediate, lanes);
        } else if (plan->kind == VECTOR_SUM) {
            sfpu_mad_lanes(plan->result, &plan->operands, lanes);
        } else {
            break;
        }
    }
    return i;
}
