#include "tensix/units/vector/timing.h"

#include "tensix/units/state.h"

bool vector_holds(struct tensix *tensix, unsigned thread, struct pushed next)
{
    struct tensix_timing *timing = &tensix->state->timing;
    return timing_wait_until(timing, thread, timing->vector.accepts);
}

void vector_passed(struct tensix *tensix, unsigned thread, struct pushed passed)
{
    struct tensix_timing *timing = &tensix->state->timing;
    timing->vector.accepts = timing->now[thread] + timing_issue_cycles(passed.word);
}
