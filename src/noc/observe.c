#include "noc/observe.h"

#include <stddef.h>

static uint8_t column_of(const struct noc_request *request, unsigned x)
{
    return (uint8_t)(request->noc ? NOC_WIDTH - 1 - x : x);
}

static uint8_t row_of(const struct noc_request *request, unsigned y)
{
    return (uint8_t)(request->noc ? NOC_HEIGHT - 1 - y : y);
}

/* Of a request by the tile at (x, y). Data go from `target` to `back`, but those that it brings with it to `target`. */
static struct bh_noc noc_of(const struct noc_request *request, uint32_t number, unsigned x, unsigned y)
{
    bool brings = request->kind == NOC_WRITE_INLINE || request->kind == NOC_ATOMIC, reads = request->kind == NOC_READ;
    const struct noc_place *to = brings ? &request->target : &request->back;
    return (struct bh_noc){.request = request->kind,
                           .noc = request->noc,
                           .transaction_id = request->transaction_id,
                           .responds = request->response_marked,
                           .broadcast = request->broadcast,
                           .initiator_x = (uint8_t)x,
                           .initiator_y = (uint8_t)y,
                           .from_x = reads ? column_of(request, request->target.x) : (uint8_t)x,
                           .from_y = reads ? row_of(request, request->target.y) : (uint8_t)y,
                           .to_x = column_of(request, to->x),
                           .to_y = row_of(request, to->y),
                           .first_x = column_of(request, request->broadcast ? to->start_x : to->x),
                           .first_y = row_of(request, request->broadcast ? to->start_y : to->y),
                           .number = number,
                           .from_address = brings ? 0 : request->target_address,
                           .to_address = brings ? request->target_address : request->back_address};
}

_Static_assert((int)NOC_READ == (int)BH_NOC_READ && (int)NOC_WRITE == (int)BH_NOC_WRITE &&
                   (int)NOC_WRITE_BYTES == (int)BH_NOC_WRITE_BYTES &&
                   (int)NOC_WRITE_INLINE == (int)BH_NOC_WRITE_INLINE && (int)NOC_ATOMIC == (int)BH_NOC_ATOMIC,
               "observers are told of kinds as they are kept");

/* Of writes with byte enables, and of inline writes, `length` says which bytes. */
static uint32_t bytes_of(const struct noc_request *request)
{
    switch ((enum noc_request_kind)request->kind) {
    case NOC_READ:
    case NOC_WRITE: return (uint32_t)request->length;
    case NOC_WRITE_BYTES: return (uint32_t)__builtin_popcountll(request->length);
    default: return sizeof request->data;
    }
}

void noc_tell_sent_request(struct observed *observed, const struct noc_outbox *outbox)
{
    const struct noc_request *request = &outbox->request[outbox->count - 1];
    if (!observed_wants(observed, BH_EVENT_NOC_SENT)) {
        return;
    }
    struct bh_event event = observed_event(observed, BH_EVENT_NOC_SENT);
    event.agent = request->reader ? BH_AGENT_STREAM : BH_AGENT_NIU;
    event.index = request->reader ? (uint8_t)(request->reader - 1) : request->noc;
    event.cycle = request->start;
    event.noc = noc_of(request, outbox->started - 1, observed->x, observed->y);
    event.noc.size = bytes_of(request);
    observed_tell(observed, &event);
}

/* An event at an endpoint, whose cause is the instruction that started the request. */
static struct bh_event event_at(const struct journey *journey, struct observed *observed, enum bh_event_kind kind)
{
    const struct noc_request *request = journey->request;
    const struct diagnostic_origin *origin = &request->origin;
    struct bh_event event = observed_event(observed, kind);
    event.agent = BH_AGENT_NIU;
    event.index = request->noc;
    event.place = (struct bh_place){.agent = (enum bh_agent)origin->agent, .index = origin->index, .pc = origin->pc};
    event.place_x = journey->initiator->x;
    event.place_y = journey->initiator->y;
    event.instruction = origin->instruction;
    event.cycle = journey->time ? journey->time : observed->cycle;
    return event;
}

void journey_tell_packet(const struct journey *journey, const struct noc_endpoint *endpoint, enum bh_event_kind kind,
                         uint64_t offset, uint32_t size)
{
    struct observed *observed = endpoint->observed;
    if (observed_wants(observed, kind)) {
        struct bh_event event = event_at(journey, observed, kind);
        event.noc = noc_of(journey->request, journey->number, journey->initiator->x, journey->initiator->y);
        event.noc.offset = (uint32_t)offset;
        event.noc.size = size;
        observed_tell(observed, &event);
    }
}

void journey_tell_access(const struct journey *journey, const struct noc_endpoint *endpoint, bool write,
                         uint64_t address, uint32_t size, const void *data)
{
    struct observed *observed = endpoint->observed;
    if (size && observed_wants(observed, BH_EVENT_ACCESS)) {
        struct bh_event event = event_at(journey, observed, BH_EVENT_ACCESS);
        event.access = (struct bh_access){.space = (uint8_t)endpoint_space(endpoint, address),
                                          .write = write,
                                          .size = size,
                                          .address = address & ~endpoint->ignored,
                                          .data = data,
                                          .request = journey->number};
        observed_tell(observed, &event);
    }
    if (write && observed->tile.changed && !endpoint_is_memory(endpoint, address)) {
        const struct diagnostic_origin niu = {.agent = BH_AGENT_NIU, .index = journey->request->noc};
        observed->outside = &niu;
        observed->tile.changed(observed->tile.context);
        observed->outside = NULL;
    }
}
