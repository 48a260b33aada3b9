#include "run_messages.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

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

/* Prints where in the source a place is, if the ELF says so; named: and whose place it is. */
static void print_source(const struct bh_job *job, const struct bh_diagnostic *diagnostic, const struct bh_place *place,
                         bool named)
{
    char source[600];
    if (!bh_job_source(job, diagnostic->tile_x, diagnostic->tile_y, place, source, sizeof source)) {
        return;
    }
    bool core = place->agent == BH_AGENT_CORE;
    if (named) {
        fprintf(stderr, "  %s %s at 0x%08x: ", core ? "core" : "thread",
                bh_core_name((enum bh_core)(core ? place->index : BH_CORE_T0 + place->index)), place->pc);
    } else {
        fputs("    ", stderr);
    }
    run_print_relative(source);
}

/* The place whose line begins, after spaces, at this one of the text; null: none. */
static const struct bh_place *place_of_line(const struct bh_diagnostic *diagnostic, const char *line)
{
    size_t at = (size_t)(line - diagnostic->text) + strspn(line, " ");
    for (unsigned i = 0; i < diagnostic->places_count; i++) {
        if (diagnostic->lines[i] == at) {
            return &diagnostic->places[i];
        }
    }
    return NULL;
}

/* Prints a diagnostic, and below each line about a place in a program where in the source that is. */
void run_print_diagnostic(void *context, const struct bh_diagnostic *diagnostic)
{
    const struct run *run = context;
    struct bh_diagnostic head = *diagnostic;
    char line[BH_DIAGNOSTIC_TEXT + 1000];
    size_t length = strcspn(diagnostic->text, "\n");
    run_end_progress();
    head.text[length] = 0;
    bh_diagnostic_format(&head, line, sizeof line);
    fprintf(stderr, "%s\n", line);
    if (diagnostic->agent != BH_AGENT_HOST) {
        struct bh_place place = {.agent = diagnostic->agent, .index = diagnostic->index, .pc = diagnostic->pc};
        print_source(run->job, diagnostic, &place, true);
    }
    for (const char *at = diagnostic->text;; at += length + 1, length = strcspn(at, "\n")) {
        const struct bh_place *place = place_of_line(diagnostic, at);
        if (at != diagnostic->text) {
            fprintf(stderr, "%.*s\n", (int)length, at);
        }
        if (place) {
            print_source(run->job, diagnostic, place, false);
        }
        if (!at[length]) {
            break;
        }
    }
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
