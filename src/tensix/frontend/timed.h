/* A thread's frontend in timed mode: entries of its FIFO have times, and at most one instruction leaves it a cycle. */
#ifndef BHEMU_TENSIX_FRONTEND_TIMED_H
#define BHEMU_TENSIX_FRONTEND_TIMED_H

#include "tensix/frontend/frontend.h"

/* Lets `thread` pass instructions from `now` on, as long as its clock is before `until`. Returns when it can go on;
   CLOCK_NEVER: not before somebody else acts. *passed: whether an instruction has left the gate. The turn ends behind
   the first that has if stop_at_event: somebody waits for what it may do. */
uint64_t frontend_run_timed(struct tensix *tensix, unsigned thread, uint64_t now, uint64_t until, bool stop_at_event,
                            bool *passed);

#endif
