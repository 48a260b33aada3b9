/* The ways in which a device in timed mode can be run that make no difference to its clocks: where it is observed every
   core runs all the time, else tiles doze and cores that poll are set aside. For *_test.c only. */
#ifndef BHEMU_CHIP_WAYS_H
#define BHEMU_CHIP_WAYS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "bhemu/device.h"
#include "bhemu/observer.h"
#include "noc/niu.h"
#include "time/clock.h"

struct way {
    bool observed;
    unsigned threads;
    uint64_t slice; /* cycles of each call of bh_run() */
};

static inline void way_hears(void *context, const struct bh_event *event)
{
    (void)context;
    (void)event;
}

static inline struct bh_device *way_begin_with(const struct way *way, enum bh_policy_preset policy,
                                               enum bh_on_error on_error)
{
    struct bh_device *device;
    const struct bh_device_config config = {
        .mode = BH_MODE_TIMED, .policy = policy, .threads = way->threads, .on_error = on_error};
    static const struct bh_observer observer = {.on_event = way_hears, .kinds = BH_EVENT_BIT(BH_EVENT_RETIRED)};
    assert_int_equal(bh_device_create(&config, &device), BH_OK);
    if (way->observed) {
        assert_int_equal(bh_device_add_observer(device, &observer), BH_OK);
    }
    return device;
}

static inline struct bh_device *way_begin(const struct way *way, enum bh_policy_preset policy)
{
    return way_begin_with(way, policy, BH_ON_ERROR_STOP);
}

static inline void way_run(const struct way *way, struct bh_device *device, uint64_t cycles)
{
    for (uint64_t done = 0; done < cycles; done += way->slice) {
        struct bh_run_result result;
        (void)bh_run(device, clock_sooner(way->slice, cycles - done), &result);
    }
}

/* The counters of both NIUs of a tile. */
static inline void way_read_counters(struct bh_device *device, unsigned x, unsigned y,
                                     uint32_t counters[NIUS][NIU_COUNTERS])
{
    for (unsigned niu = 0; niu < NIUS; niu++) {
        for (unsigned i = 0; i < NIU_COUNTERS; i++) {
            (void)bh_read(device, x, y, 0xFFB20000 + niu * 0x10000 + NIU_COUNTER + i * 4, &counters[niu][i], 4);
        }
    }
}

#endif
