/* --report-every, --report-dot: who waits for whom, now and then, and as a graph. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bhemu/report.h"
#include "run_messages.h"
#include "run_part.h"

const struct command_option run_report_list[] = {
    {"report-every", "SECONDS", "report who waits for whom each time SECONDS have passed", 0, false},
    {"report-dot", "FILE",
     "write who waits for whom to FILE as a graph (Graphviz), when a job did not end well\nand with each report; for "
     "one job",
     0, true},
    {},
};

enum { SHORTEST_STEP = 1000, LONGEST_STEP = 100 * 1000 * 1000 }; /* cycles between two looks at the time */

static struct {
    double every;     /* seconds; 0: no reports */
    const char *path; /* null: no graph */
    const struct run *run;
    double last, looked; /* times of the last report and of the last look at the time */
    uint64_t next, step;
} report;

static bool set(struct run *run, const char *name, const char *value)
{
    if (!strcmp(name, "report-dot")) {
        report.path = value;
        return true;
    }
    char *end;
    report.every = strtod(value, &end);
    if (end == value || *end || !isfinite(report.every) || report.every <= 0) {
        return run_wrong("'%s' is no time in seconds between two reports", value);
    }
    return true;
}

static bool check(struct run *run)
{
    return !report.path || run->jobs <= 1 || run_wrong("--report-dot is for one job; here are %u", run->jobs);
}

static void write_piece(void *context, const char *text)
{
    fputs(text, context);
}

static enum bh_status write_graph(struct bh_device *device, struct bh_error *error)
{
    FILE *file = fopen(report.path, "w");
    bool good = file != NULL;
    if (good) {
        good = bh_report_graph(device, write_piece, file) == BH_OK && !ferror(file);
        good = fclose(file) == 0 && good;
    }
    if (!good) {
        (void)snprintf(error->text, sizeof error->text, "%s: %s", report.path, strerror(errno));
    }
    return good ? BH_OK : BH_ERROR_IO;
}

static uint64_t stop(void *context, struct bh_device *device)
{
    return report.next;
}

/* Looks at the time about ten times a second, however fast the clock goes. */
static enum bh_status reached(void *context, struct bh_device *device, struct bh_error *error)
{
    double now = run_seconds(), took = now - report.looked;
    enum bh_status status = BH_OK;
    report.looked = now;
    if (took < 0.05 && report.step < LONGEST_STEP) {
        report.step *= 2;
    } else if (took > 0.2 && report.step > SHORTEST_STEP) {
        report.step /= 2;
    }
    report.next = bh_clock(device) + report.step;
    if (now - report.last >= report.every) {
        run_end_progress();
        fprintf(stderr, "bhemu: %s: after %.1f s, at %" PRIu64 " %s:\n", report.run->path, now, bh_clock(device),
                bh_mode_counts(report.run->options.mode));
        bh_report(device);
        status = report.path ? write_graph(device, error) : BH_OK;
        report.last = run_seconds();
    }
    return status;
}

static enum bh_status ended(void *context, struct bh_device *device, enum bh_status how, struct bh_error *error)
{
    return report.path && how != BH_OK ? write_graph(device, error) : BH_OK;
}

static const struct bh_job_hook timed_hook = {.stop = stop, .reached = reached, .ended = ended};
static const struct bh_job_hook end_hook = {.ended = ended};

static enum bh_status begin(struct run *run, struct bh_error *error)
{
    report.run = run;
    report.last = report.looked = run_seconds();
    report.step = report.next = SHORTEST_STEP;
    if (report.every || report.path) {
        run_add_hook(run, report.every ? &timed_hook : &end_hook);
    }
    return BH_OK;
}

const struct run_part run_report_part = {.options = run_report_list, .set = set, .check = check, .begin = begin};
