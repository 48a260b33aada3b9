/* Samples of commands' output in documents are up to date: scripts/update-samples --check, on all of them, and on
   documents made up here. */
#include "host/files.h"
#include "host/process.h"

#include <stdbool.h>

static char output[1 << 16];

static int update_samples(const char *arguments)
{
    char command[1024];
    snprintf(command, sizeof command, "exec 2>&1; %s/scripts/update-samples %s", BHEMU_SOURCE_DIR, arguments);
    return run_in_shell(command, output, sizeof output);
}

/* Samples that run kernels show addresses, which depend on the compiler. */
static bool builds_the_kernels_of_the_samples(void)
{
    enum { SIZE = 100 };
    char version[SIZE];
    return access(BHEMU_BUILD_DIR "/kernels/built", R_OK) == 0 &&
           strcmp(BHEMU_BUILD_DIR, BHEMU_SOURCE_DIR "/build") == 0 &&
           run_in_shell("riscv64-unknown-elf-gcc -dumpfullversion", version, SIZE) == 0 &&
           strcmp(version, "12.2.0\n") == 0;
}

static void documents_show_what_commands_print(void **context)
{
    if (!builds_the_kernels_of_the_samples()) {
        skip();
    }
    if (update_samples("--check") != 0) {
        fputs(output, stderr); /* more than cmocka has room for */
        fail_msg("documents show something else; if it should be so, scripts/update-samples writes it there");
    }
}

/* Checks a document with this text, with exit code `expected`. Then updates it, which must give `updated`. */
static void check(const struct folder *folder, const char *text, int expected, const char *updated)
{
    static char now[4096];
    char arguments[1024];
    put_text(folder, "sample.md", text);
    snprintf(arguments, sizeof arguments, "--check %s", in_folder(folder, "sample.md"));
    assert_int_equal(update_samples(arguments), expected);
    assert_int_equal(update_samples(in_folder(folder, "sample.md")), 0);
    snprintf(arguments, sizeof arguments, "cat %s", in_folder(folder, "sample.md"));
    assert_int_equal(run_in_shell(arguments, now, sizeof now), 0);
    assert_string_equal(now, updated);
}

static void what_is_as_shown_stays(void **context)
{
    static const char text[] = "# A\n\n    $ echo one; echo; echo two >/dev/stderr\n    one\n\n    two\n    $ true\n\n"
                               "Text, `$ echo`.\n\n    $ pwd | grep -c /\n    1\n";
    check(*context, text, 0, text);
    assert_string_equal(output, "");
}

static void what_differs_is_told_and_mended(void **context)
{
    char place[300];
    snprintf(place, sizeof place, "%s:3: $ echo one; echo two\n-    one\n+    one\n+    two\n",
             in_folder(*context, "sample.md"));
    check(*context, "A\n\n    $ echo one; echo two\n    one\n\nB\n\n    $ true\n    gone\n\nC\n", 1,
          "A\n\n    $ echo one; echo two\n    one\n    two\n\nB\n\n    $ true\n\nC\n");
    put_text(*context, "sample.md", "A\n\n    $ echo one; echo two\n    one\n");
    char arguments[1024];
    snprintf(arguments, sizeof arguments, "--check %s", in_folder(*context, "sample.md"));
    assert_int_equal(update_samples(arguments), 1);
    assert_string_equal(output, place);
}

/* Numbers on a line with seconds are not compared, others are. */
static void seconds_vary(void **context)
{
    static const char text[] = "    $ echo '  seconds   0.125'\n      seconds   7.5\n";
    check(*context, text, 0, text);
    check(*context, "    $ echo '  steps   3'\n      steps   4\n", 1, "    $ echo '  steps   3'\n      steps   3\n");
}

static void blocks_may_be_left_out(void **context)
{
    static const char text[] = "<!-- not run: a reason -->\n\n    $ exit 3\n    a\n    $ exit 3\n    b\n\n"
                               "<!-- needs no_such_program -->\n\n    $ no_such_program\n    c\n";
    check(*context, text, 0, text);
    check(*context, "<!-- not run: a -->\n\n    $ echo 1\n    2\n\nText.\n\n    $ echo 1\n    2\n", 1,
          "<!-- not run: a -->\n\n    $ echo 1\n    2\n\nText.\n\n    $ echo 1\n    1\n");
    check(*context, "<!-- needs echo -->\n\n    $ echo 1\n    2\n", 1, "<!-- needs echo -->\n\n    $ echo 1\n    1\n");
}

static void dots_stand_for_any_lines(void **context)
{
    static const char text[] = "    $ seq 9\n    1\n    ...\n    5\n    6\n    ...\n\n    $ true\n    ...\n";
    check(*context, text, 0, text);
    check(*context, "    $ seq 3\n    ...\n    2\n", 1, "    $ seq 3\n    1\n    2\n    3\n");
}

static void commands_go_to_other_folders_of_a_new_one(void **context)
{
    static const char text[] =
        "<!-- in a new folder -->\n\n    $ ls && mkdir a && cd a\n    $ basename \"$PWD\"\n    a\n\n"
        "<!-- in a new folder -->\n\n    $ ls; which bhemu\n    " BHEMU_SOURCE_DIR "/build/bhemu\n";
    if (access(BHEMU_SOURCE_DIR "/build/bhemu", X_OK) != 0) {
        skip();
    }
    check(*context, text, 0, text);
}

/* A document that shows commands which nobody runs is wrong; updating does not change it. */
static void who_runs_a_command_is_told(void **context)
{
    static const char *const right[] = {"<!-- run by tests/samples_test.c -->\n\n    make it\n",
                                        "<!-- not run: a reason -->\n\n    X=1 bhemu run\n", "    maker: text\n"};
    static const char *const wrong[] = {"    make it\n",
                                        "    X=1 bhemu run\n",
                                        "    X=/a Y_Z=1 any/program\n",
                                        "    build/tests/test.it a\n",
                                        "<!-- not run -->\n\n    make it\n",
                                        "<!-- run by tests/none.c -->\n\n    make it\n",
                                        "```sh\nmake it\n```\n"};
    char arguments[1024];
    snprintf(arguments, sizeof arguments, "--check %s", in_folder(*context, "sample.md"));
    for (unsigned i = 0; i < sizeof right / sizeof *right; i++) {
        check(*context, right[i], 0, right[i]);
    }
    for (unsigned i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        put_text(*context, "sample.md", wrong[i]);
        assert_int_equal(update_samples(arguments), 1);
    }
}

#define TEST(function) FOLDER_TEST(function)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(documents_show_what_commands_print),
        TEST(what_is_as_shown_stays),
        TEST(what_differs_is_told_and_mended),
        TEST(seconds_vary),
        TEST(blocks_may_be_left_out),
        TEST(dots_stand_for_any_lines),
        TEST(commands_go_to_other_folders_of_a_new_one),
        TEST(who_runs_a_command_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
