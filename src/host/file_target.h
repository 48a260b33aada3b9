/* Where an output goes, and writing it there. Symbolic links are followed: what they lead to is replaced, by a file
   that was written beside it under another name, so that there is never half of one. It keeps the mode of the file that
   it replaces, and its owner as far as the user may; another hard link of that keeps the old content. Only regular
   files are replaced. */
#ifndef BHEMU_HOST_FILE_TARGET_H
#define BHEMU_HOST_FILE_TARGET_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

#include "bhemu/device.h"
#include "bhemu/error.h"

/* All zero: there is none. */
struct file_target {
    char *path;        /* no symbolic link, in a folder without any */
    bool exists;       /* it is a regular file already, */
    struct stat about; /* this one */
};

/* Resolves a path. Refuses anything there that is not a regular file, and what could not be written. Call
   file_target_free() afterwards, also after a failure. */
enum bh_status file_target_find(const char *path, struct file_target *target, struct bh_error *error);
void file_target_free(struct file_target *target);

/* Whether two targets are one, and whether a target is this file, by whatever name. */
bool file_target_same(const struct file_target *a, const struct file_target *b);
bool file_target_is(const struct file_target *target, const struct stat *file);

/* A file that has been written under its temporary name. All zero: there is none. */
struct staged_file {
    struct file_target target;
    char *temporary;
};

/* Call discard_file() afterwards, also after a failure. */
enum bh_status stage_file(const char *path, const void *bytes, size_t size, struct staged_file *staged,
                          struct bh_error *error);

/* Gives a staged file its own name. It is staged no more, whether that went well or not. */
enum bh_status commit_file(struct staged_file *staged, struct bh_error *error);

/* Removes a staged file, if there is one. */
void discard_file(struct staged_file *staged);

#endif
