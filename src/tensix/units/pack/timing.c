#include "tensix/units/pack/timing.h"

#include "tensix/units/state.h"

bool pack_holds(struct tensix *tensix, unsigned thread, struct pushed next)
{
    struct tensix_timing *timing = &tensix->state->timing;
    return timing_wait_until(timing, thread, timing->pack.accepts);
}

void pack_passed(struct tensix *tensix, unsigned thread, struct pushed passed)
{
    struct tensix_timing *timing = &tensix->state->timing;
    timing->pack.accepts = timing->now[thread] + timing_issue_cycles(passed.word);
}
