/* --profile, --profile-html, --profile-json, --profile-folded, --profile-every: where the time goes. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bhemu/profile.h"
#include "run_part.h"
#include "run_place.h"

const struct command_option run_profile_list[] = {
    {"profile", NULL, "print where the time goes: cores, threads, units, waits, source lines", 0, false},
    {"profile-html", "FILE", "write the profile to FILE as one page with pictures; for one job, as the next two", 0,
     true},
    {"profile-json", "FILE", "write the profile to FILE as JSON", 0, true},
    {"profile-folded", "FILE", "write stacks of functions with their cycles to FILE, for flame graphs", 0, true},
    {"profile-every", "N", "only sample cores and threads about every N cycles, at full speed: for long runs", 0,
     false},
    {},
};

enum { MOST_EVERY = 1000000000 };

static bool printed;
static const char *paths[BH_PROFILE_FORMATS]; /* null: not wanted */
static uint64_t every;                        /* 0: all events */
static struct bh_profile *profile;
static bool ended;

static bool wanted(void)
{
    return printed || paths[BH_PROFILE_HTML] || paths[BH_PROFILE_JSON] || paths[BH_PROFILE_FOLDED];
}

static bool set(struct run *run, const char *name, const char *value)
{
    if (strcmp(name, "profile-every") == 0) {
        return (run_number(value, &every) && every && every <= MOST_EVERY) ||
               run_wrong("--profile-every %s: that is no number of cycles from 1 to %u", value, MOST_EVERY);
    }
    if (strcmp(name, "profile") == 0) {
        printed = true;
    } else if (strcmp(name, "profile-html") == 0) {
        paths[BH_PROFILE_HTML] = value;
    } else if (strcmp(name, "profile-json") == 0) {
        paths[BH_PROFILE_JSON] = value;
    } else {
        paths[BH_PROFILE_FOLDED] = value;
    }
    return true;
}

static bool check(struct run *run)
{
    bool files = paths[BH_PROFILE_HTML] || paths[BH_PROFILE_JSON] || paths[BH_PROFILE_FOLDED];
    if (every && !wanted()) {
        return run_wrong("--profile-every needs --profile or one of its files");
    }
    return !files || run->jobs <= 1 || run_wrong("files of --profile-... are for one job; here are %u", run->jobs);
}

static bool source(void *context, unsigned x, unsigned y, const struct bh_place *place, char *buffer, unsigned size)
{
    return run_source(context, x, y, place, buffer, size);
}

static unsigned group(void *context, unsigned x, unsigned y)
{
    const struct run *run = context;
    return bh_job_group(run->job, run->options.chip, x, y);
}

static enum bh_status job_ended(void *context, struct bh_device *device, enum bh_status how, struct bh_error *error)
{
    ended = true;
    return bh_profile_end(profile, bh_clock(device), error);
}

/* A snapshot goes on at its own clock. */
static enum bh_status job_ready(void *context, struct bh_device *device, struct bh_error *error)
{
    if (every) {
        return bh_profile_sample(profile, device, error);
    }
    bh_profile_begin(profile, bh_clock(device));
    return BH_OK;
}

static const struct bh_job_hook hook = {.ready = job_ready, .ended = job_ended};

static enum bh_status begin(struct run *run, struct bh_error *error)
{
    if (!wanted()) {
        return BH_OK;
    }
    const struct run_filter *filter = &run->filter;
    const struct bh_profile_options of = {.tiles = filter->tiles,
                                          .tile_count = filter->tile_count,
                                          .mode = run->options.mode,
                                          .from = filter->from,
                                          .to = filter->to == UINT64_MAX ? 0 : filter->to,
                                          .cores = filter->cores,
                                          .core_count = filter->core_count,
                                          .units = filter->units,
                                          .unit_count = filter->unit_count,
                                          .every = every,
                                          .title = run->path,
                                          .source = source,
                                          .group = group,
                                          .context = run};
    ended = false;
    enum bh_status status = bh_profile_open(&of, &profile, error);
    if (status == BH_OK && !every) {
        run_add_observer(run, bh_profile_observer(profile));
    }
    if (status == BH_OK) {
        run_add_hook(run, &hook);
    }
    return status;
}

static enum bh_status write_all(struct bh_error *error)
{
    enum bh_status status = BH_OK;
    for (int format = BH_PROFILE_JSON; format < BH_PROFILE_FORMATS && status == BH_OK; format++) {
        if (paths[format]) {
            status = bh_profile_write(profile, (enum bh_profile_format)format, paths[format], error);
        }
    }
    char *text = printed ? bh_profile_text(profile, BH_PROFILE_TEXT, NULL) : NULL;
    if (text) {
        run_end_progress();
        fputs(text, stdout);
        fputc('\n', stdout);
    }
    free(text);
    return status;
}

static enum bh_status end(struct run *run, enum bh_status how, struct bh_error *error)
{
    enum bh_status status = profile && ended ? write_all(error) : BH_OK;
    bh_profile_close(profile);
    profile = NULL;
    return status;
}

const struct run_part run_profile_part = {
    .options = run_profile_list, .set = set, .check = check, .begin = begin, .end = end};
