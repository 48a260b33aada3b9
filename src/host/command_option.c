#include "host/command_option.h"

#include <getopt.h>
#include <string.h>

enum { MAXIMUM_OPTIONS = 100, NUMBERED = 0x100, HELP_COLUMN = 24 };

/* Options of all lists, as getopt_long() takes them. */
struct known {
    struct option options[MAXIMUM_OPTIONS + 1];
    const struct command_option *from[MAXIMUM_OPTIONS];
    char letters[3 * MAXIMUM_OPTIONS];
    unsigned count;
};

const struct command_option command_help_option = {"help", NULL, "print this", 'h', false};

static void add(struct known *known, const struct command_option *option)
{
    if (known->count == MAXIMUM_OPTIONS) {
        return;
    }
    int argument = !option->argument ? no_argument : option->argument[0] == '[' ? optional_argument : required_argument;
    int value = option->letter ? option->letter : NUMBERED + (int)known->count;
    known->from[known->count] = option;
    known->options[known->count++] = (struct option){option->name, argument, NULL, value};
    if (option->letter) {
        char *end = known->letters + strlen(known->letters);
        end[0] = option->letter;
        end[1] = option->argument ? ':' : 0;
    }
}

static bool has_two(const struct command_option *option)
{
    return option->argument && strchr(option->argument, ' ');
}

enum command_reading command_options_read(const struct command_options *options, int argc, char **argv)
{
    struct known known = {.letters = {options->in_order ? '+' : 0}};
    for (unsigned i = 0; options->lists[i]; i++) {
        for (const struct command_option *option = options->lists[i]; option->name; option++) {
            add(&known, option);
        }
    }
    add(&known, &command_help_option);
    optind = 1;
    opterr = !options->quiet;
    for (int value; (value = getopt_long(argc, argv, known.letters, known.options, NULL)) != -1;) {
        unsigned index = 0;
        while (index < known.count && known.options[index].val != value) {
            index++;
        }
        if (index == known.count) {
            return COMMAND_WRONG; /* getopt_long() has said why */
        }
        const struct command_option *option = known.from[index];
        if (option == &command_help_option) {
            return COMMAND_HELP;
        }
        if (has_two(option) && optind == argc) {
            fprintf(stderr, "%s: option '--%s' requires two arguments\n", argv[0], option->name);
            return COMMAND_WRONG;
        }
        const char *second = has_two(option) ? argv[optind++] : NULL;
        if (!options->set(options->context, option, known.options[index].has_arg ? optarg : NULL, second)) {
            return COMMAND_WRONG;
        }
    }
    return COMMAND_READ;
}

static void print(FILE *out, const struct command_option *option)
{
    char text[120];
    int length =
        snprintf(text, sizeof text, "  %c%c%s--%s%s%s", option->letter ? '-' : ' ',
                 option->letter ? option->letter : ' ', option->letter ? ", " : "  ", option->name,
                 option->argument && option->argument[0] != '[' ? " " : "", option->argument ? option->argument : "");
    fprintf(out, "%s%*s", text, length < HELP_COLUMN - 1 ? HELP_COLUMN - length : 2, "");
    for (const char *help = option->help; *help; help++) {
        fputc(*help, out);
        if (*help == '\n') {
            fprintf(out, "%*s", HELP_COLUMN, "");
        }
    }
    fputc('\n', out);
}

void command_options_print(FILE *out, const struct command_option *const *lists)
{
    for (unsigned i = 0; lists[i]; i++) {
        for (const struct command_option *option = lists[i]; option->name; option++) {
            if (option->help) {
                print(out, option);
            }
        }
    }
    print(out, &command_help_option);
}
