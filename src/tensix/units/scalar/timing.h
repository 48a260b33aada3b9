/* When the Scalar Unit (ThCon) accepts instructions, in timed mode (units/timing.h). It executes one at a time, of
   whichever thread, and the thread passes nothing else until that is done. What is loaded arrives later than that.
   Sources: ISA documentation ScalarUnit.md and the instructions' pages; chapters "gpr and dma instructions" and
   "additional scalar unit instructions". */
#ifndef BHEMU_TENSIX_UNITS_SCALAR_TIMING_H
#define BHEMU_TENSIX_UNITS_SCALAR_TIMING_H

#include <stdbool.h>
#include <stdint.h>

#include "tensix/units/port.h"
#include "tensix/units/thread.h"

struct tensix;
struct timing_word;

/* Plain data, all zero at first. Times are absolute. */
struct scalar_timing {
    struct timing_port unit;
    uint64_t accepts_atomics; /* ATINCGET, ATSWAP */
    uint64_t first_try;       /* of an ATCAS or ATINCGETPTR that has failed so far; 0: there is none */
    uint8_t tries;            /* its thread */
};

/* timing_holds(), timing_passed() and timing_waits() for instructions of the unit. */
bool scalar_holds(struct tensix *tensix, unsigned thread, const struct timing_word *next);
void scalar_passed(struct tensix *tensix, unsigned thread, const struct timing_word *passed);
void scalar_waits(struct tensix *tensix, unsigned thread, const struct timing_word *next);

#endif
