#include "tensix/units/unpack/timing.h"

#include "tensix/units/state.h"

bool unpack_holds(struct tensix *tensix, unsigned thread, struct pushed next)
{
    struct tensix_timing *timing = &tensix->state->timing;
    return timing_wait_until(timing, thread, timing->unpack.accepts);
}

void unpack_passed(struct tensix *tensix, unsigned thread, struct pushed passed)
{
    struct tensix_timing *timing = &tensix->state->timing;
    timing->unpack.accepts = timing->now[thread] + timing_issue_cycles(passed.word);
}
