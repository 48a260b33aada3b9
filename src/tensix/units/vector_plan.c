#include "tensix/units/vector_plan.h"

#include "tensix/dispatch.h"
#include "tensix/units/vector_words.h"

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
    plan->word_operation = plan->kind == VECTOR_LANEWISE ? vector_word_operation(plan->operation) : 0;
    plan->kind = plan->word_operation ? VECTOR_WORDS : plan->kind;
    plan->lregs.result = vector->lreg[plan->vd];
    plan->lregs.operands.x = vector->lreg[plan->va];
    plan->lregs.operands.y = vector->lreg[plan->vb];
    plan->lregs.operands.z = vector->lreg[plan->vc];
}

/* How many sums stand in a row whose plans are up to date. */
static uint32_t planned_sums(const struct pushed *from, const struct vector_plan *plans, uint32_t count)
{
    uint32_t i = 0;
    while (i < count && plans[i].word == from[i].word && plans[i].kind == VECTOR_SUM) {
        i++;
    }
    return i;
}

/* Executes the first instruction, and those after it that can be executed with it. Returns how many that were. */
static uint32_t run_some(const struct pushed *from, const struct vector_plan *plan, uint32_t count, uint32_t lanes)
{
    uint32_t some;
    switch (plan->kind) {
    case VECTOR_NOT_PLANNED: return 0;
    case VECTOR_SUM:
        some = planned_sums(from, plan, count);
        sfpu_mad_sequence(&plan->lregs, sizeof *plan, some, lanes);
        return some;
    case VECTOR_WORDS:
        if (lanes == ALL_LANES) {
            return vector_run_words(from, plan, count);
        }
        break;
    default: break;
    }
    plan->operation(plan->lregs.result, plan->lregs.operands.y, plan->lregs.operands.z, plan->immediate, lanes);
    return 1;
}

uint32_t vector_run_plans(struct tensix *tensix, const struct pushed *from, struct vector_plan *plans, uint32_t count)
{
    struct vector_unit *vector = &tensix->state->vector;
    if (vector->any_lane_config & LANE_CONFIG_ENABLE_DEST_INDEX) { /* warnings */
        return 0;
    }
    uint32_t lanes = vector_enabled_lanes(vector), done = 0, some = 1;
    while (done < count && some) {
        struct vector_plan *plan = &plans[done];
        if (__builtin_expect(plan->word != from[done].word, 0)) {
            refresh(vector, plan, from[done].word);
        }
        some = run_some(from + done, plan, count - done, lanes);
        done += some;
    }
    return done;
}
