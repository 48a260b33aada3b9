/* What the kernels of a job print. */
#ifndef BHEMU_HOST_JOB_PRINT_H
#define BHEMU_HOST_JOB_PRINT_H

#include "host/job_run.h"

/* Begins to show what is printed on the device of a run, if its options want that. Call job_print_close() afterwards,
   also after a failure. */
enum bh_status job_print_open(struct job_run *run, struct bh_error *error);

/* Shows the rest. */
void job_print_close(struct job_run *run);

#endif
