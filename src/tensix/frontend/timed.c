#include "tensix/frontend/timed.h"

#include "tensix/units/state.h"
#include "time/clock.h"

uint64_t frontend_run_timed(struct tensix *tensix, unsigned thread, uint64_t now, uint64_t until, bool stop_at_event,
                            bool *passed)
{
    struct frontend *frontend = &tensix->state->frontend[thread];
    struct tensix_timing *timing = &tensix->state->timing;
    *passed = false;
    while (now < until && !frontend_idle(frontend)) {
        uint64_t before = frontend->passed;
        timing->now[thread] = now;
        enum step step = frontend_step(tensix, thread);
        if (step == STEP_WAIT) {
            uint64_t retry = timing->retry[thread];
            timing->retry[thread] = CLOCK_NEVER;
            if (retry == CLOCK_NEVER || retry <= now) {
                return CLOCK_NEVER;
            }
            now = retry;
        } else if (step == STEP_STOP) {
            return CLOCK_NEVER;
        } else if (frontend->passed != before) {
            *passed = true;
            now++;
            if (stop_at_event) {
                break;
            }
        }
    }
    return frontend_idle(frontend) ? CLOCK_NEVER : now;
}
