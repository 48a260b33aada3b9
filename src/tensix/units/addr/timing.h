/* When the Miscellaneous Unit accepts instructions, in timed mode (units/timing.h): one a cycle of those that change
   ADCs, over all threads; of others one a cycle of each thread. Source: ISA documentation MiscellaneousUnit.md. */
#ifndef BHEMU_TENSIX_UNITS_ADDR_TIMING_H
#define BHEMU_TENSIX_UNITS_ADDR_TIMING_H

#include <stdbool.h>

#include "tensix/units/port.h"
#include "tensix/units/thread.h"

struct tensix;
struct timing_word;

/* Plain data, all zero at first. Times are absolute. */
struct addr_timing {
    struct timing_port adc;
};

/* timing_holds() and timing_passed() for instructions of the unit that change ADCs. */
bool addr_holds(struct tensix *tensix, unsigned thread, const struct timing_word *next);
void addr_passed(struct tensix *tensix, unsigned thread, const struct timing_word *passed);

/* Takes these away from the facts of others. */
void addr_look_up(struct timing_word *facts);

#endif
