/* Requests on the NoC: a slice where a packet leaves and where it arrives, a flow between the two, and the time from
   its start to its last response as an asynchronous slice. Requests are known by the tile that started them and their
   number there. At most OPEN of them are kept; if there are more, the oldest is taken to be over. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "watch/trace_state.h"

enum { OPEN_LOG2 = 12, OPEN = 1 << OPEN_LOG2, PACKETS = 4, FLOW_NAME = 24 };

struct request {
    bool open, sent, async;
    uint8_t x, y;
    uint32_t number;
    uint64_t sent_at;     /* on the track */
    uint64_t size, acked; /* bytes */
    struct {
        uint32_t offset;
        bool there;
        uint8_t x, y;
        uint64_t at;
    } served[PACKETS]; /* of a read: packets on their way back */
};

struct trace_noc {
    uint64_t flows;
    struct request request[OPEN]; /* a ring by number, for each tile shifted */
};

static const char *const request_names[] = {
    [BH_NOC_READ] = "read",
    [BH_NOC_WRITE] = "write",
    [BH_NOC_WRITE_BYTES] = "write bytes",
    [BH_NOC_WRITE_INLINE] = "inline write",
    [BH_NOC_ATOMIC] = "atomic",
};

static const char *request_name(const struct bh_noc *noc)
{
    return noc->request <= BH_NOC_ATOMIC ? request_names[noc->request] : "request";
}

struct trace_noc *trace_noc_create(void)
{
    return calloc(1, sizeof(struct trace_noc));
}

/* Asynchronous slices. */

static void write_async(struct bh_trace *trace, const struct request *request, const char *phase, const char *name,
                        uint64_t time)
{
    struct trace_file *out = &trace->file;
    const struct trace_event event = {.phase = phase,
                                      .category = "noc",
                                      .name = name,
                                      .process = trace_process(request->x, request->y),
                                      .track = TRACK_NIU,
                                      .time = time};
    if (trace_file_begin(out, &event)) {
        json_name(&out->json, "id");
        json_format(&out->json, "%u-%u:%" PRIu32, request->x, request->y, request->number);
        trace_file_end(out);
    }
}

static void end_async(struct bh_trace *trace, struct request *request, uint64_t time)
{
    if (request->open && request->async) {
        write_async(trace, request, "e", "in flight", time < request->sent_at ? request->sent_at : time);
    }
    request->open = false;
}

static struct request *slot_of(struct trace_noc *noc, uint8_t x, uint8_t y, uint32_t number)
{
    uint64_t key = (uint64_t)(trace_process(x, y)) << 32 | number;
    return &noc->request[key * 0x9e3779b97f4a7c15u >> (64 - OPEN_LOG2)];
}

/* The request of an event; null: its start was not seen, or it is over. */
static struct request *find(struct trace_noc *noc, const struct bh_noc *of)
{
    struct request *request = slot_of(noc, of->initiator_x, of->initiator_y, of->number);
    bool same = request->open && request->x == of->initiator_x && request->y == of->initiator_y &&
                request->number == of->number;
    return same ? request : NULL;
}

/* Slices and flows. */

static unsigned niu_track(const struct bh_noc *noc, bool in)
{
    return TRACK_NIU + 2 * (noc->noc & 1) + in;
}

static void write_arguments(struct trace_file *out, const struct bh_event *event)
{
    const struct bh_noc *noc = &event->noc;
    trace_file_number(out, "bytes", noc->size);
    json_name(&out->json, "from");
    json_format(&out->json, "%u-%u", noc->from_x, noc->from_y);
    json_name(&out->json, "to");
    json_format(&out->json, noc->broadcast ? "up to %u-%u" : "%u-%u", noc->to_x, noc->to_y);
    trace_file_hex(out, "from address", noc->from_address);
    trace_file_hex(out, "to address", noc->to_address);
    trace_file_number(out, "transaction", noc->transaction_id);
    json_name(&out->json, "request");
    json_format(&out->json, "%u-%u:%" PRIu32, noc->initiator_x, noc->initiator_y, noc->number);
    trace_file_number(out, "offset", noc->offset);
    if (event->place.pc) {
        trace_file_hex(out, "pc", event->place.pc);
    }
}

/* Puts a packet, or the start of a request, on a track of its NIU. Returns its time there: one at a time. */
static uint64_t put(struct bh_trace *trace, struct trace_tile *tile, const struct bh_event *event, bool in,
                    const char *what)
{
    struct trace_file *out = &trace->file;
    unsigned track = niu_track(&event->noc, in);
    uint64_t end = tile->track[track].end, time = event->cycle < end ? end : event->cycle;
    char name[40];
    tile->track[track].end = time + 1;
    if (!trace_shows(trace, time, time + 1)) {
        return time;
    }
    (void)snprintf(name, sizeof name, "%s%s", request_name(&event->noc), what);
    trace_name_track(trace, tile, track);
    const struct trace_event begun = {.phase = "X",
                                      .category = "noc",
                                      .name = name,
                                      .process = trace_process(tile->x, tile->y),
                                      .track = track,
                                      .time = time};
    if (trace_file_begin(out, &begun)) {
        trace_file_number(out, "dur", 1);
        json_name(&out->json, "args");
        json_begin_object(&out->json);
        write_arguments(out, event);
        json_end_object(&out->json);
        trace_file_end(out);
    }
    return time;
}

/* One end of a flow. */
struct flow_end {
    uint8_t x, y;
    unsigned track;
    uint64_t time;
};

static void write_flow_end(struct bh_trace *trace, const char *phase, const char *name, struct flow_end at)
{
    struct trace_file *out = &trace->file;
    const struct trace_event event = {.phase = phase,
                                      .category = "noc",
                                      .name = name,
                                      .process = trace_process(at.x, at.y),
                                      .track = at.track,
                                      .time = at.time};
    if (trace_file_begin(out, &event)) {
        trace_file_number(out, "id", trace->noc->flows);
        if (phase[0] == 'f') {
            trace_file_text(out, "bp", "e");
        }
        trace_file_end(out);
    }
}

/* Both ends lie on slices that are in the file. */
static void write_flow(struct bh_trace *trace, const struct bh_noc *noc, struct flow_end from, struct flow_end to)
{
    if (watch_time(&trace->filter, from.time) && watch_time(&trace->filter, to.time) && from.time <= to.time) {
        trace->noc->flows++;
        write_flow_end(trace, "s", request_name(noc), from);
        write_flow_end(trace, "f", request_name(noc), to);
    }
}

/* Events. */

static void on_sent(struct bh_trace *trace, struct trace_tile *tile, const struct bh_event *event)
{
    const struct bh_noc *noc = &event->noc;
    struct request *request = slot_of(trace->noc, tile->x, tile->y, noc->number);
    end_async(trace, request, event->cycle);
    *request = (struct request){
        .open = true, .sent = true, .x = tile->x, .y = tile->y, .number = noc->number, .size = noc->size};
    request->sent_at = put(trace, tile, event, false, "");
    request->async = noc->responds && !noc->broadcast && watch_time(&trace->filter, request->sent_at);
    if (request->async) {
        write_async(trace, request, "b", "in flight", request->sent_at);
    }
}

static void on_arrived(struct bh_trace *trace, struct trace_tile *tile, const struct bh_event *event)
{
    const struct bh_noc *noc = &event->noc;
    struct request *request = find(trace->noc, noc);
    bool reads = noc->request == BH_NOC_READ;
    uint64_t time = put(trace, tile, event, !reads, reads ? " served" : " arrives");
    if (!request) {
        return;
    }
    if (!reads) {
        write_flow(trace, noc, (struct flow_end){request->x, request->y, niu_track(noc, false), request->sent_at},
                   (struct flow_end){tile->x, tile->y, niu_track(noc, true), time});
        return;
    }
    unsigned slot = noc->offset / 16384 % PACKETS;
    request->served[slot].offset = noc->offset;
    request->served[slot].there = true;
    request->served[slot].x = tile->x;
    request->served[slot].y = tile->y;
    request->served[slot].at = time;
}

static void on_acknowledged(struct bh_trace *trace, struct trace_tile *tile, const struct bh_event *event)
{
    const struct bh_noc *noc = &event->noc;
    struct request *request = find(trace->noc, noc);
    uint64_t time = event->cycle;
    if (noc->request == BH_NOC_READ || noc->request == BH_NOC_ATOMIC) {
        time = put(trace, tile, event, true, " returns");
    }
    if (!request) {
        return;
    }
    unsigned slot = noc->offset / 16384 % PACKETS;
    if (noc->request == BH_NOC_READ && request->served[slot].there && request->served[slot].offset == noc->offset) {
        const struct flow_end from = {request->served[slot].x, request->served[slot].y, niu_track(noc, false),
                                      request->served[slot].at};
        request->served[slot].there = false;
        write_flow(trace, noc, from, (struct flow_end){tile->x, tile->y, niu_track(noc, true), time});
    }
    request->acked += noc->size;
    if (request->acked >= request->size && !noc->broadcast) {
        end_async(trace, request, time);
    }
}

void trace_noc_event(struct bh_trace *trace, struct trace_tile *tile, const struct bh_event *event)
{
    switch ((enum bh_event_kind)event->kind) {
    case BH_EVENT_NOC_SENT: on_sent(trace, tile, event); break;
    case BH_EVENT_NOC_ARRIVED: on_arrived(trace, tile, event); break;
    case BH_EVENT_NOC_ACKNOWLEDGED: on_acknowledged(trace, tile, event); break;
    default: break;
    }
}

void trace_noc_end(struct bh_trace *trace)
{
    for (unsigned i = 0; i < OPEN; i++) {
        end_async(trace, &trace->noc->request[i], trace->latest);
    }
}
