/* A device for tests through the public C API, with what it had to say. */
#ifndef BHEMU_CHIP_DEVICE_FIXTURE_H
#define BHEMU_CHIP_DEVICE_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "bhemu/device.h"

struct fixture {
    struct bh_device *device;
    unsigned diagnostics;
    struct bh_diagnostic last;
    struct bh_run_result result;
};

static inline void on_diagnostic(void *context, const struct bh_diagnostic *diagnostic)
{
    struct fixture *fixture = context;
    fixture->diagnostics++;
    fixture->last = *diagnostic;
}

static inline int set_up(void **context)
{
    struct fixture *fixture = calloc(1, sizeof *fixture);
    struct bh_device_config config = {.on_diagnostic = on_diagnostic, .context = fixture};
    *context = fixture;
    return bh_device_create(&config, &fixture->device) == BH_OK ? 0 : -1;
}

static inline int tear_down(void **context)
{
    struct fixture *fixture = *context;
    bh_device_destroy(fixture->device);
    free(fixture);
    return 0;
}

#endif
