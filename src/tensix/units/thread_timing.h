/* What the times of a thread's frontend depend on, in timed mode (frontend/timed.h). */
#ifndef BHEMU_TENSIX_UNITS_THREAD_TIMING_H
#define BHEMU_TENSIX_UNITS_THREAD_TIMING_H

#include <stdbool.h>
#include <stdint.h>

#include "tensix/units/thread.h"

/* Plain data, all zero at first. Times are absolute. The expanders run ahead of the gate: what they have done before is
   all that says when they give their next instruction. */
struct frontend_timing {
    uint64_t pushed[FIFO_CAPACITY];      /* when each entry of the FIFO was pushed, by its index */
    uint64_t pushed_late[FIFO_CAPACITY]; /* the same of the FIFO behind the MOP expander */
    uint64_t mop;                        /* from then on the MOP expander takes or gives its next instruction */
    uint64_t replay;                     /* the same of the replay expander */
    uint64_t came;                       /* when what stands at the gate came there, if nothing else stood there */
    uint64_t gate;                       /* from then on the thread may pass its next instruction */
    uint64_t idle;                       /* what has passed the gate so far has been executed by then, at the least */
    uint64_t met;   /* the condition of the latched wait is met from then on, if it holds nothing */
    uint64_t ends;  /* when a latched wait whose condition has been met holds nothing any more; 0: not met yet */
    bool holds;     /* when it was last looked at, it held */
    bool after_mop; /* the MOP expander has just expanded a MOP */
    bool stands;    /* what is before the gate counts as held by the first FIFO */
};

#endif
