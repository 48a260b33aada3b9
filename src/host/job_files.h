/* The files of a job: the paths of its outputs, and the check that they replace none of its inputs. */
#ifndef BHEMU_HOST_JOB_FILES_H
#define BHEMU_HOST_JOB_FILES_H

#include "host/job_target.h"

/* The path of an output's file, malloc'ed; null when there is no memory. */
char *job_output_path(const struct bh_job *job, const struct bh_job_options *options, const char *name);

/* Refuses outputs that can not be written, that are the same file as another one, or as one that the job reads: itself,
   an ELF, an array; by whatever name. Refuses jobs that name files which can not be read. */
enum bh_status job_check_files(const struct bh_job *job, const struct bh_job_options *options, struct bh_error *error);

/* Refuses a file that `what` is to write if the job reads it, goes on from it, or writes it as an output. */
enum bh_status job_check_written(const struct bh_job *job, const struct bh_job_options *options, const char *what,
                                 const char *path, struct bh_error *error);

#endif
