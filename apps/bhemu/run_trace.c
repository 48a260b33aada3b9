/* --trace: a trace in the Chrome trace event format. --profile-log, --ops-report, --noc-trace: files of tt-metal's
 * profiler. */
#include <stdio.h>
#include <string.h>

#include "bhemu/trace.h"
#include "run_files.h"
#include "run_place.h"

const struct command_option run_trace_list[] = {
    {"trace", "FILE", "write a trace to FILE: JSON for ui.perfetto.dev and chrome://tracing; for one job", 0, true},
    {"trace-merge", NULL, "merge each function, and each sequence of the same Tensix instruction, into one slice", 0,
     false},
    {"profile-log", "FILE",
     "write when kernels begin and end to FILE, as tt-metal's profile_log_device.csv; for one job", 0, true},
    {"zones", "FILE",
     "take names of zones that tt-metal's kernels mark from FILE: zone_src_locations.log, or a log of the\ncompiler", 0,
     false},
    {"ops-report", "FILE", "write how long each launch took to FILE, as tt-metal's ops_perf_results.csv; for one job",
     0, true},
    {"noc-trace", "FOLDER", "write requests on the NoC to FOLDER, in files that tt-npe reads; for one job", 0, false},
    {},
};

static const char *path, *log_path, *report_path, *noc_folder; /* null: none of these */
static const char *zones_path;                                 /* the same */
static bool merge;
static struct bh_trace *trace;
static struct bh_profile_log *profile_log;
static struct bh_ops_report *ops_report;
static struct bh_noc_trace *noc_trace;

static bool set(struct run *run, const char *name, const char *value)
{
    if (strcmp(name, "trace-merge") == 0) {
        merge = true;
    } else if (strcmp(name, "trace") == 0) {
        path = value;
    } else if (strcmp(name, "profile-log") == 0) {
        log_path = value;
    } else if (strcmp(name, "zones") == 0) {
        run_files_note_read(name, value);
        zones_path = value;
    } else if (strcmp(name, "ops-report") == 0) {
        report_path = value;
    } else {
        noc_folder = value;
    }
    return true;
}

static bool is_for_one(const struct run *run, const char *option, const char *value)
{
    return !value || run->jobs <= 1 || run_wrong("--%s is for one job; here are %u", option, run->jobs);
}

static bool check(struct run *run)
{
    if (merge && !path) {
        return run_wrong("--trace-merge without --trace");
    }
    if (zones_path && !path && !log_path) {
        return run_wrong("--zones without --trace or --profile-log");
    }
    return is_for_one(run, "trace", path) && is_for_one(run, "profile-log", log_path) &&
           is_for_one(run, "ops-report", report_path) && is_for_one(run, "noc-trace", noc_folder);
}

static bool source(void *context, unsigned x, unsigned y, const struct bh_place *place, char *buffer, unsigned size)
{
    return run_source(context, x, y, place, buffer, size);
}

static enum bh_status job_ended(void *context, struct bh_device *device, enum bh_status how, struct bh_error *error)
{
    bh_trace_reach(trace, bh_clock(device));
    return BH_OK;
}

static const struct bh_job_hook hook = {.ended = job_ended};

static enum bh_status begin_trace(struct run *run, struct bh_error *error)
{
    const struct run_filter *filter = &run->filter;
    const struct bh_trace_options how = {.mode = run->options.mode,
                                         .tiles = filter->tiles,
                                         .tile_count = filter->tile_count,
                                         .cores = filter->cores,
                                         .core_count = filter->core_count,
                                         .units = filter->units,
                                         .unit_count = filter->unit_count,
                                         .from = filter->from,
                                         .to = filter->to,
                                         .merge = merge,
                                         .source = source,
                                         .context = run,
                                         .name = run->path,
                                         .zones = zones_path};
    enum bh_status status = bh_trace_open(path, &how, &trace, error);
    if (status == BH_OK) {
        run_add_observer(run, bh_trace_observer(trace));
        run_add_hook(run, &hook);
    }
    return status;
}

/* The name of the job file, without its folder and what follows a dot. */
static void name_job(const struct run *run, char *name, size_t size)
{
    const char *slash = strrchr(run->path, '/'), *base = slash ? slash + 1 : run->path;
    size_t length = strcspn(base, ".");
    length = length < size ? length : size - 1;
    memcpy(name, base, length);
    name[length] = 0;
}

static enum bh_status begin_profiler_files(struct run *run, struct bh_error *error)
{
    char name[100];
    struct bh_tiles board;
    bool is_known = bh_job_tiles(run->job, run->options.chip, &board);
    const struct bh_profiler_options how = {.tiles = run->filter.tiles,
                                            .tile_count = run->filter.tile_count,
                                            .from = run->filter.from,
                                            .to = run->filter.to,
                                            .board = is_known ? &board : NULL,
                                            .name = name,
                                            .zones = zones_path};
    name_job(run, name, sizeof name);
    enum bh_status status = log_path ? bh_profile_log_open(log_path, &how, &profile_log, error) : BH_OK;
    if (profile_log) {
        run_add_observer(run, bh_profile_log_observer(profile_log));
    }
    if (status == BH_OK && report_path) {
        status = bh_ops_report_open(report_path, &how, &ops_report, error);
    }
    if (ops_report) {
        run_add_observer(run, bh_ops_report_observer(ops_report));
    }
    if (status == BH_OK && noc_folder) {
        status = bh_noc_trace_open(noc_folder, &how, &noc_trace, error);
    }
    if (noc_trace) {
        run_add_observer(run, bh_noc_trace_observer(noc_trace));
    }
    return status;
}

static enum bh_status begin(struct run *run, struct bh_error *error)
{
    enum bh_status status = path ? begin_trace(run, error) : BH_OK;
    return status == BH_OK ? begin_profiler_files(run, error) : status;
}

/* All are closed; the first error counts. */
static enum bh_status end(struct run *run, enum bh_status how, struct bh_error *error)
{
    struct bh_error why[4];
    const enum bh_status statuses[] = {bh_trace_close(trace, &why[0]), bh_profile_log_close(profile_log, &why[1]),
                                       bh_noc_trace_close(noc_trace, &why[2]),
                                       bh_ops_report_close(ops_report, &why[3])};
    trace = NULL;
    profile_log = NULL;
    noc_trace = NULL;
    ops_report = NULL;
    for (unsigned i = 0; i < 4; i++) {
        if (statuses[i] != BH_OK) {
            *error = why[i];
            return statuses[i];
        }
    }
    return BH_OK;
}

const struct run_part run_trace_part = {
    .options = run_trace_list, .set = set, .check = check, .begin = begin, .end = end};
