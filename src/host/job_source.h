/* Where the programs of a job have their sources. What was read of ELFs is kept until the job runs again, which loads
   them anew: so a place is that of the program that ran, also when its file has been built again since. */
#ifndef BHEMU_HOST_JOB_SOURCE_H
#define BHEMU_HOST_JOB_SOURCE_H

#include "host/job_target.h"

/* What is kept for a job; it may be used by several threads. Null: no memory. */
struct job_sources *job_sources_create(const struct bh_job *job);
void job_sources_free(struct job_sources *sources); /* null: nothing */

/* Files are read anew when they are asked next. */
void job_sources_forget(struct job_sources *sources);

/* What a chip has at coordinates of NoC 0; *part: the job, or the part of it, that says so. Null: nothing. */
const struct job_target *job_find_target(const struct bh_job *job, unsigned chip, unsigned x, unsigned y,
                                         const struct bh_job **part);

#endif
