/* A warning is given once for each text and pc, however often it is due and whatever is warned of in between; and none
   is lost. */
#include "debug/diagnostic.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "util/xorshift.h"

enum { TEXTS = 5, PCS = 6, ROUNDS = 4000 };

static int create(void **state)
{
    struct diagnostics *diagnostics = calloc(1, sizeof *diagnostics);
    if (!diagnostics) {
        return -1;
    }
    diagnostics_set_policy(diagnostics, BH_POLICY_DEFAULT);
    *state = diagnostics;
    return 0;
}

static int destroy(void **state)
{
    free(*state);
    return 0;
}

/* Whether the text was new at that pc. */
static bool warns(struct diagnostics *diagnostics, const char *text, uint32_t pc)
{
    uint32_t before = diagnostics->count;
    diagnostics->now.pc = pc;
    assert_int_equal(diagnose(diagnostics, BH_NON_CONTRACTUAL, "%s", text), STEP_DONE);
    return diagnostics->count != before;
}

static bool warns_of(struct diagnostics *diagnostics, unsigned text, uint32_t pc)
{
    uint32_t before = diagnostics->count;
    diagnostics->now.pc = pc;
    switch (text) {
    case 0: diagnose(diagnostics, BH_NON_CONTRACTUAL, "the first of five texts"); break;
    case 1: diagnose(diagnostics, BH_NON_CONTRACTUAL, "another"); break;
    case 2: diagnose(diagnostics, BH_NON_CONTRACTUAL, "a third one, about row %u", pc); break;
    case 3: diagnose(diagnostics, BH_UNPREDICTABLE_VALUE, "a value"); break;
    default: diagnose(diagnostics, BH_NON_CONTRACTUAL, "the last of five texts"); break;
    }
    return diagnostics->count != before;
}

static void a_warning_is_given_once_for_each_text_and_pc(void **state)
{
    struct diagnostics *diagnostics = *state;
    bool given[TEXTS][PCS] = {{false}};
    uint64_t seed = 0x9e3779b97f4a7c15;
    for (unsigned round = 0; round < ROUNDS; round++) {
        unsigned text = xorshift64_word(&seed) % TEXTS, place = xorshift64_word(&seed) % PCS;
        assert_int_equal(warns_of(diagnostics, text, 0x1000 + 4 * place), !given[text][place]);
        given[text][place] = true;
    }
}

static void the_same_text_elsewhere_is_the_same_warning(void **state)
{
    struct diagnostics *diagnostics = *state;
    char here[] = "%s", there[] = "%s";
    diagnostics->now.pc = 0x1000;
    diagnose(diagnostics, BH_NON_CONTRACTUAL, here, "one");
    diagnose(diagnostics, BH_NON_CONTRACTUAL, there, "two");
    assert_int_equal(diagnostics->count, 1);
    assert_false(warns(diagnostics, "three", 0x1000));
    assert_true(warns(diagnostics, "three", 0x1004));
}

static void what_is_forgotten_is_given_again(void **state)
{
    struct diagnostics *diagnostics = *state;
    assert_true(warns(diagnostics, "text", 0x1000));
    assert_false(warns(diagnostics, "text", 0x1000));
    memset(diagnostics->warned, 0, sizeof diagnostics->warned);
    assert_true(warns(diagnostics, "text", 0x1000));
    assert_false(warns(diagnostics, "text", 0x1000));
}

static void a_program_is_not_warned_without_end(void **state)
{
    struct diagnostics *diagnostics = *state;
    for (uint32_t pc = 0; pc < 2 * DIAGNOSTICS_SITES; pc++) {
        assert_int_equal(warns(diagnostics, "text", 4 * pc), pc < DIAGNOSTICS_SITES);
    }
}

/* However many are given before somebody takes them, and if what stops the tile is behind them. */
static void none_is_lost(void **state)
{
    struct diagnostics *diagnostics = *state;
    for (uint32_t round = 0; round < 2; round++) {
        memset(diagnostics->warned, 0, sizeof diagnostics->warned);
        for (uint32_t pc = 0; pc < 4 * (DIAGNOSTICS_KEPT - 1); pc += 4) {
            diagnostics->now.pc = pc;
            diagnose(diagnostics, BH_NON_CONTRACTUAL, "text");
        }
        assert_int_equal(diagnose(diagnostics, BH_UNDEFINED_BEHAVIOR, "the end"), STEP_STOP);
        assert_int_equal(diagnostics->count, DIAGNOSTICS_KEPT);
        for (uint32_t i = 0; i < DIAGNOSTICS_KEPT - 1; i++) {
            assert_int_equal(diagnostics->entries[i].pc, 4 * i);
            assert_string_equal(diagnostics->entries[i].text, "text");
        }
        assert_string_equal(diagnostics->entries[DIAGNOSTICS_KEPT - 1].text, "the end");
        diagnostics->count = 0;
    }
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, create, destroy)
    const struct CMUnitTest tests[] = {
        TEST(a_warning_is_given_once_for_each_text_and_pc), TEST(the_same_text_elsewhere_is_the_same_warning),
        TEST(what_is_forgotten_is_given_again), TEST(a_program_is_not_warned_without_end), TEST(none_is_lost)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
