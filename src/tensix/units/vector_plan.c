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
    plan->lregs.result = vector->lreg[plan->vd];
    plan->lregs.operands.x = vector->lreg[plan->va];
    plan->lregs.operands.y = vector->lreg[plan->vb];
    plan->lregs.operands.z = vector->lreg[plan->vc];
}

/* How many sums stand in a row, from the first on. Brings their plans up to date, and that of what comes next. */
static uint32_t planned_sums(struct vector_unit *vector, const struct pushed *from, struct vector_plan *plans,
                             uint32_t count)
{
    uint32_t i;
    for (i = 0; i < count; i++) {
        if (__builtin_expect(plans[i].word != from[i].word, 0)) {
            refresh(vector, &plans[i], from[i].word);
        }
        if (plans[i].kind != VECTOR_SUM) {
            break;
        }
    }
    return i;
}

uint32_t vector_run_plans(struct tensix *tensix, const struct pushed *from, struct vector_plan *plans, uint32_t count)
{
    struct vector_unit *vector = &tensix->state->vector;
    if (vector->any_lane_config & LANE_CONFIG_ENABLE_DEST_INDEX) { /* warnings */
        return 0;
    }
    uint32_t lanes = vector_enabled_lanes(vector), done = 0;
    while (done < count) {
        uint32_t sums = planned_sums(vector, from + done, plans + done, count - done);
        if (sums) {
            sfpu_mad_sequence(&plans[done].lregs, sizeof *plans, sums, lanes);
            done += sums;
            continue;
        }
        const struct vector_plan *plan = &plans[done];
        if (plan->kind != VECTOR_LANEWISE) {
            break;
        }
        plan->operation(plan->lregs.result, plan->lregs.operands.y, plan->lregs.operands.z, plan->immediate, lanes);
        done++;
    }
    return done;
}
