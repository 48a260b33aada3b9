/* --save-at, --save, --restore: snapshots of jobs. */
#include <string.h>

#include "run_part.h"

const struct command_option run_snapshot_list[] = {
    {"save-at", "CYCLE FILE", "save a snapshot there when the device's clock is CYCLE; may be given more than once", 0},
    {"save", "FILE", "save one where the job ends, or is stopped or interrupted", 0},
    {"restore", "FILE", "go on from a snapshot of the same job: programs and inputs are those that it has", 0},
    {"save-every", "CYCLES FOLDER",
     "of a job on several chips: save a snapshot of all of them every so many cycles, and keep\nthe last two", 0},
    {"resume", "FOLDER", "go on from the latest of these, with any number of processes", 0},
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
