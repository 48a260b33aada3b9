#include "tensix/units/sync/timing.h"

#include "tensix/units/state.h"

bool sync_holds(struct tensix *tensix, unsigned thread, struct pushed next)
{
    struct tensix_timing *timing = &tensix->state->timing;
    return timing_wait_until(timing, thread, timing->sync.accepts);
}

void sync_passed(struct tensix *tensix, unsigned thread, struct pushed passed)
{
    struct tensix_timing *timing = &tensix->state->timing;
    timing->sync.accepts = timing->now[thread] + timing_issue_cycles(passed.word);
}
