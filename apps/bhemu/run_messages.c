#include "run_messages.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "chip/diagnostic_lines.h"
#include "color.h"

static struct {
    bool told;    /* the terminal is in a line of progress */
    bool stopped; /* a diagnostic with the reason has been printed */
    double started, last;
} messages;

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void run_messages_begin(void)
{
    messages.told = messages.stopped = false;
    messages.started = messages.last = seconds();
}

bool run_messages_stopped(void)
{
    return messages.stopped;
}

double run_seconds(void)
{
    return seconds() - messages.started;
}

bool run_wrong(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fputs("bhemu run: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    return false;
}

void run_end_progress(void)
{
    if (messages.told) {
        fputc('\n', stderr);
        messages.told = false;
    }
}

void run_warn(const char *format, ...)
{
    char line[600] = "warning: ";
    size_t begun = strlen(line);
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(line + begun, sizeof line - begun, format, arguments);
    va_end(arguments);
    run_end_progress();
    fprintf(stderr, "%s\n", color_begin(stderr, line));
}

void run_print_relative(const char *text)
{
    char folder[PATH_MAX];
    size_t length = getcwd(folder, sizeof folder - 1) ? strlen(folder) : 0;
    if (length) {
        folder[length] = '/';
        folder[length + 1] = 0;
        for (const char *found; (found = strstr(text, folder)); text = found + length + 1) {
            fprintf(stderr, "%.*s", (int)(found - text), text);
        }
    }
    fprintf(stderr, "%s\n", text);
}

/* Whose places a diagnostic names. */
struct told {
    const struct bh_job *job;
    unsigned chip;
};

static bool source_of(void *context, unsigned x, unsigned y, const struct bh_place *place, char *buffer, unsigned size)
{
    const struct told *told = context;
    return bh_job_source(told->job, told->chip, x, y, place, buffer, size);
}

static void print_line(void *context, const char *line)
{
    run_print_relative(color_begin(stderr, line));
}

/* Prints a diagnostic, and below each line about a place in a program where in the source that is. */
void run_print_diagnostic(void *context, const struct bh_diagnostic *diagnostic)
{
    const struct run *run = context;
    struct told told = {run->job, diagnostic->chip};
    const struct diagnostic_lines lines = {source_of, print_line, &told};
    run_end_progress();
    diagnostic_write_lines(diagnostic, &lines);
    messages.stopped |= diagnostic->action == BH_STOP;
}

/* Prints progress at most once a second, in one line that is overwritten on a terminal. */
void run_print_progress(void *context, const struct bh_run_result *so_far)
{
    const struct run *run = context;
    double now = seconds();
    if (!run->progress || now - messages.last < 1) {
        return;
    }
    bool terminal = isatty(STDERR_FILENO);
    fprintf(stderr, "%s%.0f s: %.1f million emulated steps, %.1f million RISC-V and %.3f million Tensix instructions%s",
            terminal ? "\r" : "", now - messages.started, (double)so_far->cycles / 1e6,
            (double)so_far->riscv_instructions / 1e6, (double)so_far->tensix_instructions / 1e6, terminal ? "" : "\n");
    fflush(stderr);
    messages.last = now;
    messages.told = terminal;
}

static bool set_color(struct run *run, const char *name, const char *value)
{
    return color_choose(value);
}

const struct run_part run_color_part = {.options = color_list, .set = set_color};
