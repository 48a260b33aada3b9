/* --tile, --core, --unit, --from, --to: what a log, a trace, a profile and the like are about. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "bhemu/dump.h"
#include "chip/device_state.h"
#include "run_part.h"
#include "util/fail.h"

const struct command_option run_filter_list[] = {
    {"tile", "X-Y", "restrict logs, traces, profiles, dumps and gdb to this tile; may be repeated, as the next two", 0,
     false},
    {"core", "B|T0|T1|T2|NC", "restrict them to this core", 0, false},
    {"unit", "NAME", "restrict them to this unit: sync, scalar, config, addr, unpack, matrix, vector, pack, mover", 0,
     false},
    {"from", "CLOCK", "begin logs, traces and profiles at this clock of the device", 0, false},
    {"to", "CLOCK", "end them at this clock of the device", 0, false},
    {"log-tile", "X-Y", NULL, 0, false},
    {"log-core", "NAME", NULL, 0, false},
    {"log-unit", "NAME", NULL, 0, false},
    {},
};

static bool add_tile(struct run_filter *filter, const char *value)
{
    if (filter->tile_count == RUN_NAMES || !run_tile(value, &filter->tiles[filter->tile_count])) {
        return run_wrong("'%s' is no tile; the one at [1, 2] is 1-2", value);
    }
    filter->tile_count++;
    return true;
}

static bool add_name(const char *names[RUN_NAMES], unsigned *count, const char *name)
{
    if (*count == RUN_NAMES) {
        return run_wrong("'%s' is one name too many", name);
    }
    names[(*count)++] = name;
    return true;
}

static bool set(struct run *run, const char *name, const char *value)
{
    struct run_filter *filter = &run->filter;
    const char *what = strncmp(name, "log-", 4) == 0 ? name + 4 : name;
    if (strcmp(what, "tile") == 0) {
        return add_tile(filter, value);
    }
    if (strcmp(what, "core") == 0) {
        return add_name(filter->cores, &filter->core_count, value);
    }
    if (strcmp(what, "unit") == 0) {
        return add_name(filter->units, &filter->unit_count, value);
    }
    uint64_t *clock = strcmp(what, "from") == 0 ? &filter->from : &filter->to;
    if (!run_number(value, clock) || (clock == &filter->to && *clock == 0)) {
        return run_wrong("--%s %s: that is no clock%s", name, value, clock == &filter->to ? " to end at" : "");
    }
    return true;
}

static bool check(struct run *run)
{
    return run->filter.from <= run->filter.to || run_wrong("--from is behind --to");
}

enum bh_status run_filter_check_job(const struct run *run, struct bh_error *error)
{
    for (unsigned i = 0; i < run->filter.tile_count; i++) {
        const struct bh_tile *tile = &run->filter.tiles[i];
        if (!bh_job_may_have_tile(run->job, run->options.chip, tile->x, tile->y)) {
            return fail(error, BH_ERROR_ARGUMENT, "--tile %u-%u: there is no such tile", tile->x, tile->y);
        }
    }
    return BH_OK;
}

static bool is_tensix(const struct bh_device *device, const struct bh_tile *tile)
{
    unsigned x, y, index;
    return noc_translate(&device->translation, tile->x, tile->y, &x, &y) && tensix_index(x, y, &index);
}

static bool has(const struct bh_tile *tiles, unsigned count, const struct bh_tile *tile)
{
    for (unsigned i = 0; i < count; i++) {
        if (tiles[i].x == tile->x && tiles[i].y == tile->y) {
            return true;
        }
    }
    return false;
}

/* What was asked for is probably empty, and an empty file does not say so. */
static enum bh_status job_ended(void *context, struct bh_device *device, enum bh_status how, struct bh_error *error)
{
    const struct run *run = context;
    const struct run_filter *filter = &run->filter;
    struct bh_tile used[TENSIX_TILES];
    unsigned count = bh_dump_tiles(device, used, TENSIX_TILES);
    for (unsigned i = 0; i < filter->tile_count; i++) {
        const struct bh_tile *tile = &filter->tiles[i];
        if (is_tensix(device, tile) && !has(used, count, tile)) {
            run_warn("--tile %u-%u: no core of this tile has run", tile->x, tile->y);
        }
    }
    if (bh_clock(device) < filter->from) {
        run_warn("--from %" PRIu64 ": the job has ended at clock %" PRIu64, filter->from, bh_clock(device));
    }
    return BH_OK;
}

static struct bh_job_hook hook = {.ended = job_ended};

static enum bh_status begin(struct run *run, struct bh_error *error)
{
    hook.context = run;
    if (run->filter.tile_count || run->filter.from) {
        run_add_hook(run, &hook);
    }
    return BH_OK;
}

const struct run_part run_filter_part = {.options = run_filter_list, .set = set, .check = check, .begin = begin};
