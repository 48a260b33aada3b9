/* bhemu: dispatches to its commands. */
#include <stdio.h>
#include <string.h>

#include "commands.h"

static const struct command {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *summary;
} commands[] = {
    {"run", command_run, "run a job: programs, tensors in and out, what to expect"},
    {"new", command_new, "make a folder with a kernel and a job to begin with"},
    {"host", command_host, "start a host program whose chips several processes have"},
    {"diff", command_diff, "run a job here and on another library, and compare"},
    {"asm", command_asm, "assemble Tensix instructions"},
    {"disasm", command_disasm, "disassemble Tensix words, binaries and RISC-V ELF files"},
    {"isa", command_isa, "describe Tensix instructions"},
};

static void usage(FILE *out)
{
    fprintf(out, "usage: bhemu COMMAND [ARGUMENTS]\n\ncommands:\n");
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        fprintf(out, "  %-8s %s\n", commands[i].name, commands[i].summary);
    }
    fprintf(out, "\n'bhemu COMMAND --help' says more.\n");
}

/* Output that could not be written, to a full disk for example, is a failure too. */
static int finish(int code)
{
    if (fflush(stdout) != 0 || ferror(stdout)) {
        fprintf(stderr, "bhemu: the output could not be written\n");
        return code ? code : 1;
    }
    return code;
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        usage(stderr);
        return EXIT_USAGE;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 || strcmp(argv[1], "help") == 0) {
        usage(stdout);
        return finish(0);
    }
    if (strcmp(argv[1], "--version") == 0) {
        puts("bhemu " BHEMU_VERSION);
        return finish(0);
    }
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        if (strcmp(argv[1], commands[i].name) == 0) {
            return finish(commands[i].run(argc - 1, argv + 1));
        }
    }
    fprintf(stderr, "bhemu: no command is named '%s'; 'bhemu help' lists them\n", argv[1]);
    return EXIT_USAGE;
}
