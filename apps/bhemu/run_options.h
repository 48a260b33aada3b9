/* Options of `bhemu run` about how a job runs: --limit, --policy and so on. */
#ifndef BHEMU_APPS_RUN_OPTIONS_H
#define BHEMU_APPS_RUN_OPTIONS_H

#include "run_part.h"

extern const struct run_part run_options_part;

/* BHEMU_MODE and BHEMU_VERIFY. false: one is invalid, and stderr has a line. */
bool run_options_from_environment(struct run *run);

#endif
