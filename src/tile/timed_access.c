/* How long cores' accesses to GPRs, configuration and TDMA-RISC take beyond the way there and back, in timed mode:
   those to configuration go through the Configuration Unit's pipeline, those that Auto TTSync tracks wait for what the
   thread still executes. Sources: ISA documentation ConfigurationUnit.md, AutoTTSync.md, STALLWAIT.md (condition C10).
 */
#include "tensix/frontend/timed.h"
#include "tile/handlers.h"
#include "time/clock.h"
#include "time/timing.h"

/* When the results of the thread's instructions are where a core looks for them. */
static uint64_t results_of(const struct tensix_timing *timing, unsigned thread)
{
    uint64_t time = clock_later(timing->frontend[thread].gate, timing->busy_until[BUSY_SCALAR][thread]);
    return clock_later(time, timing->busy_until[BUSY_CONFIG][thread]);
}

void timed_access(const struct mmio_access *access, enum tracked_resource resource)
{
    struct tile *tile = access->tile;
    struct tensix_timing *timing = &tile->state->tensix.timing;
    bool has_thread = access->agent >= BH_CORE_T0 && access->agent <= BH_CORE_T2;
    bool reads = resource & (TRACK_CONFIG_READ | TRACK_GPR_READ | TRACK_TDMA_READ);
    if (access->agent >= BH_CORE_COUNT) {
        return;
    }
    if (has_thread && frontend_tracks(&tile->tensix, thread_of(access->agent), resource)) {
        timed_reach(access, results_of(timing, thread_of(access->agent)));
    }
    uint64_t now = clock_of(&tile->state->clock, access->agent), done = now + 1;
    late_arrive(&tile->tensix, now);
    if (resource & (TRACK_CONFIG_READ | TRACK_CONFIG_WRITE)) {
        done = config_accessed(timing, now);
    }
    if (reads) {
        timed_reach(access, done - 1);
    } else if (has_thread) {
        timing_busy(timing, BUSY_CORE, thread_of(access->agent), done + TIMING_CORE_REQUEST);
    }
}
