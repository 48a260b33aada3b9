/* SETRWC and INCRWC, which kernels have between instructions of the vector unit, as plans: rwc.c executes them.
   Sources: ISA documentation SETRWC.md, INCRWC.md. */
#include "tensix/units/addr/rwc.h"
#include "tensix/units/vector/parts.h"

enum { RWC_CHECKPOINTS = 7 }; /* rwc_cr of INCRWC: SrcA, SrcB, Dst */

static bool set_counters(const struct vector_calling *calling, const struct vector_plan *plan)
{
    return run_SETRWC(calling->tensix, calling->thread, plan->word) == STEP_DONE;
}

/* Unless it gives back a bank of SrcA or SrcB. */
struct vector_plan vector_plan_SETRWC(struct args_SETRWC args)
{
    return args.clear_ab_vld ? (struct vector_plan){0}
                             : (struct vector_plan){.kind = VECTOR_CALL, .call = set_counters};
}

static bool increment_counters(const struct vector_calling *calling, const struct vector_plan *plan)
{
    return run_INCRWC(calling->tensix, calling->thread, plan->word) == STEP_DONE;
}

/* Nothing but Dst's counter. */
static bool increment_dst(const struct vector_calling *calling, const struct vector_plan *plan)
{
    calling->rwc->dst = (calling->rwc->dst + plan->immediate) & RWC_DST_MASK;
    return true;
}

/* Unless something is to be said about it. */
struct vector_plan vector_plan_INCRWC(struct args_INCRWC args)
{
    if (args.rwc_cr & ~(uint32_t)RWC_CHECKPOINTS) {
        return (struct vector_plan){0};
    }
    bool only_dst = !args.rwc_cr && !args.rwc_a && !args.rwc_b;
    return (struct vector_plan){.kind = VECTOR_CALL,
                                .call = only_dst ? increment_dst : increment_counters,
                                .effect = only_dst ? EFFECT_COUNT : EFFECT_NONE,
                                .immediate = args.rwc_d};
}
