#include "host/host_command.h"

#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "host/job_system.h"
#include "util/fail.h"

enum { PATIENCE = 600, MAXIMUM = 1000000, NOT_FOUND = 127 };

const struct command_option host_command_options[] = {
    {"system", "TOPOLOGY", "the chips and their links: a name or a file (x2)", 0, false},
    {"each", NULL, "start a program for each process, which sees the chips of that process", 0, false},
    {"lockstep", NULL, "let time pass only when the programs of all processes want it to", 0, false},
    {"folder", "FOLDER", "the folder of the sockets, FOLDER/RANK; without PROGRAM, hosts connect to them", 0, false},
    {"patience", "SECONDS", "give a process up that does not answer for SECONDS (600)", 0, false},
    {},
};

static bool number(const char *text, unsigned *value)
{
    char *end;
    unsigned long read = strtoul(text, &end, 10);
    *value = (unsigned)read;
    return *text >= '0' && *text <= '9' && !*end && read && read <= MAXIMUM;
}

static bool set(void *context, const struct command_option *option, const char *value, const char *second)
{
    struct host_command *command = context;
    const char *name = option->name;
    if (strcmp(name, "patience") == 0) {
        return number(value, &command->patience);
    }
    if (strcmp(name, "processes") == 0) {
        return number(value, &command->processes);
    }
    if (strcmp(name, "system") == 0) {
        command->system = value;
    } else if (strcmp(name, "folder") == 0) {
        command->folder = value;
    } else if (strcmp(name, "each") == 0) {
        command->each = true;
    } else if (strcmp(name, "lockstep") == 0) {
        command->lockstep = true;
    } else {
        command->tcp = true;
    }
    return true;
}

enum command_reading host_command_read(int argc, char **argv, const struct command_option *const *lists,
                                       struct host_command *command)
{
    const struct command_options options = {.lists = lists, .in_order = true, .set = set, .context = command};
    *command = (struct host_command){.system = "x2", .patience = PATIENCE};
    enum command_reading reading = command_options_read(&options, argc, argv);
    command->program = optind < argc ? argv + optind : NULL;
    bool fits = (command->program || command->folder) && (command->each || !command->lockstep);
    return reading == COMMAND_READ && !fits ? COMMAND_WRONG : reading;
}

enum bh_status host_find_system(const char *name, struct bh_topology **topology, struct bh_error *error)
{
    char names[JOB_SYSTEM_NAMES];
    if (job_names_file(name)) {
        return bh_topology_load(name, topology, error);
    }
    enum bh_status status = bh_topology_by_name(name, topology);
    return status == BH_ERROR_ARGUMENT ? fail(error, status, "--system: '%s' is not known; it has to be one of %s",
                                              name, job_system_names(names))
           : status == BH_OK           ? BH_OK
                                       : fail(error, status, "out of memory");
}

bool host_folder_make(struct host_folder *folder, const struct host_command *command, struct bh_error *error)
{
    const char *root = getenv("TMPDIR");
    folder->own = !command->folder;
    size_t length = (size_t)(folder->own ? snprintf(folder->path, sizeof folder->path, "%s/bhemu-host-XXXXXX",
                                                    root && *root ? root : "/tmp")
                                         : snprintf(folder->path, sizeof folder->path, "%s", command->folder));
    if (length >= sizeof folder->path) {
        fail(error, BH_ERROR_ARGUMENT, "%s: the path of a folder of sockets has at most %zu characters", folder->path,
             sizeof folder->path - 1);
        return false;
    }
    bool made = folder->own ? mkdtemp(folder->path) != NULL : mkdir(folder->path, 0700) == 0 || errno == EEXIST;
    if (!made) {
        fail(error, BH_ERROR_IO, "%s: %s", folder->path, strerror(errno));
    }
    return made;
}

void host_folder_address(const struct host_folder *folder, unsigned rank, char address[HOST_ADDRESS])
{
    (void)snprintf(address, HOST_ADDRESS, "unix:%s/%u", folder->path, rank);
}

void host_folder_remove(const struct host_folder *folder, unsigned ranks)
{
    for (unsigned rank = 0; rank < ranks; rank++) {
        char address[HOST_ADDRESS];
        host_folder_address(folder, rank, address);
        unlink(address + strlen("unix:"));
    }
    if (folder->own) {
        rmdir(folder->path);
    }
}

pid_t host_start_program(const struct host_command *command, const char *address, unsigned rank)
{
    pid_t parent = getpid(), pid;
    char text[20];
    fflush(NULL);
    pid = fork();
    if (pid != 0) {
        return pid;
    }
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) { /* it has died before that */
        _exit(1);
    }
    setenv("BHEMU_NODES", address, 1);
    if (command->each) {
        (void)snprintf(text, sizeof text, "%u", rank);
        setenv("BHEMU_RANK", text, 1);
    }
    execvp(command->program[0], command->program);
    fprintf(stderr, "bhemu: %s: %s\n", command->program[0], strerror(errno));
    _exit(NOT_FOUND);
}

int host_exit_code(int status)
{
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

struct serve_options host_serve_options(const struct host_command *command, const struct bh_topology *topology,
                                        const char *addresses)
{
    return (struct serve_options){.topology = topology,
                                  .addresses = addresses,
                                  .each = command->each,
                                  .lockstep = command->lockstep,
                                  .once = !command->program,
                                  .patience = command->patience};
}
