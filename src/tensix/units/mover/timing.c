#include "tensix/units/mover/timing.h"

#include "tensix/units/state.h"

bool mover_holds(struct tensix *tensix, unsigned thread, struct pushed next)
{
    struct tensix_timing *timing = &tensix->state->timing;
    return timing_wait_until(timing, thread, timing->mover.accepts);
}

void mover_passed(struct tensix *tensix, unsigned thread, struct pushed passed)
{
    struct tensix_timing *timing = &tensix->state->timing;
    timing->mover.accepts = timing->now[thread] + timing_issue_cycles(passed.word);
}
