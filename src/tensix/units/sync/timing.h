/* When the Sync Unit accepts instructions, in timed mode (units/timing.h): one a cycle of those about semaphores and
   waits, over all threads, among which are cores' writes to semaphores; one a cycle for each mutex.
   Source: ISA documentation SyncUnit.md. */
#ifndef BHEMU_TENSIX_UNITS_SYNC_TIMING_H
#define BHEMU_TENSIX_UNITS_SYNC_TIMING_H

#include <stdbool.h>
#include <stdint.h>

#include "tensix/units/port.h"
#include "tensix/units/sync/sync.h"
#include "tensix/units/thread.h"

struct tensix;
struct timing_word;
struct tensix_timing;

/* Plain data, all zero at first. Times are absolute. */
struct sync_timing {
    struct timing_port semaphores;
    struct timing_port mutex[MUTEXES];
    uint64_t changed[SEMAPHORES]; /* since when each has the value that it has */
};

/* timing_holds() and timing_passed() for instructions of the unit. */
bool sync_holds(struct tensix *tensix, unsigned thread, const struct timing_word *next);
void sync_passed(struct tensix *tensix, unsigned thread, const struct timing_word *passed);

/* A core's write to a semaphore is emitted at `time`. */
void sync_core_writes(struct tensix_timing *timing, unsigned semaphore, uint64_t time);

#endif
