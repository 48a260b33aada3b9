/* bhemu run --profile-log, --ops-report, --noc-trace: files are as the readers of tt-metal's profiler want them, and
   say when kernels ran and what they requested. trace/check_profiler.py knows the formats. */
#include "host/kernels.h"
#include "host/shell.h"

#define CHECK "python3 tests/trace/check_profiler.py "

static int tear_down(void **context)
{
    const struct folder *folder = *context;
    (void)shell("rm -rf %s/noc %s/noc1 %s/noc8", folder->path, folder->path, folder->path);
    return remove_folder_of_test(context);
}

/* Runs a job with all three, and checks them: what the checks print. */
static void files_of(const struct folder *folder, const char *job, const char *log, const char *ops, const char *noc,
                     const char *cluster)
{
    const char *path = folder->path;
    succeeds(shell("rm -rf %s/noc && " RUN "--profile-log %s/log.csv --ops-report %s/ops.csv --noc-trace %s/noc %s",
                   path, path, path, path, job));
    succeeds(shell(CHECK "log %s/log.csv", path));
    assert_string_equal(output, log);
    succeeds(shell(CHECK "ops %s/ops.csv", path));
    assert_string_equal(output, ops);
    succeeds(shell(CHECK "noc %s/noc %s", path, cluster));
    assert_string_equal(output, noc);
}

static void readers_get_what_they_want(void **context)
{
    static const char *const modes[] = {"", "--timed "};
    need_kernels_of_jobs();
    for (unsigned mode = 0; mode < 2; mode++) {
        char jobs[3][100];
        static const char *const names[] = {"matmul_grid", "metal_add", "matmul32_lofi"};
        for (unsigned i = 0; i < 3; i++) {
            snprintf(jobs[i], sizeof jobs[i], "%skernels/jobs/%s.yaml", modes[mode], names[i]);
        }
        files_of(*context, jobs[0], "launches=1 tiles=2 zones=10\n", "launches=1\n",
                 "READ=32 SEMAPHORE_INC=4 WRITE_=16 WRITE_MULTICAST=8 files=1\n", "P150");
        files_of(*context, jobs[1], "launches=1 tiles=4 zones=20\n", "launches=1\n", "READ=8 WRITE_=4 files=1\n",
                 "P100");
        files_of(*context, jobs[2], "launches=1 tiles=1 zones=4\n", "launches=1\n", "\n", "P150");
    }
}

/* tt-metal's firmware launches kernels three times: what it does itself is not in there. */
static void each_launch_has_its_own_rows(void **context)
{
    const struct folder *folder = *context;
    succeeds(shell("sed -e 's/kind: tt-metal/kind: tt-metal\\n  times: 3/' "
                   "-e 's|\\.\\./\\.\\./build|" BHEMU_BUILD_DIR "|' -e 's|file: data|file: " BHEMU_SOURCE_DIR
                   "/kernels/jobs/data|' -e 's|expect: data|expect: " BHEMU_SOURCE_DIR
                   "/kernels/jobs/data|' kernels/jobs/metal_add.yaml > %s/job.yaml",
                   folder->path));
    char job[700];
    snprintf(job, sizeof job, "--timed %s", in_folder(folder, "job.yaml"));
    files_of(folder, job, "launches=3 tiles=4 zones=60\n", "launches=3\n", "READ=24 WRITE_=12 files=3\n", "P100");
    succeeds(shell("ls %s/noc", folder->path));
    assert_string_equal(output, "noc_trace_dev0_job_ID1024.json\nnoc_trace_dev0_job_ID2048.json\n"
                                "noc_trace_dev0_job_ID3072.json\ntopology.json\n");
}

/* The time of a kernel is that of its program: from its first instruction to its end. */
static void a_kernel_lasts_from_its_first_instruction_to_its_end(void **context)
{
    const struct folder *folder = *context;
    const uint32_t program[] = {addi(T0, ZERO, 10), addi(T0, T0, -1), branch(BNE, T0, ZERO, -4), SELF_JUMP};
    put_elf(folder, "program.elf", 0x1000, program, 4);
    put_text(folder, "job.yaml", "tiles:\n  - at: [1, 2]\n    programs: [{core: NC, elf: program.elf}]\n");
    succeeds(
        shell(RUN "--profile-log %s/log.csv %s/job.yaml && cat %s/log.csv", folder->path, folder->path, folder->path));
    assert_contains(output, "ARCH: blackhole, CHIP_FREQ[MHz]: 1350, Max Compute Cores: 140\nPCIe slot, core_x, ");
    assert_contains(output, "0,1,2,NCRISC,16155,0,0,1024,,,NCRISC-KERNEL,ZONE_START,0,,\n"
                            "0,1,2,NCRISC,16155,21,0,1024,,,NCRISC-KERNEL,ZONE_END,0,,\n");
    assert_contains(output, ",0,1024,,,BRISC-FW,ZONE_END,0,,\n");
}

static void they_are_the_same_on_any_number_of_threads(void **context)
{
    const struct folder *folder = *context;
    need_kernels_of_jobs();
    for (unsigned threads = 1; threads <= 8; threads += 7) {
        succeeds(shell("cd %s && " RUN
                       "--timed --threads %u --profile-log log%u --ops-report ops%u --noc-trace noc%u " BHEMU_SOURCE_DIR
                       "/kernels/jobs/matmul_grid.yaml",
                       folder->path, threads, threads, threads, threads));
    }
    succeeds(shell("cd %s && cmp log1 log8 && cmp ops1 ops8 && diff -r noc1 noc8", folder->path));
}

static void filters_keep_to_what_they_name(void **context)
{
    const struct folder *folder = *context;
    need_kernels_of_jobs();
    succeeds(shell(RUN "--tile 3-4 --profile-log %s/log.csv kernels/jobs/matmul_grid.yaml && " CHECK "log %s/log.csv",
                   folder->path, folder->path));
    assert_string_equal(output, "launches=1 tiles=1 zones=5\n");
    succeeds(shell(RUN "--from 1 --to 10 --noc-trace %s/noc kernels/jobs/matmul_grid.yaml && ls %s/noc", folder->path,
                   folder->path));
    assert_string_equal(output, "topology.json\n");
}

/* tt-npe would leave out what comes so long after the rest, if times began at 0. */
static void requests_may_be_far_apart(void **context)
{
    const struct folder *folder = *context;
    need_kernels_of_jobs();
    succeeds(shell(RUN "--timed --noc-trace %s/noc kernels/jobs/messages.yaml && " CHECK "noc %s/noc", folder->path,
                   folder->path));
    assert_contains(output, "files=1\n");
}

static void harvested_tiles_are_left_out(void **context)
{
    const struct folder *folder = *context;
    const char *path = folder->path;
    static const struct {
        const char *board, *cores, *cluster;
    } boards[] = {{"full", "140", "P150"}, {"p150a", "120", "P150"}, {"p100a", "120", "P100"}};
    const uint32_t program[] = {addi(T0, ZERO, 1), SELF_JUMP};
    put_elf(folder, "program.elf", 0x1000, program, 2);
    for (unsigned i = 0; i < 3; i++) {
        char text[200];
        snprintf(text, sizeof text, "board: %s\ntiles:\n  - at: [1, 2]\n    programs: [{core: B, elf: program.elf}]\n",
                 boards[i].board);
        put_text(folder, "job.yaml", text);
        succeeds(shell(RUN "--profile-log %s/log.csv --ops-report %s/ops.csv --noc-trace %s/noc %s/job.yaml && " CHECK
                           "noc %s/noc %s && head -1 %s/log.csv && tail -1 %s/ops.csv",
                       path, path, path, path, path, boards[i].cluster, path, path));
        snprintf(text, sizeof text, "Max Compute Cores: %s\n", boards[i].cores);
        assert_contains(output, text);
        snprintf(text, sizeof text, ",blackhole,,,1,%s,", boards[i].cores);
        assert_contains(output, text);
    }
}

/* What runs when all is stopped ends there. */
static void a_broken_program_leaves_whole_files(void **context)
{
    const struct folder *folder = *context;
    need_kernels_of_jobs();
    assert_int_equal(shell(RUN "--profile-log %s/log.csv --ops-report %s/ops.csv kernels/broken/mixed_up.yaml",
                           folder->path, folder->path),
                     5);
    succeeds(shell(CHECK "log %s/log.csv && " CHECK "ops %s/ops.csv", folder->path, folder->path));
    assert_string_equal(output, "launches=1 tiles=1 zones=4\nlaunches=1\n");
}

static void fails(const char *options, int code, const char *text)
{
    assert_int_equal(shell(RUN "%s kernels/jobs/matmul_grid.yaml", options), code);
    assert_contains(output, text);
}

static void what_makes_no_sense_is_said(void **context)
{
    need_kernels_of_jobs();
    fails("--profile-log /no/such/folder/log", 2, "log /no/such/folder/log: No such file or directory");
    fails("--profile-log /dev/full", 6, "log /dev/full: No space left on device; what follows is missing");
    fails("--ops-report /dev/full", 6, "report /dev/full: No space left on device");
    fails("--ops-report /no/such/folder/log", 2, "report /no/such/folder/log: No such file or directory");
    fails("--noc-trace /no/such/folder", 2, "NoC trace /no/such/folder: No such file or directory");
    fails("--noc-trace /dev/null", 2, "NoC trace /dev/null: ");
    fails("--noc-trace /dev/null other.yaml", 2, "--noc-trace is for one job; here are 2");
}

#define FILES_TEST(function) cmocka_unit_test_setup_teardown(function, make_folder_of_test, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        FILES_TEST(readers_get_what_they_want),
        FILES_TEST(each_launch_has_its_own_rows),
        FILES_TEST(a_kernel_lasts_from_its_first_instruction_to_its_end),
        FILES_TEST(they_are_the_same_on_any_number_of_threads),
        FILES_TEST(filters_keep_to_what_they_name),
        FILES_TEST(requests_may_be_far_apart),
        FILES_TEST(harvested_tiles_are_left_out),
        FILES_TEST(a_broken_program_leaves_whole_files),
        FILES_TEST(what_makes_no_sense_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
