#include "run_files.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "host/job_files.h"
#include "run_messages.h"

enum { MOST = 128 }; /* --save-at may be repeated BH_JOB_SAVES times; others are given once */

struct named {
    const char *option, *path;
    bool refused;
};

static struct named files[MOST], sources[2]; /* that are written; that are read: --check-suppress, --zones */
static unsigned known, known_sources;

void run_files_note(const struct command_option *option, const char *path)
{
    if (option->writes) {
        run_files_note_path(option->name, path);
    }
}

void run_files_note_path(const char *option, const char *path)
{
    if (known < MOST) {
        files[known++] = (struct named){.option = option, .path = path};
    }
}

void run_files_note_read(const char *option, const char *path)
{
    if (known_sources < sizeof sources / sizeof *sources) {
        sources[known_sources++] = (struct named){.option = option, .path = path};
    }
}

bool run_files_may_write(const char *option)
{
    bool may = true;
    for (unsigned i = 0; i < known; i++) {
        may &= !files[i].refused || strcmp(files[i].option, option) != 0;
    }
    return may;
}

enum bh_status run_files_check_job(const struct run *run, struct bh_error *error)
{
    enum bh_status status = BH_OK;
    for (unsigned i = 0; i < known && status == BH_OK; i++) {
        char what[40];
        (void)snprintf(what, sizeof what, "--%s", files[i].option);
        if (strcmp(files[i].option, "save") == 0 && run->options.restore) {
            continue; /* read before, and replaced as a whole */
        }
        status = job_check_written(run->job, &run->options, what, files[i].path, error);
        files[i].refused |= status != BH_OK;
    }
    return status;
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
    const struct named *file = &files[number];
    int failed = why_not(file->path);
    if (failed) {
        return run_wrong("--%s %s: %s", file->option, file->path, strerror(failed));
    }
    for (unsigned i = 0; i < count; i++) {
        if (are_one(file->path, jobs[i])) {
            return run_wrong("--%s %s: that is the job, which would be lost", file->option, file->path);
        }
    }
    for (unsigned i = 0; i < known_sources; i++) {
        if (are_one(file->path, sources[i].path)) {
            return run_wrong("--%s %s: that is the file of --%s, which would be lost", file->option, file->path,
                             sources[i].option);
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
