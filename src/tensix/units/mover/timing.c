#include "tensix/units/mover/timing.h"

#include "tensix/units/state.h"
#include "time/timing.h"

enum { UNIT = 16 };

bool mover_holds(struct tensix *tensix, unsigned thread, const struct timing_word *next)
{
    struct tensix_timing *timing = &tensix->state->timing;
    return timing_wait_until(timing, thread, timing_port_accepts(&timing->mover.ready, thread, timing->now[thread]));
}

/* Copies go in groups of eight units, zeros unit by unit. */
static uint64_t cycles_of(struct mover_transfer transfer)
{
    uint64_t units = transfer.size / UNIT;
    bool copies = transfer.direction == XMOV_L1_TO_L0 || transfer.direction == XMOV_L1_TO_L1;
    return copies ? (units * TIMING_MOVER_COPY_8 + 7) / 8 : units * TIMING_MOVER_CLEAR;
}

static void start(struct tensix_timing *timing, unsigned thread, struct mover_transfer transfer, uint64_t time,
                  uint64_t later)
{
    struct timing_port *ready = &timing->mover.ready;
    uint64_t cycles = cycles_of(transfer);
    ready->accepts = (time < ready->accepts ? ready->accepts : time) + (cycles ? cycles : 1) + later;
    timing_busy(timing, BUSY_MOVER, thread, ready->accepts);
}

void mover_passed(struct tensix *tensix, unsigned thread, const struct timing_word *passed)
{
    struct tensix_timing *timing = &tensix->state->timing;
    start(timing, thread, mover_transfer_of_thread(tensix, thread), timing->now[thread], tensix->state->lag.delay);
}

void mover_takes(struct tensix *tensix, struct mover_transfer transfer, uint64_t time)
{
    start(&tensix->state->timing, 0, transfer, time, 0); /* condition C9 is about anybody's */
}
