/* Options of a command as tables, from which reading them, their help, manual pages and the completions of shells
   come. */
#ifndef BHEMU_HOST_COMMAND_OPTION_H
#define BHEMU_HOST_COMMAND_OPTION_H

#include <stdbool.h>
#include <stdio.h>

struct command_option {
    const char *name;     /* "log": --log; null: the end of the list */
    const char *argument; /* "FILE", "FOLDER"; "auto|never": one of these; "CYCLE FILE": two; "[=LIST]": it may be left
                             out, and then is null; null: none is taken */
    const char *help;     /* lines are separated by \n; null: another name of an option, of which help does not tell */
    char letter;          /* 'l': -l as well; 0: none */
    bool writes;          /* the last argument is a file that is written */
};

struct command_options {
    const struct command_option *const *lists; /* null behind the last */
    bool in_order;                             /* the first operand ends the options: what follows is a program's */
    bool quiet;                                /* nothing is printed about options that are not known */
    /* An option was given. second: the second of two arguments, else null. false: the value is invalid, and stderr has
       a line. */
    bool (*set)(void *context, const struct command_option *option, const char *value, const char *second);
    void *context;
};

/* --help. */
extern const struct command_option command_help_option;

enum command_reading { COMMAND_READ, COMMAND_WRONG, COMMAND_HELP };

/* Reads a command line; argv[0] is the name that messages begin with. Operands are behind `optind` afterwards. --help
   and -h, which every command has, give COMMAND_HELP. */
enum command_reading command_options_read(const struct command_options *options, int argc, char **argv);

/* Options with their help, a paragraph each. */
void command_options_print(FILE *out, const struct command_option *const *lists);

#endif
