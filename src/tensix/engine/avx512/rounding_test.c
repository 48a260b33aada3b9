/* Conversions that round, compiled, leave what the calls of their operations leave one by one, which go without
   floats of the host: results, and random numbers, as often as they advance. Skipped on hosts for which nothing is
   compiled. */
#include "tensix/engine/fixture.h"

#include "tensix/units/vector/dst.h"
#include "tensix/units/vector/parts.h"
#include "util/host_vectors.h"

enum { THREAD = 1, RUNS = 1000, SWEEP_STEP = 251 };

static void skip_without_translation(void)
{
#if !defined(__x86_64__) || !defined(__linux__)
    skip();
#endif
    if (!host_has_avx512()) {
        skip();
    }
}

static struct vector_operation rounding(uint32_t mode, uint32_t conversion, uint32_t vc, uint32_t vd)
{
    struct vector_operation operation =
        vector_decode((uint32_t)TENSIX_OPCODE_SFP_STOCH_RND << 24 | mode << 21 | vc << 8 | vd << 4 | conversion);
    assert_int_equal(operation.kind, VECTOR_WORDS_AND_FLAGS);
    return operation;
}

/* Around halves and limits, and what is no number. */
static uint32_t chosen_number(void)
{
    static const uint32_t numbers[] = {0x3effffff, 0x3f000000, 0x3f7fffff, 0x3f800000, 0x42fe0000, 0x42ff0000,
                                       0x437f0000, 0x437f7fff, 0x437f8000, 0x46fffe00, 0x46ffff00, 0x477fff00,
                                       0x477fff80, 0x47800000, 0x4f000000, 0x7f7fffff, 0x7f800000, 0x7fc00000,
                                       0x7fffffff, 0x00000000, 0x00000001, 0x007fffff, 0x00800000, 0x33ffffff};
    uint32_t value = random_bits();
    switch (value >> 16 & 3) {
    case 0: return value;
    case 1: return numbers[(value & 0xffff) % COUNT_OF(numbers)] | (value & SIGN_BIT);
    default: return (value & 0x80ffffff) | (0x3e800000 + (value >> 4 & 0x1f) * 0x800000);
    }
}

static trace_function *compiled(struct fixture *fixture, const struct vector_operation *operations, uint32_t count)
{
    struct trace_compiler *compiler = &fixture->tensix.engine->compiler;
    struct trace_code run = {0};
    compiler->used = 0;
    assert_int_equal(lower_trace(compiler, &fixture->state, THREAD, operations, count, &run), TRACE_LOWERED);
    return run.code;
}

static void execute_both(struct fixture *fixture, trace_function *code, const struct vector_operation *operations,
                         uint32_t count)
{
    struct vector_unit *vector = vector_of(fixture), expected;
    const struct vector_unit before = *vector;
    for (uint32_t i = 0; i < count; i++) {
        assert_int_equal(tensix_execute(&fixture->tensix, THREAD, operations[i].word, 0), STEP_DONE);
    }
    expected = *vector;
    *vector = before;
    code(vector, vector_enabled_lanes(vector), 0, 1);
    assert_memory_equal(vector, &expected, sizeof expected);
}

static uint32_t chosen_conversion(void)
{
    enum { INTEGERS = 4, CONVERSIONS = 8 };
    uint32_t conversion = random_bits() % CONVERSIONS;
    return conversion / 2 == INTEGERS / 2 ? conversion - INTEGERS : conversion;
}

static void lowered_conversions_round_alike(void **state)
{
    struct fixture *fixture = *state;
    struct vector_unit *vector = vector_of(fixture);
    skip_without_translation();
    for (unsigned i = 0; i < RUNS; i++) {
        struct vector_operation operations[REPLAY_CAPACITY];
        uint32_t count = 1 + random_bits() % REPLAY_CAPACITY, at_random = random_bits() % 4;
        for (unsigned lane = 0; lane < SFPU_LANES; lane++) {
            vector->prng[lane] = one_in(8) ? random_bits() & 0xff800000 : random_bits();
            for (unsigned lreg = 0; lreg < LREG_WRITABLE; lreg++) {
                vector->lreg[lreg][lane] = chosen_number();
            }
        }
        for (uint32_t place = 0; place < count; place++) {
            uint32_t mode = at_random && !one_in(at_random * 4) ? 2 * (random_bits() % 2) : random_bits() % 4;
            operations[place] =
                rounding(mode, chosen_conversion(), random_bits() % LREG_WRITABLE, random_bits() % (LREG_WRITABLE / 2));
        }
        vector->use_lane_flags = ALL_LANES;
        vector->lane_flags = i % 2 ? random_bits() : ALL_LANES;
        execute_both(fixture, compiled(fixture, operations, count), operations, count);
    }
}

/* Of floats from an eighth to 2^17, every so many. */
static void all_magnitudes_become_the_same_integers(void **state)
{
    enum { FIRST = 0x3e000000, LAST = 0x48000000, TO_NEAREST = 0, TO_ZERO = 2 };
    static const uint8_t conversions[] = {2, 3, 6, 7};
    struct fixture *fixture = *state;
    struct vector_unit *vector = vector_of(fixture);
    skip_without_translation();
    struct vector_operation operations[2 * COUNT_OF(conversions)];
    for (unsigned i = 0; i < COUNT_OF(operations); i++) {
        operations[i] = rounding(i % 2 ? TO_NEAREST : TO_ZERO, conversions[i / 2], 0, 1 + i % (LREG_WRITABLE - 1));
    }
    trace_function *code = compiled(fixture, operations, COUNT_OF(operations));
    uint32_t number = FIRST;
    vector->use_lane_flags = 0;
    while (number < LAST) {
        for (unsigned lane = 0; lane < SFPU_LANES; lane++, number += SWEEP_STEP) {
            vector->lreg[0][lane] = number;
        }
        execute_both(fixture, code, operations, COUNT_OF(operations));
    }
}

int main(void)
{
    seed = 0x510e527fade682d1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(lowered_conversions_round_alike, compiling_setup, compiling_teardown),
        cmocka_unit_test_setup_teardown(all_magnitudes_become_the_same_integers, compiling_setup, compiling_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
