/* A tile in timed mode whose clock begins at START. For *_test.c only. */
#ifndef BHEMU_TILE_TIMED_FIXTURE_H
#define BHEMU_TILE_TIMED_FIXTURE_H

#include "tile/fixture.h"
#include "tile/timed.h"

enum { START = 1000 };

static inline int set_up_timed(void **context)
{
    int result = set_up(context);
    struct fixture *fixture = *context;
    if (result == 0) {
        tile_model_time(&fixture->tile);
        fixture->state->clock.now = START;
    }
    return result;
}

#define TIMED_TEST(function) cmocka_unit_test_setup_teardown(function, set_up_timed, tear_down)

#endif
