/* scripts/bootstrap and scripts/kernel-compiler on simulated machines, which are folders of stand-in commands: what
   they look for, what they install, and the instructions that they print. */
#include "host/files.h"
#include "host/process.h"

#include <sys/stat.h>

static char output[1 << 14];

/* Creates a stand-in command of the machine: a shell script. */
static void stand_in(const struct folder *machine, const char *name, const char *script)
{
    char text[512];
    snprintf(text, sizeof text, "#!/bin/sh\n%s\n", script);
    put_text(machine, name, text);
    assert_int_equal(chmod(in_folder(machine, name), 0755), 0);
}

static void without(const struct folder *machine, const char *name)
{
    assert_int_equal(unlink(in_folder(machine, name)), 0);
}

/* A Debian with everything installed, and a user without root. */
static int set_up(void **context)
{
    struct folder *machine = calloc(1, sizeof *machine);
    make_folder(machine);
    char command[512];
    snprintf(command, sizeof command,
             "for tool in sh sed awk tr sort paste cat mktemp rm dirname; do ln -s \"$(command -v $tool)\" %s/; done",
             machine->path);
    assert_int_equal(run_in_shell(command, output, sizeof output), 0);
    static const char *const present[] = {"cc",     "ninja",    "pkg-config",    "riscv64-unknown-elf-gcc",
                                          "make",   "chromium", "gdb-multiarch", "python3",
                                          "mpirun", "zsh",      "fish",          "mandoc"};
    for (unsigned i = 0; i < sizeof present / sizeof *present; i++) {
        stand_in(machine, present[i], "exit 0");
    }
    stand_in(machine, "cmake", "echo cmake version 3.25.1");
    stand_in(machine, "uname", "echo Linux");
    stand_in(machine, "id", "echo 1000");
    put_text(machine, "os-release", "PRETTY_NAME=\"Debian\"\nID=debian\n");
    *context = machine;
    return 0;
}

static int tear_down(void **context)
{
    remove_folder(*context);
    free(*context);
    return 0;
}

/* Runs a script of the project there. Returns its exit code; `output` is what it printed. */
static int run(const struct folder *machine, const char *script)
{
    char command[1024];
    snprintf(command, sizeof command,
             "exec 2>&1; unset CC KERNEL_COMPILER; export PATH=%s OS_RELEASE=%s/os-release; " BHEMU_SOURCE_DIR
             "/scripts/%s",
             machine->path, machine->path, script);
    return run_in_shell(command, output, sizeof output);
}

static void nothing_is_said_where_all_is_there(void **context)
{
    assert_int_equal(run(*context, "bootstrap"), 0);
    assert_string_equal(output, "");
}

static void users_without_root_are_told_what_to_install(void **context)
{
    without(*context, "cc");
    without(*context, "riscv64-unknown-elf-gcc");
    assert_int_equal(run(*context, "bootstrap"), 1);
    assert_string_equal(output, "bootstrap: missing:\n"
                                "    a C compiler, and the C library to link\n"
                                "    GCC 12, or clang 16 with lld, or later, for RV32\n"
                                "As root, run:\n"
                                "    apt-get update && apt-get install -y --no-install-recommends gcc "
                                "gcc-riscv64-unknown-elf libc6-dev\n");
}

static void continuous_integration_takes_a_second_compiler(void **context)
{
    static const char *const tools[] = {"clang-format", "clang-tidy", "shellcheck", "mypy"};
    for (unsigned i = 0; i < sizeof tools / sizeof *tools; i++) {
        stand_in(*context, tools[i], "exit 0");
    }
    assert_int_equal(run(*context, "bootstrap lint"), 0);
    assert_int_equal(run(*context, "bootstrap ci"), 1);
    assert_contains(output, "bootstrap: missing:\n    clang\n");
    assert_contains(output, "    apt-get update && apt-get install -y --no-install-recommends clang\n");
}

static void each_distribution_has_its_names(void **context)
{
    stand_in(*context, "pkg-config", "exit 1");
    without(*context, "ninja");
    without(*context, "riscv64-unknown-elf-gcc");
    put_text(*context, "os-release", "ID=ubuntu\nID_LIKE=debian\n");
    assert_int_equal(run(*context, "bootstrap"), 1);
    assert_contains(output, "    apt-get update && apt-get install -y --no-install-recommends gcc-riscv64-unknown-elf "
                            "libcmocka-dev libdw-dev libelf-dev libopenmpi-dev libpng-dev libyaml-dev libzstd-dev "
                            "ninja-build openmpi-bin\n");
    put_text(*context, "os-release", "ID=\"rocky\"\nID_LIKE=\"rhel centos fedora\"\n");
    assert_int_equal(run(*context, "bootstrap"), 1);
    assert_contains(output,
                    "    dnf install elfutils-devel elfutils-libelf-devel gcc-riscv64-linux-gnu libcmocka-devel "
                    "libpng-devel libyaml-devel libzstd-devel ninja-build openmpi-devel\n");
    put_text(*context, "os-release", "ID=arch\n");
    assert_int_equal(run(*context, "bootstrap"), 1);
    assert_contains(output, "    pacman -S --needed cmocka libelf libpng libyaml ninja openmpi riscv64-elf-gcc zstd\n");
    put_text(*context, "os-release", "ID=another\n");
    assert_int_equal(run(*context, "bootstrap"), 1);
    assert_contains(output, "    libdw of elfutils, as pkg-config finds it\n");
    assert_null(strstr(output, "As root"));
}

static void tools_count_under_their_other_names(void **context)
{
    static const char *const names[][2] = {{"riscv64-unknown-elf-gcc", "riscv64-elf-gcc"},
                                           {"riscv64-elf-gcc", "riscv64-linux-gnu-gcc"},
                                           {"riscv64-linux-gnu-gcc", "clang"},
                                           {"cc", "gcc"},
                                           {"ninja", "ninja-build"},
                                           {"pkg-config", "pkgconf"}};
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
        without(*context, names[i][0]);
        stand_in(*context, names[i][1], "exit 0");
        assert_int_equal(run(*context, "bootstrap"), 0);
    }
}

static void tests_take_kernels_by_gcc(void **context)
{
    without(*context, "riscv64-unknown-elf-gcc");
    stand_in(*context, "clang", "exit 0");
    assert_int_equal(run(*context, "bootstrap demo"), 0);
    assert_int_equal(run(*context, "bootstrap test"), 1);
    assert_contains(output, "bootstrap: missing:\n    GCC 12 or later for RV32: tests expect its line tables\n");
    assert_contains(output, "--no-install-recommends gcc-riscv64-unknown-elf\n");
}

/* Of GCC and clang, versions before those of the table are rejected by what the probe asks of the preprocessor. */
static void older_compilers_are_rejected(void **context)
{
    static const struct {
        const char *name, *macros;
        int code;
    } compilers[] = {{"riscv64-elf-gcc", "-U__clang__ -D__GNUC__=11", 1},
                     {"riscv64-elf-gcc", "-U__clang__ -D__GNUC__=12", 0},
                     {"clang", "-D__clang__ -D__clang_major__=15", 1},
                     {"clang", "-D__clang__ -D__clang_major__=16", 0}};
    without(*context, "riscv64-unknown-elf-gcc");
    for (unsigned i = 0; i < sizeof compilers / sizeof *compilers; i++) {
        char script[256]; /* preprocesses the probe, the last argument or that before -lgcc */
        snprintf(script, sizeof script,
                 "for probe; do case $probe in *.c) break ;; esac; done\n"
                 "PATH=/usr/bin:/bin exec cpp -w %s \"$probe\" >/dev/null",
                 compilers[i].macros);
        stand_in(*context, compilers[i].name, script);
        assert_int_equal(run(*context, "kernel-compiler"), compilers[i].code);
        without(*context, compilers[i].name);
    }
}

static void tools_that_do_not_do_are_missing(void **context)
{
    stand_in(*context, "cc", "exit 1");
    stand_in(*context, "riscv64-unknown-elf-gcc", "exit 1");
    stand_in(*context, "cmake", "echo cmake version 3.22.1");
    assert_int_equal(run(*context, "bootstrap"), 1);
    assert_contains(output, "    a C compiler, and the C library to link\n    CMake, 3.25 or later\n    GCC 12,");
    stand_in(*context, "cc", "exit 0");
    stand_in(*context, "riscv64-unknown-elf-gcc", "exit 0");
    stand_in(*context, "cmake", "echo cmake version 4.1.0");
    assert_int_equal(run(*context, "bootstrap"), 0);
}

/* A root with an apt-get that records how it was called, and whose packages have this Ninja. */
static void be_root(const struct folder *machine, const char *ninja)
{
    char script[512];
    stand_in(machine, "id", "echo 0");
    stand_in(machine, "package", ninja);
    snprintf(script, sizeof script, "cd %s\necho \"$@\" >>log\n[ $1 = update ] || PATH=/usr/bin:/bin mv package ninja",
             machine->path);
    stand_in(machine, "apt-get", script);
}

static void root_on_debian_gets_what_is_missing(void **context)
{
    be_root(*context, "exit 0");
    without(*context, "ninja");
    without(*context, "make");
    assert_int_equal(run(*context, "bootstrap demo"), 0);
    assert_string_equal(output, "bootstrap: installing make ninja-build\n");
    assert_int_equal(run(*context, "bootstrap demo; cat $PATH/log"), 0);
    assert_string_equal(output, "update\ninstall -y --no-install-recommends make ninja-build\n");
}

static void packages_that_do_not_do_are_named(void **context)
{
    be_root(*context, "exit 0");
    without(*context, "ninja");
    stand_in(*context, "cmake", "echo cmake version 3.22.1");
    assert_int_equal(run(*context, "bootstrap"), 1);
    assert_contains(output, "bootstrap: installing cmake ninja-build\n");
    assert_contains(output, "bootstrap: missing:\n    CMake, 3.25 or later\n");
    assert_null(strstr(output, "Ninja"));
}

static void a_failing_apt_get_is_heard(void **context)
{
    be_root(*context, "exit 0");
    without(*context, "ninja");
    stand_in(*context, "apt-get", "echo no network >&2\nexit 100");
    assert_int_equal(run(*context, "bootstrap"), 1);
    assert_string_equal(output, "bootstrap: installing ninja-build\nno network\nbootstrap: apt-get failed\n");
}

static void the_demo_does_without_make_and_cmocka(void **context)
{
    be_root(*context, "exit 0");
    without(*context, "make");
    stand_in(*context, "pkg-config", "[ \"$2\" != cmocka ]");
    assert_int_equal(run(*context, "bootstrap demo"), 0);
    assert_string_equal(output, "");
    stand_in(*context, "id", "echo 1000");
    assert_int_equal(run(*context, "bootstrap test"), 1);
    assert_contains(output, "bootstrap: missing:\n    cmocka, as pkg-config finds it\nAs root, run:\n");
    assert_contains(output, "--no-install-recommends libcmocka-dev make\n");
}

static void other_systems_are_told_where_it_runs(void **context)
{
    stand_in(*context, "uname", "echo Darwin");
    assert_int_equal(run(*context, "bootstrap"), 1);
    assert_contains(output, "bootstrap: this is Darwin, and bhemu runs on Linux: in a virtual machine");
    assert_contains(output, "docker build");
}

static void compilers_get_the_flags_that_they_know(void **context)
{
    assert_int_equal(run(*context, "kernel-compiler"), 0);
    assert_string_equal(output, "riscv64-unknown-elf-gcc -march=rv32im_zicsr_zba_zbb -mabi=ilp32 "
                                "-fno-tree-loop-distribute-patterns -fno-pic -no-pie\n-lgcc\n");
    stand_in(*context, "clang-16", "case $* in *zicsr* | *-lgcc*) exit 1 ;; esac");
    assert_int_equal(run(*context, "kernel-compiler clang-16"), 0);
    assert_string_equal(output, "clang-16 -march=rv32im_zba_zbb -mabi=ilp32 --target=riscv32 -fuse-ld=lld "
                                "-Wno-unused-command-line-argument\n");
    assert_int_equal(run(*context, "kernel-compiler no-such-compiler"), 1);
    assert_string_equal(output, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(nothing_is_said_where_all_is_there, set_up, tear_down),
        cmocka_unit_test_setup_teardown(users_without_root_are_told_what_to_install, set_up, tear_down),
        cmocka_unit_test_setup_teardown(continuous_integration_takes_a_second_compiler, set_up, tear_down),
        cmocka_unit_test_setup_teardown(each_distribution_has_its_names, set_up, tear_down),
        cmocka_unit_test_setup_teardown(tools_count_under_their_other_names, set_up, tear_down),
        cmocka_unit_test_setup_teardown(tests_take_kernels_by_gcc, set_up, tear_down),
        cmocka_unit_test_setup_teardown(older_compilers_are_rejected, set_up, tear_down),
        cmocka_unit_test_setup_teardown(tools_that_do_not_do_are_missing, set_up, tear_down),
        cmocka_unit_test_setup_teardown(root_on_debian_gets_what_is_missing, set_up, tear_down),
        cmocka_unit_test_setup_teardown(packages_that_do_not_do_are_named, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_failing_apt_get_is_heard, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_demo_does_without_make_and_cmocka, set_up, tear_down),
        cmocka_unit_test_setup_teardown(other_systems_are_told_where_it_runs, set_up, tear_down),
        cmocka_unit_test_setup_teardown(compilers_get_the_flags_that_they_know, set_up, tear_down),
    };
    return cmocka_run_group_tests_name("bootstrap", tests, NULL, NULL);
}
