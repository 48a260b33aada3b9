/* Logs of executed instructions, with what each has changed: an observer (bhemu/observer.h) that writes a text file.
   The same programs give the same log on every run, on any number of threads, so that two can be compared by diff.
   docs/debugging.md describes the lines. */
#ifndef BHEMU_LOG_H
#define BHEMU_LOG_H

#include "bhemu/device.h"
#include "bhemu/error.h"
#include "bhemu/event.h"

#ifdef __cplusplus
extern "C" {
#endif

struct bh_log;

/* Filters. If cores or units are named, only their instructions are logged. */
struct bh_log_options {
    const struct bh_tile *tiles;
    unsigned tile_count;      /* 0: all tiles */
    const char *const *cores; /* "B", "T0", ... as bh_core_name() has them */
    unsigned core_count;
    const char *const *units; /* of the coprocessor: "sync", "scalar", "config", "addr", "unpack", "matrix", "vector",
                                 "pack", "mover" */
    unsigned unit_count;
    uint64_t from, to; /* clocks of instructions, both included; to 0: without an end */
};

/* Creates a file, or empties one that is there. options may be null: all is logged. The tiles have to stay as they are
   until bh_log_close(). BH_ERROR_ARGUMENT: there is no such core or unit; BH_ERROR_IO: the file can not be written;
   *error, which may be null, then says why. */
BH_API enum bh_status bh_log_open(const char *path, const struct bh_log_options *options, struct bh_log **log,
                                  struct bh_error *error);

/* The observer to add to a device, or to give to a job. */
BH_API const struct bh_observer *bh_log_observer(const struct bh_log *log);

/* Ends a log, which no device may use any more. BH_ERROR_IO: not all of it could be written. log may be null. */
BH_API enum bh_status bh_log_close(struct bh_log *log, struct bh_error *error);

#ifdef __cplusplus
}
#endif
#endif
