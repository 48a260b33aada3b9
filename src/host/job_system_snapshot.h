/* Snapshots of a job on several chips. Each is a folder, named after its clock, in the folder that the user names: a
   file for each chip (host/snapshot_file.h), and `manifest`, which is written when all of these are there. Whichever
   process has a chip writes and reads its file, so that another number of processes can go on. */
#ifndef BHEMU_HOST_JOB_SYSTEM_SNAPSHOT_H
#define BHEMU_HOST_JOB_SYSTEM_SNAPSHOT_H

#include "host/job_system.h"

/* Saves one, and removes those that are older than the last one before it. cycles: of the job so far. */
enum bh_status job_system_save(const struct bh_job *job, struct bh_system *system, bool first_process,
                               const char *folder, uint64_t cycles, struct bh_error *error);

/* Gives a new system of the same job the latest one in the folder. */
enum bh_status job_system_resume(const struct bh_job *job, struct bh_system *system, enum bh_mode mode,
                                 const char *folder, uint64_t *cycles, struct bh_error *error);

/* The clock of the latest one that is whole; UINT64_MAX: there is none. */
uint64_t job_system_latest(const char *folder);

#endif
