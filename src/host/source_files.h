/* Source lines of several ELFs, of which those that were asked last stay open: whoever asks for many places asks for
   few programs. Not for several threads at once. */
#ifndef BHEMU_HOST_SOURCE_FILES_H
#define BHEMU_HOST_SOURCE_FILES_H

#include "host/code_file.h"

enum { SOURCE_FILES = 16 }; /* open at a time: the programs of a few tiles */

struct source_file;

/* All zero: none is open. */
struct source_files {
    struct {
        char *path; /* null: none */
        struct file_identity identity;
        struct source_file *file;
        uint64_t used; /* when it was asked last */
    } open[SOURCE_FILES];
    uint64_t asked;
};

/* As source_line(). A file that is open answers as it was when it was opened, whatever has become of it. only: the file
   that is meant; another one at this path is not asked. Null: any. */
bool source_files_line(struct source_files *files, const char *path, const struct file_identity *only, uint32_t pc,
                       char *buffer, unsigned size);

/* Closes all of them. */
void source_files_close(struct source_files *files);

#endif
