/* What a job leaves: outputs read back from a device, compared with what is expected, written to files. */
#ifndef BHEMU_HOST_JOB_OUTPUT_H
#define BHEMU_HOST_JOB_OUTPUT_H

#include "host/job_target.h"

/* Finds out before a job runs what would be wrong with its outputs afterwards: places that can not be read, files to
   compare with that are not there or of another shape. Their own files: host/job_files.h. */
enum bh_status job_check_outputs(const struct bh_job *job, struct bh_device *device, struct bh_error *error);

/* Reads all outputs back and compares them; then, if nothing went wrong, writes all their files, or none. */
enum bh_status job_collect_outputs(const struct bh_job *job, const struct bh_job_options *options,
                                   struct bh_device *device, struct bh_job_result *result, struct bh_error *error);

#endif
