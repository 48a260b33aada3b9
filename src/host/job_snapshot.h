/* A job in the file of a snapshot (host/snapshot_file.h): how far it is. Its programs and inputs are in the device. */
#ifndef BHEMU_HOST_JOB_SNAPSHOT_H
#define BHEMU_HOST_JOB_SNAPSHOT_H

#include "host/job_run.h"

enum bh_status job_snapshot_save(struct job_run *run, const char *path, struct bh_error *error);

/* Gives the run's device, which is new, what was saved of this job, and the run its place in it. */
enum bh_status job_snapshot_restore(struct job_run *run, const char *path, struct bh_error *error);

#endif
