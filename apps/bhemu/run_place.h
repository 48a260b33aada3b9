/* Places in the source of a job's programs: "function" or "file.c:57". */
#ifndef BHEMU_APPS_RUN_PLACE_H
#define BHEMU_APPS_RUN_PLACE_H

#include "run_part.h"

/* Whether a text can be one; whether there is such a place is not known. */
bool run_is_source(const char *text);

/* Whether a place of a tile is in that function or line, or in what was inlined there. What was found out once is kept
   until run_forget_sources(). */
bool run_is_at_source(const struct run *run, unsigned x, unsigned y, const struct bh_place *place, const char *source);
void run_forget_sources(void);

/* bh_job_source() of the job that runs, with paths relative to the working folder. */
bool run_source(const struct run *run, unsigned x, unsigned y, const struct bh_place *place, char *buffer,
                unsigned size);

#endif
