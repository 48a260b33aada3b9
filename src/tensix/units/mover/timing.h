/* When the Mover accepts instructions, in timed mode (units/timing.h). */
#ifndef BHEMU_TENSIX_UNITS_MOVER_TIMING_H
#define BHEMU_TENSIX_UNITS_MOVER_TIMING_H

#include <stdbool.h>
#include <stdint.h>

#include "tensix/units/thread.h"

struct tensix;

/* Plain data, all zero at first. Times are absolute. */
struct mover_timing {
    uint64_t accepts; /* when the unit accepts its next instruction */
};

/* timing_holds() and timing_passed() for instructions of the unit. */
bool mover_holds(struct tensix *tensix, unsigned thread, struct pushed next);
void mover_passed(struct tensix *tensix, unsigned thread, struct pushed passed);

#endif
