#include "color.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const struct command_option color_list[] = {
    {"color", "auto|always|never",
     "use colours; auto, the default: on terminals, unless the environment has NO_COLOR or\nTERM=dumb", 0, false},
    {},
};

static enum { AUTO, ALWAYS, NEVER } chosen;

bool color_choose(const char *value)
{
    static const char *const names[] = {[AUTO] = "auto", [ALWAYS] = "always", [NEVER] = "never"};
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcmp(value, names[i]) == 0) {
            chosen = i;
            return true;
        }
    }
    fprintf(stderr, "bhemu: --color: '%s' is none of auto, always, never\n", value);
    return false;
}

static bool has_colors(FILE *file)
{
    const char *without = getenv("NO_COLOR"), *terminal = getenv("TERM");
    bool wanted = !(without && *without) && terminal && strcmp(terminal, "dumb") != 0;
    return chosen == ALWAYS || (chosen == AUTO && wanted && isatty(fileno(file)));
}

const char *color_code(FILE *file, enum color color)
{
    static const char *const codes[] = {[COLOR_RED] = "\033[1;31m",
                                        [COLOR_YELLOW] = "\033[1;33m",
                                        [COLOR_GREEN] = "\033[1;32m",
                                        [COLOR_NONE] = "\033[0m"};
    return has_colors(file) ? codes[color] : "";
}

const char *color_begin(FILE *file, const char *line)
{
    static const struct {
        const char *word;
        enum color color;
    } words[] = {{"error:", COLOR_RED}, {"bhemu:", COLOR_RED}, {"warning:", COLOR_YELLOW}, {"check:", COLOR_YELLOW}};
    for (unsigned i = 0; i < sizeof words / sizeof *words; i++) {
        size_t length = strlen(words[i].word);
        if (strncmp(line, words[i].word, length) == 0) {
            fprintf(file, "%s%s%s", color_code(file, words[i].color), words[i].word, color_code(file, COLOR_NONE));
            return line + length;
        }
    }
    return line;
}
