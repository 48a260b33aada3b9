/* Findings: which are one, how severe they are, how many are told, and which are suppressed. */
#include "check/check_fixture.h"

static void places_alike_are_one_finding(void **context)
{
    struct test *test = *context;
    struct bh_check_finding finding;
    for (unsigned i = 0; i < 3; i++) {
        store(test, BH_CORE_B, 0x100, BUFFER + 16 * i);
        store(test, BH_CORE_NC, 0x204, BUFFER + 16 * i);
    }
    expect(test, "racecheck.l1 ");
    assert_int_equal(bh_check_count(test->check), 1);
    assert_true(bh_check_finding(test->check, 0, &finding));
    assert_int_equal(finding.count, 3);
    assert_false(bh_check_finding(test->check, 1, &finding));
}

/* Two cores that store the same value, as those do that both initialise a word, are a note; the same two stores of
   other values a finding of its own. */
static void stores_of_one_value_are_a_note(void **context)
{
    struct test *test = *context;
    struct bh_check_finding finding;
    for (uint32_t more = 0; more < 2; more++) {
        access_by(test, BH_CORE_B, 0x100, SW_A0, BUFFER + 64 * more, 7);
        access_by(test, BH_CORE_NC, 0x204, SW_A0, BUFFER + 64 * more, 7 + more);
        assert_true(bh_check_finding(test->check, more, &finding));
        assert_int_equal(finding.severity == BH_SEVERITY_NOTE, !more);
        assert_int_equal(strstr(finding.message, ", with the same value") != NULL, !more);
    }
    assert_int_equal(bh_check_count(test->check), 2);
    assert_int_equal(bh_check_notes(test->check), 1);
    char text[100];
    bh_check_format_count(test->check, text, sizeof text);
    assert_string_equal(text, "check: 1 finding, 1 note\n");
}

static void race_of_stores(struct test *test, uint32_t pc, uint64_t address, uint32_t value, uint32_t other)
{
    access_by(test, BH_CORE_B, pc, SW_A0, address, value);
    access_by(test, BH_CORE_NC, pc + 4, SW_A0, address, other);
}

/* Notes, and what is suppressed, leave room for everything else. */
static void notes_do_not_fill_the_limit(void **context)
{
    enum { LIMIT = 100, NOTES = 3 * LIMIT };
    struct test *test = *context;
    struct bh_error error;
    struct bh_check_finding finding;
    for (uint32_t i = 0; i < NOTES; i++) {
        race_of_stores(test, 0x1000 + 8 * i, BUFFER + 64 * i, 7, 7);
    }
    assert_int_equal(bh_check_count(test->check), LIMIT);
    assert_int_equal(bh_check_untold(test->check), NOTES - LIMIT);
    race_of_stores(test, 0x100, BUFFER + 16, 7, 8);
    assert_int_equal(bh_check_count(test->check), LIMIT + 1);
    assert_true(bh_check_finding(test->check, LIMIT, &finding));
    assert_int_not_equal(finding.severity, BH_SEVERITY_NOTE);
    assert_int_equal(bh_check_suppress(test->check, "racecheck.l1\n", &error), BH_OK);
    for (uint32_t i = 0; i < 2 * LIMIT; i++) {
        race_of_stores(test, 0x8000 + 8 * i, BUFFER + 0x8000 + 64 * i, 7, 8);
    }
    assert_int_equal(bh_check_suppressed(test->check), 2 * LIMIT);
    assert_int_equal(bh_check_untold(test->check), NOTES - LIMIT);
}

static void suppressed_findings_are_not_told(void **context)
{
    struct test *test = *context;
    struct bh_error error;
    assert_int_equal(bh_check_suppress(test->check, "one two three\n", &error), BH_ERROR_FORMAT);
    assert_string_equal(error.text, "line 1 is neither RULE nor RULE at PLACE");
    assert_int_equal(bh_check_suppress(test->check, "# known\n\n racecheck.l* # all\n", &error), BH_OK);
    store(test, BH_CORE_B, 0x100, BUFFER);
    store(test, BH_CORE_NC, 0x204, BUFFER);
    assert_int_equal(test->found, 0);
    assert_int_equal(bh_check_count(test->check), 0);
    assert_int_equal(bh_check_suppressed(test->check), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CHECK_TEST(places_alike_are_one_finding),
        CHECK_TEST(stores_of_one_value_are_a_note),
        CHECK_TEST(notes_do_not_fill_the_limit),
        CHECK_TEST(suppressed_findings_are_not_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
