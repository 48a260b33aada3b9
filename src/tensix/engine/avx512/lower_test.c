/* A compiled trace leaves in LRegs what its operations leave one by one, lane by lane; and code is never executed that
   belongs to another run. Skipped on hosts for which there is no generated code. */
#include "tensix/engine/fixture.h"

#include "tensix/num/sfpu_approximate.h"
#include "tensix/units/dispatch.h"
#include "tensix/units/vector/words.h"
#include "util/host_vectors.h"

enum { THREAD = 1, RUNS = 4000, OPERATIONS = WORDS_OPERATIONS - 1, ROUNDS = 50, PROGRAMS = 100 };

#define REPLAY_WORD(start, count, load) (0x04000000u | (start) << 14 | (count) << 4 | (load))

static void skip_without_translation(void)
{
#if !defined(__x86_64__) || !defined(__linux__)
    skip();
#endif
    if (!host_has_avx512()) {
        skip();
    }
}

static struct vector_operation random_operation(unsigned operation)
{
    return (struct vector_operation){.kind = VECTOR_WORDS,
                                     .word_operation = (uint8_t)(operation + 1),
                                     .immediate = random_bits(),
                                     .vd = (uint8_t)(random_bits() % LREG_WRITABLE),
                                     .vb = (uint8_t)(random_bits() % LREG_MACRO),
                                     .vc = (uint8_t)(random_bits() % LREG_MACRO)};
}

static void fill_both(struct vector_unit *one, struct vector_unit *other)
{
    for (unsigned lreg = 0; lreg < SFPU_LREGS; lreg++) {
        for (unsigned lane = 0; lane < SFPU_LANES; lane++) {
            one->lreg[lreg][lane] = other->lreg[lreg][lane] = random_bits();
        }
    }
}

/* Translates a run, forgetting others if there is no room. */
static trace_function *compiled(struct fixture *fixture, const struct vector_operation *operations, uint32_t count)
{
    struct trace_compiler *compiler = &fixture->tensix.engine->compiler;
    struct trace_code run = {0};
    enum lowering_outcome result = lower_trace(compiler, &fixture->state, THREAD, operations, count, &run);
    if (result == CODE_BUFFER_FULL) {
        compiler->used = 0;
        result = lower_trace(compiler, &fixture->state, THREAD, operations, count, &run);
    }
    assert_int_equal(result, TRACE_LOWERED);
    return run.code;
}

static void lowered_runs_do_what_their_operations_do(void **state)
{
    static struct vector_unit expected;
    struct fixture *fixture = *state;
    struct vector_unit *vector = vector_of(fixture);
    skip_without_translation();
    for (unsigned run = 0; run < RUNS; run++) {
        struct vector_operation operations[REPLAY_CAPACITY];
        uint32_t count = 1 + random_bits() % REPLAY_CAPACITY, lanes = run % 2 ? ALL_LANES : random_bits();
        fill_both(vector, &expected);
        for (uint32_t i = 0; i < count; i++) {
            struct vector_operation *operation = &operations[i];
            *operation = random_operation((run + i) % OPERATIONS);
            vector_lane_operations[operation->word_operation](
                expected.lreg[operation->vd], expected.lreg[operation->vb], expected.lreg[operation->vc],
                operation->immediate, lanes);
        }
        compiled(fixture, operations, count)(vector, lanes, 0, 1);
        if (memcmp(vector->lreg, expected.lreg, sizeof expected.lreg) != 0) {
            fail_msg("run %u: %u operations, lanes 0x%08x", run, count, lanes);
        }
    }
}

/* Bytes of code for a buffer full of a conversion. */
static uint32_t size_of_conversions(struct fixture *fixture, enum vector_word_operation operation)
{
    struct vector_operation operations[REPLAY_CAPACITY];
    for (unsigned i = 0; i < REPLAY_CAPACITY; i++) {
        operations[i] = (struct vector_operation){.kind = VECTOR_WORDS_AND_FLAGS,
                                                  .effect = EFFECT_ROUND,
                                                  .rounding = (uint8_t)operation,
                                                  .immediate = 127,
                                                  .vd = (uint8_t)(i % LREG_WRITABLE)};
    }
    fixture->tensix.engine->compiler.used = 0;
    compiled(fixture, operations, REPLAY_CAPACITY);
    return fixture->tensix.engine->compiler.used;
}

/* A sign costs little: the magnitude is not computed again where it is needed again. */
static void what_is_needed_twice_is_computed_once(void **state)
{
    struct fixture *fixture = *state;
    skip_without_translation();
    uint32_t magnitudes = size_of_conversions(fixture, WORDS_to_unsigned);
    assert_in_range(size_of_conversions(fixture, WORDS_to_signed), magnitudes, magnitudes + magnitudes / 2);
}

/* Of all numbers of 16 bits with zeros behind them, and with ones. */
static void reciprocals_are_approximated_alike(void **state)
{
    struct fixture *fixture = *state;
    struct vector_unit *vector = vector_of(fixture);
    skip_without_translation();
    const struct vector_operation operation = {
        .kind = VECTOR_WORDS_AND_FLAGS, .effect = EFFECT_CONVERT, .rounding = WORDS_NONE, .vd = 1};
    trace_function *code = compiled(fixture, &operation, 1);
    for (uint32_t first = 0; first < 1 << 16; first += SFPU_LANES / 2) {
        for (unsigned lane = 0; lane < SFPU_LANES; lane++) {
            vector->lreg[0][lane] = (first + lane / 2) << 16 | (lane % 2 ? 0xffff : 0);
        }
        code(vector, ALL_LANES, 0, 1);
        for (unsigned lane = 0; lane < SFPU_LANES; lane++) {
            uint32_t x = vector->lreg[0][lane], sign = x & SIGN_BIT;
            assert_int_equal(vector->lreg[1][lane], sign | sfpu_approximate_reciprocal(x ^ sign));
        }
    }
}

static void load_replay_buffer(struct tensix *tensix, const uint32_t *words, uint32_t start, uint32_t count)
{
    frontend_push(tensix, THREAD, REPLAY_WORD(start, count & 31, 1), 0, false);
    for (uint32_t i = 0; i < count; i++) {
        frontend_push(tensix, THREAD, words[i], 0, false);
    }
}

/* Plain operations, of which a few become something else from one program to the next. */
static void choose_words(uint32_t *words)
{
    static const uint8_t opcodes[] = {TENSIX_OPCODE_SFPIADD,  TENSIX_OPCODE_SFPAND,    TENSIX_OPCODE_SFPOR,
                                      TENSIX_OPCODE_SFPXOR,   TENSIX_OPCODE_SFPNOT,    TENSIX_OPCODE_SFPSETEXP,
                                      TENSIX_OPCODE_SFPLOADI, TENSIX_OPCODE_SFPSETMAN, TENSIX_OPCODE_SFPSETSGN};
    enum { NO_FLAGS = 4 };
    for (unsigned i = 0; i < REPLAY_CAPACITY; i++) {
        if (words[i] && random_bits() % 8) {
            continue;
        }
        uint32_t opcode = opcodes[random_bits() % COUNT_OF(opcodes)];
        uint32_t fields = opcode << 24 | (random_bits() & tensix_dispatch[opcode].fields & 0x00ff7fff);
        words[i] = opcode == TENSIX_OPCODE_SFPIADD ? (fields & ~0xau) | NO_FLAGS : fields;
    }
}

/* However often it has been executed, wherever a REPLAY ends in it, and whatever was there before. */
static void replayed_runs_do_what_their_instructions_do(void **state)
{
    void *other = NULL;
    assert_int_equal(fixture_setup(&other), 0);
    struct fixture *replayed = *state, *alone = other;
    diagnostics_set_policy(&replayed->diagnostics, BH_POLICY_SILICON);
    diagnostics_set_policy(&alone->diagnostics, BH_POLICY_SILICON);
    uint32_t words[REPLAY_CAPACITY] = {0};
    bool any_translated = false;
    for (unsigned program = 0; program < PROGRAMS; program++) {
        choose_words(words);
        load_replay_buffer(&replayed->tensix, words, 0, REPLAY_CAPACITY);
        fill_both(vector_of(replayed), vector_of(alone));
        for (unsigned round = 0; round < ROUNDS; round++) {
            uint32_t first = 1 + random_bits() % (REPLAY_CAPACITY - 1);
            frontend_push(&replayed->tensix, THREAD, REPLAY_WORD(0u, first, 0u), 0, false);
            frontend_push(&replayed->tensix, THREAD, REPLAY_WORD(first, REPLAY_CAPACITY - first, 0u), 0, false);
            frontend_drain(&replayed->tensix, THREAD);
            for (unsigned i = 0; i < REPLAY_CAPACITY; i++) {
                tensix_execute(&alone->tensix, THREAD, words[i], 0);
            }
            assert_memory_equal(vector_of(alone)->lreg, vector_of(replayed)->lreg, sizeof vector_of(alone)->lreg);
        }
        any_translated |= replayed->tensix.engine->compiler.used != 0;
    }
    fixture_teardown(&other);
    skip_without_translation();
    assert_true(any_translated);
}

static void nothing_is_translated_without_a_room(void **state)
{
    static const struct tensix_state tensix_state;
    struct trace_compiler compiler = {};
    struct vector_operation operation = random_operation(0);
    struct trace_code run = {0};
    assert_int_equal(lower_trace(&compiler, &tensix_state, THREAD, &operation, 1, &run), CANNOT_LOWER);
    assert_null(run.code);
}

int main(void)
{
    seed = 0x9e3779b97f4a7c15;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(lowered_runs_do_what_their_operations_do, compiling_setup, compiling_teardown),
        cmocka_unit_test_setup_teardown(what_is_needed_twice_is_computed_once, compiling_setup, compiling_teardown),
        cmocka_unit_test_setup_teardown(reciprocals_are_approximated_alike, compiling_setup, compiling_teardown),
        cmocka_unit_test_setup_teardown(replayed_runs_do_what_their_instructions_do, compiling_setup,
                                        compiling_teardown),
        cmocka_unit_test(nothing_is_translated_without_a_room),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
