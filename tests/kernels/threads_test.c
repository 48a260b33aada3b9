/* Jobs on several tiles give the same bits, clocks and counts with any number of host threads. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#include <cmocka.h>

#include "bhemu/job.h"

static struct bh_run_result run(const char *name, enum bh_mode mode, unsigned threads)
{
    char path[4096];
    struct bh_job *job;
    struct bh_job_options options = {.policy = -1, .threads = threads, .mode = mode};
    struct bh_job_result result = {};
    struct bh_error error = {};
    snprintf(path, sizeof path, BHEMU_SOURCE_DIR "/kernels/jobs/%s.yaml", name);
    assert_int_equal(bh_job_load(path, &job, &error), BH_OK);
    if (bh_job_run(job, &options, &result, &error) != BH_OK) {
        fail_msg("%s, %u threads: %s", name, threads, error.text);
    }
    bh_job_free(job);
    assert_true(result.outputs_compared > 0);
    assert_int_equal(result.outputs_differ, 0);
    return result.run;
}

static void run_on_threads(enum bh_mode mode)
{
    static const char *const names[] = {"all_reduce", "credits",     "dram_add", "dram_feed",
                                        "messages",   "matmul_grid", "matmul128"};
    static const unsigned threads[] = {2, 3, 8};
    if (access(BHEMU_SOURCE_DIR "/build/kernels/matmul_grid.brisc.elf", R_OK) != 0) {
        skip(); /* jobs name the kernels of this folder */
    }
    for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++) {
        struct bh_run_result one = run(names[i], mode, 1);
        for (unsigned j = 0; j < sizeof threads / sizeof threads[0]; j++) {
            struct bh_run_result other = run(names[i], mode, threads[j]);
            assert_int_equal(other.reason, one.reason);
            assert_int_equal(other.cycles, one.cycles);
            assert_int_equal(other.riscv_instructions, one.riscv_instructions);
            assert_int_equal(other.tensix_instructions, one.tensix_instructions);
        }
    }
}

static void jobs_do_the_same_on_any_number_of_threads(void **context)
{
    run_on_threads(BH_MODE_FUNCTIONAL);
}

static void jobs_take_the_same_time_on_any_number_of_threads(void **context)
{
    run_on_threads(BH_MODE_TIMED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(jobs_do_the_same_on_any_number_of_threads),
                                       cmocka_unit_test(jobs_take_the_same_time_on_any_number_of_threads)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
