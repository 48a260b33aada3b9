/* bhemu man: manual pages, of the tables that the commands are in. */
#include <getopt.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "commands.h"
#include "version.h"

enum { LINE = 60 };

/* Text in which nothing is taken for a request of troff; long lines are broken, which makes no difference to the page.
 */
static void print_text(const char *text, size_t length)
{
    for (size_t i = 0, column = 0; i < length; i++, column++) {
        if (text[i] == '\n' || (text[i] == ' ' && column > LINE)) {
            putchar('\n');
            column = SIZE_MAX; /* 0 for the next one */
            continue;
        }
        if (column == 0 && (text[i] == '.' || text[i] == '\'')) {
            fputs("\\&", stdout);
        }
        switch (text[i]) {
        case '\\': fputs("\\e", stdout); break;
        case '-': fputs("\\-", stdout); break;
        case '\'': fputs("\\(aq", stdout); break;
        case '^': fputs("\\(ha", stdout); break;
        case '~': fputs("\\(ti", stdout); break;
        case '`': fputs("\\(ga", stdout); break;
        default: putchar(text[i]); break;
        }
    }
}

static void print_whole(const char *text)
{
    print_text(text, strlen(text));
}

static void print_paragraphs(const char *text)
{
    while (*text) {
        const char *end = strstr(text, "\n\n");
        size_t length = end ? (size_t)(end - text) : strlen(text);
        print_text(text, length);
        fputs(end ? "\n.PP\n" : "\n", stdout);
        text += length + (end ? 2 : 0);
    }
}

/* .TH of a page: "BHEMU-RUN". */
static void print_title(const char *name)
{
    fputs(".TH BHEMU", stdout);
    for (; *name; name++) {
        if (name[0] >= 'a' && name[0] <= 'z') {
            putchar(*name - 'a' + 'A');
        } else {
            print_text(name, 1);
        }
    }
    printf(" 1 %s \"bhemu " BHEMU_VERSION "\" \"User Commands\"\n", version_day);
}

static void print_option(const struct command_option *option)
{
    puts(".TP");
    fputs("\\fB", stdout);
    if (option->letter) {
        printf("\\-%c\\fR, \\fB", option->letter);
    }
    fputs("\\-\\-", stdout);
    print_whole(option->name);
    fputs("\\fR", stdout);
    if (option->argument) {
        bool left_out = option->argument[0] == '[';
        fputs(left_out ? "\\fI" : " \\fI", stdout);
        print_whole(option->argument);
        fputs("\\fR", stdout);
    }
    putchar('\n');
    print_whole(option->help);
    putchar('\n');
}

static void print_usage(const struct command *command)
{
    puts(".SH SYNOPSIS");
    for (const char *line = command->usage; line;) {
        size_t length = strcspn(line, "\n");
        printf("\\fBbhemu %s\\fR%s", command->name, length ? " " : "");
        print_text(line, length);
        line = line[length] ? line + length + 1 : NULL;
        puts(line ? "\n.br" : "");
    }
}

static void print_exit_codes(void)
{
    puts(".SH EXIT STATUS");
    for (unsigned i = 0; i < sizeof exit_code_meanings / sizeof *exit_code_meanings; i++) {
        printf(".TP\n%d\n", exit_code_meanings[i].code);
        print_whole(exit_code_meanings[i].meaning);
        putchar('\n');
    }
}

static void print_command(const struct command *command)
{
    char name[40];
    (void)snprintf(name, sizeof name, "-%s", command->name);
    print_title(name);
    printf(".SH NAME\nbhemu\\-%s \\- ", command->name);
    print_whole(command->summary);
    putchar('\n');
    print_usage(command);
    puts(".SH DESCRIPTION");
    print_paragraphs(command->description);
    puts(".SH OPTIONS");
    for (unsigned i = 0; command->lists[i]; i++) {
        for (const struct command_option *option = command->lists[i]; option->name; option++) {
            if (option->help) {
                print_option(option);
            }
        }
    }
    print_option(&command_help_option);
    print_exit_codes();
    puts(".SH SEE ALSO\n.BR bhemu (1)");
}

static void print_all(void)
{
    print_title("");
    puts(".SH NAME\nbhemu \\- an emulator of Tenstorrent\\(aqs Blackhole chip\n.SH SYNOPSIS\n"
         "\\fBbhemu\\fR \\fICOMMAND\\fR [\\fIARGUMENT\\fR...]\n.SH DESCRIPTION\n"
         "Runs programs for Tenstorrent\\(aqs Blackhole chip, with the bits that silicon gives, and tells what they "
         "did.\n"
         ".SH COMMANDS");
    for (unsigned i = 0; commands[i]; i++) {
        printf(".TP\n.BR bhemu\\-%s (1)\n", commands[i]->name);
        print_whole(commands[i]->summary);
        putchar('\n');
    }
    puts(".SH OPTIONS\n.TP\n\\fB\\-\\-help\\fR\nlist the commands\n.TP\n\\fB\\-\\-version\\fR\ntell which bhemu this "
         "is");
    print_exit_codes();
    puts(".SH SEE ALSO");
    for (unsigned i = 0; commands[i]; i++) {
        printf(".BR bhemu\\-%s (1)%s\n", commands[i]->name, commands[i + 1] ? "," : "");
    }
}

static int start(int argc, char **argv)
{
    const struct command_line line = {.command = &command_man, .most = 1};
    int code;
    if (!command_read(&line, argc, argv, &code)) {
        return code;
    }
    const struct command *command = optind < argc ? command_by_name(argv[optind]) : NULL;
    if (optind < argc && !command) {
        fprintf(stderr, "bhemu man: no command is named '%s'\n", argv[optind]);
        return EXIT_WRONG;
    }
    if (command) {
        print_command(command);
    } else {
        print_all();
    }
    return EXIT_DONE;
}

static const struct command_option *const lists[] = {NULL};

const struct command command_man = {
    .name = "man",
    .summary = "print a manual page",
    .usage = "[COMMAND]",
    .description = "Prints the manual page of bhemu, or of a command, for man(1): bhemu man run | man -l -",
    .lists = lists,
    .operand = OPERAND_COMMANDS,
    .run = start,
};
