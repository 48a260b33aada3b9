#include "host/job_run.h"

#include <inttypes.h>

#include "host/fail.h"

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
    return run->total->reason == BH_RAN_INTERRUPTED || run->total->cycles >= limit_of(run);
}

enum bh_status job_run_part(struct job_run *run, uint64_t cycles, struct bh_error *error)
{
    struct bh_run_result part, *total = run->total;
    uint64_t left = limit_of(run) - total->cycles;
    enum bh_status status = bh_run(run->device, left < cycles ? left : cycles, &part);
    total->reason = part.reason;
    total->cycles += part.cycles;
    total->riscv_instructions += part.riscv_instructions;
    total->tensix_instructions += part.tensix_instructions;
    if (status != BH_OK && !(run->launched && part.reason == BH_RAN_DEADLOCK)) {
        return fail(error, status, "%s: stopped after %" PRIu64 " %s: %s: %s", run->job->path, total->cycles,
                    bh_mode_counts(run->options->mode), bh_category_name(run->stopped.category), run->stopped.text);
    }
    if (part.reason == BH_RAN_CYCLES && run->options->on_progress) {
        run->options->on_progress(run->options->context, total);
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
