#include "tensix/units/addr/timing.h"

#include "tensix/units/state.h"

bool addr_holds(struct tensix *tensix, unsigned thread, struct pushed next)
{
    struct tensix_timing *timing = &tensix->state->timing;
    return timing_wait_until(timing, thread, timing->addr.accepts);
}

void addr_passed(struct tensix *tensix, unsigned thread, struct pushed passed)
{
    struct tensix_timing *timing = &tensix->state->timing;
    timing->addr.accepts = timing->now[thread] + timing_issue_cycles(passed.word);
}
