/* scripts/run-stages, which runs the stages of continuous integration: its counts, on made-up stages; and the output
   of scripts/test-level for a level that is the host's highest anyway. */
#include "host/files.h"
#include "host/process.h"

static char output[1 << 14];

/* Runs stages, one per line. Returns the exit code; `output` is theirs and that of run-stages. */
static int run_stages(const char *stages)
{
    char command[2048];
    snprintf(command, sizeof command, "'%s/scripts/run-stages' 2>&1 <<'STAGES'\n%sSTAGES\n", BHEMU_SOURCE_DIR, stages);
    return run_in_shell(command, output, sizeof output);
}

static void assert_last_line(const char *expected)
{
    size_t length = strlen(output), size = strlen(expected);
    assert_true(length > size + 1 && output[length - 1] == '\n' && output[length - size - 2] == '\n');
    assert_memory_equal(output + length - size - 1, expected, size);
}

static void tests_of_all_stages_are_counted(void **context)
{
    assert_int_equal(run_stages("one echo 12 passed, 0 failed\ntwo echo 30 passed, 0 failed\n"), 0);
    assert_last_line("42 passed, 0 failed");
}

static void other_stages_are_one_test(void **context)
{
    assert_int_equal(run_stages("one echo 12 passed, 0 failed\nlint true\nwords echo passed, failed\n"), 0);
    assert_last_line("14 passed, 0 failed");
}

static void stages_behind_one_that_fails_are_run(void **context)
{
    assert_int_equal(run_stages("one echo 3 passed, 2 failed; exit 1\nlint exit 7\ntwo echo 1 passed, 0 failed\n"), 1);
    assert_last_line("4 passed, 3 failed");
}

static void a_stage_that_fails_after_its_tests_is_a_failure(void **context)
{
    assert_int_equal(run_stages("one echo 3 passed, 0 failed; exit 1\n"), 1);
    assert_last_line("3 passed, 1 failed");
}

static void only_the_last_line_of_a_stage_counts(void **context)
{
    assert_int_equal(run_stages("one echo 3 passed, 0 failed; echo 4 passed, 0 failed\n"), 0);
    assert_last_line("4 passed, 0 failed");
}

static void a_stage_does_not_read_the_next_one(void **context)
{
    assert_int_equal(run_stages("one cat; echo 3 passed, 0 failed\ntwo echo 1 passed, 0 failed\n"), 0);
    assert_last_line("4 passed, 0 failed");
}

static void no_stages_are_no_success(void **context)
{
    assert_int_equal(run_stages(""), 1);
    assert_int_equal(run_stages("level echo 0 passed, 0 failed\n"), 1);
}

/* A level of a host whose processor has these flags and no others. */
static int test_level(const char *flags, const char *level)
{
    struct folder folder;
    make_folder(&folder);
    char command[1024];
    snprintf(command, sizeof command, "CPUINFO='%s' '%s/scripts/test-level' %s 2>&1",
             put_text(&folder, "cpuinfo", flags), BHEMU_SOURCE_DIR, level);
    int status = run_in_shell(command, output, sizeof output);
    remove_folder(&folder);
    return status;
}

static void levels_that_the_host_does_not_exceed_are_left_out(void **context)
{
    static const char *const v3 = "flags : fpu avx avx2 bmi1 bmi2 f16c fma movbe avx512f\n";
    assert_int_equal(test_level(v3, "avx2"), 0); /* it lacks avx512bw */
    assert_non_null(strstr(output, "this host has no AVX-512"));
    assert_last_line("0 passed, 0 failed");
    assert_int_equal(test_level("flags : fpu avx fma\n", "basic"), 0);
    assert_non_null(strstr(output, "this host has no AVX2"));
    assert_last_line("0 passed, 0 failed");
    assert_int_equal(test_level(v3, "sse9"), 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tests_of_all_stages_are_counted),
        cmocka_unit_test(other_stages_are_one_test),
        cmocka_unit_test(stages_behind_one_that_fails_are_run),
        cmocka_unit_test(a_stage_that_fails_after_its_tests_is_a_failure),
        cmocka_unit_test(only_the_last_line_of_a_stage_counts),
        cmocka_unit_test(a_stage_does_not_read_the_next_one),
        cmocka_unit_test(no_stages_are_no_success),
        cmocka_unit_test(levels_that_the_host_does_not_exceed_are_left_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
