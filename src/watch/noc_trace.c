/* NoC traces of include/bhemu/trace.h, as tt-npe reads them: tt_npe/doc/noc_trace_format.md, and what tt-metal's
   profiler.cpp writes. A file is an array of events, sorted by tile, processor and time. tt-npe wants each processor
   with requests to have a zone around them: that of its kernel. Requests outside of kernels - those of firmware - are
   left out, as tt-metal does. Coordinates are those of NoC 0. */
#include "bhemu/trace.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "util/fail.h"
#include "util/json.h"
#include "watch/kernels.h"

enum { HOST_ID = 1024, PATH_SIZE = 4096, NAME_SIZE = 100 };

enum entry_kind { ENTRY_BEGIN, ENTRY_REQUEST, ENTRY_END };

/* A request, or an end of a kernel. */
struct entry {
    uint32_t launch;
    uint8_t x, y, core, kind;
    uint64_t time;
    uint32_t number; /* among all of the trace */
    uint32_t bytes;
    uint8_t request, noc, broadcast, unused;
    uint8_t first_x, first_y, last_x, last_y;
};

struct bh_noc_trace {
    struct bh_observer observer;
    struct watch_filter filter;
    struct kernels kernels;
    char *folder;
    const char *cluster; /* as topology.json has it */
    char name[NAME_SIZE];
    bool no_memory;
    struct entry *entries;
    size_t count, room;
};

static void add(struct bh_noc_trace *trace, struct entry entry)
{
    if (trace->count == trace->room) {
        size_t room = trace->room ? 2 * trace->room : 1024;
        struct entry *entries = realloc(trace->entries, room * sizeof *entries);
        if (!entries) {
            trace->no_memory = true;
            return;
        }
        trace->entries = entries;
        trace->room = room;
    }
    entry.number = (uint32_t)trace->count;
    trace->entries[trace->count++] = entry;
}

/* Kernels. */

static void on_ended(void *context, unsigned x, unsigned y, const struct kernel_tile *tile, unsigned core, uint64_t end)
{
    struct bh_noc_trace *trace = context;
    struct entry entry = {
        .launch = tile->launch, .x = (uint8_t)x, .y = (uint8_t)y, .core = (uint8_t)core, .kind = ENTRY_BEGIN};
    entry.time = tile->core[core].begin;
    add(trace, entry);
    entry.kind = ENTRY_END;
    entry.time = end;
    add(trace, entry);
}

static void on_launched(void *context, unsigned x, unsigned y, const struct kernel_tile *tile) {}

/* Requests. */

/* The core whose kernel a request is of: that of the core or thread that started it, or set up the stream. */
static unsigned core_of(const struct bh_event *event)
{
    switch (event->place.agent) {
    case BH_AGENT_CORE: return event->place.index;
    case BH_AGENT_THREAD: return BH_CORE_T0 + event->place.index;
    default: return WATCH_CORES;
    }
}

static void on_sent(struct bh_noc_trace *trace, const struct bh_event *event)
{
    const struct bh_noc *noc = &event->noc;
    const struct kernel_tile *tile = kernels_at(&trace->kernels, event->tile_x, event->tile_y);
    unsigned core = core_of(event);
    if (!tile || core >= WATCH_CORES || !tile->core[core].runs || !watch_time(&trace->filter, event->cycle)) {
        return;
    }
    bool reads = noc->request == BH_NOC_READ;
    uint64_t begin = tile->core[core].begin;
    add(trace, (struct entry){.launch = tile->launch,
                              .x = event->tile_x,
                              .y = event->tile_y,
                              .core = (uint8_t)core,
                              .kind = ENTRY_REQUEST,
                              .time = event->cycle < begin ? begin : event->cycle,
                              .bytes = noc->size,
                              .request = noc->request,
                              .noc = noc->noc,
                              .broadcast = noc->broadcast,
                              .first_x = reads ? noc->from_x : noc->first_x,
                              .first_y = reads ? noc->from_y : noc->first_y,
                              .last_x = noc->to_x,
                              .last_y = noc->to_y});
}

static void on_event(void *context, const struct bh_event *event)
{
    struct bh_noc_trace *trace = context;
    if (event->kind == BH_EVENT_NOC_SENT) {
        on_sent(trace, event);
    } else {
        kernels_event(&trace->kernels, event);
    }
}

/* Files. */

static int compare_numbers(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

/* tt-metal's order of processors is B, NC, T0, T1, T2. */
static unsigned order_of(unsigned core)
{
    return core == BH_CORE_B ? 0 : core == BH_CORE_NC ? 1 : 1 + core;
}

static int compare(const void *one, const void *other)
{
    const struct entry *a = one, *b = other;
    int by = compare_numbers(a->launch, b->launch);
    by = by ? by : compare_numbers(a->x, b->x);
    by = by ? by : compare_numbers(a->y, b->y);
    by = by ? by : compare_numbers(order_of(a->core), order_of(b->core));
    by = by ? by : compare_numbers(a->time, b->time);
    by = by ? by : compare_numbers(a->kind, b->kind);
    return by ? by : compare_numbers(a->number, b->number);
}

static void write_member(struct json *json, const char *name, uint64_t value)
{
    json_name(json, name);
    json_unsigned(json, value);
}

static void write_text(struct json *json, const char *name, const char *text)
{
    json_name(json, name);
    json_text(json, text);
}

static const char *type_of(const struct entry *entry)
{
    switch ((enum bh_noc_request)entry->request) {
    case BH_NOC_READ: return "READ";
    case BH_NOC_WRITE:
    case BH_NOC_WRITE_BYTES: return entry->broadcast ? "WRITE_MULTICAST" : "WRITE_";
    case BH_NOC_WRITE_INLINE: return "WRITE_INLINE";
    default: return "SEMAPHORE_INC";
    }
}

static void write_request(struct json *json, const struct entry *entry)
{
    write_text(json, "noc", entry->noc ? "NOC_1" : "NOC_0");
    json_name(json, "vc");
    json_signed(json, -1);
    write_member(json, "num_bytes", entry->request == BH_NOC_ATOMIC ? 0 : entry->bytes);
    write_text(json, "type", type_of(entry));
    if (entry->broadcast) {
        write_member(json, "mcast_start_x", entry->first_x);
        write_member(json, "mcast_start_y", entry->first_y);
        write_member(json, "mcast_end_x", entry->last_x);
        write_member(json, "mcast_end_y", entry->last_y);
    } else {
        write_member(json, "dx", entry->first_x);
        write_member(json, "dy", entry->first_y);
    }
}

static void write_entry(struct json *json, const struct bh_noc_trace *trace, const struct entry *entry)
{
    char zone[20];
    json_begin_object(json);
    write_member(json, "run_host_id", (uint64_t)entry->launch * HOST_ID);
    write_text(json, "op_name", trace->name);
    write_text(json, "proc", kernels_processor(entry->core));
    write_member(json, "src_device_id", 0);
    write_member(json, "sx", entry->x);
    write_member(json, "sy", entry->y);
    if (entry->kind == ENTRY_REQUEST) {
        write_request(json, entry);
    } else {
        (void)snprintf(zone, sizeof zone, "%s-KERNEL", kernels_processor_type(entry->core));
        write_text(json, "zone", zone);
        write_text(json, "zone_phase", entry->kind == ENTRY_BEGIN ? "ZONE_START" : "ZONE_END");
    }
    write_member(json, "timestamp", entry->time + BH_NOC_TRACE_SINCE);
    json_end_object(json);
}

/* tt-metal leaves out kernels of T; they are here if they have requests. */
static bool is_written(const struct bh_noc_trace *trace, size_t index)
{
    const struct entry *entry = &trace->entries[index];
    if (entry->kind == ENTRY_REQUEST || entry->core == BH_CORE_B || entry->core == BH_CORE_NC) {
        return true;
    }
    const struct entry *next = entry->kind == ENTRY_BEGIN ? entry + 1 : entry - 1;
    return next >= trace->entries && next < trace->entries + trace->count && next->kind == ENTRY_REQUEST &&
           next->launch == entry->launch && next->x == entry->x && next->y == entry->y && next->core == entry->core;
}

static FILE *create(const char *path, struct bh_error *error)
{
    FILE *file = fopen(path, "we");
    if (!file) {
        (void)fail(error, BH_ERROR_IO, "NoC trace %s: %s", path, strerror(errno));
    }
    return file;
}

static enum bh_status finish(FILE *file, const char *path, struct bh_error *error)
{
    fputc('\n', file);
    bool failed = ferror(file);
    errno = 0;
    if (fclose(file) != 0 || failed) {
        return fail(error, BH_ERROR_IO, "NoC trace %s: %s", path, strerror(errno ? errno : EIO));
    }
    return BH_OK;
}

/* topology.json, without which tt-npe does not read a folder: one chip, over whose links no fabric of tt-metal goes. */
static enum bh_status write_topology(const struct bh_noc_trace *trace, struct bh_error *error)
{
    char path[PATH_SIZE];
    (void)snprintf(path, sizeof path, "%s/topology.json", trace->folder);
    FILE *file = create(path, error);
    if (!file) {
        return BH_ERROR_IO;
    }
    fprintf(
        file,
        "{\"cluster_type\": \"%s\", \"fabric_config\": \"DISABLED\",\n"
        " \"mesh_shapes\": [{\"mesh_id\": 0, \"shape\": [1, 1]}], \"device_id_to_fabric_node_id\": {\"0\": [0, 0]}}",
        trace->cluster);
    return finish(file, path, error);
}

/* Writes the file of a launch, whose entries are those from `first` up to `last`. */
static enum bh_status write_launch(const struct bh_noc_trace *trace, size_t first, size_t last, struct bh_error *error)
{
    char path[PATH_SIZE];
    uint32_t launch = trace->entries[first].launch;
    (void)snprintf(path, sizeof path, "%s/noc_trace_dev0_%s%sID%u.json", trace->folder, trace->name,
                   trace->name[0] ? "_" : "", launch * HOST_ID);
    FILE *file = create(path, error);
    if (!file) {
        return BH_ERROR_IO;
    }
    struct json json = json_to(file);
    json.lines = true;
    json_begin_array(&json);
    for (; first < last; first++) {
        if (is_written(trace, first)) {
            write_entry(&json, trace, &trace->entries[first]);
        }
    }
    json_end_array(&json);
    return finish(file, path, error);
}

/* Writes the files of all launches that have requests. */
static enum bh_status write_launches(const struct bh_noc_trace *trace, struct bh_error *error)
{
    enum bh_status status = write_topology(trace, error);
    for (size_t first = 0, last = 0; status == BH_OK && first < trace->count; first = last) {
        bool requests = false;
        for (; last < trace->count && trace->entries[last].launch == trace->entries[first].launch; last++) {
            requests |= trace->entries[last].kind == ENTRY_REQUEST;
        }
        status = requests ? write_launch(trace, first, last, error) : BH_OK;
    }
    return status;
}

/* Opening and closing. */

static void forget(struct bh_noc_trace *trace)
{
    kernels_free(&trace->kernels);
    free(trace->entries);
    free(trace->folder);
    free(trace);
}

enum bh_status bh_noc_trace_open(const char *folder, const struct bh_profiler_options *options,
                                 struct bh_noc_trace **trace, struct bh_error *error)
{
    static const struct bh_profiler_options everything;
    options = options ? options : &everything;
    if (!folder || !trace || strlen(folder) + NAME_SIZE + 50 > PATH_SIZE) {
        return fail(error, BH_ERROR_ARGUMENT, "no folder, or nowhere to put the NoC trace");
    }
    struct bh_noc_trace *opened = calloc(1, sizeof *opened);
    *trace = NULL;
    if (!opened || !(opened->folder = strdup(folder))) {
        free(opened);
        return fail(error, BH_ERROR_MEMORY, "no memory for a NoC trace");
    }
    const struct watch_names names = {
        .tiles = options->tiles, .tile_count = options->tile_count, .from = options->from, .to = options->to};
    struct stat is;
    enum bh_status status = watch_filter_make(&opened->filter, &names, error);
    if (status == BH_OK && mkdir(folder, 0777) != 0 && (stat(folder, &is) != 0 || !S_ISDIR(is.st_mode))) {
        status = fail(error, BH_ERROR_IO, "NoC trace %s: %s", folder, strerror(errno));
    }
    if (status != BH_OK) {
        forget(opened);
        return status;
    }
    kernels_name(options->name ? options->name : "", opened->name, NAME_SIZE);
    bool all_channels = !options->board || options->board->dram == 0xff;
    opened->cluster = all_channels ? "P150" : "P100";
    opened->kernels.ended = on_ended;
    opened->kernels.launched = on_launched;
    opened->kernels.context = opened;
    opened->observer = (struct bh_observer){.kinds = BH_EVENT_BIT(BH_EVENT_ISSUED) | BH_EVENT_BIT(BH_EVENT_NOC_SENT),
                                            .tiles = options->tiles,
                                            .tile_count = options->tile_count,
                                            .on_event = on_event,
                                            .context = opened};
    *trace = opened;
    return BH_OK;
}

const struct bh_observer *bh_noc_trace_observer(const struct bh_noc_trace *trace)
{
    return trace ? &trace->observer : NULL;
}

enum bh_status bh_noc_trace_close(struct bh_noc_trace *trace, struct bh_error *error)
{
    enum bh_status status = BH_OK;
    if (!trace) {
        return BH_OK;
    }
    kernels_end(&trace->kernels);
    if (trace->count) {
        qsort(trace->entries, trace->count, sizeof *trace->entries, compare);
    }
    status = write_launches(trace, error);
    if (status == BH_OK && (trace->no_memory || trace->kernels.no_memory)) {
        status = fail(error, BH_ERROR_MEMORY, "NoC trace %s: no memory; requests are missing", trace->folder);
    }
    forget(trace);
    return status;
}
