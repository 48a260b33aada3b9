/* When instructions may leave the wait gate, and for how long they occupy what, in timed mode. An instruction executes
   at once when it leaves the gate; what silicon has done only later - a bank that is handed over, a row of Dst that is
   there - is kept here as a time, for which others wait that need it. Cycles of instructions: tables/tensix.def; all
   other constants: tables/timing.def. */
#ifndef BHEMU_TENSIX_UNITS_TIMING_H
#define BHEMU_TENSIX_UNITS_TIMING_H

#include <stdbool.h>
#include <stdint.h>

#include "tensix/units/issue.h"
#include "tensix/units/thread.h"

struct tensix;

/* Plain data, all zero at first. Times are absolute. */
struct tensix_timing {
    uint64_t now[TENSIX_THREADS];                        /* when each thread passes its next instruction */
    uint64_t retry[TENSIX_THREADS];                      /* timing_holds(): when it is to be asked again */
    uint64_t pushed[TENSIX_THREADS][FIFO_CAPACITY];      /* when each entry of a FIFO was pushed, by its index */
    uint64_t pushed_late[TENSIX_THREADS][FIFO_CAPACITY]; /* the same behind the MOP expander */
};

/* Whether `next` has to wait before its thread's gate at timing->now[thread], for time to pass or for somebody else:
   timing->retry[thread] says until when, CLOCK_NEVER: until somebody else acts. */
bool timing_holds(struct tensix *tensix, unsigned thread, struct pushed next);

/* `passed` has just left the gate and executed, at timing->now[thread]. */
void timing_passed(struct tensix *tensix, unsigned thread, struct pushed passed);

#endif
