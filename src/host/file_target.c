#include "host/file_target.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/fail.h"

enum { LINKS_MAX = 40, NAMES_TRIED = 100, NAME_KEPT = 200, CREATION_MODE = 0666 };
enum { LOOKS_MAX = 100 }; /* at a file that others replace all the time */

static enum bh_status refuse(struct bh_error *error, const char *path, int cause)
{
    return fail(error, cause == ENOMEM ? BH_ERROR_MEMORY : BH_ERROR_IO, "%s: %s", path, strerror(cause));
}

static const char *kind_of(mode_t mode)
{
    switch (mode & S_IFMT) {
    case S_IFCHR: return "a character device";
    case S_IFBLK: return "a block device";
    case S_IFIFO: return "a FIFO or a pipe";
    case S_IFSOCK: return "a socket";
    default: return "no file";
    }
}

/* Refuses a target that exists and must not be replaced. */
static enum bh_status check_kind(const char *path, const struct stat *about, struct bh_error *error)
{
    if (S_ISDIR(about->st_mode)) {
        return refuse(error, path, EISDIR);
    }
    if (!S_ISREG(about->st_mode)) {
        return fail(error, BH_ERROR_IO, "%s: is %s; only a regular file can be written", path, kind_of(about->st_mode));
    }
    return BH_OK;
}

/* The folder of a path, without its last part: "." or with a slash at its end. Malloc'ed. */
static char *folder_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
}

static const char *name_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static char *join(const char *folder, const char *name)
{
    char *path;
    bool ends = folder[0] && folder[strlen(folder) - 1] == '/';
    return asprintf(&path, "%s%s%s", folder, ends ? "" : "/", name) < 0 ? NULL : path;
}

/* The path that a symbolic link leads to, malloc'ed; null, and errno, when it is none or can not be read. */
static char *next_link(const char *path)
{
    char to[PATH_MAX];
    ssize_t length = readlink(path, to, sizeof to - 1);
    if (length < 0) {
        return NULL;
    }
    to[length] = 0;
    if (to[0] == '/') {
        return strdup(to);
    }
    char *folder = folder_of(path), *next = folder ? join(folder, to) : NULL;
    free(folder);
    return next;
}

/* Follows symbolic links, also one to a file that is not there yet. Malloc'ed; null, and errno. */
static char *follow(const char *path)
{
    char *at = strdup(path);
    for (unsigned i = 0; at && i < LINKS_MAX; i++) {
        char *next = next_link(at);
        if (!next) {
            bool ends = errno == EINVAL || errno == ENOENT; /* not a link, or nothing there: the end of the path */
            char *folder = ends ? folder_of(at) : NULL, *real = folder ? realpath(folder, NULL) : NULL;
            char *found = real ? join(real, name_of(at)) : NULL;
            int cause = errno;
            free(folder);
            free(real);
            free(at);
            errno = cause;
            return found;
        }
        free(at);
        at = next;
    }
    free(at);
    errno = at ? ELOOP : ENOMEM;
    return NULL;
}

/* Refuses a folder that does not exist, or in which no file can be created: the file is written under another name
   first. */
static enum bh_status check_folder(const char *path, struct bh_error *error)
{
    char *folder = folder_of(path);
    enum bh_status status = BH_OK;
    if (!folder) {
        return refuse(error, path, ENOMEM);
    }
    size_t length = strlen(folder);
    bool there = access(folder, F_OK) == 0;
    if (access(folder, W_OK | X_OK) != 0) {
        int cause = errno;
        folder[length - (length > 1 && folder[length - 1] == '/')] = 0;
        status =
            fail(error, BH_ERROR_IO, "%s%s: %s", there ? "no file can be created in " : "", folder, strerror(cause));
    }
    free(folder);
    return status;
}

/* Fills in the target. `changed` is set if the path and where it leads were not the same file: another process may have
   replaced it meanwhile. */
static enum bh_status look(const char *path, struct file_target *target, bool *changed, struct bh_error *error)
{
    struct stat about;
    bool exists = stat(path, &about) == 0;
    enum bh_status status = exists ? check_kind(path, &about, error) : BH_OK;
    if (status != BH_OK) {
        return status;
    }
    target->path = follow(path);
    if (!target->path || !*name_of(target->path)) {
        int cause = target->path ? EISDIR : errno;
        status = cause == ENOENT || cause == ENOTDIR ? check_folder(path, error) : BH_OK;
        return status != BH_OK ? status : refuse(error, path, cause);
    }
    target->exists = lstat(target->path, &target->about) == 0;
    if (exists != target->exists || (exists && !file_target_is(target, &about))) {
        *changed = true;
        return fail(error, BH_ERROR_IO, "%s: where it leads can not be found out", path);
    }
    if (exists && access(target->path, W_OK) != 0) {
        return refuse(error, path, errno);
    }
    return check_folder(target->path, error);
}

enum bh_status file_target_find(const char *path, struct file_target *target, struct bh_error *error)
{
    enum bh_status status = BH_OK;
    bool changed = true;
    *target = (struct file_target){};
    for (unsigned i = 0; changed && i < LOOKS_MAX; i++) {
        changed = false;
        file_target_free(target);
        status = look(path, target, &changed, error);
    }
    return status;
}

void file_target_free(struct file_target *target)
{
    free(target->path);
    *target = (struct file_target){};
}

bool file_target_is(const struct file_target *target, const struct stat *file)
{
    return target->exists && target->about.st_dev == file->st_dev && target->about.st_ino == file->st_ino;
}

bool file_target_same(const struct file_target *a, const struct file_target *b)
{
    return strcmp(a->path, b->path) == 0 || (b->exists && file_target_is(a, &b->about));
}

/* Creates a file beside the target, with a name like its own that was free; -1, and errno. */
static int open_beside(const struct file_target *target, char **path)
{
    char *folder = folder_of(target->path), name[NAME_MAX + 1];
    int file = -1;
    errno = EEXIST;
    for (unsigned i = 0; folder && file < 0 && errno == EEXIST && i < NAMES_TRIED; i++) {
        snprintf(name, sizeof name, ".%.*s.%ld-%u.tmp", NAME_KEPT, name_of(target->path), (long)getpid(), i);
        free(*path);
        *path = join(folder, name);
        mode_t mode = target->exists ? target->about.st_mode & CREATION_MODE : CREATION_MODE;
        file = *path ? open(*path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode) : -1;
    }
    int cause = errno;
    if (file < 0) {
        free(*path);
        *path = NULL;
    }
    free(folder);
    errno = cause;
    return file;
}

/* Owner, group and mode of the file that is to be replaced; what its group might do, another might not. */
static bool keep_mode(int file, const struct file_target *target)
{
    const struct stat *about = &target->about;
    struct stat own;
    if (!target->exists) {
        return true;
    }
    if (fstat(file, &own) != 0) {
        return false;
    }
    bool owner = own.st_uid == about->st_uid || fchown(file, about->st_uid, (gid_t)-1) == 0;
    bool group = own.st_gid == about->st_gid || fchown(file, (uid_t)-1, about->st_gid) == 0;
    mode_t kept = owner && group ? 07777 : group ? 0777 : 0707;
    return fchmod(file, about->st_mode & kept) == 0;
}

static bool write_all(int file, const char *bytes, size_t size)
{
    while (size) {
        ssize_t written = write(file, bytes, size);
        if (written < 0 && errno != EINTR) {
            return false;
        }
        bytes += written > 0 ? written : 0;
        size -= written > 0 ? (size_t)written : 0;
    }
    return true;
}

enum bh_status stage_file(const char *path, const void *bytes, size_t size, struct staged_file *staged,
                          struct bh_error *error)
{
    *staged = (struct staged_file){};
    enum bh_status status = file_target_find(path, &staged->target, error);
    if (status != BH_OK) {
        return status;
    }
    int file = open_beside(&staged->target, &staged->temporary);
    bool written = file >= 0 && keep_mode(file, &staged->target) && write_all(file, bytes, size);
    int cause = errno;
    if (file >= 0 && close(file) != 0 && written) {
        written = false;
        cause = errno;
    }
    return written ? BH_OK : refuse(error, path, cause);
}

enum bh_status commit_file(struct staged_file *staged, struct bh_error *error)
{
    enum bh_status status = BH_OK;
    if (staged->temporary && rename(staged->temporary, staged->target.path) != 0) {
        status = refuse(error, staged->target.path, errno);
    } else {
        free(staged->temporary);
        staged->temporary = NULL;
    }
    discard_file(staged);
    return status;
}

void discard_file(struct staged_file *staged)
{
    if (staged->temporary) {
        (void)unlink(staged->temporary);
    }
    free(staged->temporary);
    file_target_free(&staged->target);
    *staged = (struct staged_file){};
}
