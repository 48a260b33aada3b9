/* Runs a job on four linked chips, one core of each of which is busy for ever, up to limits that are so many epochs
   apart: what the longer run takes longer is the time of those. The commands start and end in both. */
#include "processes.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "chip/ethernet/link_constants.h"

enum { CHIPS = 4, TURNS = 5, FEWEST = 250, MOST = 256000, WORDS = 24 };
#define LEAST_SECONDS 1.0

struct way {
    const char *name, *command; /* in the folder */
    const char *words[WORDS];   /* before the options that all have; null: no more */
    unsigned processes;
};

static const struct way ways[] = {
    {"bhemu run", "bhemu", {"run", NULL}, 1},
    {"bhemu run --processes 2", "bhemu", {"run", "--processes", "2", NULL}, 2},
    {"bhemu run --processes 4", "bhemu", {"run", "--processes", "4", NULL}, 4},
    {"mpirun -n 1 bhemu-node run", "bhemu-node", {"run", NULL}, 1},
    {"mpirun -n 2 bhemu-node run", "bhemu-node", {"run", NULL}, 2},
    {"mpirun -n 4 bhemu-node run", "bhemu-node", {"run", NULL}, 4},
};
enum { WAYS = sizeof ways / sizeof ways[0] };

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static int is_mpi(const struct way *way)
{
    return way->name[0] == 'm';
}

/* In the child: becomes the command. */
static void become(const struct way *way, const char *command, const char *job, unsigned epochs)
{
    char limit[32], processes[16];
    const char *words[WORDS];
    unsigned count = 0;
    (void)snprintf(limit, sizeof limit, "%u", epochs * LINK_LATENCY);
    (void)snprintf(processes, sizeof processes, "%u", way->processes);
    if (is_mpi(way)) {
        const char *const mpi[] = {"mpirun", "--oversubscribe", "-n", processes};
        for (unsigned i = 0; i < sizeof mpi / sizeof mpi[0]; i++) {
            words[count++] = mpi[i];
        }
        setenv("OMPI_ALLOW_RUN_AS_ROOT", "1", 1);
        setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", 1);
    }
    words[count++] = command;
    for (unsigned i = 0; way->words[i]; i++) {
        words[count++] = way->words[i];
    }
    words[count++] = "--limit";
    words[count++] = limit;
    words[count++] = job;
    words[count] = NULL;
    int none = open("/dev/null", O_RDWR);
    for (int end = 0; end < 3; end++) {
        dup2(none, end);
    }
    execvp(words[0], (char *const *)words);
    _exit(127);
}

/* Seconds that a run of so many epochs takes; negative: it can not be run. */
static double run(const struct way *way, const char *command, const char *job, unsigned epochs)
{
    enum { LIMIT_REACHED = 5 };
    int status = 0;
    double begin = now();
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        become(way, command, job, epochs);
    }
    if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status) ||
        WEXITSTATUS(status) != LIMIT_REACHED) {
        return -1;
    }
    return now() - begin;
}

static double lesser(double a, double b)
{
    return a < b ? a : b;
}

/* The shortest of some runs of each length: whatever else the machine does makes them longer. */
static void print_way(const struct way *way, const char *folder, const char *job)
{
    char command[PATH_MAX + 16];
    unsigned epochs = FEWEST;
    (void)snprintf(command, sizeof command, "%s/%s", folder, way->command);
    double base = run(way, command, job, FEWEST);
    if (base < 0) {
        printf("| %u | `%s` | not here | |\n", way->processes, way->name);
        return;
    }
    double all = run(way, command, job, FEWEST + epochs);
    while (epochs < MOST && all - base < (base > LEAST_SECONDS ? base : LEAST_SECONDS)) {
        epochs *= 2;
        all = run(way, command, job, FEWEST + epochs);
    }
    for (unsigned turn = 1; turn < TURNS; turn++) {
        base = lesser(base, run(way, command, job, FEWEST));
        all = lesser(all, run(way, command, job, FEWEST + epochs));
    }
    double each = (all - base) / epochs;
    printf("| %u | `%s` | %.0f | %.2g |\n", way->processes, way->name, each * 1e6, LINK_LATENCY / each);
    fflush(stdout);
}

void print_processes(const char *folder)
{
    char job[] = "/tmp/bench-systems-XXXXXX.yaml";
    char path[PATH_MAX];
    int file = realpath(folder, path) ? mkstemps(job, 5) : -1;
    if (file < 0) {
        return;
    }
    dprintf(file,
            "system: x4\n"
            "chips:\n"
            "  - chips: [0, 1, 2, 3]\n"
            "    tiles:\n"
            "      - at: [1, 2]\n"
            "        programs: [{core: T1, elf: %s/kernels/bench_riscv.trisc1.elf}]\n"
            "        words: [{address: 0x16100, values: [0, 0, 0, 30000]}]\n",
            path);
    close(file);
    printf("\n%u chips with one busy core each, epochs of %u cycles:\n\n"
           "| processes | | us an epoch | clocks a second |\n|---|---|---|---|\n",
           CHIPS, LINK_LATENCY);
    for (unsigned i = 0; i < WAYS; i++) {
        print_way(&ways[i], path, job);
    }
    unlink(job);
}
