/* --log: each executed instruction, and what it changes. */
#include <stdio.h>

#include "bhemu/log.h"
#include "run_part.h"

const struct command_option run_log_list[] = {
    {"log", "FILE", "write each executed instruction, and what it changes, to FILE; for one job", 0, true},
    {},
};

static const char *path; /* null: no log */
static struct bh_log *file;

static bool set(struct run *run, const char *name, const char *value)
{
    path = value;
    return true;
}

static bool check(struct run *run)
{
    return !path || run->jobs <= 1 || run_wrong("--log is for one job; here are %u", run->jobs);
}

static enum bh_status begin(struct run *run, struct bh_error *error)
{
    if (!path) {
        return BH_OK;
    }
    const struct run_filter *filter = &run->filter;
    const struct bh_log_options log = {.tiles = filter->tiles,
                                       .tile_count = filter->tile_count,
                                       .cores = filter->cores,
                                       .core_count = filter->core_count,
                                       .units = filter->units,
                                       .unit_count = filter->unit_count,
                                       .from = filter->from,
                                       .to = filter->to};
    enum bh_status status = bh_log_open(path, &log, &file, error);
    if (status == BH_OK) {
        run_add_observer(run, bh_log_observer(file));
    }
    return status;
}

static enum bh_status end(struct run *run, enum bh_status how, struct bh_error *error)
{
    enum bh_status status = bh_log_close(file, error);
    file = NULL;
    return status;
}

const struct run_part run_log_part = {.options = run_log_list, .set = set, .check = check, .begin = begin, .end = end};
