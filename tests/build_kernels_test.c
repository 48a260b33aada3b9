/* scripts/build-kernels, which builds the kernels that all presets share: what it has a made-up cmake do. */
#include "host/files.h"
#include "host/process.h"

static char output[1 << 12];

/* Runs it for a folder, with more in the environment; `output` is what cmake is called with. */
static void build_kernels(const struct folder *folder, const char *environment, const char *option)
{
    char command[1024];
    snprintf(command, sizeof command,
             "cd '%s' && PATH=\"$PWD:$PATH\" && unset CI && export CALLS=\"$PWD/calls\" JOBS=3 %s && : >calls && "
             "'%s/scripts/build-kernels' \"$PWD/built here\" %s && sed \"s|$PWD/||g\" calls",
             folder->path, environment, BHEMU_SOURCE_DIR, option);
    assert_int_equal(run_in_shell(command, output, sizeof output), 0);
}

static void run(const struct folder *folder, const char *what)
{
    char command[1024];
    snprintf(command, sizeof command, "cd '%s' && %s", folder->path, what);
    assert_int_equal(run_in_shell(command, output, sizeof output), 0);
}

#define BUILD "cmake --build built here --target kernels -j 3\n"

static void a_folder_is_configured_once_and_built_each_time(void **context)
{
    struct folder folder;
    make_folder(&folder);
    put_text(&folder, "cmake", "#!/bin/sh\necho cmake \"$@\" >>\"$CALLS\"\n");
    run(&folder, "chmod +x cmake");
    build_kernels(&folder, "", "configure");
    assert_string_equal(output, "cmake --preset release -B built here\n");
    build_kernels(&folder, "CI=true", "");
    assert_string_equal(output, "cmake --preset release -B built here -DCMAKE_COMPILE_WARNING_AS_ERROR=ON\n" BUILD);
    run(&folder, ": >'built here/CMakeCache.txt'"); /* without kernels, as where there was no compiler for them */
    build_kernels(&folder, "", "configure");
    assert_string_equal(output, "cmake built here\n");
    run(&folder, "mkdir 'built here/kernels' && : >'built here/kernels/built'");
    build_kernels(&folder, "", "configure");
    assert_string_equal(output, "");
    build_kernels(&folder, "", "");
    assert_string_equal(output, BUILD);
    run(&folder, "rm -rf 'built here' cmake calls");
    remove_folder(&folder);
}

/* The folder of kernels may be a link to another build's: CMake would write this build's rules and objects over those.
 */
static void the_folder_of_kernels_has_no_rules_of_its_build(void **context)
{
    assert_int_equal(run_in_shell("cd '" BHEMU_BUILD_DIR
                                  "' && ls kernel-rules/cmake_install.cmake && find kernels/ -name "
                                  "cmake_install.cmake -newer kernel-rules/cmake_install.cmake",
                                  output, sizeof output),
                     0);
    assert_string_equal(output, "kernel-rules/cmake_install.cmake\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_folder_is_configured_once_and_built_each_time),
        cmocka_unit_test(the_folder_of_kernels_has_no_rules_of_its_build),
    };
    return cmocka_run_group_tests_name("build_kernels", tests, NULL, NULL);
}
