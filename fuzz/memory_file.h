/* A file in memory, with a path under which it can be opened. */
#ifndef BHEMU_FUZZ_MEMORY_FILE_H
#define BHEMU_FUZZ_MEMORY_FILE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

struct memory_file {
    int descriptor;
    char path[32];
};

/* The caller closes the descriptor. */
static inline struct memory_file open_memory(const void *bytes, size_t size)
{
    struct memory_file file = {.descriptor = memfd_create("fuzz", MFD_CLOEXEC)};
    if (file.descriptor < 0 || write(file.descriptor, bytes, size) != (ssize_t)size) {
        abort();
    }
    snprintf(file.path, sizeof file.path, "/proc/self/fd/%d", file.descriptor);
    return file;
}

#endif
