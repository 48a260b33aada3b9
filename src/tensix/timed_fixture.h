/* What tests of times have in common: a coprocessor in timed mode, whose threads go on as those of a tile do, the one
   that is furthest behind first. For *_test.c only. */
#ifndef BHEMU_TENSIX_TIMED_FIXTURE_H
#define BHEMU_TENSIX_TIMED_FIXTURE_H

#include "tensix/frontend/timed.h"
#include "tensix/tensix_fixture.h"
#include "time/clock.h"
#include "time/timing.h"

#define TENSIX_INSTRUCTION_BUFFER ((volatile uint32_t *)0) /* where the header's TT_NAME() would push: unused */
#include "kernel/tensix.h"

enum { TIMED_PASSES = 256 };
enum { T0, T1, T2 };

/* When each instruction of a thread has left its gate. */
struct timed_passes {
    uint64_t at[TIMED_PASSES];
    unsigned count;
};

static inline void timed_push(struct fixture *f, unsigned thread, uint64_t time, uint32_t word)
{
    struct pushed instruction = {.word = word};
    assert_int_equal(frontend_push_timed(&f->tensix, thread, instruction, false, time), STEP_DONE);
}

/* Lets all threads pass what they have; each goes on one instruction at a time, and who waits is woken by each. */
static inline void timed_run(struct fixture *f, struct timed_passes passes[TENSIX_THREADS])
{
    uint64_t next[TENSIX_THREADS] = {0}, clock[TENSIX_THREADS] = {0};
    f->tensix.timed = f->tensix.defers = true;
    memset(passes, 0, TENSIX_THREADS * sizeof *passes);
    for (;;) {
        unsigned thread = 0;
        for (unsigned i = 1; i < TENSIX_THREADS; i++) {
            thread = next[i] < next[thread] ? i : thread;
        }
        if (next[thread] == CLOCK_NEVER) {
            break;
        }
        uint64_t until = CLOCK_NEVER;
        for (unsigned i = 0; i < TENSIX_THREADS; i++) {
            uint64_t other = next[i] == CLOCK_NEVER ? CLOCK_NEVER : next[i] + (i > thread);
            until = i != thread && other < until ? other : until;
        }
        struct frontend_turn turn = {.now = clock[thread] < next[thread] ? next[thread] : clock[thread]};
        turn.until = until < turn.now + 1 ? until : turn.now + 1;
        uint64_t passed = f->state.frontend[thread].passed;
        next[thread] = frontend_run_timed(&f->tensix, thread, &turn);
        clock[thread] = turn.now;
        if (f->state.frontend[thread].passed != passed) {
            struct timed_passes *own = &passes[thread];
            assert_int_equal(f->state.frontend[thread].passed, passed + 1);
            assert_true(own->count < TIMED_PASSES);
            own->at[own->count++] = f->state.timing.now[thread];
        }
        if (turn.event != CLOCK_NEVER) {
            for (unsigned i = 0; i < TENSIX_THREADS; i++) {
                if (next[i] == CLOCK_NEVER) {
                    next[i] = clock[i] < turn.event ? turn.event : clock[i];
                }
            }
        }
    }
    assert_int_equal(f->diagnostics.count, 0);
}

/* Pushes one word of a thread each cycle from `time` on. */
static inline void timed_push_each_cycle(struct fixture *f, unsigned thread, uint64_t time, const uint32_t *words,
                                         unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        timed_push(f, thread, time + i, words[i]);
    }
}

/* Both banks belong to the Matrix Unit, Dst has rows of 16 bits, address modes add nothing. */
static inline struct fixture *timed_with_sources(void **state)
{
    struct fixture *f = *state;
    f->state.srca.owner[0] = f->state.srcb.owner[0] = SRC_MATRIX_UNIT;
    f->state.srca.format[0] = f->state.srcb.format[0] = FORMAT_BF16;
    return f;
}

/* The cycles from the first of two instructions of a thread, both pushed at `time`, to the second. */
static inline uint64_t timed_distance(void **state, uint64_t time, uint32_t first, uint32_t second)
{
    struct fixture *f = timed_with_sources(state);
    struct timed_passes passes[TENSIX_THREADS];
    timed_push(f, T1, time, first);
    timed_push(f, T1, time, second);
    timed_run(f, passes);
    assert_int_equal(passes[T1].count, 2);
    return passes[T1].at[1] - passes[T1].at[0];
}

/* Pushes the words of a thread at `time`. */
#define TIMED_WORDS(f, thread, time, ...)                                                                              \
    do {                                                                                                               \
        const uint32_t timed_words[] = {__VA_ARGS__};                                                                  \
        for (unsigned timed_i = 0; timed_i < COUNT_OF(timed_words); timed_i++) {                                       \
            timed_push(f, thread, time, timed_words[timed_i]);                                                         \
        }                                                                                                              \
    } while (0)

/* Asserts when the instructions of a thread have passed, counted from `start`. */
#define ASSERT_PASSED(passes, start, ...)                                                                              \
    do {                                                                                                               \
        const uint64_t expected_times[] = {__VA_ARGS__};                                                               \
        assert_int_equal((passes).count, COUNT_OF(expected_times));                                                    \
        for (unsigned timed_i = 0; timed_i < COUNT_OF(expected_times); timed_i++) {                                    \
            assert_int_equal((passes).at[timed_i], (start) + expected_times[timed_i]);                                 \
        }                                                                                                              \
    } while (0)

/* A fixture's coprocessor is in functional mode. */
static inline int timed_setup(void **state)
{
    int result = fixture_setup(state);
    if (result == 0) {
        struct fixture *f = *state;
        f->tensix.timed = f->tensix.defers = true;
    }
    return result;
}

#define TIMED_TEST(function) cmocka_unit_test_setup_teardown(function, timed_setup, fixture_teardown)

#endif
