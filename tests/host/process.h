/* Processes: information from Linux about this one, and running others. */
#ifndef BHEMU_TESTS_HOST_PROCESS_H
#define BHEMU_TESTS_HOST_PROCESS_H

#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
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

enum { PF_EXITING = 4 };

/* The flags of a thread (proc_pid_stat(5), field 9); PF_EXITING if there is none any more. */
static inline unsigned flags_of_thread(const char *id)
{
    char path[300], line[1000] = "";
    unsigned flags = PF_EXITING;
    snprintf(path, sizeof path, "/proc/self/task/%s/stat", id);
    FILE *file = fopen(path, "r");
    if (!file) {
        return flags;
    }
    const char *name_ends = fgets(line, sizeof line, file) ? strrchr(line, ')') : NULL;
    if (name_ends) {
        (void)sscanf(name_ends, ") %*c %*d %*d %*d %*d %*d %u", &flags);
    }
    fclose(file);
    return flags;
}

/* As one listing has it; *exiting: some of those that are listed are about to go. */
static inline unsigned threads_listed(bool *exiting)
{
    unsigned threads = 0;
    DIR *tasks = opendir("/proc/self/task");
    *exiting = false;
    for (struct dirent *task; tasks && (task = readdir(tasks));) {
        bool goes = task->d_name[0] != '.' && flags_of_thread(task->d_name) & PF_EXITING;
        threads += task->d_name[0] != '.' && !goes;
        *exiting |= goes;
    }
    if (tasks) {
        closedir(tasks);
    }
    return threads;
}

/* pthread_join() returns before the kernel has finished with a thread, which is listed, and counted in
   /proc/self/status, for a while; and a listing misses a thread if one before it goes meanwhile. So two listings
   without threads that go have to agree. */
static inline unsigned threads_of_this_process(void)
{
    bool exiting, still;
    unsigned before, threads = threads_listed(&exiting);
    do {
        before = exiting ? 0 : threads;
        threads = threads_listed(&still);
        exiting = still;
    } while (exiting || threads != before);
    return threads;
}

#endif
