/* Counts cycles for the performance counters in timed mode (units/counts.h). What happens at the same time is counted
   together: before anything that changes the state, all counts are brought to its time, from which on the state says
   what is under way and until when.

   A thread is stalled in each cycle in which its next instruction stands at the gate and does not pass: a latched wait
   blocks it, or its unit does not accept it. While a latched wait blocks it, the instruction counts as available, and
   each condition of the wait that is not met yet counts as waited for.
   Sources: tt-metal, perf-counters.md; tt-llk, performance_counters.md. */
#ifndef BHEMU_TENSIX_FRONTEND_COUNTS_H
#define BHEMU_TENSIX_FRONTEND_COUNTS_H

#include "tensix/units/state.h"

/* Brings all counts to `now`, before which nothing happens any more. */
void counts_reach(struct tensix *tensix, uint64_t now);

/* Counting begins at `now`: nothing was wanted before. */
static inline void counts_begin(struct tensix *tensix, uint64_t now)
{
    tensix->state->timing.counts.since = now;
}

/* Whether counts are to be kept up to date. */
static inline bool counts_wanted(const struct tensix *tensix)
{
    return tensix->state->issue.wanted != 0;
}

/* `word` of the thread has been tried at `now`. */
static inline void counts_tried(struct tensix *tensix, unsigned thread, uint32_t word, bool passed, uint64_t now)
{
    struct timing_counts *counts = &tensix->state->timing.counts;
    counts->held[thread] = !passed;
    if (passed) {
        counts->passed[thread] = word;
        counts->passes_until[thread] = now + 1;
    }
}

#endif
