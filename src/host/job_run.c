#include "host/job_run.h"

#include <inttypes.h>
#include <string.h>

#include "chip/explain.h"
#include "host/job_snapshot.h"
#include "util/fail.h"
#include "util/text.h"
#include "watch/print.h"

enum { CHUNK = 2000000 }; /* cycles between two calls of on_progress */

void job_run_listen(void *context, const struct bh_diagnostic *diagnostic)
{
    struct job_run *run = context;
    bool stops = diagnostic->action == BH_STOP;
    if (run->launched && stops && diagnostic->category == BH_DEADLOCK) {
        return;
    }
    if (stops) {
        run->stopped = *diagnostic;
    }
    if (run->options->on_diagnostic) {
        run->options->on_diagnostic(run->options->context, diagnostic);
    }
}

static uint64_t limit_of(const struct job_run *run)
{
    return run->options->limit ? run->options->limit : run->job->file->limit;
}

bool job_run_is_over(const struct job_run *run)
{
    return !run->hangs && (run->total->reason == BH_RAN_INTERRUPTED || run->total->cycles >= limit_of(run));
}

static enum bh_status begin(struct job_run *run, struct bh_error *error)
{
    run->began = true;
    enum bh_status status = BH_OK;
    if (run->print && !run->resumes) { /* a snapshot says when it comes next */
        print_visit(run->print);       /* before anything is printed */
    }
    for (unsigned i = 0; status == BH_OK && i < run->options->hook_count; i++) {
        const struct bh_job_hook *hook = run->options->hooks[i];
        status = hook->ready ? hook->ready(hook->context, run->device, error) : BH_OK;
    }
    return status;
}

/* The clock of the next snapshot that is to be saved. */
static uint64_t next_save(const struct job_run *run)
{
    uint64_t next = UINT64_MAX;
    for (unsigned i = 0; i < run->options->save_count; i++) {
        bool saved = run->saved >> i & 1;
        next = !saved && run->options->saves[i].at < next ? run->options->saves[i].at : next;
    }
    return next;
}

/* Saves the snapshots that are due, each once. */
static enum bh_status save(struct job_run *run, struct bh_error *error)
{
    enum bh_status status = BH_OK;
    for (unsigned i = 0; status == BH_OK && i < run->options->save_count; i++) {
        const struct bh_job_save *one = &run->options->saves[i];
        if (!(run->saved >> i & 1) && one->at <= bh_clock(run->device)) {
            run->saved |= UINT64_C(1) << i;
            status = job_snapshot_save(run, one->path, error);
        }
    }
    return status;
}

/* Saves those of the end, all that can be; the first error counts. */
static enum bh_status save_end(struct job_run *run, struct bh_error *error)
{
    enum bh_status status = BH_OK;
    for (unsigned i = 0; i < run->options->save_count; i++) {
        const struct bh_job_save *one = &run->options->saves[i];
        struct bh_error *why = status == BH_OK ? error : NULL;
        bool saved = run->saved >> i & 1;
        enum bh_status how = BH_OK;
        if (one->at == BH_JOB_END || (!saved && one->at <= bh_clock(run->device))) {
            how = job_snapshot_save(run, one->path, why);
        } else if (!saved) {
            how = fail(why, BH_ERROR_ARGUMENT, "%s: not saved: %s ended at clock %" PRIu64 ", before %" PRIu64,
                       one->path, run->job->path, bh_clock(run->device), one->at);
        }
        status = status == BH_OK ? how : status;
    }
    return status;
}

enum bh_status job_end_error(enum bh_status status, enum bh_status one, const struct bh_error *why,
                             struct bh_job_result *result, struct bh_error *error)
{
    if (one == BH_OK) {
        return status;
    }
    if (status == BH_OK) {
        return fail(error, one, "%s", why->text);
    }
    if (result->also == BH_OK) {
        result->also = one;
        result->also_error = *why;
    }
    return status;
}

enum bh_status job_run_end(struct job_run *run, enum bh_status how, struct bh_job_result *result,
                           struct bh_error *error)
{
    enum bh_status status = how;
    struct bh_error unsaved;
    if ((run->began || run->position.phase == JOB_ENDED) && !run->failed) {
        run->position.phase = how == BH_OK ? JOB_ENDED : run->position.phase;
        enum bh_status saved = save_end(run, &unsaved);
        status = job_end_error(status, saved, &unsaved, result, error);
    }
    for (unsigned i = run->began ? run->options->hook_count : 0; i--;) {
        const struct bh_job_hook *hook = run->options->hooks[i];
        struct bh_error why;
        enum bh_status one = hook->ended ? hook->ended(hook->context, run->device, how, &why) : BH_OK;
        status = job_end_error(status, one, &why, result, error);
    }
    return status;
}

/* As bh_run(); saves snapshots on the way, at ends of quanta. */
static enum bh_status run_and_save(struct job_run *run, uint64_t cycles, struct bh_run_result *result,
                                   struct bh_error *error)
{
    struct device_run *call = &run->position.call;
    if (run->hangs) {
        run->hangs = false;
        *result = (struct bh_run_result){.reason = BH_RAN_DEADLOCK};
        device_explain(run->device, BH_STOP, EXPLAINED_TILES);
        return BH_ERROR_STOPPED;
    }
    if (!call->cycles) { /* else the snapshot that the job goes on from was taken within a call */
        device_run_begin(run->device, cycles, call);
    }
    while (device_run_on(run->device, next_save(run), call)) {
        run->failed = save(run, error);
        if (run->failed != BH_OK) {
            break;
        }
    }
    enum bh_status status = device_run_end(run->device, call);
    *result = call->result;
    return status;
}

/* The same, or what a hook does in its place; then snapshots are saved before it. */
static enum bh_status run_device(struct job_run *run, uint64_t cycles, struct bh_run_result *result,
                                 struct bh_error *error)
{
    for (unsigned i = 0; i < run->options->hook_count; i++) {
        const struct bh_job_hook *hook = run->options->hooks[i];
        if (hook->run) {
            run->failed = save(run, error);
            return run->failed == BH_OK ? hook->run(hook->context, run->device, cycles, result) : run->failed;
        }
    }
    return run_and_save(run, cycles, result, error);
}

/* Calls the hooks that wait for this clock. *left: cycles up to the next one. */
static enum bh_status reach(struct job_run *run, uint64_t *left, struct bh_error *error)
{
    *left = UINT64_MAX;
    for (unsigned i = 0; i < run->options->hook_count; i++) {
        const struct bh_job_hook *hook = run->options->hooks[i];
        uint64_t clock = bh_clock(run->device), stop;
        while ((stop = hook->stop ? hook->stop(hook->context, run->device) : UINT64_MAX) <= clock) {
            enum bh_status status = hook->reached(hook->context, run->device, error);
            if (status != BH_OK) {
                return status;
            }
        }
        *left = stop - clock < *left ? stop - clock : *left;
    }
    return BH_OK;
}

/* Runs what is left of the part that was asked for. Where hooks are called on the way makes no difference to where the
   host looks. */
static enum bh_status run_with_hooks(struct job_run *run, struct bh_error *error)
{
    struct bh_run_result *part = &run->position.part;
    enum bh_status status = BH_OK;
    do {
        uint64_t next = UINT64_MAX, left = run->position.asked - part->cycles;
        struct bh_run_result piece = {};
        run->failed = run->options->hook_count ? reach(run, &next, error) : BH_OK;
        if (run->failed != BH_OK) {
            return run->failed;
        }
        status = run_device(run, left < next ? left : next, &piece, error);
        part->reason = piece.reason;
        part->cycles += piece.cycles;
        part->riscv_instructions += piece.riscv_instructions;
        part->tensix_instructions += piece.tensix_instructions;
        if (run->failed != BH_OK) {
            return run->failed;
        }
    } while (status == BH_OK && part->reason == BH_RAN_CYCLES && part->cycles < run->position.asked);
    return status;
}

enum bh_status job_run_part(struct job_run *run, uint64_t cycles, struct bh_error *error)
{
    struct bh_run_result *total = run->total;
    enum bh_status status = run->began ? BH_OK : begin(run, error);
    if (status != BH_OK) {
        return status;
    }
    uint64_t left = limit_of(run) - total->cycles;
    if (!run->position.asked) { /* else the snapshot that it goes on from was taken within a part */
        run->position.part = (struct bh_run_result){};
        run->position.asked = left < cycles ? left : cycles;
    }
    status = run_with_hooks(run, error);
    struct bh_run_result part = run->position.part;
    run->position.asked = 0;
    run->position.part = (struct bh_run_result){};
    total->reason = part.reason;
    total->cycles += part.cycles;
    total->riscv_instructions += part.riscv_instructions;
    total->tensix_instructions += part.tensix_instructions;
    if (run->failed != BH_OK) {
        return run->failed;
    }
    if (status != BH_OK && !(run->launched && part.reason == BH_RAN_DEADLOCK)) {
        return fail(error, status, "%s: stopped after %" PRIu64 " %s: %s: %.*s", run->job->path, total->cycles,
                    bh_mode_counts(run->options->mode), bh_category_name(run->stopped.category),
                    (int)strcspn(run->stopped.text, "\n"), run->stopped.text);
    }
    if (part.reason == BH_RAN_CYCLES && run->options->on_progress) {
        run->options->on_progress(run->options->context, total);
    }
    return BH_OK;
}

enum bh_status job_run_to_end(struct job_run *run, struct bh_error *error)
{
    while (!job_run_is_over(run)) {
        enum bh_status status = job_run_part(run, CHUNK, error);
        if (status != BH_OK) {
            return status; /* a diagnostic has told why */
        }
        if (run->total->reason == BH_RAN_IDLE) {
            bh_report(run->device); /* of cores that did not see that there was more for them to run */
            return BH_OK;
        }
    }
    return job_run_give_up(run, error);
}

static enum bh_status fail_to_observe(const struct bh_observer *observer, unsigned number, struct bh_error *error)
{
    char tiles[200] = "";
    struct text text = {.buffer = tiles, .size = sizeof tiles};
    for (unsigned i = 0; i < observer->tile_count; i++) {
        text_add(&text, "%s(%u,%u)", i ? ", " : "", observer->tiles[i].x, observer->tiles[i].y);
    }
    return fail(error, BH_ERROR_ARGUMENT, "observer %u: there is no such tile: %s%s", number,
                observer->tile_count == 1 ? "" : "one of ", tiles);
}

enum bh_status job_observe(struct bh_device *device, const struct bh_job_options *options, struct bh_error *error)
{
    for (unsigned i = 0; i < options->observer_count; i++) {
        enum bh_status status = bh_device_add_observer(device, options->observers[i]);
        if (status == BH_ERROR_ARGUMENT && options->observers[i]->tile_count) {
            return fail_to_observe(options->observers[i], i, error);
        }
        if (status != BH_OK) {
            return fail(error, status, "observer %u: %s", i, bh_status_name(status));
        }
    }
    return BH_OK;
}

enum bh_status job_run_give_up(struct job_run *run, struct bh_error *error)
{
    const char *counts = bh_mode_counts(run->options->mode);
    bool interrupted = run->total->reason == BH_RAN_INTERRUPTED;
    bh_report(run->device);
    return interrupted ? fail(error, BH_ERROR_STOPPED, "%s: interrupted after %" PRIu64 " %s", run->job->path,
                              run->total->cycles, counts)
                       : fail(error, BH_ERROR_STOPPED, "%s: not finished after %" PRIu64 " %s (its limit)",
                              run->job->path, limit_of(run), counts);
}
