/* Traces of include/bhemu/trace.h. Of each core and thread the instruction that it is at is kept until its end is
   known: of a core in timed mode that is where the next one begins. */
#include "watch/trace_state.h"

#include <stdlib.h>
#include <string.h>

#include "isa/tensix_isa.h"
#include "noc/coordinates.h"
#include "util/fail.h"

enum {
    LONGEST = 500, /* cycles that an instruction of a core may take without a wait; beyond, the core was not run */
};

struct trace_tile *trace_tile_at(struct bh_trace *trace, unsigned x, unsigned y)
{
    struct trace_tile **tile = x < WATCH_GRID && y < WATCH_GRID ? &trace->tiles[y][x] : NULL;
    if (!tile) {
        return NULL;
    }
    if (!*tile) {
        *tile = calloc(1, sizeof **tile);
        trace->no_memory |= !*tile;
        if (*tile) {
            (*tile)->x = (uint8_t)x;
            (*tile)->y = (uint8_t)y;
        }
    }
    return *tile;
}

/* Cores and threads. */

static bool is_core(const struct bh_event *event)
{
    return event->place.agent == BH_AGENT_CORE;
}

static struct trace_executor *executor_of(struct trace_tile *tile, const struct bh_event *event)
{
    unsigned index = event->place.index;
    if (event->place_x != event->tile_x || event->place_y != event->tile_y) {
        return NULL;
    }
    if (is_core(event)) {
        return index < WATCH_CORES ? &tile->core[index] : NULL;
    }
    return event->place.agent == BH_AGENT_THREAD && index < WATCH_THREADS ? &tile->thread[index] : NULL;
}

static uint64_t later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* The time that an event has in the file. In functional mode the instructions of a thread have the time at which its
   turn began: they follow one another from there on. */
static uint64_t time_of(const struct trace_executor *executor, const struct bh_event *event)
{
    uint64_t time = executor ? later(event->cycle, executor->now) : event->cycle;
    return executor && executor->issued ? later(time, executor->begin) : time;
}

static unsigned own_track(bool core, unsigned index)
{
    return (core ? TRACK_CORE : TRACK_THREAD) + index;
}

static bool is_shown(const struct bh_trace *trace, bool core, unsigned index, uint32_t word)
{
    return core ? watch_core(&trace->filter, index) : watch_word(&trace->filter, word);
}

/* quarter: of the cycle `end`. */
static void put_until(struct bh_trace *trace, struct trace_tile *tile, struct trace_executor *executor, bool core,
                      unsigned index, uint64_t end, uint8_t quarter)
{
    const uint8_t begin_quarter = executor->quarter;
    executor->issued = executor->retired = false;
    executor->now = end;
    executor->quarter = quarter;
    if (is_shown(trace, core, index, executor->word)) {
        const struct trace_slice slice = {.begin = executor->begin,
                                          .end = end,
                                          .begin_quarter = begin_quarter,
                                          .end_quarter = quarter,
                                          .pc = executor->pc,
                                          .word = executor->word,
                                          .count = 1,
                                          .core = core,
                                          .index = (uint8_t)index};
        trace_put(trace, tile, own_track(core, index), slice);
    }
}

static void put_instruction(struct bh_trace *trace, struct trace_tile *tile, struct trace_executor *executor, bool core,
                            unsigned index, uint64_t end)
{
    put_until(trace, tile, executor, core, index, end, 0);
}

/* A core has gone on at `time`: its last instruction ends there; a quarter of a cycle behind its begin, if both began
   in the same cycle. */
static void end_last(struct bh_trace *trace, struct trace_tile *tile, struct trace_executor *executor, unsigned index,
                     uint64_t time)
{
    if (!executor->retired) {
        return;
    }
    if (time == executor->begin && executor->end == time + 1 && executor->quarter + 1 < TRACE_QUARTERS) {
        put_until(trace, tile, executor, true, index, time, (uint8_t)(executor->quarter + 1));
        return;
    }
    bool runs_on = time > executor->end && time - executor->begin <= LONGEST;
    put_instruction(trace, tile, executor, true, index, runs_on ? time : executor->end);
}

/* The track of a unit: the first one of it on which nothing is at that time. */
static unsigned unit_track(const struct trace_tile *tile, unsigned unit, uint64_t begin)
{
    unsigned first = TRACK_UNIT + unit * WATCH_THREADS, track = first;
    while (track < first + WATCH_THREADS - 1 && tile->track[track].end > begin) {
        track++;
    }
    return track;
}

static void put_on_unit(struct bh_trace *trace, struct trace_tile *tile, const struct bh_event *event,
                        struct bh_occupied occupied)
{
    if (occupied.unit == BH_UNIT_FRONTEND || !watch_word(&trace->filter, event->instruction) ||
        occupied.to <= occupied.from) {
        return;
    }
    unsigned unit = occupied.unit == BH_UNIT_UNPACK && occupied.number ? BH_UNITS : occupied.unit;
    const struct trace_slice slice = {.begin = occupied.from,
                                      .end = occupied.to,
                                      .pc = event->place.pc,
                                      .word = event->instruction,
                                      .count = 1,
                                      .index = event->place.index};
    trace_put(trace, tile, unit_track(tile, unit, slice.begin), slice);
}

/* Functional mode: an instruction takes a step of its unit. */
static void put_step_on_unit(struct bh_trace *trace, struct trace_tile *tile, const struct bh_event *event,
                             uint64_t end)
{
    uint32_t word = event->instruction;
    struct bh_occupied occupied = {.unit = (uint8_t)watch_unit(word), .from = end - 1, .to = end};
    switch (word >> 24) {
    case TENSIX_OPCODE_UNPACR: occupied.number = (uint8_t)decode_UNPACR(word).Unpack_block_selection; break;
    case TENSIX_OPCODE_UNPACR_NOP: occupied.number = (uint8_t)decode_UNPACR_NOP(word).Unpacker_Select; break;
    default: break;
    }
    put_on_unit(trace, tile, event, occupied);
}

/* A thread passes an instruction that has stood before the gate since issue.came: what the one before still did kept it
   there. */
static void put_kept(struct bh_trace *trace, struct trace_tile *tile, const struct trace_executor *executor,
                     const struct bh_event *event)
{
    const struct trace_wait wait = {.begin = later(event->issue.came, executor->now),
                                    .end = event->cycle,
                                    .wait = {.reason = BH_WAIT_UNIT},
                                    .pc = event->place.pc,
                                    .word = event->instruction,
                                    .index = event->place.index};
    if (wait.begin < wait.end && is_shown(trace, false, wait.index, wait.word)) {
        trace_put_wait(trace, tile, own_track(false, wait.index), &wait);
    }
}

static void on_issued(struct bh_trace *trace, struct trace_tile *tile, struct trace_executor *executor,
                      const struct bh_event *event)
{
    if (is_core(event)) {
        end_last(trace, tile, executor, event->place.index, event->cycle);
    }
    if (!is_core(event) && event->issue.came) {
        put_kept(trace, tile, executor, event);
    }
    executor->issued = false; /* one that did not retire was cancelled */
    executor->begin = executor->end = time_of(executor, event);
    executor->quarter = executor->begin == executor->now ? executor->quarter : 0;
    executor->issued = true;
    executor->pc = event->place.pc;
    executor->word = event->instruction;
}

static void on_retired(struct bh_trace *trace, struct trace_tile *tile, struct trace_executor *executor,
                       const struct bh_event *event)
{
    executor->end = later(time_of(executor, event), executor->end) + 1;
    if (trace->timed && is_core(event)) {
        executor->retired = true; /* it ends where the next one begins */
        return;
    }
    put_instruction(trace, tile, executor, is_core(event), event->place.index, executor->end);
    if (!trace->timed && !is_core(event)) {
        put_step_on_unit(trace, tile, event, executor->now);
    }
}

static void on_wait(struct bh_trace *trace, struct trace_tile *tile, struct trace_executor *executor,
                    const struct bh_event *event)
{
    uint64_t time = later(time_of(executor, event), executor->end);
    if (event->kind == BH_EVENT_WAIT_BEGAN) {
        executor->waits = true;
        executor->wait = event->wait;
        executor->wait_began = time;
        executor->wait_quarter = executor->issued && time == executor->begin ? executor->quarter : 0;
        executor->pc = event->place.pc;
        executor->word = event->instruction;
        return;
    }
    const struct trace_wait wait = {.begin = executor->wait_began,
                                    .end = time,
                                    .begin_quarter = executor->wait_quarter,
                                    .wait = event->wait,
                                    .pc = event->place.pc,
                                    .word = event->instruction,
                                    .core = is_core(event),
                                    .index = event->place.index};
    if (executor->waits && is_shown(trace, wait.core, wait.index, wait.word)) {
        trace_put_wait(trace, tile, own_track(wait.core, wait.index), &wait);
    }
    executor->waits = false;
    executor->end = later(executor->end, time);
    executor->now = executor->issued ? executor->now : later(executor->now, time);
}

/* What is under way at the end of the trace ends there. */
static void end_executor(struct bh_trace *trace, struct trace_tile *tile, struct trace_executor *executor, bool core,
                         unsigned index)
{
    if (executor->waits && is_shown(trace, core, index, executor->word)) {
        const struct trace_wait wait = {.begin = executor->wait_began,
                                        .end = later(executor->wait_began + 1, trace->latest),
                                        .begin_quarter = executor->wait_quarter,
                                        .wait = executor->wait,
                                        .pc = executor->pc,
                                        .word = executor->word,
                                        .core = core,
                                        .index = (uint8_t)index};
        trace_put_wait(trace, tile, own_track(core, index), &wait);
        executor->end = later(executor->end, wait.end);
    }
    if (core) { /* the next one would have begun behind the trace */
        end_last(trace, tile, executor, index, later(trace->latest, executor->end));
    }
    if (executor->issued) {
        put_instruction(trace, tile, executor, core, index, later(executor->end, executor->begin + 1));
    }
}

/* All events. */

static void on_event(void *context, const struct bh_event *event)
{
    struct bh_trace *trace = context;
    if (event->cycle > trace->filter.to) { /* what is under way ends where the trace does */
        bh_trace_reach(trace, event->cycle);
        return;
    }
    struct trace_tile *tile = trace->file.error ? NULL : trace_tile_at(trace, event->tile_x, event->tile_y);
    if (!tile) {
        return;
    }
    struct trace_executor *executor = executor_of(tile, event);
    trace->latest = later(trace->latest, event->cycle);
    switch ((enum bh_event_kind)event->kind) {
    case BH_EVENT_SEMAPHORE: trace_semaphore(trace, tile, event, time_of(executor, event)); return;
    case BH_EVENT_ACCESS:
        zones_event(&trace->zones, event);
        trace_access(trace, tile, event, time_of(executor, event));
        return;
    case BH_EVENT_NOC_SENT:
    case BH_EVENT_NOC_ARRIVED:
    case BH_EVENT_NOC_ACKNOWLEDGED: trace_noc_event(trace, tile, event); return;
    default: break;
    }
    if (!executor) {
        return;
    }
    switch ((enum bh_event_kind)event->kind) {
    case BH_EVENT_ISSUED: on_issued(trace, tile, executor, event); break;
    case BH_EVENT_RETIRED: on_retired(trace, tile, executor, event); break;
    case BH_EVENT_WAIT_BEGAN:
    case BH_EVENT_WAIT_ENDED: on_wait(trace, tile, executor, event); break;
    case BH_EVENT_OCCUPIED: put_on_unit(trace, tile, event, event->occupied); break;
    default: break;
    }
}

/* Opening and closing. */

static void forget(struct bh_trace *trace)
{
    for (unsigned i = 0; i < WATCH_GRID * WATCH_GRID; i++) {
        free(trace->tiles[i / WATCH_GRID][i % WATCH_GRID]);
    }
    zones_free(&trace->zones);
    zone_names_free(trace->zone_names);
    free(trace->noc);
    free(trace->sources);
    free(trace->path);
    free(trace);
}

static enum bh_status open_trace(struct bh_trace *trace, const struct bh_trace_options *options, struct bh_error *error)
{
    const struct watch_names names = {.tiles = options->tiles,
                                      .tile_count = options->tile_count,
                                      .mode = options->mode,
                                      .cores = options->cores,
                                      .core_count = options->core_count,
                                      .units = options->units,
                                      .unit_count = options->unit_count,
                                      .from = options->from,
                                      .to = options->to};
    enum bh_status status = watch_filter_make(&trace->filter, &names, error);
    trace->options = *options;
    trace->timed = options->mode == BH_MODE_TIMED;
    trace->noc = trace_noc_create();
    trace->zones = (struct zones){.ended = trace_zone, .context = trace};
    status = status == BH_OK ? zone_names_read(options->zones, &trace->zone_names, error) : status;
    if (status == BH_OK && !trace->noc) {
        return fail(error, BH_ERROR_MEMORY, "no memory for a trace");
    }
    int failed = status == BH_OK ? trace_file_open(&trace->file, trace->path, trace->timed, options->name) : 0;
    return failed ? fail(error, BH_ERROR_IO, "trace %s: %s", trace->path, strerror(failed)) : status;
}

enum bh_status bh_trace_open(const char *path, const struct bh_trace_options *options, struct bh_trace **trace,
                             struct bh_error *error)
{
    static const struct bh_trace_options everything;
    options = options ? options : &everything;
    if (!path || !trace) {
        return fail(error, BH_ERROR_ARGUMENT, "no path, or nowhere to put the trace");
    }
    struct bh_trace *opened = calloc(1, sizeof *opened);
    *trace = NULL;
    if (!opened || !(opened->path = strdup(path))) {
        free(opened);
        return fail(error, BH_ERROR_MEMORY, "no memory for a trace");
    }
    enum bh_status status = open_trace(opened, options, error);
    if (status != BH_OK) {
        forget(opened);
        return status;
    }
    opened->observer =
        (struct bh_observer){.kinds = BH_EVENT_BIT(BH_EVENT_ISSUED) | BH_EVENT_BIT(BH_EVENT_RETIRED) |
                                      BH_EVENT_BIT(BH_EVENT_ACCESS) | BH_EVENT_BIT(BH_EVENT_WAIT_BEGAN) |
                                      BH_EVENT_BIT(BH_EVENT_WAIT_ENDED) | BH_EVENT_BIT(BH_EVENT_SEMAPHORE) |
                                      BH_EVENT_BIT(BH_EVENT_NOC_SENT) | BH_EVENT_BIT(BH_EVENT_NOC_ARRIVED) |
                                      BH_EVENT_BIT(BH_EVENT_NOC_ACKNOWLEDGED) | BH_EVENT_BIT(BH_EVENT_OCCUPIED),
                             .tiles = options->tiles,
                             .tile_count = options->tile_count,
                             .on_event = on_event,
                             .context = opened,
                             .from = options->from,
                             .to = options->to};
    *trace = opened;
    return BH_OK;
}

const struct bh_observer *bh_trace_observer(const struct bh_trace *trace)
{
    return trace ? &trace->observer : NULL;
}

void bh_trace_reach(struct bh_trace *trace, uint64_t clock)
{
    if (!trace) {
        return;
    }
    uint64_t end = trace->filter.to == UINT64_MAX ? clock : trace->filter.to + 1;
    trace->latest = later(trace->latest, clock < end ? clock : end);
}

static void end_all(struct bh_trace *trace)
{
    for (unsigned i = 0; i < WATCH_GRID * WATCH_GRID; i++) {
        struct trace_tile *tile = trace->tiles[i / WATCH_GRID][i % WATCH_GRID];
        for (unsigned core = 0; tile && core < WATCH_CORES; core++) {
            end_executor(trace, tile, &tile->core[core], true, core);
        }
        for (unsigned thread = 0; tile && thread < WATCH_THREADS; thread++) {
            end_executor(trace, tile, &tile->thread[thread], false, thread);
        }
    }
    zones_close_all(&trace->zones, trace->latest);
    trace_put_rest(trace);
    trace_noc_end(trace);
}

enum bh_status bh_trace_close(struct bh_trace *trace, struct bh_error *error)
{
    enum bh_status status = BH_OK;
    if (!trace) {
        return BH_OK;
    }
    end_all(trace);
    int failed = trace_file_close(&trace->file);
    if (failed) {
        status = fail(error, BH_ERROR_IO, "trace %s: %s; what follows is missing", trace->path, strerror(failed));
    } else if (trace->no_memory || trace->zones.no_memory) {
        status = fail(error, BH_ERROR_MEMORY, "trace %s: no memory; tiles are missing", trace->path);
    }
    forget(trace);
    return status;
}
