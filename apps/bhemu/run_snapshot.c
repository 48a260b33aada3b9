/* --save-at, --save, --restore: snapshots of jobs. */
#include <string.h>

#include "run_part.h"

const struct command_option run_snapshot_list[] = {
    {"save-at", "CYCLE FILE", "save a snapshot to FILE when the device's clock is CYCLE; may be repeated", 0, true},
    {"save", "FILE", "save a snapshot to FILE when the job ends, or is stopped or interrupted", 0, true},
    {"restore", "FILE", "continue from a snapshot of the same job, with the programs and inputs in the snapshot", 0,
     false},
    {"save-every", "CYCLES FOLDER",
     "for a job on several chips: save a snapshot of all chips every CYCLES cycles, and keep\nthe last two", 0, false},
    {"resume", "FOLDER", "continue from the latest snapshot of --save-every, with any number of processes", 0, false},
    {},
};

static struct bh_job_save saves[BH_JOB_SAVES];
static unsigned count;

static bool add(uint64_t at, const char *path)
{
    if (count == BH_JOB_SAVES) {
        return run_wrong("more than %d snapshots are to be saved", BH_JOB_SAVES);
    }
    saves[count++] = (struct bh_job_save){at, path};
    return true;
}

static bool set(struct run *run, const char *name, const char *value)
{
    uint64_t at;
    if (!strcmp(name, "restore")) {
        run->options.restore = value;
        return true;
    }
    if (!strcmp(name, "resume")) {
        run->options.resume = value;
        return true;
    }
    if (!strcmp(name, "save-every")) {
        run->options.save_folder = run->second;
        return (run_number(value, &run->options.save_every) && run->options.save_every) ||
               run_wrong("--save-every: '%s' is no number of cycles", value);
    }
    if (!strcmp(name, "save")) {
        return add(BH_JOB_END, value);
    }
    if (!run_number(value, &at) || at == BH_JOB_END) {
        return run_wrong("'%s' is no clock to save a snapshot at", value);
    }
    return add(at, run->second);
}

static bool check(struct run *run)
{
    run->options.saves = saves;
    run->options.save_count = count;
    if (run->jobs > 1 && (count || run->options.restore || run->options.save_folder || run->options.resume)) {
        return run_wrong("snapshots are of one job; here are %u", run->jobs);
    }
    return true;
}

const struct run_part run_snapshot_part = {.options = run_snapshot_list, .set = set, .check = check};
