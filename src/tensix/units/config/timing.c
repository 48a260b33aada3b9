#include "tensix/units/config/timing.h"

#include "tensix/units/state.h"

bool config_holds(struct tensix *tensix, unsigned thread, struct pushed next)
{
    struct tensix_timing *timing = &tensix->state->timing;
    return timing_wait_until(timing, thread, timing->config.accepts);
}

void config_passed(struct tensix *tensix, unsigned thread, struct pushed passed)
{
    struct tensix_timing *timing = &tensix->state->timing;
    timing->config.accepts = timing->now[thread] + timing_issue_cycles(passed.word);
}
