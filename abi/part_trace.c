/* BHEMU_TRACE=FILE: a trace of the tiles of BHEMU_TILES for Perfetto. BHEMU_PROFILE_LOG=FILE, BHEMU_OPS_REPORT=FILE,
   BHEMU_NOC_TRACE=FOLDER: files of tt-metal's profiler (bhemu/trace.h). */
#include <stdio.h>
#include <stdlib.h>

#include "bhemu/observer.h"
#include "bhemu/trace.h"
#include "part.h"

static struct bh_trace *trace;
static struct bh_profile_log *profile_log;
static struct bh_ops_report *ops_report;
static struct bh_noc_trace *noc_trace;
static struct bh_tile tiles[ABI_MAXIMUM_TILES]; /* while any of them is open */

/* The variable's value; null: it is not set. */
static const char *value_of(const char *name)
{
    const char *value = getenv(name);
    return value && *value ? value : NULL;
}

static void opened(struct abi *abi, const char *name, enum bh_status status, const struct bh_error *error)
{
    if (status != BH_OK) {
        abi_fail("ConfigurationError", "%s: %s", name, error->text);
    }
}

static void observe(struct abi *abi, const char *name, const struct bh_observer *observer)
{
    if (bh_device_add_observer(abi->device, observer) != BH_OK) {
        abi_fail("ConfigurationError", "%s: BHEMU_TILES names a tile that is not there", name);
    }
}

static void begin_trace(struct abi *abi)
{
    const char *path = value_of("BHEMU_TRACE");
    struct bh_error error;
    if (path) {
        const struct bh_trace_options how = {.mode = mode_from_environment(),
                                             .tiles = tiles,
                                             .tile_count = tiles_from_environment(tiles),
                                             .from = clock_from_environment("BHEMU_FROM"),
                                             .to = clock_from_environment("BHEMU_TO"),
                                             .merge = switch_from_environment("BHEMU_TRACE_MERGE"),
                                             .source = abi->symbols ? symbols_source : NULL,
                                             .program = abi->symbols ? symbols_program : NULL,
                                             .context = abi,
                                             .zones = value_of("BHEMU_ZONES")};
        opened(abi, "BHEMU_TRACE", bh_trace_open(path, &how, &trace, &error), &error);
        observe(abi, "BHEMU_TRACE", bh_trace_observer(trace));
    }
}

static void begin(struct abi *abi)
{
    const char *log_path = value_of("BHEMU_PROFILE_LOG"), *report_path = value_of("BHEMU_OPS_REPORT"),
               *folder = value_of("BHEMU_NOC_TRACE");
    struct bh_error error;
    struct bh_tiles board;
    begin_trace(abi);
    if (!log_path && !report_path && !folder) {
        return;
    }
    (void)board_from_environment(&board);
    const struct bh_profiler_options how = {.tiles = tiles,
                                            .tile_count = tiles_from_environment(tiles),
                                            .from = clock_from_environment("BHEMU_FROM"),
                                            .to = clock_from_environment("BHEMU_TO"),
                                            .board = &board,
                                            .zones = value_of("BHEMU_ZONES")};
    if (log_path) {
        opened(abi, "BHEMU_PROFILE_LOG", bh_profile_log_open(log_path, &how, &profile_log, &error), &error);
        observe(abi, "BHEMU_PROFILE_LOG", bh_profile_log_observer(profile_log));
    }
    if (report_path) {
        opened(abi, "BHEMU_OPS_REPORT", bh_ops_report_open(report_path, &how, &ops_report, &error), &error);
        observe(abi, "BHEMU_OPS_REPORT", bh_ops_report_observer(ops_report));
    }
    if (folder) {
        opened(abi, "BHEMU_NOC_TRACE", bh_noc_trace_open(folder, &how, &noc_trace, &error), &error);
        observe(abi, "BHEMU_NOC_TRACE", bh_noc_trace_observer(noc_trace));
    }
}

static void closed(const char *name, enum bh_status status, const struct bh_error *error)
{
    if (status != BH_OK) {
        fprintf(stderr, "libttsim: warning: %s: %s\n", name, error->text);
    }
}

static void end(struct abi *abi)
{
    struct bh_error error;
    if (trace) {
        bh_trace_reach(trace, bh_clock(abi->device));
    }
    closed("BHEMU_TRACE", bh_trace_close(trace, &error), &error);
    closed("BHEMU_PROFILE_LOG", bh_profile_log_close(profile_log, &error), &error);
    closed("BHEMU_OPS_REPORT", bh_ops_report_close(ops_report, &error), &error);
    closed("BHEMU_NOC_TRACE", bh_noc_trace_close(noc_trace, &error), &error);
    trace = NULL;
    profile_log = NULL;
    ops_report = NULL;
    noc_trace = NULL;
}

const struct abi_part abi_trace_part = {begin, end};
