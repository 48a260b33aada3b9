/* Files that options of `bhemu run` name to be written: looked at before the first job runs, so that none runs in vain
   or loses what it reads. */
#ifndef BHEMU_APPS_RUN_FILES_H
#define BHEMU_APPS_RUN_FILES_H

#include <stdbool.h>

#include "host/command_option.h"

/* An option was given; path: its last argument, which is kept until the check. */
void run_files_note(const struct command_option *option, const char *path);

/* false: a file can not be written, is that of another option as well, or is one of the `count` jobs; stderr has a
   line. */
bool run_files_check(char *const *jobs, unsigned count);

#endif
