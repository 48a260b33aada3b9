/* The result of `cmake --install --prefix` is found by pkg-config, links, and runs, from any folder to which it is
   moved. */
#include "host/files.h"
#include "host/process.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { SANITIZED = 1 };
#else
enum { SANITIZED = 0 };
#endif

static char output[1 << 16];

static int set_up(void **context)
{
    struct folder *folder = calloc(1, sizeof *folder);
    make_folder(folder);
    *context = folder;
    return 0;
}

static int tear_down(void **context)
{
    const struct folder *folder = *context;
    char command[1024];
    snprintf(command, sizeof command, "rm -rf '%s/first' '%s/moved'", folder->path, folder->path);
    run_in_shell(command, output, sizeof output);
    remove_folder(*context);
    free(*context);
    return 0;
}

/* Runs a command in a shell, in the folder, with that of bhemu.pc, once moved, in PKG_CONFIG_PATH. */
static int run(const struct folder *folder, const char *what)
{
    char command[2048];
    snprintf(command, sizeof command,
             "exec 2>&1; cd '%s' && PKG_CONFIG_PATH=$(find \"$PWD\" -name pkgconfig) && export PKG_CONFIG_PATH && %s",
             folder->path, what);
    return run_in_shell(command, output, sizeof output);
}

#define ASSERT_RUNS(folder, what)                                                                                      \
    do {                                                                                                               \
        if (run(folder, what) != 0) {                                                                                  \
            fail_msg("%s: %s", what, output);                                                                          \
        }                                                                                                              \
    } while (0)

static void an_installation_may_be_anywhere(void **context)
{
    const struct folder *folder = *context;
    char expected[1024];
    ASSERT_RUNS(folder, "cmake --install " BHEMU_BUILD_DIR " --prefix \"$PWD/first\" && mv first moved");
    ASSERT_RUNS(folder, "realpath $(pkg-config --variable=prefix bhemu)");
    snprintf(expected, sizeof expected, "%s/moved\n", folder->path);
    assert_string_equal(output, expected);
    ASSERT_RUNS(folder, "ls $(pkg-config --variable=includedir bhemu)/bhemu/device.h "
                        "$(pkg-config --variable=libdir bhemu)/libbhemu.a");
    ASSERT_RUNS(folder, "grep -r /usr/local \"$PKG_CONFIG_PATH\"; test $? = 1");
}

/* Like in README.md. A program without sanitizers can not link a library with them. */
static void the_example_links_to_it(void **context)
{
    if (SANITIZED) {
        skip();
    }
    const struct folder *folder = *context;
    ASSERT_RUNS(folder, "cmake --install " BHEMU_BUILD_DIR " --prefix \"$PWD/moved\"");
    ASSERT_RUNS(folder, "cc -o moved/example " BHEMU_SOURCE_DIR "/docs/example.c $(pkg-config --cflags --libs bhemu)");
    ASSERT_RUNS(folder, "moved/example");
    assert_string_equal(output, "the answer is 42\n");
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(an_installation_may_be_anywhere),
        TEST(the_example_links_to_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
