/* bhemu: dispatches to its commands. */
#include <stdio.h>
#include <string.h>

#include "commands.h"
#include "version.h"

const struct command *const commands[] = {
    &command_run, &command_new,    &command_host, &command_diff,       &command_asm, &command_disasm,
    &command_isa, &command_schema, &command_man,  &command_completion, NULL,
};

const struct command *command_by_name(const char *name)
{
    unsigned i = 0;
    while (commands[i] && strcmp(commands[i]->name, name) != 0) {
        i++;
    }
    return commands[i];
}

static void usage(FILE *out)
{
    fprintf(out, "usage: bhemu COMMAND [ARGUMENTS]\n\ncommands:\n");
    for (unsigned i = 0; commands[i]; i++) {
        fprintf(out, "  %-11s %s\n", commands[i]->name, commands[i]->summary);
    }
    fprintf(out, "\n'bhemu COMMAND --help' describes a command.\n");
}

/* Output that could not be written, to a full disk for example, is a failure too. */
static int finish(int code)
{
    if (fflush(stdout) != 0 || ferror(stdout)) {
        fprintf(stderr, "bhemu: the output could not be written\n");
        return exit_code_worse(code, EXIT_HOST_FAILED);
    }
    return code;
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        usage(stderr);
        return EXIT_WRONG;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 || strcmp(argv[1], "help") == 0) {
        usage(stdout);
        return finish(EXIT_DONE);
    }
    if (strcmp(argv[1], "--version") == 0) {
        version_print();
        return finish(EXIT_DONE);
    }
    const struct command *command = command_by_name(argv[1]);
    if (!command) {
        fprintf(stderr, "bhemu: no command is named '%s'; 'bhemu help' lists them\n", argv[1]);
        return EXIT_WRONG;
    }
    char name[40];
    (void)snprintf(name, sizeof name, "bhemu %s", command->name);
    argv[1] = name; /* what messages begin with */
    return finish(command->run(argc - 1, argv + 1));
}
