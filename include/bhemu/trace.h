/* Traces of what cores, threads, units and the NoC of a device do, as files that other programs show: an observer
   (bhemu/observer.h) each. The same programs give the same file on every run, on any number of threads. docs/trace.md
   describes the files. */
#ifndef BHEMU_TRACE_H
#define BHEMU_TRACE_H

#include "bhemu/device.h"
#include "bhemu/error.h"
#include "bhemu/event.h"

#ifdef __cplusplus
extern "C" {
#endif

struct bh_trace_options {
    enum bh_mode mode; /* of the device */
    const struct bh_tile *tiles;
    unsigned tile_count; /* 0: all tiles */
    /* If cores or units are named, instructions and waits are only those of them. Names as in bhemu/log.h. */
    const char *const *cores;
    unsigned core_count;
    const char *const *units;
    unsigned unit_count;
    uint64_t from, to; /* clocks, both included; to 0: without an end */
    /* Consecutive instructions of a core that belong to the same function, and of a thread or a unit that are the same
       instruction, become one slice. */
    bool merge;
    /* Where in the source a place of a tile is, as bh_job_source() says it. May be null. */
    bool (*source)(void *context, unsigned x, unsigned y, const struct bh_place *place, char *buffer, unsigned size);
    void *context;
    const char *name; /* of the program; null: none */
    /* For programs that the host replaces while the device runs: a number that is another one when another program is
       at the place, as bh_symbols_program() has it; with the same context. Null: there is one for all the time. */
    unsigned (*program)(void *context, unsigned x, unsigned y, const struct bh_place *place);
    const char *zones; /* names of zones that tt-metal's kernels mark: its zone_src_locations.log; null: none */
};

/* A trace in the Chrome trace event format: a JSON file that Perfetto (ui.perfetto.dev) and chrome://tracing open. It
   is written as events come, in memory that does not grow with it. */
struct bh_trace;

/* Creates a file, or empties one that is there. options may be null: everything, in functional mode. Tiles have to stay
   as they are until bh_trace_close(). BH_ERROR_ARGUMENT: there is no such core, unit or mode; BH_ERROR_IO: the file
   can not be written; *error, which may be null, then says why. */
BH_API enum bh_status bh_trace_open(const char *path, const struct bh_trace_options *options, struct bh_trace **trace,
                                    struct bh_error *error);

/* The observer to add to a device, or to give to a job. */
BH_API const struct bh_observer *bh_trace_observer(const struct bh_trace *trace);

/* The device has come to this clock: what is under way at the end of the trace ends there. Without it, it ends at the
   last event. */
BH_API void bh_trace_reach(struct bh_trace *trace, uint64_t clock);

/* Ends a trace, which no device may use any more. BH_ERROR_IO: not all of it could be written. trace may be null. */
BH_API enum bh_status bh_trace_close(struct bh_trace *trace, struct bh_error *error);

/* Of tt-metal's profiler the files that its readers take. A kernel is what a core
   executes from its first instruction to the jump to itself at which it ends; where tt-metal's firmware runs, what it
   executes outside of that. */
struct bh_profiler_options {
    const struct bh_tile *tiles;
    unsigned tile_count;          /* 0: all tiles */
    uint64_t from, to;            /* as in struct bh_trace_options: when a kernel ends, when a request is sent */
    const struct bh_tiles *board; /* the tiles that there are; null: all */
    const char *name;             /* of the program, of letters, digits and _; others become _. null: none */
    const char *zones;            /* as in struct bh_trace_options; of the profile log */
};

/* profile_log_device.csv: when kernels begin and end. Written as they end. */
struct bh_profile_log;

BH_API enum bh_status bh_profile_log_open(const char *path, const struct bh_profiler_options *options,
                                          struct bh_profile_log **log, struct bh_error *error);
BH_API const struct bh_observer *bh_profile_log_observer(const struct bh_profile_log *log);
BH_API enum bh_status bh_profile_log_close(struct bh_profile_log *log, struct bh_error *error);

/* ops_perf_results.csv: a row for each launch, with its times. Written at the end. */
struct bh_ops_report;

BH_API enum bh_status bh_ops_report_open(const char *path, const struct bh_profiler_options *options,
                                         struct bh_ops_report **report, struct bh_error *error);
BH_API const struct bh_observer *bh_ops_report_observer(const struct bh_ops_report *report);
BH_API enum bh_status bh_ops_report_close(struct bh_ops_report *report, struct bh_error *error);

/* A folder of NoC traces, a JSON file for each launch: noc_trace_dev0_NAME_ID1024.json and so on, and topology.json.
   The folder is made if it is not there. Requests are kept until the end, since the format wants them sorted: 32 bytes
   of memory each. Times are those of the device's clock and BH_NOC_TRACE_SINCE more: tt-npe takes a time of more than
   twice that of the request before for one of another clock, and leaves out all that follows. */
#define BH_NOC_TRACE_SINCE UINT64_C(1000000000)
struct bh_noc_trace;

BH_API enum bh_status bh_noc_trace_open(const char *folder, const struct bh_profiler_options *options,
                                        struct bh_noc_trace **trace, struct bh_error *error);
BH_API const struct bh_observer *bh_noc_trace_observer(const struct bh_noc_trace *trace);
BH_API enum bh_status bh_noc_trace_close(struct bh_noc_trace *trace, struct bh_error *error);

#ifdef __cplusplus
}
#endif
#endif
