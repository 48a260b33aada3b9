/* Hosts whose chips processes of this machine have (host/host_command.h): who forks these, starts the programs, and
   waits for both. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "host/exit_code.h"
#include "host/host_command.h"
#include "host/processes.h"
#include "util/fail.h"

enum { LOOK = 5 * 1000 * 1000 /* nanoseconds */ };

struct host_processes {
    const struct host_command *command;
    struct bh_topology *topology;
    struct processes processes;
    struct host_folder folder;
    uint16_t owner[BH_SYSTEM_CHIPS];
    char addresses[SHARED_RANKS][HOST_ADDRESS];
    int listening[SHARED_RANKS];
    pid_t programs[SHARED_RANKS]; /* 0: it has ended */
    int code;
};

/* What ends the programs: set by a signal. */
static volatile sig_atomic_t ending;

static void on_signal(int signal)
{
    ending = signal;
}

static int run_process(void *context, unsigned rank)
{
    struct host_processes *all = context;
    const struct shared_options how = {.rank = rank, .patience = all->command->patience};
    struct shared_end *end = shared_join(all->processes.shared, &how);
    struct serve_options options = host_serve_options(all->command, all->topology, all->addresses[0]);
    struct bh_error error;
    char name[SYSTEM_PART_NAME];
    signal(SIGINT, SIG_IGN); /* the programs end, and then this */
    signal(SIGTERM, SIG_DFL);
    for (unsigned other = 0; other < all->processes.ranks; other++) {
        if (other != rank) {
            close(all->listening[other]);
        }
    }
    enum bh_status status = fail(&error, BH_ERROR_MEMORY, "out of memory");
    if (end) {
        options.listening = all->listening[rank];
        options.part = (struct system_part){rank, all->processes.ranks, all->owner, shared_exchange(end)};
        status = serve(&options, &error);
    }
    if (status != BH_OK) {
        fprintf(stderr, "bhemu: %s: %s\n",
                system_name_part("process", rank, all->owner, all->topology->chip_count, name), error.text);
    }
    shared_leave(end);
    return status == BH_OK ? EXIT_DONE : EXIT_HOST_FAILED;
}

/* One that has failed has said so. */
static bool ended_well(void *context, unsigned rank, int status)
{
    return WIFEXITED(status);
}

static bool listen_all(struct host_processes *all, struct bh_error *error)
{
    for (unsigned rank = 0; rank < all->processes.ranks; rank++) {
        host_folder_address(&all->folder, rank, all->addresses[rank]);
        all->listening[rank] = message_listen(all->addresses[rank], error);
        if (all->listening[rank] < 0) {
            return false;
        }
    }
    return true;
}

static void end_processes(const struct host_processes *all, unsigned program)
{
    for (unsigned rank = 0; rank < all->processes.ranks; rank++) {
        if (!all->command->each || rank == program) {
            (void)serve_end(all->addresses[rank]);
        }
    }
}

/* Notices which programs have ended. Returns how many are left. */
static unsigned look_at_programs(struct host_processes *all)
{
    unsigned left = 0;
    for (unsigned i = 0; i < all->processes.ranks; i++) {
        int status;
        if (all->programs[i] && ending) {
            kill(all->programs[i], ending);
        }
        pid_t pid = all->programs[i] ? waitpid(all->programs[i], &status, WNOHANG) : -1;
        left += pid == 0;
        if (pid > 0) {
            all->programs[i] = 0;
            all->code = all->code ? all->code : host_exit_code(status);
            end_processes(all, i);
        }
    }
    ending = 0;
    return left;
}

static void tell_of_death(const struct host_processes *all)
{
    char name[SYSTEM_PART_NAME], how[60];
    const struct processes *processes = &all->processes;
    fprintf(stderr, "bhemu: %s %s at cycle %llu\n",
            system_name_part("process", processes->dead, all->owner, all->topology->chip_count, name),
            process_end(processes->how, how), (unsigned long long)shared_clock(processes->shared, processes->dead));
}

/* Processes that do not end after the programs have: they wait for somebody who is stopped, for example. */
static void kill_processes(const struct host_processes *all)
{
    for (unsigned rank = 0; rank < all->processes.ranks; rank++) {
        if (all->processes.pids[rank]) {
            kill(all->processes.pids[rank], SIGKILL);
        }
    }
}

static void wait_for_all(struct host_processes *all)
{
    const struct timespec look = {.tv_nsec = LOOK};
    unsigned programs, ranks = all->processes.ranks;
    uint64_t looks = 0, patience = (uint64_t)all->command->patience * 1000 * 1000 * 1000 / LOOK;
    bool told = false;
    for (;;) {
        programs = look_at_programs(all);
        unsigned left = processes_look(&all->processes);
        if (all->processes.dead < ranks && !told) {
            tell_of_death(all);
            told = true;
        }
        if (!programs && !left) {
            return;
        }
        looks = programs || !all->command->program ? 0 : looks + 1;
        if (looks > patience) {
            kill_processes(all);
        }
        nanosleep(&look, NULL);
    }
}

static enum bh_status run_all(struct host_processes *all, struct bh_error *error)
{
    const struct sigaction action = {.sa_handler = on_signal};
    struct sigaction interrupt, terminate;
    sigaction(SIGINT, &action, &interrupt);
    sigaction(SIGTERM, &action, &terminate);
    enum bh_status status = processes_start(&all->processes, error);
    for (unsigned rank = 0; rank < all->processes.ranks; rank++) {
        close(all->listening[rank]);
    }
    unsigned programs = !all->command->program ? 0 : all->command->each ? all->processes.ranks : 1;
    for (unsigned i = 0; i < programs && status == BH_OK; i++) {
        pid_t pid = host_start_program(all->command, all->addresses[i], i);
        if (pid < 0) {
            status =
                fail(error, BH_ERROR_MEMORY, "%s can not be started: %s", all->command->program[0], strerror(errno));
        } else {
            all->programs[i] = pid;
        }
    }
    if (status != BH_OK) {
        kill_processes(all);
    }
    wait_for_all(all);
    sigaction(SIGINT, &interrupt, NULL);
    sigaction(SIGTERM, &terminate, NULL);
    return status;
}

enum bh_status host_run_processes(const struct host_command *command, int *code, struct bh_error *error)
{
    struct host_processes *all = calloc(1, sizeof *all);
    if (!all) {
        return fail(error, BH_ERROR_MEMORY, "out of memory");
    }
    all->command = command;
    enum bh_status status = host_find_system(command->system, &all->topology, error);
    unsigned chips = status == BH_OK ? all->topology->chip_count : 0;
    all->processes = (struct processes){.ranks = command->processes ? command->processes : 1,
                                        .run = run_process,
                                        .ended_well = ended_well,
                                        .context = all};
    unsigned ranks = all->processes.ranks;
    if (status == BH_OK && (ranks > chips || ranks > SHARED_RANKS)) {
        status =
            fail(error, BH_ERROR_ARGUMENT, "%u processes for %u chips; each has at least one, and there are %d at most",
                 ranks, chips, SHARED_RANKS);
    }
    if (status == BH_OK && !host_folder_make(&all->folder, command, error)) {
        status = BH_ERROR_IO;
    } else if (status == BH_OK) {
        system_share(all->owner, chips, ranks);
        all->processes.shared = shared_create(ranks);
        status = !all->processes.shared   ? fail(error, BH_ERROR_MEMORY, "out of memory")
                 : listen_all(all, error) ? run_all(all, error)
                                          : BH_ERROR_IO;
        host_folder_remove(&all->folder, ranks);
        shared_destroy(all->processes.shared);
    }
    *code = all->code ? all->code : all->processes.dead < ranks ? EXIT_HOST_FAILED : 0;
    bh_topology_destroy(all->topology);
    free(all);
    return status;
}
