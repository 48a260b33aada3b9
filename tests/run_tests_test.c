/* scripts/run-tests, which prints how many tests passed and failed, on a build folder of three programs. */
#include "host/files.h"
#include "host/process.h"

#include <sys/stat.h>

static char output[1 << 16];

/* Creates a program that prints `tap` and ends as `end` says. */
static void put_program(const struct folder *folder, const char *name, const char *tap, const char *end)
{
    char file[64], text[1024];
    snprintf(file, sizeof file, "test.%s", name);
    snprintf(text, sizeof text, "#!/bin/sh\necho '%s'\n%s\n", tap, end);
    put_text(folder, file, text);
    assert_int_equal(chmod(in_folder(folder, file), 0700), 0);
}

static int set_up(void **context)
{
    struct folder *folder = calloc(1, sizeof *folder);
    make_folder(folder);
    static const char *const names[] = {"one", "two", "three"};
    char text[3 * 512] = "";
    for (unsigned i = 0; i < 3; i++) {
        size_t length = strlen(text);
        snprintf(text + length, sizeof text - length, "add_test(%s \"%s/scripts/record-test\" \"%s/test.%s\")\n",
                 names[i], BHEMU_SOURCE_DIR, folder->path, names[i]);
    }
    put_text(folder, "CTestTestfile.cmake", text);
    put_program(folder, "one", "ok 1 - a\nok 2 - b", "exit 0");
    put_program(folder, "two", "ok 1 - c\nnot ok 2 - d # SKIP", "exit 0");
    put_program(folder, "three", "ok 1 - e", "exit 0");
    *context = folder;
    return 0;
}

static int tear_down(void **context)
{
    const struct folder *folder = *context;
    char command[1024];
    snprintf(command, sizeof command, "rm -rf '%s/Testing'", folder->path);
    run_in_shell(command, output, sizeof output);
    remove_folder(*context);
    free(*context);
    return 0;
}

/* The last line that `command` prints; %1$s in it is the folder. Asserts its exit code. */
static const char *last_line_of(const struct folder *folder, const char *command, int expected)
{
    char text[1024];
    snprintf(text, sizeof text, "F='%s'; R=%s/scripts/run-tests; exec 2>&1; %s", folder->path, BHEMU_SOURCE_DIR,
             command);
    assert_int_equal(run_in_shell(text, output, sizeof output), expected);
    size_t length = strlen(output);
    assert_true(length && output[length - 1] == '\n');
    output[length - 1] = 0;
    const char *before = strrchr(output, '\n');
    return before ? before + 1 : output;
}

static void functions_of_all_programs_count(void **context)
{
    assert_string_equal(last_line_of(*context, "$R $F", 0), "4 passed, 0 failed");
    assert_non_null(strstr(output, "1 skipped"));
}

static void other_uses_of_ctest_do_not_matter(void **context)
{
    last_line_of(*context, "$R $F", 0);
    assert_string_equal(last_line_of(*context, "ctest --test-dir $F -N >$F/list; $R $F", 0), "4 passed, 0 failed");
    assert_string_equal(last_line_of(*context, "ctest --test-dir $F -R one >$F/list; $R $F", 0), "4 passed, 0 failed");
    put_program(*context, "three", "ok 1 - e", "ctest --test-dir \"$(dirname $0)\" -N >/dev/null");
    assert_string_equal(last_line_of(*context, "$R $F", 0), "4 passed, 0 failed");
}

static void options_of_ctest_choose(void **context)
{
    assert_string_equal(last_line_of(*context, "$R $F -R 'one|three'", 0), "3 passed, 0 failed");
}

static void what_another_run_left_does_not_count(void **context)
{
    put_text(*context, "test.gone.tap", "ok 1 - f\nnot ok 2 - g\n");
    assert_string_equal(last_line_of(*context, "$R $F", 0), "4 passed, 0 failed");
}

static void failures_count_and_programs_that_die_are_one(void **context)
{
    put_program(*context, "one", "ok 1 - a\nnot ok 2 - b\nnot ok 3 - h", "exit 2");
    assert_string_equal(last_line_of(*context, "$R $F", 1), "3 passed, 2 failed");
    put_program(*context, "three", "ok 1 - e", "kill -SEGV $$");
    assert_string_equal(last_line_of(*context, "$R $F", 1), "3 passed, 3 failed");
    put_program(*context, "one", "ok 1 - a", "exit 0");
    assert_string_equal(last_line_of(*context, "$R $F", 1), "3 passed, 1 failed");
}

static void nothing_at_all_is_no_success(void **context)
{
    put_text(*context, "CTestTestfile.cmake", "");
    last_line_of(*context, "$R $F", 1);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(functions_of_all_programs_count),      TEST(other_uses_of_ctest_do_not_matter),
        TEST(what_another_run_left_does_not_count), TEST(failures_count_and_programs_that_die_are_one),
        TEST(nothing_at_all_is_no_success),         TEST(options_of_ctest_choose),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
