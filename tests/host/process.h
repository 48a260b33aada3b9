/* Processes: what Linux says of this one, and running others. */
#ifndef BHEMU_TESTS_HOST_PROCESS_H
#define BHEMU_TESTS_HOST_PROCESS_H

#include <stdio.h>
#include <sys/wait.h>

/* Runs a command in a shell. Returns its exit code, or -1; what it printed ends in a zero byte. */
static inline int run_in_shell(const char *command, char *output, size_t size)
{
    FILE *pipe = popen(command, "r");
    if (!pipe) {
        return -1;
    }
    output[fread(output, 1, size - 1, pipe)] = 0;
    int status = pclose(pipe);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

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
