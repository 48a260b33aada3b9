/* Whole files in memory. */
#ifndef BHEMU_FILE_H
#define BHEMU_FILE_H

#include <stdbool.h>
#include <stddef.h>

/* Reads a file, "-": standard input, to its end. The content is followed by a zero byte that size does not count; the
   caller frees it. null: prints the reason on stderr in one line that begins with `command`. */
char *file_read(const char *command, const char *path, size_t *size);

#endif
