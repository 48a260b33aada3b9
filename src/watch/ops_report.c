/* ops_perf_results.csv of include/bhemu/trace.h, as tt-perf-report reads it and as tt-metal's process_ops_logs.py
   writes it from the profiler's log: a row for each launch. Durations are in ns. Of columns that only a library of
   operations could fill - shapes, formats, fidelity - there is the head. */
#include "bhemu/trace.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/fail.h"
#include "watch/kernels.h"

enum { FREQUENCY = 1350, HOST_ID = 1024, NAME_SIZE = 100 };

/* From the first beginning to the last end; both 0: nothing was. */
struct span {
    uint64_t begin, end;
};

struct launch {
    unsigned tiles;
    struct span firmware, kernels, core[WATCH_CORES];
    struct span to_last_start;          /* from the first to the last kernel's beginning */
    uint64_t shortest, longest, summed; /* of tiles */
};

struct bh_ops_report {
    struct bh_observer observer;
    struct watch_filter filter;
    struct kernels kernels;
    FILE *file;
    char *path, name[NAME_SIZE];
    unsigned compute_cores;
    struct launch *launches;
    unsigned count;
};

/* What is known of a launch, which is numbered from 1 on; null: there is no memory. */
static struct launch *launch_at(struct bh_ops_report *report, unsigned number)
{
    if (number > report->count) {
        struct launch *launches = realloc(report->launches, number * sizeof *launches);
        if (!launches) {
            report->kernels.no_memory = true;
            return NULL;
        }
        memset(launches + report->count, 0, (number - report->count) * sizeof *launches);
        report->launches = launches;
        report->count = number;
    }
    return &report->launches[number - 1];
}

static void include(struct span *span, uint64_t begin, uint64_t end)
{
    bool first = !span->end;
    span->begin = first || begin < span->begin ? begin : span->begin;
    span->end = end > span->end ? end : span->end;
}

static void on_ended(void *context, unsigned x, unsigned y, const struct kernel_tile *tile, unsigned core, uint64_t end)
{
    struct bh_ops_report *report = context;
    struct launch *launch = watch_time(&report->filter, end) ? launch_at(report, tile->launch) : NULL;
    if (launch) {
        uint64_t begin = tile->core[core].begin;
        include(&launch->kernels, begin, end);
        include(&launch->core[core], begin, end);
        include(&launch->to_last_start, begin, begin);
    }
}

static void on_launched(void *context, unsigned x, unsigned y, const struct kernel_tile *tile)
{
    struct bh_ops_report *report = context;
    struct launch *launch = watch_time(&report->filter, tile->end) ? launch_at(report, tile->launch) : NULL;
    if (launch) {
        uint64_t took = tile->end - tile->begin;
        launch->shortest = !launch->tiles || took < launch->shortest ? took : launch->shortest;
        launch->longest = took > launch->longest ? took : launch->longest;
        launch->summed += took;
        launch->tiles++;
        include(&launch->firmware, tile->begin - (tile->begin != 0), tile->end + 1);
    }
}

static void on_event(void *context, const struct bh_event *event)
{
    struct bh_ops_report *report = context;
    kernels_event(&report->kernels, event);
}

/* Rows. */

static uint64_t nanoseconds(uint64_t cycles)
{
    return (cycles * 1000 + FREQUENCY / 2) / FREQUENCY;
}

static void write_span(FILE *file, struct span span)
{
    if (span.end) {
        fprintf(file, ",%" PRIu64, nanoseconds(span.end - span.begin));
    } else {
        fputc(',', file);
    }
}

static struct span spans_of(const struct launch *launch, unsigned first, unsigned last)
{
    struct span all = {};
    for (unsigned core = first; core <= last; core++) {
        if (launch->core[core].end) {
            include(&all, launch->core[core].begin, launch->core[core].end);
        }
    }
    return all;
}

#define TENSOR(name)                                                                                                   \
    "," name "_W_PAD[LOGICAL]," name "_Z_PAD[LOGICAL]," name "_Y_PAD[LOGICAL]," name "_X_PAD[LOGICAL]," name           \
    "_LAYOUT," name "_DATATYPE," name "_MEMORY"
enum { TENSOR_COLUMNS = 3 * 7 };

static const char head[] =
    "OP CODE,OP TYPE,GLOBAL CALL COUNT,DEVICE ID,DEVICE ARCH,ATTRIBUTES,MATH FIDELITY,CORE COUNT,"
    "AVAILABLE WORKER CORE COUNT,PARALLELIZATION STRATEGY,HOST START TS,HOST END TS,HOST DURATION [ns],"
    "DEVICE FW START CYCLE,DEVICE FW END CYCLE,OP TO OP LATENCY [ns],OP TO OP LATENCY BR/NRISC START [ns],"
    "DEVICE FW DURATION [ns],DEVICE KERNEL DURATION [ns],DEVICE KERNEL DURATION DM START [ns],"
    "DEVICE KERNEL DURATION PER CORE MIN [ns],DEVICE KERNEL DURATION PER CORE MAX [ns],"
    "DEVICE KERNEL DURATION PER CORE AVG [ns],DEVICE KERNEL FIRST TO LAST START [ns],"
    "DEVICE BRISC KERNEL DURATION [ns],DEVICE NCRISC KERNEL DURATION [ns],DEVICE TRISC0 KERNEL DURATION [ns],"
    "DEVICE TRISC1 KERNEL DURATION [ns],DEVICE TRISC2 KERNEL DURATION [ns],DEVICE ERISC KERNEL DURATION [ns]" TENSOR(
        "INPUT_0") TENSOR("INPUT_1") TENSOR("OUTPUT_0") "\n";

static struct span until(uint64_t begin, struct span span)
{
    return begin <= span.end ? (struct span){begin, span.end} : (struct span){};
}

static void write_row(const struct bh_ops_report *report, unsigned number, const struct launch *launch,
                      const struct launch *before)
{
    static const enum bh_core cores[] = {BH_CORE_B, BH_CORE_NC, BH_CORE_T0, BH_CORE_T1, BH_CORE_T2};
    FILE *file = report->file;
    struct span movers = launch->core[BH_CORE_B], kernels = launch->kernels;
    if (launch->core[BH_CORE_NC].end) {
        include(&movers, launch->core[BH_CORE_NC].begin, launch->core[BH_CORE_NC].end);
    }
    uint64_t gap = before && kernels.begin > before->kernels.end ? kernels.begin - before->kernels.end : 0;
    uint64_t movers_gap = before && movers.begin > before->kernels.end ? movers.begin - before->kernels.end : 0;
    fprintf(file, "%s,tt_dnn_device,%u,0,blackhole,,,%u,%u,", report->name, number * HOST_ID, launch->tiles,
            report->compute_cores);
    fprintf(file, ",%" PRIu64 ",%" PRIu64 ",0", nanoseconds(launch->firmware.begin), nanoseconds(launch->firmware.end));
    fprintf(file, ",%" PRIu64 ",%" PRIu64, launch->firmware.begin, launch->firmware.end);
    fprintf(file, ",%" PRIu64 ",%" PRIu64, nanoseconds(gap), nanoseconds(movers_gap));
    write_span(file, launch->firmware);
    write_span(file, kernels);
    write_span(file, movers.end ? until(movers.begin, kernels) : movers);
    fprintf(file, ",%" PRIu64 ",%" PRIu64 ",%" PRIu64, nanoseconds(launch->shortest), nanoseconds(launch->longest),
            nanoseconds(launch->summed / launch->tiles));
    write_span(file, launch->to_last_start);
    for (unsigned i = 0; i < sizeof cores / sizeof cores[0]; i++) {
        write_span(file, launch->core[cores[i]]);
    }
    write_span(file, spans_of(launch, BH_CORE_E0, BH_CORE_E1));
    for (unsigned i = 0; i < TENSOR_COLUMNS; i++) {
        fputc(',', file);
    }
    fputc('\n', file);
}

/* Opening and closing. */

static void forget(struct bh_ops_report *report)
{
    kernels_free(&report->kernels);
    free(report->launches);
    free(report->path);
    free(report);
}

enum bh_status bh_ops_report_open(const char *path, const struct bh_profiler_options *options,
                                  struct bh_ops_report **report, struct bh_error *error)
{
    static const struct bh_profiler_options everything;
    options = options ? options : &everything;
    if (!path || !report) {
        return fail(error, BH_ERROR_ARGUMENT, "no path, or nowhere to put the report");
    }
    struct bh_ops_report *opened = calloc(1, sizeof *opened);
    *report = NULL;
    if (!opened || !(opened->path = strdup(path))) {
        free(opened);
        return fail(error, BH_ERROR_MEMORY, "no memory for a report");
    }
    const struct watch_names names = {
        .tiles = options->tiles, .tile_count = options->tile_count, .from = options->from, .to = options->to};
    enum bh_status status = watch_filter_make(&opened->filter, &names, error);
    if (status == BH_OK && !(opened->file = fopen(path, "we"))) {
        status = fail(error, BH_ERROR_IO, "report %s: %s", path, strerror(errno));
    }
    if (status != BH_OK) {
        forget(opened);
        return status;
    }
    kernels_name(options->name ? options->name : "program", opened->name, NAME_SIZE);
    opened->compute_cores = kernels_compute_cores(options->board);
    opened->kernels.ended = on_ended;
    opened->kernels.launched = on_launched;
    opened->kernels.context = opened;
    opened->observer = (struct bh_observer){.kinds = BH_EVENT_BIT(BH_EVENT_ISSUED),
                                            .tiles = options->tiles,
                                            .tile_count = options->tile_count,
                                            .on_event = on_event,
                                            .context = opened};
    *report = opened;
    return BH_OK;
}

const struct bh_observer *bh_ops_report_observer(const struct bh_ops_report *report)
{
    return report ? &report->observer : NULL;
}

enum bh_status bh_ops_report_close(struct bh_ops_report *report, struct bh_error *error)
{
    enum bh_status status = BH_OK;
    if (!report) {
        return BH_OK;
    }
    kernels_end(&report->kernels);
    fputs(head, report->file);
    const struct launch *before = NULL;
    for (unsigned i = 0; i < report->count; i++) {
        if (report->launches[i].tiles) {
            write_row(report, i + 1, &report->launches[i], before);
            before = &report->launches[i];
        }
    }
    bool failed = ferror(report->file);
    errno = 0;
    if (fclose(report->file) != 0 || failed) {
        status = fail(error, BH_ERROR_IO, "report %s: %s", report->path, strerror(errno ? errno : EIO));
    } else if (report->kernels.no_memory) {
        status = fail(error, BH_ERROR_MEMORY, "report %s: no memory; launches are missing", report->path);
    }
    forget(report);
    return status;
}
