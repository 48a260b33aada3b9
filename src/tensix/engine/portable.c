#include "tensix/engine/portable.h"

#include "tensix/units/state.h"
#include "tensix/units/vector/dst.h"
#include "tensix/units/vector/words.h"

/* How many operations of one kind follow each other. */
static uint32_t count_alike(const struct vector_plan *plans, uint32_t count)
{
    uint32_t i = 1;
    while (i < count && plans[i].kind == plans[0].kind) {
        i++;
    }
    return i;
}

static void run_lanewise(const struct vector_plan *plan, uint32_t count, uint32_t lanes)
{
    for (; count; count--, plan++) {
        plan->operation(plan->lregs.result, plan->lregs.operands.y, plan->lregs.operands.z, plan->immediate, lanes);
    }
}

uint32_t portable_run(struct tensix *tensix, unsigned thread, const struct vector_plan *plans, uint32_t count)
{
    struct vector_unit *vector = &tensix->state->vector;
    struct vector_calling calling = {0};
    uint32_t done = 0;
    if (vector->any_lane_config & LANE_CONFIG_ENABLE_DEST_INDEX) { /* then there are warnings */
        return 0;
    }
    while (done < count) {
        const struct vector_plan *plan = &plans[done];
        uint32_t lanes = vector_enabled_lanes(vector), some = count_alike(plan, count - done);
        switch (plan->kind) {
        case VECTOR_NOTHING: break;
        case VECTOR_SUM: sfpu_mad_sequence(&plan->lregs, sizeof *plan, some, lanes); break;
        case VECTOR_WORDS:
            if (lanes == ALL_LANES) {
                vector_run_words(plan, some);
            } else {
                run_lanewise(plan, some, lanes);
            }
            break;
        case VECTOR_CALL:
            if (!calling.tensix) {
                calling = vector_calling(tensix, thread);
            }
            if (!plan->call(&calling, plan)) {
                return done;
            }
            if (vector->any_lane_config & LANE_CONFIG_ENABLE_DEST_INDEX) {
                return done + 1;
            }
            some = 1;
            break;
        default: return done;
        }
        done += some;
    }
    return done;
}
