/* What performance counters count in timed mode, by instructions of the threads. Sources: tt-metal, perf-counters.md;
   tt-llk, performance_counters.md; cycles: as in tensix/frontend/timed_test.c. */
#include "tensix/frontend/timed.h"
#include "tile/fixture.h"
#include "tile/timed.h"
#include "time/timing.h"

static volatile uint32_t pushed_words; /* where TT_NAME() of the kernels' header pushes: unused */
#define TENSIX_INSTRUCTION_BUFFER (&pushed_words)
#include "kernel/tensix.h"

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

enum { B = BH_CORE_B, T0 = 0, T1, T2 };
enum { START = 1000, GATE = START + TIMING_PUSH_TO_GATE };
enum { INSTRN = 0xFFB12000, UNPACK = 0xFFB1200C, FPU = 0xFFB12018, PACK = 0xFFB120F0 };
enum { OUT_INSTRN = 0xFFB12100, OUT_UNPACK = 0xFFB12108, OUT_PACK = 0xFFB12110, OUT_FPU = 0xFFB12120 };
enum { MODE = 4, CONTROL = 8, EVENTS = 4, START_BIT = 1, STOP_BIT = 2 };

/* Selects. Those of each thread follow each other, but for reasons of waiting. */
enum { CFG_AVAILABLE = 0, SYNC_AVAILABLE = 3, THCON_AVAILABLE = 6, MATH_AVAILABLE = 15, STALLS = 24 };
enum { SRCA_CLEAR = 27, SRCB_CLEAR, SRCA_VALID, SRCB_VALID, REASONS = 31, REASONS_EACH = 9 };
enum { THCON_IDLE, UNPACK_IDLE, PACK_IDLE, MATH_IDLE, NONZERO_SEM, NONFULL_SEM, MOVE_IDLE, CFG_IDLE, SFPU_IDLE };
enum { INSTRUCTIONS = 256, INSTRUCTIONS_EACH = 8, ANY_STALL = 283 };

/* Fields of STALLWAIT and SEMWAIT. */
enum { STALL_SYNC = 0x2, STALL_MATH = 0x40, STALL_CFG = 0x80, STALL_ON_ZERO = 1, STALL_ON_MAX = 2 };

static int set_up_timed(void **context)
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

/* Lets everything happen that is before `time`. */
static void run(struct fixture *fixture, uint64_t time)
{
    struct tile_span span = {.cycles = time - fixture->state->clock.now, .quiet = 0, .longest = TILE_QUANTUM};
    struct tile_turn turn;
    tile_run_timed(&fixture->tile, &span, &turn);
    assert_int_equal(fixture->state->clock.now, time);
    assert_int_equal(fixture->state->diagnostics.count, 0);
}

#define PUSH(fixture, thread, time, ...)                                                                               \
    do {                                                                                                               \
        const uint32_t push_words[] = {__VA_ARGS__};                                                                   \
        for (unsigned push_i = 0; push_i < COUNT_OF(push_words); push_i++) {                                           \
            struct pushed push_word = {.word = push_words[push_i]};                                                    \
            assert_int_equal(frontend_push_timed(&(fixture)->tile.tensix, thread, push_word, false, time), STEP_DONE); \
        }                                                                                                              \
    } while (0)

static void control(struct fixture *fixture, uint32_t bank, uint32_t value)
{
    store(fixture, B, bank + CONTROL, 0);
    store(fixture, B, bank + CONTROL, value);
}

static uint32_t count(struct fixture *fixture, uint32_t bank, uint32_t out, uint32_t select)
{
    store(fixture, B, bank + MODE, select << 8);
    uint32_t value = load(fixture, B, out + EVENTS);
    assert_int_equal(fixture->state->diagnostics.count, 0);
    return value;
}

static uint32_t instrn(struct fixture *fixture, uint32_t select)
{
    return count(fixture, INSTRN, OUT_INSTRN, select);
}

static uint32_t waits(struct fixture *fixture, unsigned reason, unsigned thread)
{
    return instrn(fixture, REASONS + REASONS_EACH * thread + reason);
}

/* SEMPOST takes effect in the cycle after, and the gate lags by one. */
static void a_wait_for_a_semaphore_counts_until_it_is_posted(void **context)
{
    struct fixture *fixture = *context;
    control(fixture, INSTRN, START_BIT);
    PUSH(fixture, T1, START, TT_OP_SEMWAIT(STALL_SYNC, 2, STALL_ON_ZERO), TT_OP_SEMGET(2));
    PUSH(fixture, T0, START + 30, TT_OP_SEMPOST(2));
    fixture->state->tensix.sync.semaphore[1].max = 1;
    run(fixture, GATE + 11);
    assert_int_equal(waits(fixture, NONZERO_SEM, T1), 10);
    assert_int_equal(instrn(fixture, STALLS + T1), 10);
    run(fixture, GATE + 100);
    assert_int_equal(waits(fixture, NONZERO_SEM, T1), 30);
    assert_int_equal(waits(fixture, NONFULL_SEM, T1), 0);
    assert_int_equal(waits(fixture, NONZERO_SEM, T0), 0);
    assert_int_equal(instrn(fixture, STALLS + T1), 31);
    assert_int_equal(instrn(fixture, STALLS + T0), 0);
    assert_int_equal(instrn(fixture, ANY_STALL), 31);
    assert_int_equal(instrn(fixture, SYNC_AVAILABLE + T1), 33);
    assert_int_equal(instrn(fixture, SYNC_AVAILABLE + T0), 1);
    assert_int_equal(instrn(fixture, INSTRUCTIONS + INSTRUCTIONS_EACH * T1), 2);
}

static void a_wait_for_room_in_a_semaphore_counts_until_it_is_taken(void **context)
{
    struct fixture *fixture = *context;
    fixture->state->tensix.sync.semaphore[1].max = fixture->state->tensix.sync.semaphore[1].value = 1;
    control(fixture, INSTRN, START_BIT);
    PUSH(fixture, T2, START, TT_OP_SEMWAIT(STALL_SYNC, 2, STALL_ON_MAX), TT_OP_SEMPOST(2));
    PUSH(fixture, T0, START + 20, TT_OP_SEMGET(2));
    run(fixture, GATE + 100);
    assert_int_equal(waits(fixture, NONFULL_SEM, T2), 20);
    assert_int_equal(waits(fixture, NONZERO_SEM, T2), 0);
    assert_int_equal(instrn(fixture, STALLS + T2), 21);
}

/* Each condition of a STALLWAIT has its counter. */
static void a_wait_for_a_busy_unit_counts_until_it_is_idle(void **context)
{
    static const struct {
        uint16_t condition;
        uint8_t busy, reason;
    } conditions[] = {{1 << 0, BUSY_SCALAR, THCON_IDLE},   {1 << 1, BUSY_UNPACK0, UNPACK_IDLE},
                      {1 << 2, BUSY_UNPACK1, UNPACK_IDLE}, {1 << 3, BUSY_PACK, PACK_IDLE},
                      {1 << 4, BUSY_MATRIX, MATH_IDLE},    {1 << 9, BUSY_MOVER, MOVE_IDLE},
                      {1 << 10, BUSY_CORE, CFG_IDLE},      {1 << 11, BUSY_VECTOR, SFPU_IDLE}};
    struct fixture *fixture = *context;
    for (unsigned i = 0; i < COUNT_OF(conditions); i++) {
        for (unsigned thread = T0; thread <= T2; thread++) {
            uint64_t start = fixture->state->clock.now, gate = start + TIMING_PUSH_TO_GATE;
            timing_busy(&fixture->state->tensix.timing, conditions[i].busy, thread, gate + 9);
            control(fixture, INSTRN, START_BIT);
            PUSH(fixture, thread, start, TT_OP_STALLWAIT(STALL_CFG, conditions[i].condition), TT_OP_SETC16(1, 1));
            run(fixture, gate + 20);
            for (unsigned reason = 0; reason < REASONS_EACH; reason++) {
                for (unsigned other = T0; other <= T2; other++) {
                    bool counts = other == thread && reason == conditions[i].reason;
                    assert_int_equal(waits(fixture, reason, other), counts ? 8 : 0);
                }
            }
            assert_int_equal(instrn(fixture, STALLS + thread), 9);
            assert_int_equal(instrn(fixture, CFG_AVAILABLE + thread), 10);
        }
    }
}

/* Reasons overlap; the thread stalls once. */
static void reasons_count_each_for_itself(void **context)
{
    struct fixture *fixture = *context;
    timing_busy(&fixture->state->tensix.timing, BUSY_PACK, T0, GATE + 9);
    timing_busy(&fixture->state->tensix.timing, BUSY_SCALAR, T0, GATE + 4);
    control(fixture, INSTRN, START_BIT);
    PUSH(fixture, T0, START, TT_OP_STALLWAIT(STALL_CFG, 1 | 8), TT_OP_SETC16(1, 1));
    run(fixture, GATE + 40);
    assert_int_equal(waits(fixture, PACK_IDLE, T0), 8);
    assert_int_equal(waits(fixture, THCON_IDLE, T0), 3);
    assert_int_equal(instrn(fixture, STALLS + T0), 9);
}

/* What starts or stops in the middle of a wait divides it. */
static void counts_are_those_between_start_and_stop(void **context)
{
    struct fixture *fixture = *context;
    PUSH(fixture, T1, START, TT_OP_SEMWAIT(STALL_SYNC, 2, STALL_ON_ZERO), TT_OP_SEMGET(2));
    run(fixture, GATE + 10);
    control(fixture, INSTRN, START_BIT);
    run(fixture, GATE + 25);
    control(fixture, INSTRN, STOP_BIT);
    run(fixture, GATE + 40);
    assert_int_equal(waits(fixture, NONZERO_SEM, T1), 15);
    assert_int_equal(instrn(fixture, STALLS + T1), 15);
    assert_int_equal(load(fixture, B, OUT_INSTRN), 15);
    control(fixture, INSTRN, START_BIT);
    run(fixture, GATE + 44);
    assert_int_equal(waits(fixture, NONZERO_SEM, T1), 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TIMED_TEST(a_wait_for_a_semaphore_counts_until_it_is_posted),
        TIMED_TEST(a_wait_for_room_in_a_semaphore_counts_until_it_is_taken),
        TIMED_TEST(a_wait_for_a_busy_unit_counts_until_it_is_idle),
        TIMED_TEST(reasons_count_each_for_itself),
        TIMED_TEST(counts_are_those_between_start_and_stop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
