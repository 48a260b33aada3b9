/* Exit codes of bhemu, each by a run that ends with it, and that help and docs/command.md list all of them alike. */
#include "host/files.h"
#include "host/process.h"

#include "host/exit_code.h"

static char output[1 << 16];

static int set_up(void **context)
{
    const uint32_t good[] = {lui(T0, 0x20000), addi(T1, ZERO, 7), sw(T1, T0, 0), SELF_JUMP};
    const uint32_t wild[] = {lui(T0, 0x40000000), sw(T1, T0, 0), SELF_JUMP};
    const uint32_t waits[] = {lui(T0, 0x20000), lw(T1, T0, 0), branch(BEQ, T1, ZERO, -4), SELF_JUMP};
    const uint32_t counts[] = {addi(T0, T0, 1), jump(-4)};
    const uint32_t unset[] = {lui(T0, 0x30000), lw(T1, T0, 0), addi(T1, T1, 1), SELF_JUMP};
    static const char *const names[] = {"good", "wild", "waits", "counts", "unset"};
    make_folder_of_test(context);
    put_elf(*context, "good.elf", 0x1000, good, 4);
    put_elf(*context, "wild.elf", 0x1000, wild, 3);
    put_elf(*context, "waits.elf", 0x1000, waits, 4);
    put_elf(*context, "counts.elf", 0x1000, counts, 2);
    put_elf(*context, "unset.elf", 0x1000, unset, 4);
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
        char name[64], text[512];
        snprintf(name, sizeof name, "%s.yaml", names[i]);
        snprintf(text, sizeof text, "tiles:\n  - at: [1, 2]\n    programs: [{core: T0, elf: %s.elf}]\n", names[i]);
        put_text(*context, name, text);
    }
    put_text(*context, "kept.yaml",
             "tiles:\n  - at: [1, 2]\n    programs: [{core: T0, elf: good.elf}]\n"
             "    outputs: [{file: out.npy, address: 0x20000, shape: [1, 1], format: int32}]\n");
    put_text(*context, "other.yaml",
             "tiles:\n  - at: [1, 2]\n    programs: [{core: T0, elf: good.elf}]\n"
             "    outputs: [{expect: out.npy, address: 0x20004, shape: [1, 1], format: int32}]\n");
    return 0;
}

/* `bhemu ARGUMENTS` in the folder, by another command. Returns its exit code. */
static int run_by(const struct folder *folder, const char *by, const char *arguments)
{
    char command[2048];
    snprintf(command, sizeof command, "exec 2>&1; cd %s; %s%s/bhemu %s", folder->path, by, BHEMU_BUILD_DIR, arguments);
    return run_in_shell(command, output, sizeof output);
}

static int run(const struct folder *folder, const char *arguments)
{
    return run_by(folder, "", arguments);
}

static void runs_end_with_the_code_that_is_documented(void **context)
{
    static const struct {
        const char *arguments;
        int code;
        const char *by;
    } runs[] = {
        {"run good.yaml", 0, NULL},
        {"run --quiet kept.yaml", 0, NULL},
        {"run other.yaml", 1, NULL},
        {"run", 2, NULL},
        {"run --colour good.yaml", 2, NULL},
        {"run none.yaml", 2, NULL},
        {"run good.elf", 2, NULL},
        {"run --output none kept.yaml", 2, NULL},
        {"nothing", 2, NULL},
        {"run --check=initcheck unset.yaml", 3, NULL},
        {"run wild.yaml", 4, NULL},
        {"run waits.yaml", 5, NULL},
        {"run --limit 100000 counts.yaml", 5, NULL},
        {"run good.yaml >/dev/full", 6, NULL},
        {"run --dump dst:/dev/full good.yaml", 6, NULL},
        {"run --log /dev/full --limit 100000 counts.yaml", 6, NULL},
        {"run --profile-html /dev/full --limit 100000 counts.yaml", 6, NULL},
        {"run --report-dot /dev/full --limit 100000 counts.yaml", 6, NULL},
        {"run --dump dst:/proc/none.npy --limit 100000 counts.yaml", 6, NULL},
        {"run --report-every 0.1 --limit 1000000000000 counts.yaml", 128 + 2, "timeout --preserve-status -s INT 0.5 "},
        {"run --limit 1000000000000 counts.yaml", 128 + 15, "timeout --preserve-status -s TERM 0.5 "},
    };
    for (unsigned i = 0; i < sizeof runs / sizeof *runs; i++) {
        int code = run_by(*context, runs[i].by ? runs[i].by : "", runs[i].arguments);
        if (code != runs[i].code) {
            fail_msg("bhemu %s: %d, not %d:\n%s", runs[i].arguments, code, runs[i].code, output);
        }
    }
}

static void the_worst_of_several_jobs_counts(void **context)
{
    assert_int_equal(run(*context, "run --quiet kept.yaml"), 0);
    assert_int_equal(run(*context, "run good.yaml good.yaml"), 0);
    assert_int_equal(run(*context, "run other.yaml good.yaml"), 1);
    assert_int_equal(run(*context, "run other.yaml waits.yaml good.yaml"), 5);
    assert_int_equal(run(*context, "run wild.yaml waits.yaml other.yaml"), 4);
    assert_int_equal(run(*context, "run none.yaml wild.yaml good.yaml"), 2);
    assert_int_equal(run(*context, "run --check=initcheck other.yaml unset.yaml"), 1);
    assert_int_equal(exit_code_worse(EXIT_SIGNAL + 2, EXIT_HOST_FAILED), EXIT_SIGNAL + 2);
}

static void help_and_the_page_list_all_codes(void **context)
{
    static char page[1 << 16];
    assert_int_equal(run_in_shell("cat " BHEMU_SOURCE_DIR "/docs/command.md", page, sizeof page), 0);
    assert_int_equal(run(*context, "run --help"), 0);
    for (unsigned i = 0; i < sizeof exit_code_meanings / sizeof *exit_code_meanings; i++) {
        char row[300];
        snprintf(row, sizeof row, "  %3d  %s\n", exit_code_meanings[i].code, exit_code_meanings[i].meaning);
        assert_contains(output, row);
        snprintf(row, sizeof row, "| %d | %s |\n", exit_code_meanings[i].code, exit_code_meanings[i].meaning);
        assert_contains(page, row);
    }
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, remove_folder_of_test)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(runs_end_with_the_code_that_is_documented),
        TEST(the_worst_of_several_jobs_counts),
        TEST(help_and_the_page_list_all_codes),
    };
    return cmocka_run_group_tests_name("exit codes", tests, NULL, NULL);
}
