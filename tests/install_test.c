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
             "exec 2>&1; unset DESTDIR; cd '%s' && PKG_CONFIG_PATH=$(find \"$PWD\" -name pkgconfig) && export "
             "PKG_CONFIG_PATH && %s",
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
    ASSERT_RUNS(folder, "test ! -x " BHEMU_BUILD_DIR "/bhemu-node || test -x moved/bin/bhemu-node");
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

/* A kernel outside of the clone: `bhemu new`, CMake, `bhemu run`, in folders with spaces, with an installation that was
   moved. What finds it has no environment to look at. */
static void a_new_kernel_builds_and_runs(void **context)
{
    if (access(BHEMU_BUILD_DIR "/kernels/built", R_OK) != 0) {
        skip();
    }
    const struct folder *folder = *context;
    ASSERT_RUNS(folder,
                "cmake --install " BHEMU_BUILD_DIR " --prefix \"$PWD/first\" && mkdir 'moved' && mv first 'moved/a b'");
    ASSERT_RUNS(folder, "mkdir 'moved/my kernels' && 'moved/a b/bin/bhemu' new 'moved/my kernels/vec_add'");
    ASSERT_RUNS(folder, "cd 'moved/my kernels/vec_add' && cmake -B build -DCMAKE_COMPILE_WARNING_AS_ERROR=ON && "
                        "cmake --build build && '../../a b/bin/bhemu' run job.yaml");
    assert_contains(output, "job.yaml: ok");
    assert_contains(output, "(1 compared, 1 as expected)");
    ASSERT_RUNS(folder, "cd 'moved/my kernels/vec_add' && cmake --build build --target run");
    assert_contains(output, "job.yaml: ok");
    ASSERT_RUNS(folder, "cd 'moved/my kernels/vec_add' && grep schema=job.schema.json job.yaml && "
                        "'../../a b/bin/bhemu' schema | cmp - job.schema.json");
    /* Nothing of it comes from the clone. */
    ASSERT_RUNS(folder,
                "grep -rF " BHEMU_SOURCE_DIR "/kernels 'moved/my kernels/vec_add/build/CMakeFiles'; test $? = 1");
}

static void a_new_kernel_has_a_good_name(void **context)
{
    const struct folder *folder = *context;
    assert_int_equal(run(folder, BHEMU_BUILD_DIR "/bhemu new 1st"), 2);
    assert_string_equal(output,
                        "bhemu new: '1st' is no name of a kernel; it has letters, digits and _, begins with a letter, "
                        "and has at most 64 of them\n");
    assert_int_equal(run(folder, BHEMU_BUILD_DIR "/bhemu new none/vec"), 2);
    assert_string_equal(output, "bhemu new: none/vec: No such file or directory\n");
    ASSERT_RUNS(folder, "mkdir moved && " BHEMU_BUILD_DIR "/bhemu new moved/vec");
    assert_int_equal(run(folder, BHEMU_BUILD_DIR "/bhemu new moved/vec"), 2);
    assert_string_equal(output, "bhemu new: moved/vec: File exists\n");
}

/* Where man(1), bash, zsh and fish look, below the prefix. */
static void pages_completions_and_schemas_are_installed(void **context)
{
    const struct folder *folder = *context;
    ASSERT_RUNS(folder,
                "cmake --install " BHEMU_BUILD_DIR " --prefix \"$PWD/moved\" && cd moved/share && "
                "ls man/man1 && for command in $(../bin/bhemu --help | sed -n 's/^  \\([a-z]*\\)  .*/\\1/p'); do "
                "../bin/bhemu man $command | cmp - man/man1/bhemu-$command.1 || exit 1; done");
    assert_contains(output, "\nbhemu.1\n");
    assert_contains(output, "\nbhemu-run.1\n");
    ASSERT_RUNS(folder, "cd moved/share && ../bin/bhemu completion bash | cmp - bash-completion/completions/bhemu && "
                        "../bin/bhemu completion zsh | cmp - zsh/site-functions/_bhemu && "
                        "../bin/bhemu completion fish | cmp - fish/vendor_completions.d/bhemu.fish && "
                        "../bin/bhemu schema job | cmp - bhemu/job.schema.json && "
                        "../bin/bhemu schema system | cmp - bhemu/system.schema.json");
}

/* A program in C that finds the library by CMake. */
static void find_package_gives_the_library(void **context)
{
    if (SANITIZED) {
        skip();
    }
    const struct folder *folder = *context;
    ASSERT_RUNS(folder, "cmake --install " BHEMU_BUILD_DIR " --prefix \"$PWD/moved/prefix\" && mkdir moved/user");
    put_text(folder, "moved/user/CMakeLists.txt",
             "cmake_minimum_required(VERSION 3.20)\nproject(user C)\nfind_package(bhemu REQUIRED)\n"
             "add_executable(user " BHEMU_SOURCE_DIR "/docs/example.c)\ntarget_link_libraries(user bhemu::bhemu)\n");
    ASSERT_RUNS(folder, "cmake -S moved/user -B moved/user/build -DCMAKE_PREFIX_PATH=\"$PWD/moved/prefix\" && "
                        "cmake --build moved/user/build && moved/user/build/user");
    assert_contains(output, "the answer is 42\n");
}

static void uninstalling_leaves_nothing(void **context)
{
    const struct folder *folder = *context;
    ASSERT_RUNS(folder, "mkdir moved && DESTDIR=\"$PWD/moved\" cmake --install " BHEMU_BUILD_DIR);
    ASSERT_RUNS(folder, "find moved -type f | wc -l");
    assert_in_range(atoi(output), 60, 1000);
    ASSERT_RUNS(folder, "DESTDIR=\"$PWD/moved\" cmake --build " BHEMU_BUILD_DIR " --target uninstall");
    ASSERT_RUNS(folder, "find moved -not -type d -o -name '*bhemu*' | wc -l");
    assert_string_equal(output, "0\n");
}

/* What `make dist` packs: it configures, and names no commit. */
static void an_archive_needs_no_git(void **context)
{
    const struct folder *folder = *context;
    if (run(folder, "git -C " BHEMU_SOURCE_DIR " rev-parse HEAD && ninja --version") != 0) {
        skip();
    }
    ASSERT_RUNS(folder, "git -C " BHEMU_SOURCE_DIR " archive --prefix=moved/bhemu/ HEAD | tar -x && "
                        "test ! -e moved/bhemu/.git && export GIT_DIR=/nonexistent && "
                        "cmake -S moved/bhemu -B moved/build -G Ninja && ninja -C moved/build commit kernel_headers");
    ASSERT_RUNS(folder, "cat moved/build/generated/commit.h && ls moved/build/generated/kernel/tensix.h");
    assert_contains(output, "\"\"");
}

/* The target `installed`, which `make install` builds, has all that is installed, and no test. */
static void installing_takes_no_tests(void **context)
{
    const struct folder *folder = *context;
    if (run(folder, "ninja --version && test -e " BHEMU_BUILD_DIR "/build.ninja") != 0) {
        skip();
    }
    ASSERT_RUNS(folder,
                "mkdir first && ninja -C " BHEMU_BUILD_DIR " -t commands installed >first/commands && for part in "
                "print.cmake tensix_config.h ' -o bhemu ' ' -o libbhemu.so' libbhemu.a; do "
                "grep -q -e \"$part\" first/commands || { echo \"$part\"; exit 1; }; done");
    ASSERT_RUNS(folder, "grep _test.c first/commands; test $? = 1");
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(an_installation_may_be_anywhere),
        TEST(the_example_links_to_it),
        TEST(a_new_kernel_builds_and_runs),
        TEST(a_new_kernel_has_a_good_name),
        TEST(find_package_gives_the_library),
        TEST(uninstalling_leaves_nothing),
        TEST(an_archive_needs_no_git),
        TEST(installing_takes_no_tests),
        TEST(pages_completions_and_schemas_are_installed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
