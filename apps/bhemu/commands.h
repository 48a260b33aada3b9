/* The commands of bhemu, as data: help, manual pages and completions of shells come from it. */
#ifndef BHEMU_COMMANDS_H
#define BHEMU_COMMANDS_H

#include "host/command_option.h"
#include "host/exit_code.h"

/* What completions of shells offer where no option stands. */
enum operand { OPERAND_NONE, OPERAND_JOBS, OPERAND_FILES, OPERAND_INSTRUCTIONS, OPERAND_COMMANDS, OPERAND_WORDS };

struct command {
    const char *name;
    const char *summary;                       /* what it does, in a few words */
    const char *usage;                         /* what may stand behind the name; several are separated by \n */
    const char *description;                   /* paragraphs are separated by \n\n */
    const struct command_option *const *lists; /* of options; null behind the last */
    enum operand operand;
    const char *words; /* of OPERAND_WORDS, with spaces between them */
    /* argv[0] is "bhemu NAME". Returns an exit code of host/exit_code.h; when it is not 0, stderr says why. */
    int (*run)(int argc, char **argv);
};

extern const struct command command_asm, command_completion, command_diff, command_disasm, command_host, command_isa,
    command_man, command_new, command_run, command_schema;

#define JOB_SCHEMA_TITLE "a job of bhemu"

/* In the order in which help lists them; null behind the last. */
extern const struct command *const commands[];

/* Null: there is none of that name. */
const struct command *command_by_name(const char *name);

void command_print_help(FILE *out, const struct command *command);

/* Reads the options of a command, and prints its help if that is asked for, or to stderr if there are not `least` to
   `most` operands. false: nothing is left to do, and *code is what to exit with. */
struct command_line {
    const struct command *command;
    int least, most; /* operands; most 0: any number */
    bool (*set)(void *context, const struct command_option *option, const char *value, const char *second);
    void *context;
};
bool command_read(const struct command_line *line, int argc, char **argv, int *code);

#endif
