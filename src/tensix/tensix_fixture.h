/* What tests of the coprocessor's units have in common: a coprocessor that stands alone, with L1 and diagnostics.
   For *_test.c only; it brings cmocka with it. */
#ifndef BHEMU_TENSIX_TENSIX_FIXTURE_H
#define BHEMU_TENSIX_TENSIX_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tensix/tensix.h"
#include "tensix/units/dispatch.h"
#include "tensix/units/execute.h"
#include "util/aligned.h"
#include "util/bits.h"
#include "util/xorshift.h"

/* Cleared and reset before every test by fixture_setup(). */
struct fixture {
    struct tensix tensix;
    struct tensix_state state;
    struct timing_words words;
    struct diagnostics diagnostics;
    struct l1 l1;
    uint8_t l1_bytes[L1_SIZE];
};

static inline int fixture_setup(void **state)
{
    struct fixture *fixture = aligned_zeroed(sizeof *fixture);
    if (!fixture || !l1_create(&fixture->l1, fixture->l1_bytes)) {
        return -1;
    }
    tensix_reset(&fixture->state);
    diagnostics_set_policy(&fixture->diagnostics, BH_POLICY_DEFAULT);
    fixture->tensix.state = &fixture->state;
    fixture->tensix.words = &fixture->words;
    fixture->tensix.l1 = &fixture->l1;
    fixture->tensix.diagnostics = &fixture->diagnostics;
    *state = fixture;
    return 0;
}

static inline int fixture_teardown(void **state)
{
    struct fixture *fixture = *state;
    l1_destroy(&fixture->l1);
    free(fixture);
    return 0;
}

/* A test with a fixture of its own. */
#define FIXTURE_TEST(function) cmocka_unit_test_setup_teardown(function, fixture_setup, fixture_teardown)

/* Executes NAME with the given fields, the others zero: RUN(fixture, thread, SEMINIT, .sem_sel = 1). */
#define RUN(fixture, thread, name, ...) execute_##name(&(fixture)->tensix, (thread), (struct args_##name){__VA_ARGS__})

/* The same, which must succeed without a diagnostic. */
#define RUN_OK(fixture, thread, name, ...)                                                                             \
    do {                                                                                                               \
        assert_int_equal(RUN(fixture, thread, name, __VA_ARGS__), STEP_DONE);                                          \
        assert_int_equal((fixture)->diagnostics.count, 0);                                                             \
    } while (0)

/* The last diagnostic has this category, and the instruction that gave it was stopped. */
#define ASSERT_STOPPED(fixture, step, expected_category)                                                               \
    do {                                                                                                               \
        assert_int_equal((step), STEP_STOP);                                                                           \
        assert_int_equal((fixture)->diagnostics.count, 1);                                                             \
        assert_int_equal((fixture)->diagnostics.entries[0].category, (expected_category));                             \
        (fixture)->diagnostics.count = 0;                                                                              \
        (fixture)->diagnostics.stopped = false;                                                                        \
    } while (0)

#endif
