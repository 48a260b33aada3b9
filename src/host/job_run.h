/* The run of a job: its device, how far it is, and what stopped it. */
#ifndef BHEMU_HOST_JOB_RUN_H
#define BHEMU_HOST_JOB_RUN_H

#include "host/job_target.h"

struct job_run {
    const struct bh_job *job;
    const struct bh_job_options *options;
    struct bh_device *device;
    struct bh_run_result *total; /* so far */
    struct bh_print *print;      /* null: what is printed is not shown */
    struct metal_formats *formats; /* that it needs */
    struct bh_diagnostic stopped;
    bool began;            /* hooks were told that it is ready */
    enum bh_status failed; /* what a hook returned */
    bool launched;         /* deadlocks are no news: firmware waits in a loop for the host */
};

/* on_diagnostic of the device; context is the run. Hands diagnostics on, and keeps the last that stopped the run. */
void job_run_listen(void *context, const struct bh_diagnostic *diagnostic);

/* Tells the hooks that the run has ended. Returns how it did, or the error of a hook if all else went well. */
enum bh_status job_run_end(struct job_run *run, enum bh_status how, struct bh_error *error);

/* Runs for at most so many cycles, within the job's limit. The reason is in run->total. BH_RAN_DEADLOCK is an error
   unless firmware runs. */
enum bh_status job_run_part(struct job_run *run, uint64_t cycles, struct bh_error *error);

/* Runs until nothing is left to run. */
enum bh_status job_run_to_end(struct job_run *run, struct bh_error *error);

/* Whether the limit is reached, or the run was interrupted. */
bool job_run_is_over(const struct job_run *run);

/* Tells where everything is that runs, and fails: the limit is reached, or the run was interrupted. */
enum bh_status job_run_give_up(struct job_run *run, struct bh_error *error);

#endif
