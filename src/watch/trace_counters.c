/* Semaphores, and how many tiles are in circular buffers. These are the kernels' own: a buffer is an overlay stream
   that carries nothing, two of whose registers count the tiles that were pushed and popped, modulo 2^16. tt-metal
   numbers them from stream 8 on. Source: tt-metal stream_io_map.h; ISA documentation NoC/Overlay/README.md. */
#include <stdio.h>
#include <string.h>

#include "watch/trace_state.h"

enum { STREAM_SPACE = 0x1000, POPPED = 8 * 4, PUSHED = 10 * 4, FIRST_BUFFER = 8 };

static const uint32_t streams_base = 0xffb40000;

static void write_counter(struct bh_trace *trace, struct trace_tile *tile, const char *name, uint64_t time,
                          const char *series, uint64_t value)
{
    if (watch_time(&trace->filter, time)) {
        trace_file_counter(&trace->file, trace_process(tile->x, tile->y), name, time, series, value);
    }
}

void trace_semaphore(struct bh_trace *trace, struct trace_tile *tile, const struct bh_event *event, uint64_t time)
{
    const struct bh_semaphore *semaphore = &event->semaphore;
    char name[20];
    unsigned bit = 1u << semaphore->number % TRACE_SEMAPHORES;
    (void)snprintf(name, sizeof name, "semaphore %u", semaphore->number);
    if (!watch_time(&trace->filter, time) || semaphore->value == semaphore->value_before) {
        return;
    }
    if (!(tile->semaphores_known & bit)) {
        tile->semaphores_known |= (uint8_t)bit;
        write_counter(trace, tile, name, trace->filter.from, "value", semaphore->value_before);
    }
    write_counter(trace, tile, name, time, "value", semaphore->value);
}

/* While both counters are being cleared the difference says nothing. */
static uint16_t tiles_in(const struct trace_stream *stream)
{
    uint16_t tiles = (uint16_t)(stream->pushed - stream->popped);
    return tiles >> 15 ? 0 : tiles;
}

void trace_access(struct bh_trace *trace, struct trace_tile *tile, const struct bh_event *event, uint64_t time)
{
    const struct bh_access *access = &event->access;
    uint64_t offset = access->address - streams_base, place = offset % STREAM_SPACE;
    if (time < trace->filter.from || offset >= TRACE_STREAMS * STREAM_SPACE || !access->write || access->size != 4 ||
        !access->data) {
        return;
    }
    struct trace_stream *stream = &tile->stream[offset / STREAM_SPACE];
    unsigned number = (unsigned)(offset / STREAM_SPACE);
    uint32_t value;
    memcpy(&value, access->data, sizeof value);
    if (place != PUSHED && place != POPPED) {
        stream->other = true; /* it is set up to carry messages */
        return;
    }
    *(place == PUSHED ? &stream->pushed_known : &stream->popped_known) = true;
    uint16_t *counter = place == PUSHED ? &stream->pushed : &stream->popped;
    bool counts = trace->filter.from == 0 || (stream->pushed_known && stream->popped_known); /* else it began earlier */
    if (stream->other || *counter == (uint16_t)value) {
        return;
    }
    uint16_t before = tiles_in(stream);
    *counter = (uint16_t)value;
    char name[40];
    if (event->place.agent == BH_AGENT_HOST) { /* it prepares something else: kernels clear their buffers themselves */
        return;
    }
    if (number < FIRST_BUFFER) {
        (void)snprintf(name, sizeof name, "circular buffer (stream %u)", number);
    } else {
        (void)snprintf(name, sizeof name, "circular buffer %u", number - FIRST_BUFFER);
    }
    if (!counts) {
        return;
    }
    if (!stream->shown && watch_time(&trace->filter, time)) {
        stream->shown = true;
        write_counter(trace, tile, name, trace->filter.from, "tiles", before);
    }
    write_counter(trace, tile, name, time, "tiles", tiles_in(stream));
}
