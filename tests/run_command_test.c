/* bhemu run for its users: exit codes, one-line errors, source lines, progress, and the files after an interrupted
   run. */
#include "host/files.h"
#include "host/process.h"

#include <signal.h>
#include <sys/wait.h>
#include <time.h>

static char output[1 << 16];

/* Runs `bhemu run ARGUMENTS` in a shell, in the source folder. Returns its exit code; `output` is what it printed. */
static int run(const char *arguments)
{
    char command[2048];
    snprintf(command, sizeof command, "exec 2>&1; cd %s && %s/bhemu run %s", BHEMU_SOURCE_DIR, BHEMU_BUILD_DIR,
             arguments);
    return run_in_shell(command, output, sizeof output);
}

static unsigned lines(void)
{
    unsigned count = 0;
    for (const char *at = output; (at = strchr(at, '\n')); at++) {
        count++;
    }
    return count;
}

static int set_up(void **context)
{
    struct folder *folder = calloc(1, sizeof *folder);
    make_folder(folder);
    const uint32_t copy[] = {lui(T0, 0x20000), addi(T1, ZERO, 7), sw(T1, T0, 0), SELF_JUMP};
    const uint32_t count[] = {addi(T0, T0, 1), jump(-4)};
    const uint32_t wild[] = {lui(T0, 0x40000000), sw(T1, T0, 0), SELF_JUMP};
    put_elf(folder, "good.elf", 0x1000, copy, 4);
    put_elf(folder, "count.elf", 0x1000, count, 2);
    put_elf(folder, "wild.elf", 0x1000, wild, 3);
    static const char *const names[] = {"good", "count", "wild", "none"};
    for (unsigned i = 0; i < 4; i++) {
        char name[64], text[512];
        snprintf(name, sizeof name, "%s.yaml", names[i]);
        snprintf(text, sizeof text,
                 "limit: 4000000000\ntiles:\n  - at: [1, 2]\n    programs: [{core: T0, elf: %s.elf}]\n"
                 "    outputs: [{file: out.npy, address: 0x20000, shape: [1, 1], format: int32}]\n",
                 names[i]);
        put_text(folder, name, text);
    }
    *context = folder;
    return 0;
}

static int tear_down(void **context)
{
    remove_folder(*context);
    free(*context);
    return 0;
}

/* `bhemu run OPTIONS FILE`, where FILE is in the folder. */
static int run_in(const struct folder *folder, const char *options, const char *file)
{
    char arguments[1024];
    snprintf(arguments, sizeof arguments, "%s %s", options, in_folder(folder, file));
    return run(arguments);
}

static void a_good_job_exits_with_0(void **context)
{
    assert_int_equal(run_in(*context, "", "good.yaml"), 0);
    assert_contains(output, "good.yaml: ok\n");
    assert_contains(output, "good.yaml: ok\n  RISC-V instructions             3\n");
    assert_contains(output, "\n  emulated steps  ");
    assert_null(strstr(output, "cycles"));
    assert_int_equal(access(in_folder(*context, "out.npy"), R_OK), 0);
    assert_int_equal(run_in(*context, "--quiet", "good.yaml"), 0);
    assert_string_equal(output, "");
}

static void a_different_output_exits_with_1(void **context)
{
    assert_int_equal(run_in(*context, "-q", "good.yaml"), 0);
    assert_int_equal(rename(in_folder(*context, "out.npy"), in_folder(*context, "expect.npy")), 0);
    put_text(*context, "job.yaml",
             "tiles:\n  - at: [1, 2]\n    programs: [{core: T0, elf: good.elf}]\n"
             "    outputs: [{expect: expect.npy, address: 0x20004, shape: [1, 1], format: int32}]\n");
    assert_int_equal(run_in(*context, "-q", "job.yaml"), 1);
    assert_contains(output, "job.yaml: DIFFERENT\n");
    assert_contains(output, "1 of 1 elements differ, first at [0,0]: 0 instead of 7\n");
    static const char *const files[] = {"expect.expected.npy", "expect.got.npy", "expect.difference.npy", "expect.png"};
    char options[600];
    snprintf(options, sizeof options, "-q --differences %s", ((const struct folder *)*context)->path);
    assert_int_equal(run_in(*context, options, "job.yaml"), 1);
    for (unsigned i = 0; i < sizeof files / sizeof *files; i++) {
        assert_int_equal(access(in_folder(*context, files[i]), R_OK), 0);
    }
    assert_int_equal(run_in(*context, "-q --differences no/such/folder", "job.yaml"), 6);
    assert_contains(output, "no/such/folder: No such file or directory\n");
}

static void bad_input_exits_with_2_and_one_line(void **context)
{
    assert_int_equal(run("no/such.yaml"), 2);
    assert_string_equal(output, "bhemu: no/such.yaml: No such file or directory\n");
    assert_int_equal(run_in(*context, "", "none.yaml"), 2);
    assert_contains(output, "none.elf: No such file or directory\n");
    assert_int_equal(lines(), 1);
    assert_int_equal(run_in(*context, "", "good.elf"), 2);
    assert_int_equal(lines(), 1);
    assert_int_equal(run_in(*context, "-o /no/such/folder", "good.yaml"), 2);
    assert_contains(output, "/no/such/folder: No such file or directory\n");
    assert_int_equal(lines(), 1);
    assert_int_equal(access(in_folder(*context, "out.npy"), R_OK), -1);
}

static void the_worst_of_several_jobs_counts(void **context)
{
    char arguments[2048];
    const struct folder *folder = *context;
    snprintf(arguments, sizeof arguments, "-q %s/none.yaml %s/good.yaml", folder->path, folder->path);
    assert_int_equal(run(arguments), 2);
    assert_int_equal(lines(), 1);
    assert_int_equal(access(in_folder(folder, "out.npy"), R_OK), 0);
}

static void a_wrong_command_line_exits_with_2(void **context)
{
    static const char *const wrong[] = {"",
                                        "--fast x.yaml",
                                        "--policy lax x.yaml",
                                        "--limit many x.yaml",
                                        "--limit -1 x.yaml",
                                        "--limit 0 x.yaml",
                                        "--threads 0 x.yaml",
                                        "--threads 65 x.yaml"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_int_equal(run(wrong[i]), 2);
        assert_true(output[0]);
    }
    assert_int_equal(run("--help"), 0);
}

static void a_wild_program_exits_with_4_and_says_where(void **context)
{
    assert_int_equal(run_in(*context, "", "wild.yaml"), 4);
    assert_contains(output, "error: UndefinedBehavior: tile (1,2) core T0 pc 0x00001004 [sw t1,0(t0)]: store by T0 at "
                            "0x40000000: nothing is mapped there");
    assert_contains(output, "wild.yaml: stopped after");
    assert_int_equal(lines(), 2);
    assert_int_equal(access(in_folder(*context, "out.npy"), R_OK), -1);
}

static void a_limit_ends_the_run_and_tells_where_it_was(void **context)
{
    assert_int_equal(run_in(*context, "--limit 100000", "count.yaml"), 5);
    assert_contains(output, "warning: Deadlock: tile (1,2): core T0 at 0x0000100");
    assert_contains(output, "not finished after 100000 emulated steps (its limit)\n");
    assert_int_equal(lines(), 2);
}

static void policies_may_be_chosen(void **context)
{
    assert_int_equal(run_in(*context, "--policy silicon", "wild.yaml"), 0);
    assert_contains(output, "warning: UndefinedBehavior");
    assert_int_equal(run_in(*context, "--policy strict", "wild.yaml"), 4);
}

/* With DWARF, each place gets a line with function, file and line. */
static void places_are_told_by_their_source(void **context)
{
    if (access(BHEMU_BUILD_DIR "/kernels/built", R_OK) != 0 ||
        strcmp(BHEMU_BUILD_DIR, BHEMU_SOURCE_DIR "/build") != 0) {
        skip(); /* the jobs name the kernels of build/ */
    }
    assert_int_equal(run("kernels/broken/wild_store.yaml"), 4);
    assert_contains(output, "  core T1 at 0x0000a0");
    assert_contains(output,
                    ": clear (kernels/broken/wild_store.c:7), in kernel_main (kernels/broken/wild_store.c:13)\n");
    assert_int_equal(run("kernels/broken/forgotten_flag.yaml"), 5);
    assert_contains(output, "polls 0x00030000 in L1, reads 0x0: nobody writes it\n");
    assert_contains(output, ", in wait_for_flag (kernels/broken/forgotten_flag.c:7), in kernel_main");
    assert_int_equal(run("kernels/broken/mixed_up.yaml"), 5);
    assert_contains(output, "thread T1 holds ELWADD");
    assert_contains(output, "SrcB bank 0 belongs to the unpackers: nothing was unpacked into it");
    assert_contains(output,
                    "error: Deadlock: tile (1,2): thread T1 waits for SrcB; nothing unpacks to it\n  core T0 at ");
    assert_contains(output, "\n    tile (kernels/eltwise_add/math.S:");
    assert_int_equal(access(BHEMU_SOURCE_DIR "/kernels/broken/mixed_up.npy", R_OK), -1);
}

/* One core polls, others wait to push: in timed mode, too. */
static void hangs_are_found_in_both_modes(void **context)
{
    static const char *const modes[] = {"", "--timed"};
    (void)context;
    if (access(BHEMU_SOURCE_DIR "/build/kernels/eltwise_add.trisc1.elf", R_OK) != 0) {
        skip();
    }
    for (unsigned i = 0; i < 2; i++) {
        char arguments[100];
        snprintf(arguments, sizeof arguments, "%s --limit 3000000 kernels/broken/mixed_up.yaml", modes[i]);
        assert_int_equal(run(arguments), 5);
        assert_contains(output, "error: Deadlock: tile (1,2): thread T1 waits for SrcB; nothing unpacks to it\n");
        assert_null(strstr(output, "not finished"));
    }
}

/* A run that takes its time prints where it is, if it is asked to; interrupted, it ends and leaves no file. */
static void a_long_run_tells_its_progress_and_can_be_interrupted(void **context)
{
    int channel[2];
    assert_int_equal(pipe(channel), 0);
    pid_t child = fork();
    if (child == 0) {
        signal(SIGINT, SIG_DFL); /* whatever the test was started with */
        dup2(channel[1], STDERR_FILENO);
        execl(BHEMU_BUILD_DIR "/bhemu", "bhemu", "run", "--progress", in_folder(*context, "count.yaml"), (char *)NULL);
        _exit(127);
    }
    close(channel[1]);
    unsigned files = count_files(*context, 0);
    char line[512];
    FILE *errors = fdopen(channel[0], "r");
    assert_non_null(errors);
    assert_non_null(fgets(line, sizeof line, errors)); /* comes within a second or two */
    assert_contains(line, "million emulated steps");
    assert_contains(line, "million RISC-V");
    assert_int_equal(kill(child, SIGINT), 0);
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    fclose(errors);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 128 + SIGINT);
    assert_int_equal(count_files(*context, 0), files);
}

/* Where standard error is a file or a pipe it gets none of this: logs would be full of it, and differ from run to run.
 */
static void progress_is_for_terminals(void **context)
{
    enum { TIMED_OUT = 124 };
    char command[600];
    snprintf(command, sizeof command, "exec 2>&1; timeout -s INT 2 " BHEMU_BUILD_DIR "/bhemu run --timed %s",
             in_folder(*context, "count.yaml"));
    assert_int_equal(run_in_shell(command, output, sizeof output), TIMED_OUT);
    assert_null(strstr(output, "million emulated steps"));
}

/* A core that waits for a word that nobody writes. */
static void a_hang_is_told_once(void **context)
{
    const struct folder *folder = *context;
    const uint32_t wait[] = {lui(T0, 0x20000), lw(T1, T0, 0), branch(BEQ, T1, ZERO, -4), SELF_JUMP};
    put_elf(folder, "wait.elf", 0x1000, wait, 4);
    put_text(folder, "job.yaml", "tiles:\n  - at: [1, 2]\n    programs: [{core: T0, elf: wait.elf}]\n");
    assert_int_equal(run_in(folder, "", "job.yaml"), 5);
    assert_contains(output, "error: Deadlock: tile (1,2): core T0 at 0x00001004 polls 0x00020000 in L1");
    assert_contains(output, "job.yaml: stopped after ");
    assert_int_equal(lines(), 2);
    put_text(folder, "job.yaml",
             "tiles:\n  - columns: [1, 2, 3, 4, 5, 6, 7, 10, 11, 12, 13, 14, 15, 16]\n"
             "    rows: [2, 3, 4, 5, 6, 7, 8, 9, 10, 11]\n    programs: [{core: T0, elf: wait.elf}]\n");
    assert_int_equal(run_in(folder, "", "job.yaml"), 5);
    assert_contains(output, "\n  139 more tiles like (1,2): (2,2), (3,2), ");
    assert_int_equal(lines(), 3);
}

/* Of a run that gets on; the result is as without. */
static void reports_come_while_a_job_runs(void **context)
{
    assert_int_equal(run_in(*context, "--no-progress --report-every 0.0001 --limit 30000000", "count.yaml"), 5);
    assert_contains(output, "count.yaml: after ");
    assert_contains(output, " emulated steps:\nwarning: Deadlock: tile (1,2): core T0 at 0x0000100");
    assert_contains(output, " runs\n");
    assert_contains(output, "count.yaml: not finished after 30000000 emulated steps (its limit)");
    assert_int_equal(run_in(*context, "--report-every 0.0001", "good.yaml"), 0);
    assert_int_equal(run_in(*context, "--report-every 0", "good.yaml"), 2);
    assert_contains(output, "'0' is no time in seconds between two reports");
    assert_int_equal(run_in(*context, "--report-every 1s", "good.yaml"), 2);
    assert_int_equal(run_in(*context, "--report-every nan", "good.yaml"), 2);
}

/* Written if the job does not end well. */
static void a_hang_can_be_drawn(void **context)
{
    const struct folder *folder = *context;
    const uint32_t wait[] = {lui(T0, 0xFFEC0000), lw(T1, T0, 0), SELF_JUMP};
    char option[600], text[4000] = "";
    put_elf(folder, "wait.elf", 0x1000, wait, 3);
    put_text(folder, "job.yaml", "tiles:\n  - at: [1, 2]\n    programs: [{core: T0, elf: wait.elf}]\n");
    snprintf(option, sizeof option, "--report-dot %s/waits.dot", folder->path);
    assert_int_equal(run_in(folder, option, "good.yaml"), 0);
    assert_int_equal(access(in_folder(folder, "waits.dot"), R_OK), -1);
    assert_int_equal(run_in(folder, option, "job.yaml"), 5);
    FILE *file = fopen(in_folder(folder, "waits.dot"), "r");
    assert_non_null(file);
    assert_true(fread(text, 1, sizeof text - 1, file) > 0);
    fclose(file);
    assert_memory_equal(text, "digraph waits {\n", 16);
    assert_non_null(strstr(text, "    t0n1_ [shape=plaintext, label=\"B is in reset\"];\n"));
    assert_int_equal(run_in(folder, "--report-dot /no/such/folder/waits.dot", "job.yaml"), 2);
    snprintf(option, sizeof option, "--report-dot %s/waits.dot %s/good.yaml", folder->path, folder->path);
    assert_int_equal(run_in(folder, option, "job.yaml"), 2);
    assert_contains(output, "--report-dot is for one job; here are 2");
}

/* Both streams go into one pipe. */
/* Before the first job runs. */
static void files_that_can_not_be_written_are_refused(void **context)
{
    static const struct {
        const char *options, *said;
    } wrong[] = {
        {"--trace none/trace.json", "--trace none/trace.json: No such file or directory"},
        {"--junit .", "--junit .: Is a directory"},
        {"--trace good.yaml", "--trace good.yaml: that is the job, which would be lost"},
        {"--log ../$(basename $PWD)/good.yaml", "that is the job, which would be lost"},
        {"--trace one --profile-json ./one", "--profile-json ./one: that is the file of --trace, too"},
        {"--save one --save-at 5 one", "--save-at one: that is the file of --save, too"},
        {"--dump dst:./good.yaml", "--dump ./good.yaml: that is the job, which would be lost"},
        {"--log one --dump dst:one", "that is the file of --"},
        {"--log good.elf", "--log good.elf: that is the file good.elf, which the job reads"},
        {"--save ./good.elf", "--save ./good.elf: that is the file good.elf, which the job reads"},
        {"--junit good.elf", "--junit good.elf: that is the file good.elf, which the job reads"},
        {"--profile-json out.npy", "--profile-json out.npy: that is the output out.npy, too"},
        {"--check --check-suppress good.elf --log good.elf",
         "that is the file of --check-suppress, which would be lost"},
    };
    const struct folder *folder = *context;
    char command[1024];
    for (unsigned i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        snprintf(command, sizeof command, "exec 2>&1; cd %s && %s/bhemu run %s good.yaml", folder->path,
                 BHEMU_BUILD_DIR, wrong[i].options);
        assert_int_equal(run_in_shell(command, output, sizeof output), 2);
        assert_contains(output, wrong[i].said);
        assert_null(strstr(output, "good.yaml: ok"));
    }
    assert_int_equal(run_in(folder, "", "good.yaml"), 0); /* nothing has been lost */
    snprintf(command, sizeof command, "exec 2>&1; cd %s && %s/bhemu run --log /dev/null --trace /dev/null good.yaml",
             folder->path, BHEMU_BUILD_DIR);
    assert_int_equal(run_in_shell(command, output, sizeof output), 0);
}

static void what_jobs_say_comes_in_their_order(void **context)
{
    char arguments[2048];
    const char *folder = ((const struct folder *)*context)->path;
    snprintf(arguments, sizeof arguments, "%s/good.yaml %s/wild.yaml %s/good.yaml %s/none.yaml", folder, folder, folder,
             folder);
    assert_int_equal(run(arguments), 2);
    static const char *const order[] = {"good.yaml: ok\n",    "(0 compared",     "error: Undefined",
                                        "wild.yaml: stopped", "good.yaml: ok\n", "none.elf: No such"};
    const char *at = output;
    for (unsigned i = 0; i < sizeof order / sizeof *order; i++) {
        at = strstr(at, order[i]);
        if (!at) {
            fail_msg("\"%s\" is not behind what comes before it in\n%s", order[i], output);
        }
        at++;
    }
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_good_job_exits_with_0),
        TEST(a_different_output_exits_with_1),
        TEST(bad_input_exits_with_2_and_one_line),
        TEST(the_worst_of_several_jobs_counts),
        TEST(a_wrong_command_line_exits_with_2),
        TEST(a_wild_program_exits_with_4_and_says_where),
        TEST(a_limit_ends_the_run_and_tells_where_it_was),
        TEST(policies_may_be_chosen),
        TEST(places_are_told_by_their_source),
        TEST(hangs_are_found_in_both_modes),
        TEST(a_long_run_tells_its_progress_and_can_be_interrupted),
        TEST(progress_is_for_terminals),
        TEST(a_hang_is_told_once),
        TEST(reports_come_while_a_job_runs),
        TEST(a_hang_can_be_drawn),
        TEST(files_that_can_not_be_written_are_refused),
        TEST(what_jobs_say_comes_in_their_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
