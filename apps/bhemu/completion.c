/* bhemu completion: what shells complete command lines of bhemu with, of the tables that the commands are in. */
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "commands.h"
#include "isa/tensix_table.h"

/* What an argument may be. */
enum argument { ARGUMENT_NONE, ARGUMENT_ANY, ARGUMENT_FILE, ARGUMENT_FOLDER, ARGUMENT_ONE_OF };

static enum argument kind_of(const struct command_option *option)
{
    const char *argument = option->argument;
    return !argument || argument[0] == '['   ? ARGUMENT_NONE
           : strcmp(argument, "FILE") == 0   ? ARGUMENT_FILE
           : strcmp(argument, "FOLDER") == 0 ? ARGUMENT_FOLDER
           : strchr(argument, '|')           ? ARGUMENT_ONE_OF
                                             : ARGUMENT_ANY;
}

/* Words of an argument that is one of several, with spaces between them. */
static void print_choices(const struct command_option *option)
{
    for (const char *at = option->argument; *at; at++) {
        putchar(*at == '|' ? ' ' : *at);
    }
}

static void print_instructions(void)
{
    for (unsigned i = 0; i < TENSIX_INSTRUCTIONS; i++) {
        printf("%s%s", i ? " " : "", tensix_instructions[i].name);
    }
}

static void print_commands(void)
{
    for (unsigned i = 0; commands[i]; i++) {
        printf("%s%s", i ? " " : "", commands[i]->name);
    }
}

/* Prints a text within single quotes; bytes of `special` get a backslash. */
static void print_quoted(const char *text, const char *special, const char *apostrophe)
{
    for (; *text; text++) {
        if (*text == '\'') {
            fputs(apostrophe, stdout);
        } else if (*text == '\n') {
            putchar(' ');
        } else {
            printf("%s%c", strchr(special, *text) ? "\\" : "", *text);
        }
    }
}

static void each_option(const struct command *command,
                        void (*print)(const struct command *command, const struct command_option *option))
{
    for (unsigned i = 0; command->lists[i]; i++) {
        for (const struct command_option *option = command->lists[i]; option->name; option++) {
            if (option->help) {
                print(command, option);
            }
        }
    }
    print(command, &command_help_option);
}

/* bash */

static void print_bash_name(const struct command *command, const struct command_option *option)
{
    printf(" --%s", option->name);
}

static void print_bash_argument(const struct command *command, const struct command_option *option)
{
    enum argument kind = kind_of(option);
    if (kind == ARGUMENT_NONE) {
        return;
    }
    printf("    %s:--%s", command->name, option->name);
    if (option->letter) {
        printf(" | %s:-%c", command->name, option->letter);
    }
    fputs(") ", stdout);
    switch (kind) {
    case ARGUMENT_FILE: fputs("_bhemu_files -f", stdout); break;
    case ARGUMENT_FOLDER: fputs("_bhemu_files -d", stdout); break;
    case ARGUMENT_ONE_OF:
        fputs("_bhemu_words \"", stdout);
        print_choices(option);
        putchar('"');
        break;
    default: putchar(':'); break;
    }
    puts(" ;;");
}

static void print_bash_operand(const struct command *command)
{
    printf("    %s:*) ", command->name);
    switch (command->operand) {
    case OPERAND_JOBS: fputs("_bhemu_files -f -X '!*.yaml'; _bhemu_files -d", stdout); break;
    case OPERAND_FILES: fputs("_bhemu_files -f", stdout); break;
    case OPERAND_INSTRUCTIONS:
        fputs("_bhemu_words \"", stdout);
        print_instructions();
        putchar('"');
        break;
    case OPERAND_WORDS: printf("_bhemu_words \"%s\"", command->words); break;
    case OPERAND_COMMANDS:
        fputs("_bhemu_words \"", stdout);
        print_commands();
        putchar('"');
        break;
    default: putchar(':'); break;
    }
    puts(" ;;");
}

static void print_bash(void)
{
    puts(
        "# Completion of bhemu for bash, written by `bhemu completion bash`.\n"
        "_bhemu_add()\n{\n    local line\n    while IFS= read -r line; do COMPREPLY+=(\"$line\"); done\n}\n"
        "_bhemu_words()\n{\n    _bhemu_add < <(compgen -W \"$1\" -- \"${COMP_WORDS[COMP_CWORD]}\")\n}\n"
        "_bhemu_files()\n{\n    compopt -o filenames 2>/dev/null\n"
        "    _bhemu_add < <(compgen \"$@\" -- \"${COMP_WORDS[COMP_CWORD]}\")\n}\n"
        "_bhemu()\n{\n    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}\n    COMPREPLY=()");
    fputs("    if ((COMP_CWORD == 1)); then\n        _bhemu_words \"", stdout);
    print_commands();
    puts(" --help --version\"\n        return\n    fi\n    case ${COMP_WORDS[1]}:$before in");
    for (unsigned i = 0; commands[i]; i++) {
        each_option(commands[i], print_bash_argument);
    }
    puts("    *) _bhemu_rest ;;\n    esac\n}\n_bhemu_rest()\n{\n    case ${COMP_WORDS[1]}:$word in");
    for (unsigned i = 0; commands[i]; i++) {
        printf("    %s:-*) _bhemu_words \"", commands[i]->name);
        each_option(commands[i], print_bash_name);
        puts("\" ;;");
        print_bash_operand(commands[i]);
    }
    puts("    esac\n}\ncomplete -F _bhemu bhemu");
}

/* zsh */

static void print_zsh_option(const struct command *command, const struct command_option *option)
{
    enum argument kind = kind_of(option);
    if (option->letter) {
        printf("            '(-%c --%s)'{-%c,--%s}'[", option->letter, option->name, option->letter, option->name);
    } else {
        printf("            '*--%s[", option->name);
    }
    print_quoted(option->help, "[]:\\", "'\\''");
    putchar(']');
    for (const char *argument = option->argument; argument && kind != ARGUMENT_NONE; argument = strchr(argument, ' ')) {
        argument += *argument == ' ';
        putchar(':');
        char name[100];
        (void)snprintf(name, sizeof name, "%.*s", (int)strcspn(argument, " "), argument);
        print_quoted(kind == ARGUMENT_ONE_OF ? option->name : name, "[]:\\", "'\\''");
        putchar(':');
        if (kind == ARGUMENT_ONE_OF) {
            putchar('(');
            print_choices(option);
            putchar(')');
        } else if (kind == ARGUMENT_FILE || kind == ARGUMENT_FOLDER) {
            fputs(kind == ARGUMENT_FILE ? "_files" : "_files -/", stdout);
        }
    }
    puts("' \\");
}

static void print_zsh_operand(const struct command *command)
{
    fputs("            '*: :", stdout);
    switch (command->operand) {
    case OPERAND_JOBS: fputs("_files -g \"*.yaml\"", stdout); break;
    case OPERAND_FILES: fputs("_files", stdout); break;
    case OPERAND_INSTRUCTIONS:
        putchar('(');
        print_instructions();
        putchar(')');
        break;
    case OPERAND_WORDS: printf("(%s)", command->words); break;
    case OPERAND_COMMANDS:
        putchar('(');
        print_commands();
        putchar(')');
        break;
    default: break;
    }
    puts("'");
}

static void print_zsh(void)
{
    puts("#compdef bhemu\n# Completion of bhemu for zsh, written by `bhemu completion zsh`.\n"
         "_bhemu()\n{\n    local state line\n    typeset -A opt_args\n    local -a names\n    names=(");
    for (unsigned i = 0; commands[i]; i++) {
        printf("        '%s:", commands[i]->name);
        print_quoted(commands[i]->summary, ":\\", "'\\''");
        puts("'");
    }
    puts("    )\n    _arguments -C '(- *)'{-h,--help}'[list the commands]' '(- *)--version[tell which bhemu this is]' "
         "\\\n"
         "        '1: :->command' '*:: :->arguments' && return\n"
         "    case $state in\n    command) _describe command names ;;\n    arguments)\n        case $line[1] in");
    for (unsigned i = 0; commands[i]; i++) {
        printf("        %s)\n            _arguments \\\n", commands[i]->name);
        each_option(commands[i], print_zsh_option);
        print_zsh_operand(commands[i]);
        puts("            ;;");
    }
    puts("        esac\n        ;;\n    esac\n}\nif [ \"$funcstack[1]\" = _bhemu ]; then\n    _bhemu \"$@\"\nelse\n"
         "    compdef _bhemu bhemu\nfi");
}

/* fish */

static void print_fish_option(const struct command *command, const struct command_option *option)
{
    printf("complete -c bhemu -n '__fish_seen_subcommand_from %s' -l %s", command->name, option->name);
    if (option->letter) {
        printf(" -s %c", option->letter);
    }
    switch (kind_of(option)) {
    case ARGUMENT_NONE: break;
    case ARGUMENT_FILE: fputs(" -rF", stdout); break;
    case ARGUMENT_FOLDER: fputs(" -xa '(__fish_complete_directories)'", stdout); break;
    case ARGUMENT_ANY: fputs(" -x", stdout); break;
    case ARGUMENT_ONE_OF:
        fputs(" -xa '", stdout);
        print_choices(option);
        putchar('\'');
        break;
    }
    fputs(" -d '", stdout);
    print_quoted(option->help, "\\", "\\'");
    puts("'");
}

static void print_fish_operand(const struct command *command)
{
    printf("complete -c bhemu -n '__fish_seen_subcommand_from %s'", command->name);
    switch (command->operand) {
    case OPERAND_JOBS: fputs(" -ka '(__fish_complete_suffix .yaml)'", stdout); break;
    case OPERAND_FILES: fputs(" -F", stdout); break;
    case OPERAND_INSTRUCTIONS:
        fputs(" -fa '", stdout);
        print_instructions();
        putchar('\'');
        break;
    case OPERAND_WORDS: printf(" -fa '%s'", command->words); break;
    case OPERAND_COMMANDS:
        fputs(" -fa '", stdout);
        print_commands();
        putchar('\'');
        break;
    default: fputs(" -f", stdout); break;
    }
    putchar('\n');
}

static void print_fish(void)
{
    puts("# Completion of bhemu for fish, written by `bhemu completion fish`.\n"
         "complete -c bhemu -n __fish_use_subcommand -f -l help -s h -d 'list the commands'\n"
         "complete -c bhemu -n __fish_use_subcommand -f -l version -d 'tell which bhemu this is'");
    for (unsigned i = 0; commands[i]; i++) {
        printf("complete -c bhemu -n __fish_use_subcommand -fa %s -d '", commands[i]->name);
        print_quoted(commands[i]->summary, "\\", "\\'");
        puts("'");
    }
    for (unsigned i = 0; commands[i]; i++) {
        each_option(commands[i], print_fish_option);
        print_fish_operand(commands[i]);
    }
}

static int start(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*print)(void);
    } shells[] = {{"bash", print_bash}, {"zsh", print_zsh}, {"fish", print_fish}};
    const struct command_line line = {.command = &command_completion, .least = 1, .most = 1};
    int code;
    if (!command_read(&line, argc, argv, &code)) {
        return code;
    }
    for (unsigned i = 0; i < sizeof shells / sizeof *shells; i++) {
        if (strcmp(argv[optind], shells[i].name) == 0) {
            shells[i].print();
            return EXIT_DONE;
        }
    }
    fprintf(stderr, "bhemu completion: there is none for '%s'; there are bash, zsh and fish\n", argv[optind]);
    return EXIT_WRONG;
}

static const struct command_option *const lists[] = {NULL};

const struct command command_completion = {
    .name = "completion",
    .summary = "print a script that completes command lines in a shell",
    .usage = "bash|zsh|fish",
    .description = "Prints a script for a shell. source <(bhemu completion bash) loads it into the current one; an "
                   "installed bhemu has the scripts where the shells find them.",
    .lists = lists,
    .operand = OPERAND_WORDS,
    .words = "bash zsh fish",
    .run = start,
};
