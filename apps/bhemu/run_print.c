/* What kernels print, on stdout; --no-print. */
#include <stdio.h>

#include "run_part.h"

const struct command_option run_print_list[] = {
    {"no-print", NULL, "do not show what kernels print", 0, false},
    {},
};

static bool off;

static bool set(struct run *run, const char *name, const char *value)
{
    off = true;
    return true;
}

/* Each line is written at once: stderr may tell what happened next. */
static void print_line(void *context, const struct bh_print_line *line)
{
    run_end_progress();
    if (line->chips) {
        printf("chip %u ", line->chip);
    }
    printf("%u-%u %s: %s\n", line->tile_x, line->tile_y, bh_core_name((enum bh_core)line->core), line->text);
    fflush(stdout);
}

static enum bh_status begin(struct run *run, struct bh_error *error)
{
    run->options.on_print = off ? NULL : print_line;
    return BH_OK;
}

const struct run_part run_print_part = {.options = run_print_list, .set = set, .begin = begin};
