/* bhemu host: a program that loads libttsim.so, or calls bh_system_connect(), with its chips in several processes. */
#include <stdio.h>
#include <string.h>

#include "commands.h"
#include "host/host_command.h"

static void usage(FILE *out)
{
    fprintf(out,
            "usage: bhemu host [OPTION...] PROGRAM [ARGUMENT...]\n\n"
            "Starts PROGRAM with BHEMU_NODES in its environment; docs/systems.md.\n\n"
            "  --processes N        that have a part of the chips each; 1\n%s",
            host_command_options);
}

int command_host(int argc, char **argv)
{
    struct host_command command;
    struct bh_error error = {""};
    int code;
    if (argc > 1 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)) {
        usage(stdout);
        return 0;
    }
    if (!host_command_read(argc, argv, &command) || command.tcp) {
        usage(stderr);
        return EXIT_USAGE;
    }
    if (host_run_processes(&command, &code, &error) != BH_OK) {
        fprintf(stderr, "bhemu: %s\n", error.text);
        return 1;
    }
    return code;
}
