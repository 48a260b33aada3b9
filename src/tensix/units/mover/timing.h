/* How long the mover takes, in timed mode (units/timing.h). XMOV waits until the mover is ready to start, and takes a
   cycle itself. Sources: ISA documentation Mover.md, XMOV.md. */
#ifndef BHEMU_TENSIX_UNITS_MOVER_TIMING_H
#define BHEMU_TENSIX_UNITS_MOVER_TIMING_H

#include <stdbool.h>
#include <stdint.h>

#include "tensix/units/mover/mover.h"
#include "tensix/units/port.h"
#include "tensix/units/thread.h"

struct tensix;
struct timing_word;

/* Plain data, all zero at first. Times are absolute. */
struct mover_timing {
    struct timing_port ready;
};

/* timing_holds() and timing_passed() for instructions of the unit. */
bool mover_holds(struct tensix *tensix, unsigned thread, const struct timing_word *next);
void mover_passed(struct tensix *tensix, unsigned thread, const struct timing_word *passed);

/* TDMA-RISC hands a transfer to the mover at `time`, which starts when it is ready. */
void mover_takes(struct tensix *tensix, struct mover_transfer transfer, uint64_t time);

#endif
