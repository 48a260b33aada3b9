/* Jobs on a system of several chips. What each chip has is a job by itself, a part: the job's own structs with those
   tiles and tensors that its entry of `chips` names. */
#ifndef BHEMU_HOST_JOB_SYSTEM_H
#define BHEMU_HOST_JOB_SYSTEM_H

#include "host/job_run.h"
#include "system/part.h"

/* Makes the parts of a job whose file was read. */
enum bh_status job_find_parts(struct bh_job *job, struct bh_error *error);
void job_free_parts(struct bh_job *job);

/* Whether a system is the path of a file. */
bool job_names_file(const char *system);

/* What else it may be: "x2, x4, ..., or a file that ends in .yaml". */
enum { JOB_SYSTEM_NAMES = 240 };
const char *job_system_names(char text[JOB_SYSTEM_NAMES]);

/* The part of a system that one of several processes has. */
struct job_process {
    struct system_part part;
    uint64_t *digests; /* of each part of the job: filled in for those that run in this process */
};

/* bh_job_run() for such a job, whose files were checked; process: null: one has all chips. Of BH_ERROR_LOST *error says
   which other process has been lost. */
enum bh_status job_run_parts(const struct bh_job *job, const struct bh_job_options *options,
                             const struct job_process *process, struct bh_job_result *result, struct bh_error *error);

/* What a process has come to. */
struct job_outcome {
    bool ended; /* the rest is there */
    enum bh_status status;
    struct bh_error error;
    struct bh_job_result result;
};

/* The result of a job from those of its processes, and the digests of its parts. Returns what went wrong first, of
   which others say only that they have lost a process; null: nothing. */
const struct job_outcome *job_put_together(const struct job_outcome *all, unsigned ranks, const uint64_t *digests,
                                           unsigned parts, struct bh_job_result *result);

/* The same, in options->processes processes, which are forked. */
enum bh_status job_run_processes(const struct bh_job *job, const struct bh_job_options *options,
                                 struct bh_job_result *result, struct bh_error *error);

/* Of job.c: finds the tiles of a job or a part, and checks what it says; loads programs, words and inputs, and releases
   cores. */
enum bh_status job_prepare(struct bh_job *job, struct bh_error *error);
enum bh_status job_start_directly(struct job_run *run, struct bh_error *error);

#endif
