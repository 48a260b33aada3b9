/* The project's kernels over links between chips (kernels/jobs/link_*.yaml): the same bits and cycles for any number of
   threads, and those of one chip. */
#include "../host/files.h"

#include "bhemu/job.h"

struct outcome {
    enum bh_status status;
    struct bh_job_result result;
    struct bh_error error;
};

static bool kernels_are_here(void)
{
    return access(BHEMU_BUILD_DIR "/kernels/built", R_OK) == 0 &&
           strcmp(BHEMU_BUILD_DIR, BHEMU_SOURCE_DIR "/build") == 0; /* the jobs name the kernels of build/ */
}

static struct outcome run_job(const char *name, const struct bh_job_options *options)
{
    struct outcome outcome = {0};
    struct bh_job *job;
    char path[512];
    snprintf(path, sizeof path, BHEMU_SOURCE_DIR "/kernels/jobs/%s.yaml", name);
    outcome.status = bh_job_load(path, &job, &outcome.error);
    if (outcome.status == BH_OK) {
        outcome.status = bh_job_run(job, options, &outcome.result, &outcome.error);
        bh_job_free(job);
    }
    if (outcome.status != BH_OK) {
        fail_msg("%s: %s", name, outcome.error.text);
    }
    return outcome;
}

static const struct {
    const char *name;
    unsigned compared;
} jobs[] = {{"link_copy", 2},    {"link_all_reduce", 4},  {"link_matmul2", 1},
            {"link_matmul4", 1}, {"link_all_gather", 32}, {"link_route", 4}};
enum { JOBS = sizeof jobs / sizeof jobs[0] };

static void outputs_are_as_expected_with_any_number_of_threads(void **context)
{
    if (!kernels_are_here()) {
        skip();
    }
    for (unsigned mode = 0; mode < BH_MODES; mode++) {
        for (unsigned i = 0; i < JOBS; i++) {
            struct outcome first = {0};
            for (unsigned threads = 1; threads <= 8; threads *= 2) {
                const struct bh_job_options options = {
                    .policy = BH_POLICY_STRICT, .no_output_files = true, .threads = threads, .mode = mode};
                struct outcome one = run_job(jobs[i].name, &options);
                first = threads == 1 ? one : first;
                assert_int_equal(one.result.run.reason, BH_RAN_IDLE);
                assert_int_equal(one.result.outputs_compared, jobs[i].compared);
                assert_int_equal(one.result.outputs_differ, 0);
                assert_int_equal(one.result.digest, first.result.digest);
                assert_int_equal(one.result.run.cycles, first.result.run.cycles);
                assert_int_equal(one.result.run.riscv_instructions, first.result.run.riscv_instructions);
            }
        }
    }
}

static void processes_make_no_difference(void **context)
{
    if (!kernels_are_here()) {
        skip();
    }
    for (unsigned mode = 0; mode < BH_MODES; mode++) {
        for (unsigned i = 0; i < JOBS; i++) {
            struct bh_job_options options = {.policy = -1, .no_output_files = true, .mode = mode};
            struct outcome one = run_job(jobs[i].name, &options);
            for (options.processes = 2; options.processes <= (i < 3 ? 2 : 4); options.processes++) {
                struct outcome several = run_job(jobs[i].name, &options);
                assert_int_equal(several.result.outputs_compared, jobs[i].compared);
                assert_int_equal(several.result.outputs_differ, 0);
                assert_int_equal(several.result.digest, one.result.digest);
                assert_int_equal(several.result.run.cycles, one.result.run.cycles);
                assert_int_equal(several.result.run.riscv_instructions, one.result.run.riscv_instructions);
            }
        }
    }
}

/* Whatever was saved when, and however many processes go on. */
static void snapshots_make_no_difference(void **context)
{
    static const uint64_t intervals[] = {400, 7000, 33333};
    if (!kernels_are_here()) {
        skip();
    }
    for (unsigned mode = 0; mode < BH_MODES; mode++) {
        for (unsigned i = 0; i < 3; i++) {
            struct folder folder;
            make_folder(&folder);
            const char *path = folder.path;
            struct bh_job_options options = {.policy = -1, .no_output_files = true, .mode = mode};
            struct outcome one = run_job("link_matmul4", &options);
            options.save_folder = path;
            options.save_every = intervals[i];
            struct outcome saving = run_job("link_matmul4", &options);
            assert_int_equal(saving.result.digest, one.result.digest);
            assert_int_equal(saving.result.run.cycles, one.result.run.cycles);
            options.save_folder = NULL;
            options.resume = path;
            for (options.processes = 1; options.processes <= 3; options.processes++) {
                struct outcome resumed = run_job("link_matmul4", &options);
                assert_int_equal(resumed.result.outputs_differ, 0);
                assert_int_equal(resumed.result.digest, one.result.digest);
                assert_int_equal(resumed.result.run.cycles, one.result.run.cycles);
                assert_int_equal(resumed.result.run.riscv_instructions, one.result.run.riscv_instructions);
                assert_int_equal(resumed.result.run.tensix_instructions, one.result.run.tensix_instructions);
            }
            char command[600];
            snprintf(command, sizeof command, "rm -r '%s'/*/", path);
            assert_int_equal(system(command), 0);
            remove_folder(&folder);
        }
    }
}

static void read_all(const char *path, char **bytes, size_t *size)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    *size = (size_t)ftell(file);
    rewind(file);
    *bytes = malloc(*size);
    assert_int_equal(fread(*bytes, 1, *size, file), *size);
    fclose(file);
}

/* Rows that four chips have made, and one. */
static void a_product_of_four_chips_is_that_of_one(void **context)
{
    if (!kernels_are_here()) {
        skip();
    }
    struct folder folder;
    make_folder(&folder);
    const struct bh_job_options options = {.policy = -1, .output_folder = folder.path};
    (void)run_job("link_matmul4", &options);
    (void)run_job("matmul256x128", &options);
    char *four, *one;
    size_t four_size, one_size;
    read_all(in_folder(&folder, "link_matmul4.npy"), &four, &four_size);
    read_all(in_folder(&folder, "matmul256x128.npy"), &one, &one_size);
    assert_true(one_size > 256 * 128 * 4);
    assert_int_equal(four_size, one_size);
    assert_memory_equal(four, one, one_size);
    free(four);
    free(one);
    remove_folder(&folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(outputs_are_as_expected_with_any_number_of_threads),
        cmocka_unit_test(processes_make_no_difference),
        cmocka_unit_test(snapshots_make_no_difference),
        cmocka_unit_test(a_product_of_four_chips_is_that_of_one),
    };
    return cmocka_run_group_tests_name("kernels.links", tests, NULL, NULL);
}
