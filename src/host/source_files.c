#include "host/source_files.h"

#include <stdlib.h>
#include <string.h>

#include "host/source_lines.h"

static void close_one(struct source_files *files, unsigned i)
{
    free(files->open[i].path);
    source_file_close(files->open[i].file);
    memset(&files->open[i], 0, sizeof files->open[i]);
}

/* The file of the path in place of the one that was asked longest ago; null: it can not be read, or is not the one that
   is meant. */
static const struct source_file *open_one(struct source_files *files, const char *path,
                                          const struct file_identity *only)
{
    struct stat status;
    if (stat(path, &status) != 0) {
        return NULL;
    }
    struct file_identity identity = file_identity(&status);
    struct source_file *file = !only || file_identity_equal(&identity, only) ? source_file_open(path) : NULL;
    char *copy = file ? strdup(path) : NULL;
    if (!copy) {
        source_file_close(file);
        return NULL;
    }
    unsigned oldest = 0;
    for (unsigned i = 1; i < SOURCE_FILES; i++) {
        oldest = files->open[i].used < files->open[oldest].used ? i : oldest;
    }
    close_one(files, oldest);
    files->open[oldest].path = copy;
    files->open[oldest].identity = identity;
    files->open[oldest].file = file;
    files->open[oldest].used = ++files->asked;
    return file;
}

static const struct source_file *find(struct source_files *files, const char *path, const struct file_identity *only)
{
    for (unsigned i = 0; i < SOURCE_FILES; i++) {
        if (files->open[i].path && strcmp(files->open[i].path, path) == 0 &&
            (!only || file_identity_equal(&files->open[i].identity, only))) {
            files->open[i].used = ++files->asked;
            return files->open[i].file;
        }
    }
    return open_one(files, path, only);
}

bool source_files_line(struct source_files *files, const char *path, const struct file_identity *only, uint32_t pc,
                       char *buffer, unsigned size)
{
    const struct source_file *file = find(files, path, only);
    if (!file && size) {
        buffer[0] = 0;
    }
    return file && source_file_line(file, pc, buffer, size);
}

void source_files_close(struct source_files *files)
{
    for (unsigned i = 0; i < SOURCE_FILES; i++) {
        close_one(files, i);
    }
}
