/* bhemu host: a program that loads libttsim.so, or calls bh_system_connect(), with its chips in several processes. */
#include <stdio.h>
#include <string.h>

#include "commands.h"
#include "host/host_command.h"

static const struct command_option own_options[] = {
    {"processes", "N", "the number of processes, each of which has a part of the chips (1)", 0, false},
    {},
};
static const struct command_option *const lists[] = {own_options, host_command_options, NULL};

static int start(int argc, char **argv)
{
    struct host_command command;
    struct bh_error error = {""};
    int code;
    enum command_reading reading = host_command_read(argc, argv, lists, &command);
    if (reading != COMMAND_READ) {
        command_print_help(reading == COMMAND_HELP ? stdout : stderr, &command_host);
        return reading == COMMAND_HELP ? EXIT_DONE : EXIT_WRONG;
    }
    enum bh_status status = host_run_processes(&command, &code, &error);
    if (status != BH_OK) {
        fprintf(stderr, "bhemu: %s\n", error.text);
        return exit_code_of_status(status);
    }
    return code;
}

const struct command command_host = {
    .name = "host",
    .summary = "start a host program whose chips are in other processes",
    .usage = "[OPTION...] PROGRAM [ARGUMENT...]\n[OPTION...] --folder FOLDER",
    .description = "Starts PROGRAM with BHEMU_NODES in its environment (docs/systems.md). If all goes well, the exit "
                   "code is that of the program.",
    .lists = lists,
    .operand = OPERAND_FILES,
    .run = start,
};
