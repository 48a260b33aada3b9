/* --check: finds races, uninitialised data, accesses out of bounds and misused synchronisation. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bhemu/check.h"
#include "check/report.h"
#include "color.h"
#include "commands.h"
#include "file.h"
#include "run_files.h"
#include "run_part.h"
#include "run_place.h"

enum { MAXIMUM_LIMIT = 1000000, TEXT_SIZE = 8000, SUMMARY_SIZE = 200 };

const struct command_option run_check_list[] = {
    {"check", "[=TOOLS]",
     "find mistakes that show only sometimes: racecheck,initcheck,memcheck,synccheck; all four unless\nsome are named; "
     "exits with 3 if there is a finding",
     0, false},
    {"check-limit", "N", "print at most N different findings (100)", 0, false},
    {"check-report", "FILE", "write the findings to FILE, as JSON; for one job", 0, true},
    {"check-suppress", "FILE", "leave out the findings that FILE lists, with a line `RULE` or `RULE at PLACE` for each",
     0, false},
    {},
};

static uint32_t tools;
static unsigned limit;
static const char *report_path, *suppressions_path;
static struct bh_check *check;

static bool add_tool(const char *name, size_t length)
{
    for (unsigned i = 0; i < BH_CHECK_TOOLS; i++) {
        const char *known = bh_check_tool_name((enum bh_check_tool)i);
        if (strlen(known) == length && strncmp(known, name, length) == 0) {
            tools |= BH_CHECK_TOOL_BIT(i);
            return true;
        }
    }
    return run_wrong("--check: there is no tool '%.*s': racecheck, initcheck, memcheck, synccheck", (int)length, name);
}

static bool set_tools(const char *list)
{
    if (!list) {
        tools = BH_CHECK_ALL_TOOLS;
        return true;
    }
    for (const char *at = list;; at++) {
        size_t length = strcspn(at, ",");
        if (!add_tool(at, length)) {
            return false;
        }
        at += length;
        if (!*at) {
            return true;
        }
    }
}

static bool set_limit(const char *value)
{
    uint64_t number;
    if (!run_number(value, &number) || number == 0 || number > MAXIMUM_LIMIT) {
        return run_wrong("--check-limit: '%s' is no number from 1 to %d", value, MAXIMUM_LIMIT);
    }
    limit = (unsigned)number;
    return true;
}

static bool set(struct run *run, const char *name, const char *value)
{
    if (strcmp(name, "check") == 0) {
        return set_tools(value);
    }
    if (strcmp(name, "check-limit") == 0) {
        return set_limit(value);
    }
    if (strcmp(name, "check-report") == 0) {
        report_path = value;
        return true;
    }
    run_files_note_read(name, value);
    suppressions_path = value;
    return true;
}

static bool check_options(struct run *run)
{
    if (!tools && (limit || report_path || suppressions_path)) {
        return run_wrong("--check-limit, --check-report and --check-suppress need --check");
    }
    if (tools && (run->options.restore || run->options.resume)) {
        return run_wrong(
            "--check needs the whole run: a snapshot does not say who has written what, and in which order");
    }
    if (suppressions_path && access(suppressions_path, R_OK)) {
        return run_wrong("--check-suppress %s: %s", suppressions_path, strerror(errno));
    }
    return !report_path || run->jobs <= 1 || run_wrong("--check-report is for one job; here are %u", run->jobs);
}

static bool source(void *context, unsigned x, unsigned y, const struct bh_place *place, char *buffer, unsigned size)
{
    return run_source(context, x, y, place, buffer, size);
}

static void on_finding(void *context, const struct bh_check_finding *finding)
{
    char text[TEXT_SIZE];
    const struct run *run = context;
    if (run->searches_seeds && run->options.jitter && finding->severity == BH_SEVERITY_NOTE) {
        return; /* the run without jitter has told it */
    }
    run_end_progress();
    bh_check_format(check, finding, text, sizeof text);
    fputs(color_begin(stderr, text), stderr);
}

static enum bh_status job_ended(void *context, struct bh_device *device, enum bh_status how, struct bh_error *error)
{
    return how == BH_OK ? bh_check_end(check) : bh_check_stop(check);
}

static const struct bh_job_hook hook = {.ended = job_ended};

static enum bh_status suppress(struct bh_error *error)
{
    size_t size;
    char *text = file_read("run", suppressions_path, &size);
    if (!text) {
        (void)snprintf(error->text, sizeof error->text, "--check-suppress: there are no suppressions");
        return BH_ERROR_IO;
    }
    struct bh_error why;
    enum bh_status status = bh_check_suppress(check, text, &why);
    if (status == BH_ERROR_FORMAT) {
        (void)snprintf(error->text, sizeof error->text, "%.200s: %.200s", suppressions_path, why.text);
    }
    free(text);
    return status;
}

static enum bh_status begin(struct run *run, struct bh_error *error)
{
    if (!tools) {
        return BH_OK;
    }
    enum bh_status status = bh_check_open(&(struct bh_check_options){.mode = run->options.mode,
                                                                     .tools = tools,
                                                                     .tiles = run->filter.tiles,
                                                                     .tile_count = run->filter.tile_count,
                                                                     .limit = limit,
                                                                     .on_finding = on_finding,
                                                                     .context = run,
                                                                     .source = source},
                                          &check, error);
    if (status == BH_OK && suppressions_path) {
        status = suppress(error);
    }
    if (status == BH_OK) {
        status = bh_job_own(run->job, run->options.chip, check, error);
    }
    if (status == BH_OK) {
        run_add_observer(run, bh_check_observer(check));
        run_add_hook(run, &hook);
    }
    return status;
}

static void print_summary(void)
{
    char text[SUMMARY_SIZE];
    bh_check_format_count(check, text, sizeof text);
    fputs(text, stderr);
}

static void keep_findings(struct run *run)
{
    size_t size;
    free(run->findings);
    run->findings = NULL;
    FILE *stream = open_memstream(&run->findings, &size);
    if (stream) {
        check_write_json(check, stream);
        fclose(stream);
    }
}

static enum bh_status end(struct run *run, enum bh_status how, struct bh_error *error)
{
    enum bh_status status = BH_OK;
    if (check) {
        bool more_seeds = run->last_jitter > run->options.jitter && how == BH_OK;
        bool wrong = bh_check_count(check) > bh_check_notes(check);
        if (wrong || !more_seeds) {
            run_end_progress();
            print_summary();
        }
        run->code = wrong ? EXIT_FINDINGS : 0;
        keep_findings(run);
        status = report_path ? bh_check_write(check, report_path, error) : BH_OK;
    }
    bh_check_close(check);
    check = NULL;
    return status;
}

const struct run_part run_check_part = {
    .options = run_check_list, .set = set, .check = check_options, .begin = begin, .end = end};
