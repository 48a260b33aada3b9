/* Snapshots of jobs for users: bhemu run --save-at, --save, --restore. */
#include "host/files.h"
#include "host/process.h"

#include <stdbool.h>

static char output[1 << 16], whole[1 << 16];

static int set_up(void **context)
{
    struct folder *folder = calloc(1, sizeof *folder);
    make_folder(folder);
    const uint32_t count[] = {addi(T0, T0, 1), jump(-4)};
    put_elf(folder, "count.elf", 0x1000, count, 2);
    put_text(folder, "count.yaml",
             "limit: 4000000000\ntiles:\n  - at: [1, 2]\n    programs: [{core: T0, elf: count.elf}]\n"
             "    outputs: [{file: out.npy, address: 0x20000, shape: [1, 1], format: int32}]\n");
    *context = folder;
    return 0;
}

static int tear_down(void **context)
{
    remove_folder(*context);
    free(*context);
    return 0;
}

/* `bhemu run ARGUMENTS` in the source folder, where %s of the arguments is the folder of the test. Returns its exit
   code; `output` is what it printed, without the time that it took. */
static int run_by(const struct folder *folder, const char *environment, const char *arguments)
{
    char command[2000], expanded[1500];
    snprintf(expanded, sizeof expanded, arguments, folder->path, folder->path, folder->path);
    snprintf(command, sizeof command, "exec 2>&1; cd %s && env %s %s/bhemu run %s", BHEMU_SOURCE_DIR, environment,
             BHEMU_BUILD_DIR, expanded);
    int code = run_in_shell(command, output, sizeof output);
    char *seconds = strstr(output, "  seconds ");
    if (seconds) {
        char *end = strchr(seconds, '\n');
        memmove(seconds, end + 1, strlen(end));
    }
    return code;
}

static int run(const struct folder *folder, const char *arguments)
{
    return run_by(folder, "", arguments);
}

static bool kernels_are_here(void)
{
    return access(BHEMU_SOURCE_DIR "/build/kernels/matmul_grid.brisc.elf", R_OK) == 0; /* jobs name this folder */
}

static void jobs_go_on_and_count_on(void **context)
{
    static const char *const jobs[] = {"matmul128", "matmul_grid", "metal_add", "dram_add", "dram_feed"};
    static const char *const modes[] = {"", "--timed"};
    if (!kernels_are_here()) {
        skip();
    }
    for (unsigned i = 0; i < 2 * sizeof jobs / sizeof *jobs; i++) {
        char arguments[300];
        const char *job = jobs[i / 2], *mode = modes[i % 2];
        snprintf(arguments, sizeof arguments, "%s kernels/jobs/%s.yaml", mode, job);
        assert_int_equal(run(*context, arguments), 0);
        memcpy(whole, output, sizeof whole);
        snprintf(arguments, sizeof arguments,
                 "%s --save-at 400 %%s/early --save-at 900 %%s/late --save %%s/end kernels/jobs/%s.yaml", mode, job);
        assert_int_equal(run(*context, arguments), 0);
        assert_string_equal(output, whole);
        static const char *const ways[] = {"--restore %s/early", "--restore %s/late --threads 2",
                                           "--restore %s/end --engine plain"};
        for (unsigned j = 0; j < 3; j++) {
            snprintf(arguments, sizeof arguments, "%s %s kernels/jobs/%s.yaml", mode, ways[j], job);
            assert_int_equal(run(*context, arguments), 0);
            assert_string_equal(output, whole);
        }
    }
}

/* What observers are told from then on is what they would have been told. */
static void logs_go_on(void **context)
{
    static const char *const modes[] = {"", "--timed"};
    if (!kernels_are_here()) {
        skip();
    }
    for (unsigned i = 0; i < 2; i++) {
        char arguments[300];
        snprintf(arguments, sizeof arguments,
                 "-q %s --tile 1-2 --log %%s/whole.log --save-at 5000 %%s/one kernels/jobs/metal_add.yaml", modes[i]);
        assert_int_equal(run(*context, arguments), 0);
        snprintf(arguments, sizeof arguments,
                 "-q %s --tile 1-2 --log %%s/rest.log --restore %%s/one kernels/jobs/metal_add.yaml", modes[i]);
        assert_int_equal(run(*context, arguments), 0);
        char command[2000];
        snprintf(command, sizeof command,
                 "cd %s; lines=$(wc -l <rest.log); [ $lines -gt 5000 ] && tail -n $lines whole.log | cmp - rest.log",
                 ((const struct folder *)*context)->path);
        assert_int_equal(run_in_shell(command, output, sizeof output), 0);
    }
}

/* The host's vector instructions make no difference: what one host has saved another one restores. */
static void other_hosts_go_on(void **context)
{
    static const char *const hosts[] = {"GLIBC_TUNABLES=glibc.cpu.hwcaps=-AVX512F",
                                        "GLIBC_TUNABLES=glibc.cpu.hwcaps=-AVX512F,-AVX2_Usable,-AVX2", ""};
    if (!kernels_are_here()) {
        skip();
    }
    for (unsigned i = 0; i < 3; i++) {
        assert_int_equal(run_by(*context, hosts[i], "--save-at 20000 %s/one kernels/jobs/matmul128.yaml"), 0);
        memcpy(whole, output, sizeof whole);
        assert_int_equal(run_by(*context, hosts[(i + 1) % 3], "--restore %s/one kernels/jobs/matmul128.yaml"), 0);
        assert_string_equal(output, whole);
    }
}

/* Whatever lay in the memory of the process. */
static void a_job_saves_the_same_file_each_time(void **context)
{
    static const struct {
        const char *job;
        unsigned clock;
    } saved[] = {{"messages", 2000}, {"credits", 9000}, {"fused", 9000}, {"matmul32_lofi", 300}, {"fused", 2000}};
    if (!kernels_are_here()) {
        skip();
    }
    for (unsigned i = 0; i < 2 * sizeof saved / sizeof *saved; i++) {
        const char *const names[] = {"one", "other"}, *const environments[] = {"A=1", "A=1234567890123456789"};
        char command[400];
        for (unsigned j = 0; j < 2; j++) {
            char arguments[300];
            snprintf(arguments, sizeof arguments, "-q %s --output %%s --save-at %u %%s/%s kernels/jobs/%s.yaml",
                     i % 2 ? "--timed" : "", saved[i / 2].clock, names[j], saved[i / 2].job);
            (void)run_by(*context, environments[j], arguments);
        }
        const char *folder = ((const struct folder *)*context)->path;
        snprintf(command, sizeof command, "cd %s && if [ -f one ]; then cmp one other && rm one other; fi", folder);
        assert_int_equal(run_in_shell(command, output, sizeof output), 0);
    }
}

static void jobs_that_were_stopped_stop_again(void **context)
{
    if (!kernels_are_here()) {
        skip();
    }
    assert_int_equal(run(*context, "--save %s/stopped kernels/broken/wild_store.yaml"), 4);
    memcpy(whole, output, sizeof whole);
    assert_int_equal(run(*context, "--restore %s/stopped kernels/broken/wild_store.yaml"), 4);
    assert_string_equal(output, whole);
}

/* At once, of all tiles. It is told as it was, although the search for cores that spin is not made again. */
static void deadlocks_are_told_again(void **context)
{
    static const char *const options[] = {"", "--timed", "--dump 'cores'", "--timed --threads 2 --engine plain"};
    const uint32_t poll[] = {lui(T0, 0x20000), lw(T1, T0, 0), branch(BEQ, T1, 0, -4), SELF_JUMP};
    char arguments[300];
    put_elf(*context, "poll.elf", 0x1000, poll, 4);
    put_text(*context, "poll.yaml",
             "tiles:\n  - columns: [1, 2, 3]\n    rows: [2, 3]\n    programs: [{core: T0, elf: poll.elf}]\n"
             "  - at: [5, 5]\n    programs: [{core: T0, elf: poll.elf}, {core: T1, elf: poll.elf}]\n");
    for (unsigned i = 0; i < sizeof options / sizeof *options; i++) {
        snprintf(arguments, sizeof arguments, "--no-progress %s --save %%s/one %%s/poll.yaml", options[i]);
        assert_int_equal(run(*context, arguments), 5);
        assert_contains(output, "Deadlock: tile (5,5)");
        memcpy(whole, output, sizeof whole);
        snprintf(arguments, sizeof arguments, "--no-progress %s --restore %%s/one --save %%s/one %%s/poll.yaml",
                 options[i]);
        for (unsigned j = 0; j < 2; j++) {
            assert_int_equal(run(*context, arguments), 5);
            assert_string_equal(output, whole);
        }
        snprintf(arguments, sizeof arguments, "--no-progress %s --limit 1000 --restore %%s/one %%s/poll.yaml",
                 options[i]);
        assert_int_equal(run(*context, arguments), 5);
        assert_string_equal(output, whole);
    }
}

static void jobs_at_their_limit_go_on_with_another(void **context)
{
    assert_int_equal(run(*context, "--limit 10000 --save %s/limit %s/count.yaml"), 5);
    assert_contains(output, "not finished after 10000 emulated steps (its limit)");
    assert_int_equal(run(*context, "--limit 30000 --restore %s/limit %s/count.yaml"), 5);
    assert_contains(output, "not finished after 30000 emulated steps (its limit)");
}

static void what_is_no_snapshot_of_the_job_is_refused(void **context)
{
    if (!kernels_are_here()) {
        skip();
    }
    assert_int_equal(run(*context, "--limit 1000 --save %s/count %s/count.yaml"), 5);
    assert_int_equal(run(*context, "--restore %s/count kernels/jobs/matmul128.yaml"), 2);
    assert_contains(output, "count: is not restored: it is of another job than kernels/jobs/matmul128.yaml\n");
    assert_int_equal(run(*context, "--timed --restore %s/count %s/count.yaml"), 2);
    assert_contains(output, "it is of functional mode, and the device is in timed mode\n");
    assert_int_equal(run(*context, "--restore %s/count.elf %s/count.yaml"), 2);
    assert_contains(output, "count.elf: is not restored: it is no snapshot\n");
    assert_int_equal(run(*context, "--restore %s/none %s/count.yaml"), 2);
    assert_contains(output, "none: No such file or directory\n");
}

/* Those at the end stop nothing on the way: where the run ends, and where a deadlock is found, stays the same. */
static void dumps_at_the_end_change_no_clock(void **context)
{
    static const char *const jobs[] = {"jobs/matmul32_hifi4", "jobs/add1", "broken/forgotten_flag"};
    if (!kernels_are_here()) {
        skip();
    }
    for (unsigned i = 0; i < sizeof jobs / sizeof *jobs; i++) {
        char arguments[300];
        snprintf(arguments, sizeof arguments, "--save-at 100 %%s/one kernels/%s.yaml", jobs[i]);
        int code = run(*context, arguments);
        memcpy(whole, output, sizeof whole);
        snprintf(arguments, sizeof arguments, "--restore %%s/one --dump all:%%s/all.json kernels/%s.yaml", jobs[i]);
        assert_int_equal(run(*context, arguments), code);
        assert_string_equal(output, whole);
    }
}

/* What kernels print is read at the same clocks, which their print buffers show. */
static void prints_are_read_at_the_same_clocks(void **context)
{
    static const char dump[] = "--no-progress --timed --dump 'l1 0x16c00 1 uint32'";
    if (!kernels_are_here()) {
        skip();
    }
    for (unsigned clock = 200; clock < 2400; clock += 300) {
        char arguments[300];
        snprintf(arguments, sizeof arguments, "-q %s --save-at %u %%s/one kernels/jobs/hello.yaml | grep -A9 ^tile",
                 dump, clock);
        assert_int_equal(run(*context, arguments), 0);
        memcpy(whole, output, sizeof whole);
        snprintf(arguments, sizeof arguments, "-q %s --restore %%s/one kernels/jobs/hello.yaml | grep -A9 ^tile", dump);
        assert_int_equal(run(*context, arguments), 0);
        assert_string_equal(output, whole);
    }
}

/* The same of several chips. */
static void prints_of_chips_are_read_at_the_same_clocks(void **context)
{
    char arguments[600], chips[2000];
    if (!kernels_are_here()) {
        skip();
    }
    snprintf(chips, sizeof chips,
             "system: x2\nchips:\n  - chips: [0, 1]\n    tiles:\n      - at: [1, 2]\n        programs:\n"
             "          - {core: B, elf: %1$s/hello.brisc.elf}\n          - {core: T0, elf: %1$s/hello.trisc0.elf}\n"
             "          - {core: T1, elf: %1$s/hello.trisc1.elf}\n          - {core: T2, elf: %1$s/hello.trisc2.elf}\n"
             "          - {core: NC, elf: %1$s/hello.ncrisc.elf}\n"
             "        words: [{address: 0x16100, values: [9, 0, 0, 0, 0, 0]}]\n",
             BHEMU_SOURCE_DIR "/build/kernels");
    put_text(*context, "chips.yaml", chips);
    for (unsigned limit = 2000; limit < 9000; limit += 1500) {
        static const char dump[] = "--no-progress --timed --dump 'l1 0x16c00 1 uint32'";
        snprintf(arguments, sizeof arguments, "-q %s %%s/chips.yaml | grep -A9 ^tile", dump);
        assert_int_equal(run(*context, arguments), 0);
        memcpy(whole, output, sizeof whole);
        snprintf(arguments, sizeof arguments,
                 "--no-progress --timed --limit %u --save-every 480 %%s/saved%u %%s/chips.yaml", limit, limit);
        assert_int_equal(run(*context, arguments), 5);
        snprintf(arguments, sizeof arguments, "-q %s --resume %%s/saved%u %%s/chips.yaml | grep -A9 ^tile", dump,
                 limit);
        assert_int_equal(run(*context, arguments), 0);
        assert_string_equal(output, whole);
    }
}

/* One that has as many programs and outputs on the same tile. */
static void what_is_of_a_job_like_it_is_refused(void **context)
{
    if (!kernels_are_here()) {
        skip();
    }
    assert_int_equal(run(*context, "-q --save-at 100 %s/one kernels/jobs/matmul32_lofi.yaml"), 0);
    assert_int_equal(run(*context, "-q --restore %s/one kernels/jobs/matmul32_lofi.yaml"), 0);
    assert_int_equal(run(*context, "-q --restore %s/one kernels/jobs/eltwise_add.yaml"), 2);
    assert_contains(output, "is not restored: it is of another job than kernels/jobs/eltwise_add.yaml");
}

static void wrong_options_are_refused(void **context)
{
    assert_int_equal(run(*context, "--save-at never %s/one %s/count.yaml"), 2);
    assert_string_equal(output, "bhemu run: 'never' is no clock to save a snapshot at\n");
    assert_int_equal(run(*context, "%s/count.yaml --save-at 100"), 2);
    assert_string_equal(output, "bhemu run: option '--save-at' requires two arguments\n");
    assert_int_equal(run(*context, "--save %s/one %s/count.yaml %s/count.yaml"), 2);
    assert_string_equal(output, "bhemu run: snapshots are of one job; here are 2\n");
    assert_int_equal(run(*context, "--limit 1000 --save /no/such/folder/one %s/count.yaml"), 2);
    assert_contains(output, "/no/such/folder");
    assert_null(strstr(output, "not finished")); /* it has not begun */
}

static void clocks_that_are_not_reached_are_told(void **context)
{
    if (!kernels_are_here()) {
        skip();
    }
    assert_int_equal(run(*context, "--save-at 100000000 %s/one kernels/jobs/add1.yaml"), 2);
    assert_contains(output, "one: not saved: kernels/jobs/add1.yaml ended at clock ");
    assert_contains(output, ", before 100000000\n");
    assert_int_equal(run(*context, "--save-at 100000000 %s/never --save %s/end kernels/jobs/add1.yaml"), 2);
    assert_int_equal(access(in_folder(*context, "never"), R_OK), -1);
    assert_int_equal(access(in_folder(*context, "end"), R_OK), 0); /* all the same */
    assert_int_equal(run(*context, "--limit 20 --save-at 100000000 %s/none kernels/jobs/add1.yaml"), 2);
    assert_contains(output, "add1.yaml: not finished after 20 emulated steps");
    assert_contains(output, "none: not saved: kernels/jobs/add1.yaml ended at clock 20, before 100000000\n");
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(jobs_go_on_and_count_on),
        TEST(logs_go_on),
        TEST(other_hosts_go_on),
        TEST(a_job_saves_the_same_file_each_time),
        TEST(jobs_that_were_stopped_stop_again),
        TEST(deadlocks_are_told_again),
        TEST(jobs_at_their_limit_go_on_with_another),
        TEST(what_is_no_snapshot_of_the_job_is_refused),
        TEST(what_is_of_a_job_like_it_is_refused),
        TEST(dumps_at_the_end_change_no_clock),
        TEST(prints_are_read_at_the_same_clocks),
        TEST(prints_of_chips_are_read_at_the_same_clocks),
        TEST(wrong_options_are_refused),
        TEST(clocks_that_are_not_reached_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
