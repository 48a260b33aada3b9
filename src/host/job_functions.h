/* Which functions the programs of a job have, for who names one. */
#ifndef BHEMU_HOST_JOB_FUNCTIONS_H
#define BHEMU_HOST_JOB_FUNCTIONS_H

#include <stdbool.h>

#include "bhemu/job.h"

enum { JOB_FUNCTION_SIZE = 64 };

/* Whether a program that the job has for a core (BH_CORE_COUNT: for any) may have a function of this name: also if that
   is not known, as of a program that can not be read, or that tt-metal's firmware launches. If not, `like` is the name
   of the function that is most like it; empty: none is. */
bool job_may_have_function(const struct bh_job *job, unsigned core, const char *name, char like[JOB_FUNCTION_SIZE]);

#endif
