/* What code of the host has got wrong is found by executing its row again, one by one; the program goes on with what
   that gives. The code of these tests is a function that does not do what its row says. */
#include "tensix/engine/verify.h"

#include "tensix/engine/fixture.h"

enum { THREAD = 2, TIMES = 3, COUNT = 2 };

/* SFPIADD L1 = L1 + 1, and L2 = L1 + 0, without flags. */
static const uint32_t row[COUNT] = {0x79001115, 0x79000125};

static uint32_t increment(struct vector_unit *vector, uint32_t lanes, uint32_t dst_origin, uint32_t times)
{
    for (unsigned lane = 0; lane < SFPU_LANES; lane++) {
        vector->lreg[1][lane] += times;
        vector->lreg[2][lane] = vector->lreg[1][lane];
    }
    return 0;
}

static uint32_t increment_but_in_one_lane(struct vector_unit *vector, uint32_t lanes, uint32_t dst_origin,
                                          uint32_t times)
{
    uint32_t left = increment(vector, lanes, dst_origin, times);
    vector->lreg[2][7]--;
    return left;
}

static uint32_t increment_once(struct vector_unit *vector, uint32_t lanes, uint32_t dst_origin, uint32_t times)
{
    increment(vector, lanes, dst_origin, 1);
    return times - 1;
}

static uint32_t increment_and_clear_a_flag(struct vector_unit *vector, uint32_t lanes, uint32_t dst_origin,
                                           uint32_t times)
{
    uint32_t left = increment(vector, lanes, dst_origin, times);
    vector->lane_flags ^= 1 << 3;
    return left;
}

static uint32_t increment_and_write_dst(struct vector_unit *vector, uint32_t lanes, uint32_t dst_origin, uint32_t times)
{
    uint32_t left = increment(vector, lanes, dst_origin, times);
    struct tensix_state *state = (struct tensix_state *)((char *)vector - offsetof(struct tensix_state, vector));
    state->dst.rows[9][4]++;
    state->dst.valid[9] = 1;
    return left;
}

/* Returns how often the row has executed. */
static uint32_t verify(struct fixture *fixture, trace_function *code)
{
    struct trace trace = {.length = COUNT, .decoded = COUNT};
    const struct trace_code compiled = {.code = code};
    memcpy(trace.words, row, sizeof row);
    number(fixture, 1, 100);
    number(fixture, 2, 0);
    return verify_code(&fixture->tensix, THREAD, &trace, &compiled, 0, TIMES);
}

static void assert_executed(struct fixture *fixture, uint32_t times)
{
    for (unsigned lane = 0; lane < SFPU_LANES; lane++) {
        assert_int_equal(vector_of(fixture)->lreg[1][lane], 100 + lane + times);
        assert_int_equal(vector_of(fixture)->lreg[2][lane], 100 + lane + times);
    }
}

static void right_code_is_not_reported(void **state)
{
    struct fixture *fixture = *state;
    assert_int_equal(verify(fixture, increment), TIMES);
    assert_int_equal(fixture->diagnostics.count, 0);
    assert_executed(fixture, TIMES);
    assert_int_equal(fixture->tensix.engine->compiler.verified, TIMES * COUNT);
}

static void code_may_execute_less_often_than_it_could(void **state)
{
    struct fixture *fixture = *state;
    assert_int_equal(verify(fixture, increment_once), 1);
    assert_int_equal(fixture->diagnostics.count, 0);
    assert_executed(fixture, 1);
}

static void assert_found(struct fixture *fixture, trace_function *code, const char *what)
{
    assert_int_equal(verify(fixture, code), TIMES);
    assert_int_equal(fixture->diagnostics.count, 1);
    assert_int_equal(fixture->diagnostics.entries[0].category, BH_INTERNAL_ERROR);
    assert_non_null(strstr(fixture->diagnostics.entries[0].text, what));
    assert_non_null(strstr(fixture->diagnostics.entries[0].text, ": 79001115 79000125"));
    assert_true(fixture->diagnostics.stopped);
    assert_executed(fixture, TIMES);
}

static void a_wrong_lane_is_reported_and_corrected(void **state)
{
    assert_found(*state, increment_but_in_one_lane, "LReg[2], lane 7, is 0x0000006d instead of 0x0000006e");
}

static void wrong_flags_are_reported(void **state)
{
    assert_found(*state, increment_and_clear_a_flag, "LaneFlags");
}

static void wrong_rows_of_dst_are_reported(void **state)
{
    struct fixture *fixture = *state;
    fixture->state.dst.valid[9] = 0;
    assert_found(fixture, increment_and_write_dst, "row 9 of Dst is valid");
    assert_int_equal(fixture->state.dst.valid[9], 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ENGINE_TEST(right_code_is_not_reported),
        ENGINE_TEST(code_may_execute_less_often_than_it_could),
        ENGINE_TEST(a_wrong_lane_is_reported_and_corrected),
        ENGINE_TEST(wrong_flags_are_reported),
        ENGINE_TEST(wrong_rows_of_dst_are_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
