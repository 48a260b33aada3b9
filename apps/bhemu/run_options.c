/* Options of `bhemu run` about how a job runs. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bhemu/system.h"
#include "run_options.h"

enum { MAXIMUM_THREADS = 64, MAXIMUM_PROCESSES = 64 };

const struct command_option run_options_list[] = {
    {"output", "FOLDER", "write output files to FOLDER instead of the job file's folder", 'o', false},
    {"differences", "FOLDER",
     "for outputs that differ, write the expected array, the actual one and the difference to FOLDER:\n.npy and .png",
     0, false},
    {"limit", "STEPS", "stop after this many emulated steps, in place of the job's own limit", 'l', false},
    {"policy", "default|strict|silicon", "use this policy, in place of the job's own", 'p', false},
    {"threads", "N", "run tiles on N host threads, 1 to 64; the results are the same", 't', false},
    {"processes", "N", "for a job on several chips: divide the chips among N processes; the results are the same", 0,
     false},
    {"engine", "fast|plain", "plain: execute one instruction at a time; the results are the same", 0, false},
    {"timed", NULL,
     "model how many cycles silicon takes, in clocks that programs read and in the summary;\nthe same as "
     "BHEMU_MODE=timed in the environment",
     0, false},
    {"chip", "N", "for a job on several chips: the chip of logs, traces, dumps and the like, counted from 0", 0, false},
    {"jitter", "SEED",
     "delay cores, threads, units and requests at random, with this seed: 1, 2, ...; SEED..SEED: with each\nof them, "
     "until outputs differ, a job does not end, or --check finds something",
     0, false},
    {"verify", NULL,
     "execute translated Tensix instructions a second time, one by one, and compare; slow;\n"
     "the same as BHEMU_VERIFY=1 in the environment",
     0, false},
    {"quiet", NULL, "print nothing about jobs that are as expected", 'q', false},
    {"progress", NULL, "print progress during long runs even if standard error is not a terminal", 0, false},
    {"no-progress", NULL, "never print progress", 0, false},
    {},
};

bool run_number(const char *text, uint64_t *number)
{
    char *end;
    errno = 0;
    *number = strtoull(text, &end, 0);
    return !errno && end != text && !*end && !strpbrk(text, "- ");
}

bool run_tile(const char *text, struct bh_tile *tile)
{
    unsigned x, y;
    char rest;
    if (sscanf(text, "%u-%u%c", &x, &y, &rest) != 2 || x > UINT8_MAX || y > UINT8_MAX) {
        return false;
    }
    *tile = (struct bh_tile){(uint8_t)x, (uint8_t)y};
    return true;
}

bool run_options_from_environment(struct run *run)
{
    const char *verify = getenv("BHEMU_VERIFY"), *mode = getenv("BHEMU_MODE");
    run->options.verify = verify && strcmp(verify, "1") == 0;
    if (mode && *mode && bh_mode_by_name(mode, &run->options.mode) != BH_OK) {
        return run_wrong("BHEMU_MODE is '%s'; it may be functional or timed", mode);
    }
    return true;
}

static bool set_policy(struct run *run, const char *name)
{
    static const char *const names[] = {"default", "strict", "silicon"};
    for (int i = 0; i < 3; i++) {
        if (strcmp(name, names[i]) == 0) {
            run->options.policy = i;
            return true;
        }
    }
    return run_wrong("no policy '%s'; there are default, strict and silicon", name);
}

static bool set_limit(struct run *run, const char *value)
{
    return (run_number(value, &run->options.limit) && run->options.limit) ||
           run_wrong("'%s' is no number of steps", value);
}

static bool set_chip(struct run *run, const char *value)
{
    uint64_t chip;
    if (!run_number(value, &chip) || chip >= BH_SYSTEM_CHIPS) {
        return run_wrong("--chip: '%s' is no number of a chip, 0 to %d", value, BH_SYSTEM_CHIPS - 1);
    }
    run->options.chip = (unsigned)chip;
    return true;
}

static bool set_processes(struct run *run, const char *value)
{
    uint64_t processes;
    if (!run_number(value, &processes) || processes == 0 || processes > MAXIMUM_PROCESSES) {
        return run_wrong("'%s' processes; there may be 1 to %d", value, MAXIMUM_PROCESSES);
    }
    run->options.processes = (unsigned)processes;
    return true;
}

static bool set_threads(struct run *run, const char *value)
{
    uint64_t threads;
    if (!run_number(value, &threads) || threads == 0 || threads > MAXIMUM_THREADS) {
        return run_wrong("'%s' threads; there may be 1 to %d", value, MAXIMUM_THREADS);
    }
    run->options.threads = (unsigned)threads;
    return true;
}

/* "7", or "1..1000". */
static bool set_jitter(struct run *run, const char *value)
{
    char first[32];
    const char *dots = strstr(value, "..");
    size_t length = dots ? (size_t)(dots - value) : strlen(value);
    if (length < sizeof first) {
        memcpy(first, value, length);
        first[length] = 0;
        bool valid = run_number(first, &run->options.jitter);
        valid &= dots ? run_number(dots + 2, &run->last_jitter) : true;
        run->last_jitter = dots ? run->last_jitter : run->options.jitter;
        if (valid && run->options.jitter && run->last_jitter >= run->options.jitter) {
            return true;
        }
    }
    return run_wrong("--jitter: '%s' is no seed from 1 on, and no range of them such as 1..1000", value);
}

static bool set(struct run *run, const char *name, const char *value)
{
    if (strcmp(name, "limit") == 0) {
        return set_limit(run, value);
    }
    if (strcmp(name, "policy") == 0) {
        return set_policy(run, value);
    }
    if (strcmp(name, "processes") == 0) {
        return set_processes(run, value);
    }
    if (strcmp(name, "threads") == 0) {
        return set_threads(run, value);
    }
    if (strcmp(name, "chip") == 0) {
        return set_chip(run, value);
    }
    if (strcmp(name, "engine") == 0) {
        return bh_engine_by_name(value, &run->options.engine) == BH_OK ||
               run_wrong("no engine '%s'; there are fast and plain", value);
    }
    if (strcmp(name, "jitter") == 0) {
        return set_jitter(run, value);
    }
    if (strcmp(name, "differences") == 0) {
        run->options.differences_folder = value;
    } else if (strcmp(name, "output") == 0) {
        run->options.output_folder = value;
    } else if (strcmp(name, "timed") == 0) {
        run->options.mode = BH_MODE_TIMED;
    } else if (strcmp(name, "verify") == 0) {
        run->options.verify = true;
    } else if (strcmp(name, "quiet") == 0) {
        run->quiet = true;
    } else {
        run->progress = strcmp(name, "progress") == 0;
    }
    return true;
}

const struct run_part run_options_part = {.options = run_options_list, .set = set};
