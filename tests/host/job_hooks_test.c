/* Hooks of jobs: when they are called, that clocks which they ask for are met exactly, and that a job runs as without
   them. */
#include "job_fixture.h"

static int set_up(void **context)
{
    make_fixture(context);
    struct fixture *fixture = *context;
    const uint32_t count[] = {lui(T0, 0x20000), addi(T2, ZERO, 1000),  addi(T1, T1, 1),
                              sw(T1, T0, 0),    branch(1, T1, T2, -8), SELF_JUMP}; /* bne */
    put_elf(&fixture->folder, "count.elf", 0x1000, count, sizeof count / sizeof count[0]);
    put_text(&fixture->folder, "job.yaml", "tiles:\n  - at: [1, 2]\n    programs: [{core: T0, elf: count.elf}]\n");
    return 0;
}

struct calls {
    unsigned ready, reached, runs, ended;
    uint64_t every, clocks[100];
    uint32_t value; /* of the word that the program counts in, at the end */
    enum bh_status fails, how;
};

static enum bh_status ready(void *context, struct bh_device *device, struct bh_error *error)
{
    struct calls *calls = context;
    calls->ready++;
    assert_int_equal(bh_clock(device), 0);
    return BH_OK;
}

static uint64_t stop(void *context, struct bh_device *device)
{
    const struct calls *calls = context;
    return calls->every && calls->reached < 10 ? (calls->reached + 1) * calls->every : UINT64_MAX;
}

static enum bh_status reached(void *context, struct bh_device *device, struct bh_error *error)
{
    struct calls *calls = context;
    calls->clocks[calls->reached++] = bh_clock(device);
    if (calls->fails != BH_OK) {
        snprintf(error->text, sizeof error->text, "the hook has had enough");
    }
    return calls->fails;
}

static enum bh_status run_device(void *context, struct bh_device *device, uint64_t cycles, struct bh_run_result *result)
{
    struct calls *calls = context;
    calls->runs++;
    return bh_run(device, cycles, result);
}

static enum bh_status ended(void *context, struct bh_device *device, enum bh_status how, struct bh_error *error)
{
    struct calls *calls = context;
    assert_int_equal(calls->ended++, 0);
    calls->how = how;
    return bh_read(device, 1, 2, 0x20000, &calls->value, 4);
}

static enum bh_status run_with(struct fixture *fixture, const struct bh_job_hook *const *hooks, unsigned count)
{
    struct bh_job *job;
    const struct bh_job_options options = {.policy = -1, .hooks = hooks, .hook_count = count};
    assert_int_equal(bh_job_load(in_folder(&fixture->folder, "job.yaml"), &job, &fixture->error), BH_OK);
    enum bh_status status = bh_job_run(job, &options, &fixture->result, &fixture->error);
    bh_job_free(job);
    return status;
}

static void hooks_are_called_at_the_clocks_they_ask_for(void **context)
{
    struct fixture *fixture = *context;
    assert_int_equal(run_with(fixture, NULL, 0), BH_OK);
    const struct bh_run_result alone = fixture->result.run;
    struct calls first = {.every = 300}, second = {.every = 50};
    const struct bh_job_hook
        one = {.context = &first, .ready = ready, .stop = stop, .reached = reached, .run = run_device, .ended = ended},
        other = {.context = &second, .ready = ready, .stop = stop, .reached = reached, .ended = ended};
    assert_int_equal(run_with(fixture, (const struct bh_job_hook *const[]){&one, &other}, 2), BH_OK);
    assert_int_equal(first.reached, 10);
    assert_int_equal(second.reached, 10);
    for (unsigned i = 0; i < 10; i++) {
        assert_int_equal(first.clocks[i], (i + 1) * 300);
        assert_int_equal(second.clocks[i], (i + 1) * 50);
    }
    assert_int_equal(first.ready + second.ready, 2);
    assert_int_equal(first.ended + second.ended, 2);
    assert_true(first.runs >= 10);
    assert_int_equal(first.value, 1000);
    assert_memory_equal(&fixture->result.run, &alone, sizeof alone);
}

static void a_hook_that_fails_ends_the_job(void **context)
{
    struct fixture *fixture = *context;
    struct calls calls = {.every = 100, .fails = BH_ERROR_IO};
    const struct bh_job_hook hook = {
        .context = &calls, .ready = ready, .stop = stop, .reached = reached, .ended = ended};
    assert_int_equal(run_with(fixture, (const struct bh_job_hook *const[]){&hook}, 1), BH_ERROR_IO);
    assert_string_equal(fixture->error.text, "the hook has had enough");
    assert_int_equal(calls.reached, 1);
    assert_int_equal(calls.ended, 1);
    assert_int_equal(calls.how, BH_ERROR_IO);
    assert_int_equal(fixture->result.run.cycles, 100);
}

static void two_hooks_can_not_both_run_the_device(void **context)
{
    struct fixture *fixture = *context;
    struct calls calls = {};
    const struct bh_job_hook hook = {.context = &calls, .run = run_device};
    assert_int_equal(run_with(fixture, (const struct bh_job_hook *const[]){&hook, &hook}, 2), BH_ERROR_ARGUMENT);
    assert_contains(fixture->error.text, "2 hooks");
    assert_int_equal(calls.runs, 0);
}

int main(void)
{
#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, remove_fixture)
    const struct CMUnitTest tests[] = {
        TEST(hooks_are_called_at_the_clocks_they_ask_for),
        TEST(a_hook_that_fails_ends_the_job),
        TEST(two_hooks_can_not_both_run_the_device),
    };
    return cmocka_run_group_tests_name("host.job_hooks", tests, NULL, NULL);
}
