/* Help of all commands, and reading their options. */
#include <getopt.h>
#include <string.h>

#include "commands.h"

enum { WIDTH = 110 };

static void print_usage(FILE *out, const struct command *command)
{
    const char *lead = "usage:";
    for (const char *line = command->usage; line; lead = "      ") {
        size_t length = strcspn(line, "\n");
        fprintf(out, "%s bhemu %s%s%.*s\n", lead, command->name, length ? " " : "", (int)length, line);
        line = line[length] ? line + length + 1 : NULL;
    }
}

/* Breaks lines between words. */
static void print_paragraphs(FILE *out, const char *text)
{
    size_t column = 0;
    while (*text) {
        size_t length = strcspn(text, " \n");
        if (column && column + 1 + length > WIDTH) {
            fputc('\n', out);
            column = 0;
        }
        fprintf(out, "%s%.*s", column ? " " : "", (int)length, text);
        column += length + (column > 0);
        text += length;
        size_t lines = strspn(text, "\n");
        for (size_t i = 0; i < lines; i++) {
            fputc('\n', out);
            column = 0;
        }
        text += lines ? lines : *text == ' ';
    }
    fputc('\n', out);
}

void command_print_help(FILE *out, const struct command *command)
{
    print_usage(out, command);
    fputc('\n', out);
    print_paragraphs(out, command->description);
    fputs("\noptions:\n", out);
    command_options_print(out, command->lists);
    fputs("\nexit codes:\n", out);
    for (unsigned i = 0; i < sizeof exit_code_meanings / sizeof *exit_code_meanings; i++) {
        fprintf(out, "  %3d  %s\n", exit_code_meanings[i].code, exit_code_meanings[i].meaning);
    }
}

bool command_read(const struct command_line *line, int argc, char **argv, int *code)
{
    const struct command_options options = {.lists = line->command->lists, .set = line->set, .context = line->context};
    enum command_reading reading = command_options_read(&options, argc, argv);
    bool fits = argc - optind >= line->least && (!line->most || argc - optind <= line->most);
    *code = reading == COMMAND_HELP ? EXIT_DONE : EXIT_WRONG;
    if (reading == COMMAND_HELP || (reading == COMMAND_READ && !fits)) {
        command_print_help(reading == COMMAND_HELP ? stdout : stderr, line->command);
    }
    return reading == COMMAND_READ && fits;
}
