/* Messages of `bhemu run` on stderr: diagnostics with their source lines, and progress. */
#ifndef BHEMU_APPS_RUN_MESSAGES_H
#define BHEMU_APPS_RUN_MESSAGES_H

#include "run_part.h"

/* Callbacks of struct bh_job_options; context: the struct run. */
void run_print_diagnostic(void *context, const struct bh_diagnostic *diagnostic);
void run_print_progress(void *context, const struct bh_run_result *so_far);

/* A job begins. */
void run_messages_begin(void);

/* Whether a diagnostic with the reason why it was stopped has been printed. */
bool run_messages_stopped(void);

/* Seconds since it began. */
double run_seconds(void);

#endif
