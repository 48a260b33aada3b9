#include "tensix/units/scalar/timing.h"

#include "tensix/units/state.h"

bool scalar_holds(struct tensix *tensix, unsigned thread, struct pushed next)
{
    struct tensix_timing *timing = &tensix->state->timing;
    return timing_wait_until(timing, thread, timing->scalar.accepts);
}

void scalar_passed(struct tensix *tensix, unsigned thread, struct pushed passed)
{
    struct tensix_timing *timing = &tensix->state->timing;
    timing->scalar.accepts = timing->now[thread] + timing_issue_cycles(passed.word);
}
