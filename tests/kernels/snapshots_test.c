/* Jobs that are interrupted by a snapshot: restored to the same device and run on, or restored to another one, with
   another engine or other threads, they end as those that were run on: the same state, bit for bit, with the same
   clocks and counts, and with the outputs that are expected. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "../host/kernels.h"
#include "../snapshot_compare.h"
#include "bhemu/job.h"
#include "bhemu/snapshot.h"

static const char *const jobs[] = {"add1",        "all_reduce", "credits",        "dram_add",      "dram_feed",
                                   "eltwise_add", "matmul128",  "matmul32_hifi4", "matmul32_lofi", "matmul_grid",
                                   "messages",    "metal_add",  "fused"};

/* Runs on, or what it did then is taken back; or it begins with the file of one that ran on. */
enum visit_kind { RUNS_ON, RESTORES, BEGINS_WITH };

/* What happens to a job at a clock. */
struct visit {
    enum visit_kind kind;
    uint64_t at;
    unsigned visits;
    struct bh_snapshot *taken, *ended;
    uint64_t clock;
};

static char file[] = "/tmp/bhemu-snapshot-XXXXXX";

static uint64_t stop_at(void *context, struct bh_device *device)
{
    struct visit *visit = context;
    (void)device;
    return visit->visits || visit->kind == BEGINS_WITH ? UINT64_MAX : visit->at;
}

static enum bh_status reached(void *context, struct bh_device *device, struct bh_error *error)
{
    struct visit *visit = context;
    visit->visits++;
    assert_int_equal(bh_snapshot_take(device, &visit->taken), BH_OK);
    assert_int_equal(bh_snapshot_clock(visit->taken), bh_clock(device));
    if (visit->kind == RESTORES) {
        struct bh_run_result result;
        (void)bh_run(device, 777, &result);
        assert_int_equal(bh_snapshot_restore(device, visit->taken, error), BH_OK);
    }
    return BH_OK;
}

static enum bh_status ended(void *context, struct bh_device *device, enum bh_status how, struct bh_error *error)
{
    struct visit *visit = context;
    (void)how;
    (void)error;
    visit->clock = bh_clock(device);
    assert_int_equal(bh_snapshot_take(device, &visit->ended), BH_OK);
    return BH_OK;
}

struct way {
    enum bh_mode mode;
    enum bh_engine engine;
    unsigned threads;
};

static struct bh_run_result run(const char *name, const struct way *way, struct visit *visit)
{
    char path[4096];
    struct bh_job *job;
    const struct bh_job_hook hook = {.context = visit, .stop = stop_at, .reached = reached, .ended = ended};
    const struct bh_job_hook *hooks[] = {&hook};
    const struct bh_job_save save = {visit->at, file};
    struct bh_job_options options = {.policy = -1,
                                     .saves = &save,
                                     .save_count = visit->kind == RUNS_ON && visit->at != UINT64_MAX,
                                     .restore = visit->kind == BEGINS_WITH ? file : NULL,
                                     .threads = way->threads,
                                     .mode = way->mode,
                                     .engine = way->engine,
                                     .hooks = hooks,
                                     .hook_count = 1};
    struct bh_job_result result = {};
    struct bh_error error = {};
    snprintf(path, sizeof path, BHEMU_SOURCE_DIR "/kernels/jobs/%s.yaml", name);
    assert_int_equal(bh_job_load(path, &job, &error), BH_OK);
    if (bh_job_run(job, &options, &result, &error) != BH_OK) {
        fail_msg("%s: %s", name, error.text);
    }
    bh_job_free(job);
    assert_true(result.outputs_compared > 0);
    if (result.outputs_differ) {
        fail_msg("%s at %u: %s", name, (unsigned)visit->at, result.mismatch.text);
    }
    return result.run;
}

static void assert_same(const char *name, const struct visit *one, const struct visit *other)
{
    assert_int_equal(one->clock, other->clock);
    char text[200];
    if (!snapshots_are_same(one->ended, other->ended, text, sizeof text)) {
        fail_msg("%s, interrupted at %u: its end differs in %s", name, (unsigned)one->at, text);
    }
}

static void free_visit(struct visit *visit)
{
    bh_snapshot_free(visit->taken);
    bh_snapshot_free(visit->ended);
}

/* The job, interrupted at a clock; false: it is over by then. */
static bool check(const char *name, const struct way *way, const struct way *other, uint64_t at, uint64_t end)
{
    struct visit on = {.kind = RUNS_ON, .at = at}, restored = {.kind = RESTORES, .at = at},
                 begun = {.kind = BEGINS_WITH, .at = at};
    if (at >= end) {
        return false;
    }
    struct bh_run_result expected = run(name, way, &on),
                         found[] = {run(name, way, &restored), run(name, other, &begun)};
    assert_int_equal(on.visits, 1);
    for (unsigned i = 0; i < 2; i++) {
        assert_int_equal(found[i].reason, expected.reason);
        assert_int_equal(found[i].cycles, expected.cycles);
        assert_int_equal(found[i].riscv_instructions, expected.riscv_instructions);
        assert_int_equal(found[i].tensix_instructions, expected.tensix_instructions);
    }
    assert_same(name, &on, &restored);
    assert_same(name, &on, &begun);
    free_visit(&restored);
    free_visit(&begun);
    free_visit(&on);
    return true;
}

enum { CLOCKS = 4 };

/* Each job at clocks that are spread over it, in different ways. */
static void check_all(enum bh_mode mode)
{
    static const struct way kinds[] = {
        {.threads = 1}, {.threads = 2}, {.threads = 8}, {.threads = 1, .engine = BH_ENGINE_PLAIN}};
    unsigned checked = 0;
    for (unsigned i = 0; i < sizeof jobs / sizeof *jobs; i++) {
        struct way way = kinds[0], other;
        way.mode = mode;
        struct visit whole = {.kind = RUNS_ON, .at = UINT64_MAX};
        (void)run(jobs[i], &way, &whole);
        for (unsigned j = 0; j < CLOCKS; j++) {
            way = kinds[(i + j) % 4];
            other = kinds[(i + j + 1 + j % 3) % 4];
            way.mode = other.mode = mode;
            checked += check(jobs[i], &way, &other, whole.clock * (3 * j + 1) / (3 * CLOCKS) + i, whole.clock);
        }
        free_visit(&whole);
    }
    assert_int_equal(checked, CLOCKS * sizeof jobs / sizeof *jobs);
}

static void jobs_run_on_as_if_nothing_had_been(void **context)
{
    (void)context;
    need_kernels_of_jobs();
    check_all(BH_MODE_FUNCTIONAL);
}

static void jobs_in_timed_mode_do_so(void **context)
{
    (void)context;
    need_kernels_of_jobs();
    check_all(BH_MODE_TIMED);
}

static int make_file(void **context)
{
    int descriptor = mkstemp(file);
    (void)context;
    close(descriptor);
    return descriptor >= 0 && snapshot_find_members() ? 0 : -1;
}

static int remove_file(void **context)
{
    (void)context;
    return unlink(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(jobs_run_on_as_if_nothing_had_been),
                                       cmocka_unit_test(jobs_in_timed_mode_do_so)};
    return cmocka_run_group_tests(tests, make_file, remove_file);
}
