/* What Linux says of this process. */
#ifndef BHEMU_TESTS_HOST_PROCESS_H
#define BHEMU_TESTS_HOST_PROCESS_H

#include <stdio.h>

static inline unsigned threads_of_this_process(void)
{
    unsigned threads = 0;
    char line[200];
    FILE *file = fopen("/proc/self/status", "r");
    while (file && fgets(line, sizeof line, file)) {
        (void)sscanf(line, "Threads: %u", &threads);
    }
    if (file) {
        fclose(file);
    }
    return threads;
}

#endif
