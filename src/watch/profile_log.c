/* profile_log_device.csv of include/bhemu/trace.h. Columns and their contents are those of tt-metal's
   tools/tracy/device_log_schema.py and of tt_metal/impl/profiler/profiler.cpp; what process_device_log.py makes of them
   decides the rest:
   - A launch is recognised by the zone BRISC-FW of each tile, which has to be around all others of the launch: it is
     there even if B has no kernel. Each core's own FW zone has the time of its kernel.
   - Rows of a launch have its number as `run host ID`, which is not 0: 1024 times that of the launch, as tt-metal's of
     device 0. */
#include "bhemu/trace.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/fail.h"
#include "watch/kernels.h"
#include "watch/zones.h"

enum { FREQUENCY = 1350, HOST_ID = 1024 };

/* Zones that a core has marked in the kernel that it is in: they are written when that ends. */
struct marked {
    struct zone *zones;
    unsigned count, room;
};

struct bh_profile_log {
    struct bh_observer observer;
    struct watch_filter filter;
    struct kernels kernels;
    struct zones zones;
    struct zone_names *zone_names;
    struct marked *marked[WATCH_GRID][WATCH_GRID]; /* WATCH_CORES of each tile; null: none */
    FILE *file;
    char *path;
    int error; /* errno of the first failure */
};

/* A number for a zone: tt-metal's is a hash of its name. Not 0. */
static unsigned zone_id(const char *name)
{
    uint32_t hash = 2166136261u;
    for (; *name; name++) {
        hash = (hash ^ (unsigned char)*name) * 16777619u;
    }
    return ((hash ^ hash >> 16) & 0xffff) | 1;
}

static void write_marker(struct bh_profile_log *log, unsigned x, unsigned y, unsigned core, unsigned launch,
                         const char *zone, bool ends, uint64_t time)
{
    char name[20];
    (void)snprintf(name, sizeof name, "%s-%s", kernels_processor_type(core), zone);
    if (log->error) {
        return;
    }
    errno = 0;
    if (fprintf(log->file, "0,%u,%u,%s,%u,%" PRIu64 ",0,%u,,,%s,%s,0,,\n", x, y, kernels_processor(core), zone_id(name),
                time, launch * HOST_ID, name, ends ? "ZONE_END" : "ZONE_START") < 0) {
        log->error = errno ? errno : EIO;
    }
}

static void write_zone(struct bh_profile_log *log, unsigned x, unsigned y, unsigned core, unsigned launch,
                       const char *zone, uint64_t begin, uint64_t end)
{
    write_marker(log, x, y, core, launch, zone, false, begin);
    write_marker(log, x, y, core, launch, zone, true, end);
}

/* Zones that kernels mark. */

static void on_zone(void *context, unsigned x, unsigned y, unsigned core, const struct zone *zone)
{
    struct bh_profile_log *log = context;
    struct marked **tile = &log->marked[y][x];
    *tile = *tile ? *tile : calloc(WATCH_CORES, sizeof **tile);
    struct marked *of = *tile ? &(*tile)[core] : NULL;
    if (of && of->count == of->room) {
        unsigned room = of->room ? 2 * of->room : 64;
        struct zone *grown = realloc(of->zones, room * sizeof *grown);
        of->zones = grown ? grown : of->zones;
        of->room = grown ? room : of->room;
    }
    if (!of || of->count == of->room) {
        log->zones.no_memory = true;
        return;
    }
    of->zones[of->count++] = *zone;
}

/* Commas would be taken for those of the table. */
static void write_cell(FILE *file, const char *text)
{
    for (; *text; text++) {
        fputc(*text == ',' || *text == '"' ? ' ' : *text, file);
    }
}

static void write_mark(struct bh_profile_log *log, unsigned x, unsigned y, unsigned core, unsigned launch,
                       const struct zone *zone, bool ends)
{
    char buffer[16];
    const struct zone_name known = zone_name(log->zone_names, zone->id, buffer);
    if (log->error) {
        return;
    }
    errno = 0;
    fprintf(log->file, "0,%u,%u,%s,%u,%" PRIu64 ",0,%u,,,", x, y, kernels_processor(core),
            zone->id ? zone->id : 1u << 16, ends ? zone->end : zone->begin, launch * HOST_ID);
    write_cell(log->file, known.name);
    fprintf(log->file, ",%s,%u,", ends ? "ZONE_END" : "ZONE_START", known.line);
    write_cell(log->file, known.file);
    if (fputs(",\n", log->file) < 0) {
        log->error = errno ? errno : EIO;
    }
}

/* Whether the zone is the one that tt-metal puts around each kernel, and which is in the log anyway. */
static bool is_whole_kernel(struct bh_profile_log *log, unsigned core, const struct zone *zone)
{
    char buffer[16], whole[20];
    (void)snprintf(whole, sizeof whole, "%s-KERNEL", kernels_processor_type(core));
    return strcmp(zone_name(log->zone_names, zone->id, buffer).name, whole) == 0;
}

/* Firmware's own, which begin before the kernel, are left out. */
static void write_marked(struct bh_profile_log *log, unsigned x, unsigned y, unsigned core, unsigned launch,
                         uint64_t begin, uint64_t end)
{
    zones_close(&log->zones, x, y, core, end);
    struct marked *of = log->marked[y][x] ? &log->marked[y][x][core] : NULL;
    for (unsigned i = 0; of && i < of->count; i++) {
        const struct zone *zone = &of->zones[i];
        if (zone->begin >= begin && zone->end <= end && watch_time(&log->filter, end) &&
            !is_whole_kernel(log, core, zone)) {
            write_mark(log, x, y, core, launch, zone, false);
            write_mark(log, x, y, core, launch, zone, true);
        }
    }
    if (of) {
        of->count = 0;
    }
}

static void on_ended(void *context, unsigned x, unsigned y, const struct kernel_tile *tile, unsigned core, uint64_t end)
{
    struct bh_profile_log *log = context;
    uint64_t begin = tile->core[core].begin;
    write_marked(log, x, y, core, tile->launch, begin, end);
    if (!watch_time(&log->filter, end)) {
        return;
    }
    if (core != BH_CORE_B) {
        write_zone(log, x, y, core, tile->launch, "FW", begin, end);
    }
    write_zone(log, x, y, core, tile->launch, "KERNEL", begin, end);
}

/* Around all kernels of the launch. */
static void on_launched(void *context, unsigned x, unsigned y, const struct kernel_tile *tile)
{
    struct bh_profile_log *log = context;
    if (watch_time(&log->filter, tile->end)) {
        write_zone(log, x, y, BH_CORE_B, tile->launch, "FW", tile->begin - (tile->begin != 0), tile->end + 1);
    }
}

static void on_event(void *context, const struct bh_event *event)
{
    struct bh_profile_log *log = context;
    zones_event(&log->zones, event);
    kernels_event(&log->kernels, event);
}

static void forget(struct bh_profile_log *log)
{
    for (unsigned i = 0; i < WATCH_GRID * WATCH_GRID; i++) {
        struct marked *tile = log->marked[i / WATCH_GRID][i % WATCH_GRID];
        for (unsigned core = 0; tile && core < WATCH_CORES; core++) {
            free(tile[core].zones);
        }
        free(tile);
    }
    zones_free(&log->zones);
    zone_names_free(log->zone_names);
    kernels_free(&log->kernels);
    free(log->path);
    free(log);
}

static void write_head(struct bh_profile_log *log, const struct bh_profiler_options *options)
{
    fprintf(log->file, "ARCH: blackhole, CHIP_FREQ[MHz]: %d, Max Compute Cores: %u\n", FREQUENCY,
            kernels_compute_cores(options->board));
    fputs("PCIe slot, core_x, core_y, RISC processor type, timer_id, time[cycles since reset], data, run host ID, "
          "trace id, trace id counter, zone name, type, source line, source file, meta data\n",
          log->file);
}

enum bh_status bh_profile_log_open(const char *path, const struct bh_profiler_options *options,
                                   struct bh_profile_log **log, struct bh_error *error)
{
    static const struct bh_profiler_options everything;
    options = options ? options : &everything;
    if (!path || !log) {
        return fail(error, BH_ERROR_ARGUMENT, "no path, or nowhere to put the log");
    }
    struct bh_profile_log *opened = calloc(1, sizeof *opened);
    *log = NULL;
    if (!opened || !(opened->path = strdup(path))) {
        free(opened);
        return fail(error, BH_ERROR_MEMORY, "no memory for a log");
    }
    const struct watch_names names = {
        .tiles = options->tiles, .tile_count = options->tile_count, .from = options->from, .to = options->to};
    enum bh_status status = watch_filter_make(&opened->filter, &names, error);
    status = status == BH_OK ? zone_names_read(options->zones, &opened->zone_names, error) : status;
    if (status == BH_OK && !(opened->file = fopen(path, "we"))) {
        status = fail(error, BH_ERROR_IO, "log %s: %s", path, strerror(errno));
    }
    if (status != BH_OK) {
        forget(opened);
        return status;
    }
    write_head(opened, options);
    opened->kernels.ended = on_ended;
    opened->kernels.launched = on_launched;
    opened->kernels.context = opened;
    opened->zones = (struct zones){.ended = on_zone, .context = opened};
    opened->observer = (struct bh_observer){.kinds = BH_EVENT_BIT(BH_EVENT_ISSUED) | ZONES_KINDS,
                                            .tiles = options->tiles,
                                            .tile_count = options->tile_count,
                                            .on_event = on_event,
                                            .context = opened};
    *log = opened;
    return BH_OK;
}

const struct bh_observer *bh_profile_log_observer(const struct bh_profile_log *log)
{
    return log ? &log->observer : NULL;
}

enum bh_status bh_profile_log_close(struct bh_profile_log *log, struct bh_error *error)
{
    enum bh_status status = BH_OK;
    if (!log) {
        return BH_OK;
    }
    kernels_end(&log->kernels);
    errno = 0;
    if (fclose(log->file) != 0 && !log->error) {
        log->error = errno ? errno : EIO;
    }
    if (log->error) {
        status = fail(error, BH_ERROR_IO, "log %s: %s; what follows is missing", log->path, strerror(log->error));
    } else if (log->kernels.no_memory || log->zones.no_memory) {
        status = fail(error, BH_ERROR_MEMORY, "log %s: no memory; tiles are missing", log->path);
    }
    forget(log);
    return status;
}
