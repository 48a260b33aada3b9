/* Files that options of `bhemu run` name to be written: looked at before the first job runs, so that none runs in vain
   or loses what it reads. */
#ifndef BHEMU_APPS_RUN_FILES_H
#define BHEMU_APPS_RUN_FILES_H

#include <stdbool.h>

#include "host/command_option.h"
#include "run_part.h"

/* An option was given; path: its last argument, which is kept until the check. */
void run_files_note(const struct command_option *option, const char *path);

/* false: a file can not be written, is that of another option as well, or is one of the `count` jobs; stderr has a
   line. */
bool run_files_check(char *const *jobs, unsigned count);

/* The same of a file that is a part of an option's argument. */
void run_files_note_path(const char *option, const char *path);

/* A file that the command itself reads, by an option. */
void run_files_note_read(const char *option, const char *path);

/* Whether the option's file may be written at the end: no job has read or written it. */
bool run_files_may_write(const char *option);

/* Refuses files that the job which is about to run reads or writes by itself. */
enum bh_status run_files_check_job(const struct run *run, struct bh_error *error);

#endif
