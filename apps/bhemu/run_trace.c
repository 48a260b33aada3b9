/* --trace: a trace in the Chrome trace event format. */
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "bhemu/trace.h"
#include "run_part.h"

static const struct run_option options[] = {
    {"trace", "FILE", "write a trace there: JSON that ui.perfetto.dev and chrome://tracing open; of one job", 0},
    {"trace-merge", NULL, "of each function, and of each run of one Tensix instruction, one slice", 0},
    {},
};

static const char *path; /* null: no trace */
static bool merge;
static struct bh_trace *trace;

static bool set(struct run *run, const char *name, const char *value)
{
    if (value) {
        path = value;
    } else {
        merge = true;
    }
    return true;
}

static bool check(struct run *run)
{
    return !path || run->jobs <= 1 || run_wrong("--trace is for one job; here are %u", run->jobs);
}

static char folder[PATH_MAX + 1]; /* the working folder, and a slash */

static void find_folder(void)
{
    if (getcwd(folder, sizeof folder - 1)) {
        strcat(folder, "/");
    } else {
        folder[0] = 0;
    }
}

/* As bh_job_source(), with the paths in it relative to the working folder. */
static bool source(void *context, unsigned x, unsigned y, const struct bh_place *place, char *buffer, unsigned size)
{
    char text[1000];
    bool known = bh_job_source(context, x, y, place, text, sizeof text);
    for (char *found; folder[0] && (found = strstr(text, folder));) {
        char *rest = found + strlen(folder);
        memmove(found, rest, strlen(rest) + 1);
    }
    size_t length = strnlen(text, size - 1);
    memcpy(buffer, text, length);
    buffer[length] = 0;
    return known;
}

static enum bh_status job_ended(void *context, struct bh_device *device, enum bh_status how, struct bh_error *error)
{
    bh_trace_reach(trace, bh_clock(device));
    return BH_OK;
}

static const struct bh_job_hook hook = {.ended = job_ended};

static enum bh_status begin(struct run *run, struct bh_error *error)
{
    if (!path) {
        return BH_OK;
    }
    find_folder();
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
                                         .context = (void *)run->job,
                                         .name = run->path};
    enum bh_status status = bh_trace_open(path, &how, &trace, error);
    if (status == BH_OK) {
        run_add_observer(run, bh_trace_observer(trace));
        run_add_hook(run, &hook);
    }
    return status;
}

static enum bh_status end(struct run *run, enum bh_status how, struct bh_error *error)
{
    enum bh_status status = bh_trace_close(trace, error);
    trace = NULL;
    return status;
}

const struct run_part run_trace_part = {.options = options, .set = set, .check = check, .begin = begin, .end = end};
