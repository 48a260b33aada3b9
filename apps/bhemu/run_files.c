#include "run_files.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "run_messages.h"

enum { MOST = 128 }; /* --save-at may be repeated BH_JOB_SAVES times; others are given once */

struct written {
    const char *option, *path;
};

static struct written files[MOST];
static unsigned known;

void run_files_note(const struct command_option *option, const char *path)
{
    if (option->writes && known < MOST) {
        files[known++] = (struct written){option->name, path};
    }
}

/* The folder that a file is to be in, which ends with a slash, and the file's name in it. */
static const char *split(const char *path, char folder[PATH_MAX])
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    (void)snprintf(folder, PATH_MAX, "%.*s", slash ? (int)(name - path) : 2, slash ? path : "./");
    return name;
}

/* Whether two paths are one regular file, or would be. */
static bool are_one(const char *one, const char *other)
{
    struct stat a, b;
    char folders[2][PATH_MAX], whole[2][PATH_MAX];
    const bool here = stat(one, &a) == 0, there = stat(other, &b) == 0;
    if (here || there) {
        return here && there && S_ISREG(a.st_mode) && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
    }
    const char *names[] = {split(one, folders[0]), split(other, folders[1])};
    return strcmp(names[0], names[1]) == 0 && realpath(folders[0], whole[0]) && realpath(folders[1], whole[1]) &&
           strcmp(whole[0], whole[1]) == 0;
}

/* 0, or why nothing can be written there; nothing is. */
static int why_not(const char *path)
{
    struct stat state;
    char folder[PATH_MAX];
    if (stat(path, &state) == 0) {
        return S_ISDIR(state.st_mode) ? EISDIR : access(path, W_OK) ? errno : 0;
    }
    if (errno != ENOENT) {
        return errno;
    }
    return !*split(path, folder) ? ENOENT : access(folder, W_OK | X_OK) ? errno : 0;
}

static bool is_fine(unsigned number, char *const *jobs, unsigned count)
{
    const struct written *file = &files[number];
    int failed = why_not(file->path);
    if (failed) {
        return run_wrong("--%s %s: %s", file->option, file->path, strerror(failed));
    }
    for (unsigned i = 0; i < count; i++) {
        if (are_one(file->path, jobs[i])) {
            return run_wrong("--%s %s: that is the job, which would be lost", file->option, file->path);
        }
    }
    for (unsigned i = 0; i < number; i++) {
        if (are_one(file->path, files[i].path)) {
            return run_wrong("--%s %s: that is the file of --%s, too", file->option, file->path, files[i].option);
        }
    }
    return true;
}

bool run_files_check(char *const *jobs, unsigned count)
{
    bool fine = true;
    for (unsigned i = 0; i < known && fine; i++) {
        fine = is_fine(i, jobs, count);
    }
    return fine;
}
