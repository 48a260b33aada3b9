/* What a job reads before it runs: arrays from files, and inputs on their way to a device. */
#ifndef BHEMU_HOST_JOB_INPUT_H
#define BHEMU_HOST_JOB_INPUT_H

#include "host/job_launch.h"

/* A path that a job names, malloc'ed; null when there is no memory. */
char *job_resolve(const char *folder, const char *path);

/* Reads a .npy file that a member of the job names. */
enum bh_status job_read_array(const struct bh_job *job, char *const *name, struct bh_array *array,
                              struct bh_error *error);

/* Writes all inputs of a job, those of tiles and those in DRAM. Refuses inputs that overlap each other or a program.
   launcher is null when there is none. */
enum bh_status job_write_inputs(const struct bh_job *job, const struct job_launcher *launcher, struct bh_device *device,
                                struct bh_error *error);

#endif
