/* bhemu run for jobs on several chips: whose prints, diagnostics, logs and dumps these are, and what is refused. */
#include "host/files.h"
#include "host/kernels.h"
#include "host/process.h"

static char output[1 << 16];

static int run(const struct folder *folder, const char *arguments)
{
    char command[4096];
    snprintf(command, sizeof command, "exec 2>&1; cd %s && %s/bhemu run --output %s --no-progress %s", BHEMU_SOURCE_DIR,
             BHEMU_BUILD_DIR, folder->path, arguments);
    return run_in_shell(command, output, sizeof output);
}

/* `tiles` of chips 0 and 1 of a system. */
static const char *put_job(struct folder *folder, const char *chip0, const char *chip1)
{
    static char text[4096];
    snprintf(text, sizeof text,
             "system: x2\nlimit: 1000000\nchips:\n  - chips: [0]\n    tiles:\n%s  - chips: [1]\n    tiles:\n%s", chip0,
             chip1);
    return put_text(folder, "job.yaml", text);
}

#define KERNEL(name) BHEMU_BUILD_DIR "/kernels/" name ".elf"
#define HELLO                                                                                                          \
    "      - at: [1, 2]\n        programs: [{core: B, elf: " KERNEL(                                                   \
        "hello.brisc") "}]\n"                                                                                          \
                       "        words: [{address: 0x16100, values: [1, 0, 0, 0, 0, 0]}]\n"
#define WILD                                                                                                           \
    "      - at: [3, 4]\n        programs: [{core: T1, elf: " KERNEL(                                                  \
        "wild_store.trisc1") "}]\n"                                                                                    \
                             "        words: [{address: 0x16100, values: [0x30000, 0x40000, 0x50000, 2, 2, 1, 0]}]\n"
#define FORGOTTEN "      - {at: [3, 4], programs: [{core: T1, elf: " KERNEL("forgotten_flag.trisc1") "}]}\n"
#define FORGOTTEN_ELSEWHERE "      - {at: [5, 4], programs: [{core: T1, elf: " KERNEL("forgotten_flag.trisc1") "}]}\n"

static void assert_says(const char *text)
{
    if (!strstr(output, text)) {
        fail_msg("no \"%s\" in:\n%s", text, output);
    }
}

static unsigned count_lines(const struct folder *folder, const char *name)
{
    unsigned lines = 0;
    FILE *file = fopen(in_folder(folder, name), "r");
    assert_non_null(file);
    for (int c; (c = getc(file)) != EOF;) {
        lines += c == '\n';
    }
    fclose(file);
    return lines;
}

static void prints_name_their_chip(void **context)
{
    need_kernels();
    assert_int_equal(run(*context, put_job(*context, HELLO, HELLO)), 0);
    assert_says("chip 0 1-2 B: ");
    assert_says("chip 1 1-2 B: ");
}

static void diagnostics_name_their_chip_and_its_source_lines(void **context)
{
    need_kernels();
    assert_int_equal(run(*context, put_job(*context, HELLO, WILD)), 4);
    assert_says("error: UndefinedBehavior: chip 1 tile (3,4) core T1 pc 0x");
    assert_says("clear (kernels/broken/wild_store.c:7), in kernel_main (kernels/broken/wild_store.c:13)");
    assert_says(": stopped after ");
}

static void who_waits_is_told_for_each_chip(void **context)
{
    need_kernels();
    assert_int_equal(run(*context, put_job(*context, FORGOTTEN, FORGOTTEN)), 5);
    assert_says("chip 0 tile (3,4)");
    assert_says("  1 more chip like chip 0: 1");
    assert_says("kernels/broken/forgotten_flag.c:");
    assert_int_equal(run(*context, put_job(*context, FORGOTTEN, FORGOTTEN_ELSEWHERE)), 5);
    assert_says("chip 0 tile (3,4)");
    assert_says("chip 1 tile (5,4)");
}

static void logs_and_dumps_are_of_one_chip(void **context)
{
    struct folder *folder = *context;
    need_kernels();
    const char *job = put_job(folder, HELLO, WILD);
    char arguments[2048];
    snprintf(arguments, sizeof arguments, "--chip 0 --log %s --tile 3-4 %s", in_folder(folder, "log"), job);
    assert_int_equal(run(folder, arguments), 4);
    assert_int_equal(count_lines(folder, "log"), 0);
    snprintf(arguments, sizeof arguments, "--chip 1 --log %s --tile 3-4 %s", in_folder(folder, "log"), job);
    assert_int_equal(run(folder, arguments), 4);
    assert_true(count_lines(folder, "log") > 10);
    snprintf(arguments, sizeof arguments, "--chip 1 --dump semaphores --dump cores:%s/cores %s/job.yaml", folder->path,
             folder->path);
    assert_int_equal(run(folder, arguments), 4);
    assert_says("tile 3-4, clock ");
    assert_says(", at a stop\n  semaphores\n");
    assert_true(count_lines(folder, "cores") > 10);
}

/* Clocks are those of all chips. */
static void dumps_and_reports_come_at_their_clock(void **context)
{
    struct folder *folder = *context;
    need_kernels();
    for (unsigned timed = 0; timed < 2; timed++) {
        char arguments[2048];
        snprintf(arguments, sizeof arguments, "%s --chip 1 --dump rwcs --dump-at 1234 --dump-at 2000 %s",
                 timed ? "--timed" : "", put_job(folder, FORGOTTEN, HELLO));
        assert_int_equal(run(folder, arguments), 5); /* chip 0 hangs */
        assert_says("tile 1-2, clock 1234, as asked for\n  rwcs\n");
        assert_says("tile 1-2, clock 2000, as asked for\n  rwcs\n");
        snprintf(arguments, sizeof arguments, "%s --chip 1 --dump rwcs --dump-at T1:kernel_main %s",
                 timed ? "--timed" : "", put_job(folder, HELLO, WILD));
        assert_int_equal(run(folder, arguments), 4);
        assert_says(", at T1:kernel_main\n  pc 0x");
    }
    const uint32_t count[] = {addi(T0, T0, 1), jump(-4)};
    put_elf(folder, "count.elf", 0x1000, count, 2);
    put_text(folder, "count.yaml",
             "system: x2\nlimit: 4000000\nchips:\n  - chips: [1]\n    tiles:\n"
             "      - {at: [1, 2], programs: [{core: T0, elf: count.elf}]}\n");
    char arguments[2048];
    snprintf(arguments, sizeof arguments, "--chip 1 --report-every 0.0001 %s", in_folder(folder, "count.yaml"));
    assert_int_equal(run(folder, arguments), 5);
    assert_says(" emulated steps:\nwarning: Deadlock: chip 1 tile (1,2): core T0 at 0x0000100");
}

/* A snapshot of one chip would be worth nothing without the others. */
static void what_is_not_for_several_chips_is_refused(void **context)
{
    struct folder *folder = *context;
    char arguments[2048];
    need_kernels();
    snprintf(arguments, sizeof arguments, "--save-at 100 %s %s", in_folder(folder, "saved"),
             put_job(folder, HELLO, HELLO));
    assert_int_equal(run(folder, arguments), 2);
    assert_says("a snapshot of one chip is not for a job on several; those of all chips are: ");
    snprintf(arguments, sizeof arguments, "--gdb 0 --tile 8-0 %s", put_job(folder, HELLO, HELLO));
    assert_int_equal(run(folder, arguments), 2);
    assert_says("gdb: there is no tile with RISC-V cores at: 8-0");
}

static void chips_that_are_not_there_are_refused(void **context)
{
    char arguments[2048];
    need_kernels();
    const char *job = put_job(*context, HELLO, HELLO);
    snprintf(arguments, sizeof arguments, "--chip 2 %s", job);
    assert_int_equal(run(*context, arguments), 2);
    assert_says(": there is no chip 2");
    assert_int_equal(run(*context, "--chip one x.yaml"), 2);
    assert_says("--chip: 'one' is no number of a chip, 0 to 16383");
}

/* Both chips count for a long time. */
static void put_counting_job(struct folder *folder)
{
    const uint32_t count[] = {addi(T0, T0, 1), jump(-4)};
    put_elf(folder, "count.elf", 0x1000, count, 2);
    put_text(folder, "count.yaml",
             "system: x2\nlimit: 400000000000\nchips:\n  - chips: [0, 1]\n    tiles:\n"
             "      - {at: [1, 2], programs: [{core: T0, elf: count.elf}]}\n");
}

/* One of two processes is killed while both run: the other one ends, and it is said which chips were lost. */
static void a_process_that_dies_is_named(void **context)
{
    struct folder *folder = *context;
    char command[2048];
    put_counting_job(folder);
    snprintf(command, sizeof command,
             "exec 2>&1; %s/bhemu run --no-progress --processes 2 %s/count.yaml & parent=$!; "
             "for i in $(seq 1000); do [ $(pgrep -P $parent | wc -l) = 2 ] && break; sleep 0.01; done; sleep 0.1; "
             "kill -9 $(pgrep -P $parent | tail -n 1); wait $parent",
             BHEMU_BUILD_DIR, folder->path);
    assert_int_equal(run_in_shell(command, output, sizeof output), 6);
    assert_says("count.yaml: process 1 (chip 1) was ended by signal 9 at cycle ");
    assert_says("; the others have ended");
}

/* A signal that only the parent gets ends them all; so does one that can not begin, by itself. */
static void processes_end_together(void **context)
{
    struct folder *folder = *context;
    char command[4096];
    put_counting_job(folder);
    snprintf(command, sizeof command,
             "exec 2>&1; %s/bhemu run -q --no-progress --processes 2 %s/count.yaml & parent=$!; "
             "for i in $(seq 1000); do [ $(pgrep -P $parent | wc -l) = 2 ] && break; sleep 0.01; done; sleep 0.1; "
             "kill -TERM $parent; wait $parent",
             BHEMU_BUILD_DIR, folder->path);
    assert_int_equal(run_in_shell(command, output, sizeof output), 128 + 15);
    snprintf(command, sizeof command,
             "exec 2>&1; cd %s; run='timeout 60 %s/bhemu run -q --no-progress'; "
             "$run --limit 3000000 --save-every 1000000 saved count.yaml; "
             "for one in saved/*; do cp $one/chip-0.snapshot $one/chip-1.snapshot; done; "
             "$run --processes 2 --resume saved count.yaml",
             folder->path, BHEMU_BUILD_DIR);
    assert_int_equal(run_in_shell(command, output, sizeof output), 2);
    assert_says("chip-1.snapshot: ");
}

/* The same, of a job that saves snapshots, and then goes on from the last one in one process. With this latency looking
   for chips that spin ends behind the end of an epoch in which a snapshot is due. */
static void a_job_goes_on_after_a_process_has_died(void **context)
{
    struct folder *folder = *context;
    /* Counts to 40 million, and stores the count. */
    const uint32_t count[] = {lui(T1, 0x2626000), addi(T0, T0, 1), branch(BNE, T0, T1, -4),
                              lui(T2, 0x30000),   sw(T0, T2, 0),   SELF_JUMP};
    char command[4096];
    put_elf(folder, "count.elf", 0x1000, count, 6);
    put_text(folder, "count.yaml",
             "system: x2\nlatency: 480\nchips:\n  - chips: [0, 1]\n    tiles:\n"
             "      - at: [1, 2]\n        programs: [{core: T0, elf: count.elf}]\n");
    snprintf(command, sizeof command,
             "exec 2>&1; cd %s; %s/bhemu run --no-progress count.yaml | grep steps; "
             "%s/bhemu run --no-progress --processes 2 --save-every 1000000 saved count.yaml & parent=$!; "
             "for i in $(seq 1000); do ls saved/*/manifest > /dev/null 2>&1 && break; sleep 0.01; done; "
             "kill -9 $(pgrep -P $parent | tail -n 1); wait $parent; "
             "%s/bhemu run --no-progress --resume saved count.yaml | grep steps; rm -r saved",
             folder->path, BHEMU_BUILD_DIR, BHEMU_BUILD_DIR, BHEMU_BUILD_DIR);
    assert_int_equal(run_in_shell(command, output, sizeof output), 0);
    assert_says("count.yaml: process 1 (chip 1) was ended by signal 9 at cycle ");
    assert_says("; --resume saved goes on from cycle ");
    const char *steps = strstr(output, "emulated steps"), *again = steps ? strstr(steps + 1, "emulated steps") : NULL;
    assert_non_null(again);
    assert_int_equal(strncmp(steps, again, strcspn(steps, "\n")), 0);
}

/* A manifest that lacks some of its text, or has more, is none. */
static void a_job_goes_on_from_the_latest_whole_snapshot(void **context)
{
    struct folder *folder = *context;
    static const char *const harms[] = {"truncate -s 0", "truncate -s -1",  "truncate -s -12",
                                        "echo more >>",  "printf '\\0' >>", "cp ../10560/manifest"};
    char command[4096];
    need_kernels_of_jobs();
    for (unsigned i = 0; i < sizeof harms / sizeof *harms; i++) {
        snprintf(command, sizeof command,
                 "exec 2>&1; run='%s/bhemu run --no-progress'; job=%s/kernels/jobs/link_copy.yaml; cd %s; "
                 "$run $job | grep -v seconds > whole; $run -q --save-every 5000 saved $job; "
                 "[ -r saved/10560/manifest ] && cd saved/15840 && %s manifest && cd ../.. && "
                 "$run --resume saved $job | grep -v seconds | cmp whole - && %s saved/10560/manifest && "
                 "$run --resume saved $job; rm -r saved",
                 BHEMU_BUILD_DIR, BHEMU_SOURCE_DIR, folder->path, harms[i], i ? "echo more >>" : "truncate -s 0");
        (void)run_in_shell(command, output, sizeof output);
        assert_says("bhemu: saved: there is no whole snapshot of a job on several chips\n");
        assert_null(strstr(output, "whole -"));
    }
}

static void snapshots_that_do_not_fit_are_refused(void **context)
{
    struct folder *folder = *context;
    char arguments[2048], saved[600];
    need_kernels_of_jobs();
    snprintf(saved, sizeof saved, "%s/saved", folder->path);
    snprintf(arguments, sizeof arguments, "--resume %s kernels/jobs/link_copy.yaml", saved);
    assert_int_equal(run(folder, arguments), 2);
    assert_says(": there is no whole snapshot of a job on several chips");
    snprintf(arguments, sizeof arguments, "--save-every 5000 %s kernels/jobs/link_copy.yaml", saved);
    assert_int_equal(run(folder, arguments), 0);
    snprintf(arguments, sizeof arguments, "--timed --resume %s kernels/jobs/link_copy.yaml", saved);
    assert_int_equal(run(folder, arguments), 2);
    assert_says("manifest: it is of functional mode, and this run is in timed mode");
    snprintf(arguments, sizeof arguments, "--resume %s kernels/jobs/link_matmul2.yaml", saved);
    assert_int_equal(run(folder, arguments), 2);
    assert_says("manifest: it is of another job than kernels/jobs/link_matmul2.yaml");
    snprintf(arguments, sizeof arguments, "--resume %s kernels/jobs/link_matmul4.yaml", saved);
    assert_int_equal(run(folder, arguments), 2);
    assert_says("manifest: it is of 2 chips; the job's system has 4");
    snprintf(arguments, sizeof arguments,
             "--resume %s kernels/jobs/link_copy.yaml; cd %s; truncate -s 100000 */chip-1.snapshot", saved, saved);
    assert_int_equal(run(folder, arguments), 0);
    snprintf(arguments, sizeof arguments, "--resume %s kernels/jobs/link_copy.yaml; rm -r %s", saved, saved);
    (void)run(folder, arguments);
    assert_says("chip-1.snapshot: ");
    assert_int_equal(run(folder, "--save-every 0 x kernels/jobs/link_copy.yaml"), 2);
    snprintf(arguments, sizeof arguments, "--save-every 400 %s kernels/jobs/add1.yaml", saved);
    assert_int_equal(run(folder, arguments), 2);
    assert_says("it is on one chip, whose snapshots are single files");
}

static void processes_that_can_not_be_are_refused(void **context)
{
    char arguments[2048];
    need_kernels();
    const char *job = put_job(*context, HELLO, HELLO);
    snprintf(arguments, sizeof arguments, "--processes 3 %s", job);
    assert_int_equal(run(*context, arguments), 2);
    assert_says(": 3 processes for 2 chips");
    snprintf(arguments, sizeof arguments, "--processes 2 --log /dev/null %s", job);
    assert_int_equal(run(*context, arguments), 2);
    assert_says("logs, traces, dumps and the like are of a job in one process");
    assert_int_equal(run(*context, "--processes 2 kernels/jobs/add1.yaml"), 2);
    assert_says("it is on one chip, which one process has");
    assert_int_equal(run(*context, "--processes 65 kernels/jobs/add1.yaml"), 2);
}

static void processes_print_and_stop_as_one_does(void **context)
{
    char arguments[2048];
    need_kernels();
    snprintf(arguments, sizeof arguments, "--processes 2 %s", put_job(*context, HELLO, WILD));
    assert_int_equal(run(*context, arguments), 4);
    assert_says("chip 0 1-2 B: hello from B, round 0");
    assert_says("error: UndefinedBehavior: chip 1 tile (3,4) core T1 pc 0x");
    assert_says("clear (kernels/broken/wild_store.c:7)");
    assert_says(": stopped after ");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        FOLDER_TEST(prints_name_their_chip),
        FOLDER_TEST(diagnostics_name_their_chip_and_its_source_lines),
        FOLDER_TEST(who_waits_is_told_for_each_chip),
        FOLDER_TEST(logs_and_dumps_are_of_one_chip),
        FOLDER_TEST(dumps_and_reports_come_at_their_clock),
        FOLDER_TEST(what_is_not_for_several_chips_is_refused),
        FOLDER_TEST(chips_that_are_not_there_are_refused),
        FOLDER_TEST(a_process_that_dies_is_named),
        FOLDER_TEST(processes_end_together),
        FOLDER_TEST(a_job_goes_on_after_a_process_has_died),
        FOLDER_TEST(a_job_goes_on_from_the_latest_whole_snapshot),
        FOLDER_TEST(snapshots_that_do_not_fit_are_refused),
        FOLDER_TEST(processes_that_can_not_be_are_refused),
        FOLDER_TEST(processes_print_and_stop_as_one_does),
    };
    return cmocka_run_group_tests_name("systems_command", tests, NULL, NULL);
}
