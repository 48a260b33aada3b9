/* Checks of a job file's values against each other, before any file that it names is read: job_file_load() has checked
   each value by itself. */
#ifndef BHEMU_HOST_JOB_CHECK_H
#define BHEMU_HOST_JOB_CHECK_H

#include "host/job_target.h"

/* The job's targets have been found. Refuses keys without those that they go with, names that are there twice, and
   tensors and words that lie outside memory. */
enum bh_status job_check(const struct bh_job *job, struct bh_error *error);

#endif
