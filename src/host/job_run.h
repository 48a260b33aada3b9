/* The run of a job: its device, how far it is, and what stopped it. */
#ifndef BHEMU_HOST_JOB_RUN_H
#define BHEMU_HOST_JOB_RUN_H

#include "chip/run.h"
#include "host/job_target.h"

/* How far a job is, beside its device: plain data, part of its snapshots. */
enum job_phase { JOB_BOOTS, JOB_RUNS, JOB_ENDED };
struct job_position {
    uint32_t phase;            /* enum job_phase; JOB_BOOTS: firmware does */
    uint32_t launch;           /* of kernels: how many came before this one */
    uint64_t look;             /* cycles between two reads of go messages */
    uint64_t asked;            /* cycles of the part that runs; 0: none does */
    struct bh_run_result part; /* its result so far */
    struct device_run call;    /* and the call of bh_run() that is under way */
};

struct job_run {
    const struct bh_job *job;
    const struct bh_job_options *options;
    struct bh_device *device;
    struct bh_run_result *total;   /* so far */
    struct bh_print *print;        /* null: what is printed is not shown */
    struct metal_formats *formats; /* that it needs */
    struct bh_diagnostic stopped;
    bool began;            /* hooks were told that it is ready */
    enum bh_status failed; /* what a hook returned */
    struct job_position position;
    uint64_t saved; /* of options->saves: a bit for each that is done */
    bool resumes;   /* it goes on from a snapshot: nothing is to be loaded or started */
    bool hangs;     /* that snapshot is of a deadlock, which is not reported yet */
    bool launched;  /* deadlocks are no news: firmware waits in a loop for the host */
};

/* on_diagnostic of the device; context is the run. Hands diagnostics on, and keeps the last that stopped the run. */
void job_run_listen(void *context, const struct bh_diagnostic *diagnostic);

/* Adds the observers of the options to a device. BH_ERROR_ARGUMENT: one is about a tile that is not there. */
enum bh_status job_observe(struct bh_device *device, const struct bh_job_options *options, struct bh_error *error);

/* Something at the end of a run has gone wrong, unless `one` is BH_OK. Returns the status of the whole: what went wrong
   first, whose error is *error; the second is kept in the result. */
enum bh_status job_end_error(enum bh_status status, enum bh_status one, const struct bh_error *why,
                             struct bh_job_result *result, struct bh_error *error);

/* Tells the hooks that the run has ended. Returns how it did, or the error of a hook if all else went well. */
enum bh_status job_run_end(struct job_run *run, enum bh_status how, struct bh_job_result *result,
                           struct bh_error *error);

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
