/* bh_run() in parts, for whoever has to stop on the way without a difference to what programs do: parts end where
   quanta end. Plain data: part of a job's snapshots. */
#ifndef BHEMU_CHIP_RUN_H
#define BHEMU_CHIP_RUN_H

#include <stdbool.h>
#include <stdint.h>

#include "bhemu/device.h"

struct device_run {
    uint64_t cycles; /* asked for; 0: nothing runs */
    uint64_t next_spin_check;
    struct bh_run_result result; /* so far */
};

void device_run_begin(struct bh_device *device, uint64_t cycles, struct device_run *run);

/* Runs on up to the first end of a quantum at which the clock is not before `clock`. false: all is over by then. */
bool device_run_on(struct bh_device *device, uint64_t clock, struct device_run *run);

/* What bh_run() returns. */
enum bh_status device_run_end(struct bh_device *device, struct device_run *run);

#endif
