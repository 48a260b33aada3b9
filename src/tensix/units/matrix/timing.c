#include "tensix/units/matrix/timing.h"

#include "tensix/units/state.h"

bool matrix_holds(struct tensix *tensix, unsigned thread, struct pushed next)
{
    struct tensix_timing *timing = &tensix->state->timing;
    return timing_wait_until(timing, thread, timing->matrix.accepts);
}

void matrix_passed(struct tensix *tensix, unsigned thread, struct pushed passed)
{
    struct tensix_timing *timing = &tensix->state->timing;
    timing->matrix.accepts = timing->now[thread] + timing_issue_cycles(passed.word);
}
