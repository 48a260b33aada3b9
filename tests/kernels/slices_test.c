/* A job in which overlay streams send on what comes, in timed mode: when its packets are sent does not depend on where
   calls of bh_run() end. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "../host/kernels.h"
#include "bhemu/device.h"
#include "bhemu/job.h"
#include "bhemu/observer.h"
#include "util/hash.h"

struct seen {
    uint64_t slice, packets, digest;
};

static void on_event(void *context, const struct bh_event *event)
{
    struct seen *seen = context;
    const uint64_t what[] = {event->tile_x, event->tile_y, event->cycle};
    seen->packets++;
    seen->digest += hash_of(0, what, sizeof what); /* in any order */
}

static enum bh_status run_in_slices(void *context, struct bh_device *device, uint64_t cycles,
                                    struct bh_run_result *result)
{
    const struct seen *seen = context;
    return bh_run(device, seen->slice < cycles ? seen->slice : cycles, result);
}

static struct seen run(uint64_t slice)
{
    struct seen seen = {.slice = slice};
    const struct bh_observer observer = {
        .on_event = on_event, .context = &seen, .kinds = BH_EVENT_BIT(BH_EVENT_NOC_SENT)};
    const struct bh_observer *const observers[] = {&observer};
    const struct bh_job_hook hook = {.context = &seen, .run = run_in_slices};
    const struct bh_job_hook *const hooks[] = {&hook};
    const struct bh_job_options options = {.policy = -1,
                                           .mode = BH_MODE_TIMED,
                                           .observers = observers,
                                           .observer_count = 1,
                                           .hooks = hooks,
                                           .hook_count = 1};
    struct bh_job *job;
    struct bh_job_result result = {};
    struct bh_error error = {};
    assert_int_equal(bh_job_load(BHEMU_SOURCE_DIR "/kernels/jobs/messages.yaml", &job, &error), BH_OK);
    if (bh_job_run(job, &options, &result, &error) != BH_OK) {
        fail_msg("%s", error.text);
    }
    bh_job_free(job);
    return seen;
}

static void streams_send_at_the_same_clocks(void **context)
{
    static const uint64_t slices[] = {1, 7, 19, 777};
    need_kernels_of_jobs();
    struct seen whole = run(UINT64_MAX);
    assert_true(whole.packets > 1000);
    for (unsigned i = 0; i < sizeof slices / sizeof *slices; i++) {
        struct seen sliced = run(slices[i]);
        assert_int_equal(sliced.packets, whole.packets);
        assert_true(sliced.digest == whole.digest);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(streams_send_at_the_same_clocks)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
