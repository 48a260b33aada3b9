/* When the Vector Unit (SFPU) accepts instructions, in timed mode (units/timing.h). */
#ifndef BHEMU_TENSIX_UNITS_VECTOR_TIMING_H
#define BHEMU_TENSIX_UNITS_VECTOR_TIMING_H

#include <stdbool.h>
#include <stdint.h>

#include "tensix/units/thread.h"

struct tensix;

/* Plain data, all zero at first. Times are absolute. */
struct vector_timing {
    uint64_t accepts; /* when the unit accepts its next instruction */
};

/* timing_holds() and timing_passed() for instructions of the unit. */
bool vector_holds(struct tensix *tensix, unsigned thread, struct pushed next);
void vector_passed(struct tensix *tensix, unsigned thread, struct pushed passed);

#endif
