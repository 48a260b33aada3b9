/* Hosts whose chips several processes have, as `bhemu host` and `bhemu-node host` start them (docs/systems.md). */
#ifndef BHEMU_HOST_HOST_COMMAND_H
#define BHEMU_HOST_HOST_COMMAND_H

#include <sys/types.h>

#include "bhemu/system.h"
#include "host/command_option.h"
#include "system/message.h"
#include "system/serve.h"

struct host_command {
    const char *system; /* the name of a topology, or a file */
    const char *folder; /* of the sockets; null: a temporary one */
    char **program;     /* and its arguments, behind them null; null: hosts come by themselves */
    unsigned processes; /* 0: not said */
    unsigned patience;  /* seconds */
    bool each;          /* a host for each process */
    bool lockstep;
    bool tcp; /* sockets that other machines reach */
};

/* Those that both commands have. */
extern const struct command_option host_command_options[];

/* lists: host_command_options, and --processes or --tcp. */
enum command_reading host_command_read(int argc, char **argv, const struct command_option *const *lists,
                                       struct host_command *command);

enum bh_status host_find_system(const char *name, struct bh_topology **topology, struct bh_error *error);

/* The sockets' folder: an own one, or that which is named. */
struct host_folder {
    char path[80];
    bool own;
};

bool host_folder_make(struct host_folder *folder, const struct host_command *command, struct bh_error *error);
void host_folder_address(const struct host_folder *folder, unsigned rank, char address[HOST_ADDRESS]);

/* Takes the sockets away, and the folder if it is an own one. */
void host_folder_remove(const struct host_folder *folder, unsigned ranks);

/* Starts the program with BHEMU_NODES and, of several, BHEMU_RANK in its environment; it ends with this process.
   Returns its number, or -1. */
pid_t host_start_program(const struct host_command *command, const char *address, unsigned rank);

/* What a shell would have as its exit code. */
int host_exit_code(int status);

/* As serve() wants it, but for what is of one process. */
struct serve_options host_serve_options(const struct host_command *command, const struct bh_topology *topology,
                                        const char *addresses);

/* In processes of this machine, which are forked. *code: of the program, or of the first that did not end well. */
enum bh_status host_run_processes(const struct host_command *command, int *code, struct bh_error *error);

#endif
