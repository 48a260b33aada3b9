/* A tile without a device, for the tests of this folder. */
#ifndef BHEMU_TILE_FIXTURE_H
#define BHEMU_TILE_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tile/handlers.h"

struct fixture {
    struct tile tile;
    struct tile_state *state;
};

static inline int set_up(void **context)
{
    struct fixture *fixture = aligned_alloc(_Alignof(struct fixture), sizeof *fixture);
    memset(fixture, 0, sizeof *fixture);
    fixture->state = aligned_alloc(4096, sizeof *fixture->state);
    memset(fixture->state, 0, sizeof *fixture->state);
    if (!tile_create(&fixture->tile, fixture->state, 3, 5)) {
        return -1;
    }
    *context = fixture;
    return 0;
}

static inline int tear_down(void **context)
{
    struct fixture *fixture = *context;
    tile_destroy(&fixture->tile);
    free(fixture->state);
    free(fixture);
    return 0;
}

/* Word accesses that must succeed. */
static inline uint32_t load(struct fixture *fixture, unsigned agent, uint32_t address)
{
    uint32_t value = 0;
    assert_int_equal(mmio_load(&fixture->tile, agent, address, 4, &value), STEP_DONE);
    return value;
}

static inline void store(struct fixture *fixture, unsigned agent, uint32_t address, uint32_t value)
{
    assert_int_equal(mmio_store(&fixture->tile, agent, address, 4, value), STEP_DONE);
}

/* Asserts that the last access was refused with a diagnostic of this category whose text contains `part`; clears the
   stop so that the tile may go on. */
static inline void assert_refused(struct fixture *fixture, enum step step, enum bh_category category, const char *part)
{
    struct diagnostics *diagnostics = &fixture->state->diagnostics;
    assert_int_equal(step, STEP_STOP);
    assert_int_equal(diagnostics->count, 1);
    assert_int_equal(diagnostics->entries[0].category, category);
    if (!strstr(diagnostics->entries[0].text, part)) {
        fail_msg("\"%s\" does not say \"%s\"", diagnostics->entries[0].text, part);
    }
    diagnostics->count = 0;
    diagnostics->stopped = false;
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

#endif
