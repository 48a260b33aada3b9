/* What a trace (bhemu/trace.h) knows of tiles: which instruction each core and each thread is at, what their tracks
   show so far, semaphores and circular buffers. For the files trace*.c. */
#ifndef BHEMU_WATCH_TRACE_STATE_H
#define BHEMU_WATCH_TRACE_STATE_H

#include "bhemu/trace.h"
#include "watch/filter.h"
#include "watch/trace_file.h"
#include "watch/zones.h"

/* Tracks of a tile, by their numbers in the file. A unit has one for each thread: what is on the first one is all that
   it does, unless threads use it at the same time. */
enum {
    TRACK_CORE = 1,
    TRACK_THREAD = 10,
    TRACK_UNIT = 20,
    TRACE_UNITS = BH_UNITS + 1, /* unpacker 1 is behind all others */
    TRACK_NIU = TRACK_UNIT + TRACE_UNITS * WATCH_THREADS,
    TRACK_ZONES = TRACK_NIU + 2 * 2, /* behind: of each NoC out, in */
    TRACKS = TRACK_ZONES + WATCH_CORES
};

enum { TRACE_SEMAPHORES = 8, TRACE_STREAMS = 64, TRACE_FUNCTION = 64 };

/* A core retires up to four instructions in a cycle, each of which is shown as a quarter of it. */
enum { TRACE_QUARTERS = 4 };

/* One or more instructions on a track. */
struct trace_slice {
    uint64_t begin, end;                /* cycles */
    uint8_t begin_quarter, end_quarter; /* of these; end at or before begin: there is none */
    uint32_t pc, word;                  /* of the first */
    uint32_t count;
    bool core;
    uint8_t index; /* of the core or the thread */
    char function[TRACE_FUNCTION];
};

struct trace_track {
    bool named;
    uint64_t end;               /* of all that was put on it */
    struct trace_slice pending; /* the next instructions may belong to it */
};

/* A core or a thread. */
struct trace_executor {
    bool issued, retired, waits;
    uint32_t pc, word;
    uint64_t begin, end;  /* of the instruction; end: as far as it is known */
    uint8_t quarter;      /* of the cycle in which it begins */
    uint8_t wait_quarter; /* of the cycle in which the wait began */
    uint64_t now;         /* nothing begins earlier */
    struct bh_wait wait;
    uint64_t wait_began;
};

struct trace_stream {
    uint16_t pushed, popped;
    bool shown;                      /* a value was */
    bool pushed_known, popped_known; /* there was a change */
    bool other;                      /* it is no circular buffer */
};

struct trace_tile {
    bool named;
    uint8_t x, y;
    struct trace_executor core[WATCH_CORES], thread[WATCH_THREADS];
    struct trace_track track[TRACKS];
    uint8_t semaphores_known; /* a bit each: a value was shown */
    struct trace_stream stream[TRACE_STREAMS];
};

struct trace_noc;
struct trace_sources;

struct bh_trace {
    struct bh_observer observer;
    struct trace_file file;
    char *path;
    struct bh_trace_options options;
    struct watch_filter filter;
    bool timed, no_memory;
    uint64_t latest; /* time of all events so far */
    struct trace_tile *tiles[WATCH_GRID][WATCH_GRID];
    struct trace_noc *noc;
    struct trace_sources *sources;
    struct zones zones;
    struct zone_names *zone_names;
};

/* The tile; null: there is no memory. */
struct trace_tile *trace_tile_at(struct bh_trace *trace, unsigned x, unsigned y);

/* Its process in the file. */
static inline unsigned trace_process(unsigned x, unsigned y)
{
    return 1 + y * WATCH_GRID + x;
}

/* A track has its name from now on. */
void trace_name_track(struct bh_trace *trace, struct trace_tile *tile, unsigned track);

/* Whether anything of that time is to be in the file. */
static inline bool trace_shows(const struct bh_trace *trace, uint64_t begin, uint64_t end)
{
    return end > trace->filter.from && begin <= trace->filter.to;
}

/* What began before the trace does is shown from there on: who is told of that time only does not know since when. */
static inline uint64_t trace_from(const struct bh_trace *trace, uint64_t begin)
{
    return begin < trace->filter.from ? trace->filter.from : begin;
}

/* Puts instructions on a track, or together with those that are there already. Those of a track do not overlap. */
void trace_put(struct bh_trace *trace, struct trace_tile *tile, unsigned track, struct trace_slice slice);

/* Puts a wait on a track. */
struct trace_wait {
    uint64_t begin, end;
    uint8_t begin_quarter;
    struct bh_wait wait;
    uint32_t pc, word;
    bool core;
    uint8_t index;
};
void trace_put_wait(struct bh_trace *trace, struct trace_tile *tile, unsigned track, const struct trace_wait *wait);

/* Writes what tracks of all tiles still keep. */
void trace_put_rest(struct bh_trace *trace);

/* Where in the source that is; null: not known. Until the next call. */
const char *trace_source(struct bh_trace *trace, const struct trace_tile *tile, bool core, unsigned index, uint32_t pc);

/* Semaphores and circular buffers. `time`: when it is shown. */
void trace_semaphore(struct bh_trace *trace, struct trace_tile *tile, const struct bh_event *event, uint64_t time);
void trace_access(struct bh_trace *trace, struct trace_tile *tile, const struct bh_event *event, uint64_t time);

/* A zone of a core has ended; for struct zones, with the trace as context. */
void trace_zone(void *trace, unsigned x, unsigned y, unsigned core, const struct zone *zone);

/* Requests on the NoC. */
struct trace_noc *trace_noc_create(void);
void trace_noc_event(struct bh_trace *trace, struct trace_tile *tile, const struct bh_event *event);
void trace_noc_end(struct bh_trace *trace);

#endif
