/* Jobs: a YAML file that names programs, inputs, outputs and what to expect, and running it. docs/jobs.md describes it.
 */
#ifndef BHEMU_JOB_H
#define BHEMU_JOB_H

#include "bhemu/device.h"
#include "bhemu/error.h"
#include "bhemu/observer.h"
#include "bhemu/print.h"

#ifdef __cplusplus
extern "C" {
#endif

struct bh_job;
struct bh_check;

/* What accompanies a job: a debugger, a dump of state at its end, a snapshot of its beginning. Members may be null. A
   status other than BH_OK ends the job with this status and *error. */
struct bh_job_hook {
    void *context;
    /* All is loaded and the cores are released, of a job that tt-metal's firmware launches those of the firmware;
       nothing has run yet. */
    enum bh_status (*ready)(void *context, struct bh_device *device, struct bh_error *error);
    /* The device's clock (bh_clock()) at which `reached` is to be called; UINT64_MAX: no more. Asked whenever the job
       is about to run on; a clock that has passed is reached at once. In functional mode the device's quantum ends
       there, as with any bh_run(): what crosses the NoC may arrive at another step; in timed mode it has no effect. */
    uint64_t (*stop)(void *context, struct bh_device *device);
    enum bh_status (*reached)(void *context, struct bh_device *device, struct bh_error *error);
    /* In place of bh_run() where the job calls it, as often as it does: calls that itself. Of one hook only. Of a job
       on several chips, whose system runs them all, `serve` takes its place. */
    enum bh_status (*run)(void *context, struct bh_device *device, uint64_t cycles, struct bh_run_result *result);
    /* The job has ended with `how`: BH_OK, or as bh_job_run() will return. The device is destroyed afterwards. Called
       if and only if `ready` was due. */
    enum bh_status (*ended)(void *context, struct bh_device *device, enum bh_status how, struct bh_error *error);
    /* Of a job on several chips: before each epoch. *holds, which is false: it keeps cores from running, so that
       nothing has ended and nothing hangs although nothing runs. Returns whether the job goes on; else it ends as if
       it was interrupted. */
    bool (*serve)(void *context, struct bh_device *device, bool *holds);
};

/* A snapshot (bhemu/snapshot.h) that a job leaves behind. */
#define BH_JOB_END UINT64_MAX
struct bh_job_save {
    uint64_t at;      /* the device's clock; BH_JOB_END: where the job ends or is stopped, before outputs are written */
    const char *path; /* a regular file, or none yet */
};
enum { BH_JOB_SAVES = 64 };

/* An element of an output; values as double. */
struct bh_job_element {
    uint32_t row, column;
    double got, expected;
};

/* An output and what it is expected to be. */
struct bh_job_comparison {
    const char *expect;     /* the file, as the job names it; valid while the callback runs */
    unsigned chip;          /* of a job on several chips; else 0 */
    bool in_dram;           /* it is in no tile */
    uint8_t tile_x, tile_y; /* coordinates as the job has them */
    uint32_t rows, columns;
    uint64_t differ;             /* how many elements are not as expected; 0: what follows is not there */
    struct bh_job_element first; /* of those */
    /* Of those that are finite on both sides, if there are any: */
    uint64_t finite;
    double absolute, relative; /* the largest errors: got - expected, and by the expected value */
    struct bh_job_element largest_absolute, largest_relative;
};

struct bh_job_options {
    int policy;                /* enum bh_policy_preset, or -1 for the job's own */
    uint64_t limit;            /* emulated steps: cycles of device.h; 0: the job's own */
    const char *output_folder; /* where output files go; null: the folder of the job file */
    bool no_output_files;      /* what comes out is compared only */
    /* Where to write, of each output that differs, NAME.expected.npy, NAME.got.npy, NAME.difference.npy (float64) and
       the picture NAME.png: the name is that of the file with what is expected, with "-X-Y" of the tile behind it if
       the entry is about several. Null: nowhere. */
    const char *differences_folder;
    void (*on_diagnostic)(void *context, const struct bh_diagnostic *diagnostic); /* may be null */
    /* Called now and then while the job runs, with the results so far; may be null. */
    void (*on_progress)(void *context, const struct bh_run_result *so_far);
    /* A line that a kernel has printed (bhemu/print.h), before a diagnostic of what happened later; null: kernels are
       not told that anybody reads what they print. */
    void (*on_print)(void *context, const struct bh_print_line *line);
    /* An output was compared, whether it differs or not; may be null. */
    void (*on_comparison)(void *context, const struct bh_job_comparison *comparison);
    void *context;
    unsigned chip; /* of a job on several chips: which one observers and hooks accompany */
    /* Of a job on several chips: how many processes have its chips, 1 to 64; 0: 1. More than one are forked, and end
       with the call: callbacks are called in them, but for on_progress, which one of them calls; observers and hooks
       are refused. For processes that have no threads. Memory, clocks and the digest are the same for any number. */
    unsigned processes;
    unsigned threads;      /* as in struct bh_device_config, of each process, and ... */
    bool verify;           /* ... this, and ... */
    uint64_t jitter;       /* ... this, and ... */
    enum bh_engine engine; /* ... this, and ... */
    enum bh_mode mode;     /* ... this, too */
    /* As in struct bh_device_config: bh_job_run() then reports where everything is, like for a job that has reached
       its limit, and returns BH_ERROR_STOPPED; run.reason is BH_RAN_INTERRUPTED. No output is written. */
    const volatile sig_atomic_t *interrupted;
    /* Observers of the device (bhemu/observer.h), from its creation on. */
    const struct bh_observer *const *observers;
    unsigned observer_count;
    const struct bh_job_hook *const *hooks; /* in this order; `ended` in the reverse order */
    unsigned hook_count;
    /* Snapshots to be saved; BH_JOB_SAVES at most. */
    const struct bh_job_save *saves;
    unsigned save_count;
    /* One that was saved of this job, from which it goes on: its programs, inputs and counts are there. May be null. */
    const char *restore;
    /* Of a job on several chips: a snapshot of all of them in this folder every so many cycles, rounded up to whole
       epochs; the last two are kept. Null: none. */
    const char *save_folder;
    uint64_t save_every;
    /* Such a folder of the same job: it goes on from the latest snapshot in it that is whole, in any number of
       processes. May be null, and the same as save_folder. */
    const char *resume;
};

struct bh_job_result {
    struct bh_run_result run;
    unsigned outputs;          /* named by the job */
    unsigned outputs_compared; /* number of outputs that were compared */
    unsigned outputs_differ;   /* of those, number that differ from the expectation */
    uint64_t digest;           /* of what came out: the same for the same outputs */
    /* Describes the first output that differs, in lines: how many elements, the first, the largest errors. */
    struct bh_error mismatch;
    /* Of a run that has not ended well: the first thing beside that which went wrong at its end, such as a snapshot
       that could not be written. BH_OK: nothing. */
    enum bh_status also;
    struct bh_error also_error;
};

/* Reads a job file. The files that it names are checked when it runs. */
BH_API enum bh_status bh_job_load(const char *path, struct bh_job **job, struct bh_error *error);

/* The same of the text of a job file. path: where the file would be, which need not be there: messages name it, and
   names of files are relative to its folder. */
BH_API enum bh_status bh_job_parse(const char *text, const char *path, struct bh_job **job, struct bh_error *error);
BH_API void bh_job_free(struct bh_job *job);

/* Whether bh_job_run() would begin, with these options: the files that the job names can be read and written, and the
   chip, engine, mode and policy are there. For users who open files of their own before it. */
BH_API enum bh_status bh_job_check(const struct bh_job *job, const struct bh_job_options *options,
                                   struct bh_error *error);

/* Runs a job on a device of its own. Output files are written only when the run ended well, each as a whole or not at
   all. BH_OK also when outputs differ from what is expected: see the result. */
BH_API enum bh_status bh_job_run(const struct bh_job *job, const struct bh_job_options *options,
                                 struct bh_job_result *result, struct bh_error *error);

/* Where in the source `place` of a tile, by its coordinates of NoC 0, is: "function (file:line)", from the DWARF and
   the symbols of the programs that the job has for that tile. chip: of a job on several chips; 0 for others. Writes at
   most size bytes with the terminating zero. false, and an empty text, when they do not say. May be called from
   on_diagnostic, and by several threads. A program is read when it is first asked, and again after the job has been run
   again: so a place is that of the program that ran, whatever has become of its file. */
BH_API bool bh_job_source(const struct bh_job *job, unsigned chip, unsigned x, unsigned y, const struct bh_place *place,
                          char *buffer, unsigned size);

/* Tells a checker (bhemu/check.h) what the programs of a chip own: inputs, outputs, and the programs themselves; of
   kernels that tt-metal's firmware launches their circular buffers and arguments, too. chip: of a job on several chips;
   0 for others. Files that can not be read are an error, as they are when the job runs. */
BH_API enum bh_status bh_job_own(const struct bh_job *job, unsigned chip, struct bh_check *check,
                                 struct bh_error *error);

/* The tiles that the board of a chip has; tiles may be null. false: the job has nothing for that chip. chip: of a job
   on several chips; 0 for others. */
BH_API bool bh_job_tiles(const struct bh_job *job, unsigned chip, struct bh_tiles *tiles);

/* Whether a chip may have a tile at these translated coordinates: false if its board has none, and if the chip is not
   in the job's system. For users who open files of their own before the job runs. */
BH_API bool bh_job_may_have_tile(const struct bh_job *job, unsigned chip, unsigned x, unsigned y);

/* A number that is the same for tiles of a chip with the same programs: that of their entry in the job; UINT_MAX: in
   none. */
BH_API unsigned bh_job_group(const struct bh_job *job, unsigned chip, unsigned x, unsigned y);

/* The name of the index'th output file, from 0 on, as the job has it; null: there are fewer. Valid as long as the job
   is. */
BH_API const char *bh_job_output_file(const struct bh_job *job, unsigned index);

#ifdef __cplusplus
}
#endif
#endif
