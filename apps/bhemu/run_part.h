/* `bhemu run` consists of parts, a file run_NAME.c each: a part has options of its own, and may accompany each job by
   observers and hooks (bhemu/observer.h, bhemu/job.h). run.c lists them. A process has one run: what a part keeps is in
   its own file. */
#ifndef BHEMU_APPS_RUN_PART_H
#define BHEMU_APPS_RUN_PART_H

#include <stdbool.h>
#include <stdint.h>

#include "bhemu/event.h"
#include "bhemu/job.h"
#include "host/command_option.h"

enum { RUN_NAMES = 140, RUN_OBSERVERS = 16, RUN_HOOKS = 16 };

/* Which events a log, a trace, a profile and the like are about: --tile, --core, --unit, --from, --to. Empty lists: of
   all. If cores or units are named, only these. */
struct run_filter {
    struct bh_tile tiles[RUN_NAMES]; /* translated coordinates */
    unsigned tile_count;
    const char *cores[RUN_NAMES], *units[RUN_NAMES]; /* names as bh_log_options has them */
    unsigned core_count, unit_count;
    uint64_t from, to; /* clocks of the device: from the first up to and with the last; 0 and UINT64_MAX: not given */
};

struct run {
    struct bh_job_options options; /* of each job; its callbacks are those of run.c */
    struct run_filter filter;
    bool quiet, progress;
    uint64_t last_jitter;     /* seeds go from options.jitter to this one */
    bool searches_seeds;      /* the job runs without jitter, then with each of them */
    unsigned jobs;            /* on the command line */
    const char *second;       /* for set(): the second argument of an option that takes two */
    const char *path;         /* of the job that runs, or is to run */
    const struct bh_job *job; /* the same, loaded */
    struct bh_job_result result;
    char *findings; /* of --check, as JSON; null: nobody asked */
    int code;       /* that the process ends with although the job has ended well: a part may set it */
    const struct bh_observer *observers[RUN_OBSERVERS];
    const struct bh_job_hook *hooks[RUN_HOOKS];
};

/* How a job has ended. */
struct run_end {
    enum bh_status status;
    const struct bh_error *error; /* unless status is BH_OK */
    int code;                     /* an exit code */
    double seconds;
};

struct run_part {
    const struct command_option *options;
    /* An option was given; value is null if it takes none. false: the value is invalid, and stderr has a line. */
    bool (*set)(struct run *run, const char *name, const char *value);
    /* Once, when all options are known. false: they do not fit together, and stderr has a line. May be null. */
    bool (*check)(struct run *run);
    /* Before each job. May be null. */
    enum bh_status (*begin)(struct run *run, struct bh_error *error);
    /* After each job whose begin() was called, however it ended. *error is to say why if that fails. May be null. */
    enum bh_status (*end)(struct run *run, enum bh_status how, struct bh_error *error);
    /* After each job, also one that could not begin, when all that belongs to it has been told. May be null. */
    void (*told)(struct run *run, const struct run_end *end);
    /* After the last job. code: an exit code. false: it failed, and stderr has a line. May be null. */
    bool (*finish)(struct run *run, int code);
};

extern const struct command_option run_options_list[];
extern const struct command_option run_filter_list[];
extern const struct command_option run_log_list[];
extern const struct command_option run_trace_list[];
extern const struct command_option run_dump_list[];
extern const struct command_option run_print_list[];
extern const struct command_option run_snapshot_list[];
extern const struct command_option run_report_list[];
extern const struct command_option run_profile_list[];
extern const struct command_option run_gdb_list[];
extern const struct command_option run_check_list[];
extern const struct command_option run_json_list[];
extern const struct command_option run_junit_list[];
extern const struct run_part run_filter_part;

/* Whether the chip may have the tiles of --tile: before parts open files for them. */
enum bh_status run_filter_check_job(const struct run *run, struct bh_error *error);
extern const struct run_part run_log_part;
extern const struct run_part run_trace_part;
extern const struct run_part run_dump_part;
extern const struct run_part run_print_part;
extern const struct run_part run_snapshot_part;
extern const struct run_part run_report_part;
extern const struct run_part run_profile_part;
extern const struct run_part run_gdb_part;
extern const struct run_part run_check_part;
extern const struct run_part run_color_part;
extern const struct run_part run_json_part;
extern const struct run_part run_junit_part;

/* For begin(): they accompany the job that is about to run. They have to stay until end(). */
void run_add_observer(struct run *run, const struct bh_observer *observer);
void run_add_hook(struct run *run, const struct bh_job_hook *hook);

/* Prints "bhemu run: ..." and a line end to stderr. Returns false. */
bool run_wrong(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The same as "warning: ...", of what a user may not have meant. */
void run_warn(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* A decimal, octal (0...) or hexadecimal (0x...) number. Returns whether the text is one. */
bool run_number(const char *text, uint64_t *number);

/* "ok", "different": an exit code in a word. */
const char *run_result_name(int code);

/* "1-2". Returns whether it is a tile's name; whether there is that tile is not known here. */
bool run_tile(const char *text, struct bh_tile *tile);

/* Ends the line of a progress report on the terminal, if there is one, before anything else is printed to it. */
void run_end_progress(void);

/* Prints a text to stderr, with the paths in it relative to the working folder. */
void run_print_relative(const char *text);

#endif
