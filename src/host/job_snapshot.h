/* A job in the file of a snapshot (host/snapshot_file.h): how far it is. Its programs and inputs are in the device. */
#ifndef BHEMU_HOST_JOB_SNAPSHOT_H
#define BHEMU_HOST_JOB_SNAPSHOT_H

#include "host/job_run.h"

/* What a file has of the job: plain data, the same on all hosts. */
struct saved_job {
    uint64_t identity;
    struct job_position position;
    uint64_t cycles, riscv_instructions, tensix_instructions;
    uint32_t reason;
    struct bh_diagnostic stopped;
};

/* Adds to what a job is known by: a number; the tiles of a part of it, what it starts there, and its outputs. */
uint64_t job_snapshot_hash(uint64_t hash, uint64_t value);
uint64_t job_snapshot_part(uint64_t hash, const struct bh_job *part);

enum bh_status job_snapshot_save(struct job_run *run, const char *path, struct bh_error *error);

/* Gives the run's device, which is new, what was saved of this job, and the run its place in it. */
enum bh_status job_snapshot_restore(struct job_run *run, const char *path, struct bh_error *error);

#endif
