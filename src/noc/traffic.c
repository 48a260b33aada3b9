#include "noc/traffic.h"

#include <stddef.h>
#include <stdlib.h>

#include "noc/recipients.h"
#include "noc/sending.h"
#include "time/jitter.h"

/* Packets. Tiles that end with one do so at the same time as others. */

/* Order of starts at the same time: by initiators. They come after what arrives then. */
enum { ORDER_NUMBER_BITS = 32 };
#define ORDER_STARTS (UINT64_C(1) << 63)

static void forget_all(struct deliveries *deliveries)
{
    for (uint32_t i = 0; i < deliveries->count; i++) {
        flight_release(deliveries_at(deliveries, i)->flight);
    }
    deliveries_forget(deliveries);
}

struct traffic *traffic_create(void)
{
    struct traffic *traffic = calloc(1, sizeof(struct traffic));
    if (traffic) {
        traffic->worms.events = &sending_events;
    }
    return traffic;
}

static void forget_flights(struct traffic *traffic)
{
    forget_all(&traffic->planned);
    forget_all(&traffic->visible);
    for (struct worm *worm = traffic->worms.first; worm; worm = worm->next) {
        flight_release(worm->flight);
    }
    for (uint32_t i = 0; i < traffic->worms.passages.count; i++) {
        flight_release(deliveries_at(&traffic->worms.passages, i)->flight);
    }
    worms_clear(&traffic->worms);
    for (unsigned i = 0; i < NETWORK_INITIATORS; i++) {
        forget_all(&traffic->inbox[i].due);
        payloads_forget(&traffic->inbox[i].payloads);
    }
    for (unsigned i = 0; i < NETWORK_INITIATORS; i++) {
        blocks_clear(&traffic->inbox[i].payloads.blocks);
    }
}

void traffic_reset(struct traffic *traffic)
{
    if (traffic) {
        forget_flights(traffic);
        *traffic = (struct traffic){.worms.events = &sending_events};
    }
}

/* Most of its pages were never touched: clearing them first would take longer than all else at a process's end. */
void traffic_destroy(struct traffic *traffic)
{
    if (traffic) {
        forget_flights(traffic);
        free(traffic);
    }
}

static void abandon(const struct deliveries *deliveries, const struct noc_endpoint *initiator)
{
    for (uint32_t i = 0; i < deliveries->count; i++) {
        struct flight *flight = deliveries_at(deliveries, i)->flight;
        if (flight) {
            flight->abandoned |= flight->initiator == initiator;
        }
    }
}

void traffic_forget(struct network *network, unsigned initiator)
{
    struct traffic *traffic = network->traffic;
    const struct noc_endpoint *endpoint = network->initiator[initiator];
    if (!traffic || !endpoint) {
        return;
    }
    abandon(&traffic->planned, endpoint);
    abandon(&traffic->visible, endpoint);
    abandon(&traffic->worms.passages, endpoint);
    for (struct worm *worm = traffic->worms.first; worm; worm = worm->next) {
        worm->flight->abandoned |= worm->flight->initiator == endpoint;
    }
    for (unsigned i = 0; i < NETWORK_INITIATORS; i++) {
        abandon(&traffic->inbox[i].due, endpoint);
    }
    forget_all(&traffic->inbox[initiator].due);
    payloads_forget(&traffic->inbox[initiator].payloads);
    for (unsigned noc = 0; noc < NIUS; noc++) {
        struct noc_raw at = noc_raw(noc, endpoint->x, endpoint->y);
        traffic->timing.fabric[noc].queue[at.y][at.x] = (struct noc_queue){0};
        noc_give_back(&traffic->timing, noc, at);
    }
}

/* Starting. */

/* As it is before anything happens to it, with room for so many bytes. */
static struct flight *flight_create(const struct journey *journey, size_t room)
{
    struct flight *flight = blocks_take(blocks_of(journey->initiator), sizeof *flight + room);
    if (flight) {
        *flight = (struct flight){.network = journey->network,
                                  .request = *journey->request,
                                  .initiator = journey->initiator,
                                  .number = journey->number,
                                  .uses = 1,
                                  .room = (uint32_t)room};
    } else {
        (void)journey_wrong(journey, BH_UNSUPPORTED, "there is no memory for packets under way");
    }
    return flight;
}

/* Bytes for which a request has room from its start on, if it has one packet. */
static size_t room_for_packet(const struct noc_request *request)
{
    switch ((enum noc_request_kind)request->kind) {
    case NOC_READ:
    case NOC_WRITE:
        return request->length > NOC_PACKET_BYTES ? 0 : request->length > HEADER_BYTES ? request->length : HEADER_BYTES;
    case NOC_WRITE_BYTES: return BYTE_ENABLES;
    default: return sizeof(uint32_t); /* to one place */
    }
}

/* A packet of a request that starts: the request itself, if it is its only one. */
static struct flight *packet_create(const struct journey *journey, size_t bytes)
{
    struct flight *flight = (struct flight *)((char *)journey->request - offsetof(struct flight, request));
    if (bytes <= flight->room) {
        flight->uses++;
        flight->abandoned = false;
    } else {
        flight = flight_create(journey, bytes);
    }
    if (flight) {
        flight->room = 0;
        flight->bytes = (uint32_t)bytes;
        memset(flight->data, 0, bytes); /* a snapshot has it, also when nothing was read yet */
    }
    return flight;
}

/* The data of a write, from the first byte that it reads in L1, if they were kept when it was started. */
static const uint8_t *kept_payload(const struct journey *journey)
{
    return payloads_of(journey->initiator->payloads, journey->number);
}

/* Bytes of a write out of L1 of its initiator, or out of what was kept of it. */
static enum step take_bytes(const struct journey *journey, const struct extent *extent, uint8_t *data)
{
    const uint8_t *kept = kept_payload(journey);
    uint64_t from = journey->request->target_address + extent->offset;
    if (!kept) {
        return get(journey, journey->initiator, from, data, extent->size);
    }
    memcpy(data, kept + extent->offset, extent->size);
    journey_accessed(journey, journey->initiator, false, from, extent->size, data);
    return STEP_DONE;
}

/* A packet of a read or write, whose bytes it takes along. */
static enum step start_packet(const struct journey *journey, uint64_t offset, const struct recipients *recipients,
                              struct noc_endpoint *back)
{
    const struct noc_request *request = journey->request;
    uint64_t left = request->length - offset;
    uint32_t size = left < NOC_PACKET_BYTES ? (uint32_t)left : NOC_PACKET_BYTES;
    struct flight *flight = packet_create(journey, size < HEADER_BYTES ? HEADER_BYTES : size);
    if (!flight) {
        return STEP_STOP;
    }
    flight->extent = (struct extent){offset, size};
    flight->last = left == size;
    flight->back = back;
    enum step step = STEP_DONE;
    if (request->kind == NOC_WRITE) {
        step = take_bytes(journey, &flight->extent, flight->data);
    }
    if (step == STEP_DONE) {
        send_request(flight, recipients);
    }
    flight_release(flight);
    return step;
}

static void start_packets(const struct journey *journey, const struct recipients *recipients, struct noc_endpoint *back)
{
    enum step step = STEP_DONE;
    for (uint64_t offset = 0; step == STEP_DONE && offset < journey->request->length; offset += NOC_PACKET_BYTES) {
        step = start_packet(journey, offset, recipients, back);
    }
}

static void start_read(const struct journey *journey)
{
    const struct noc_request *request = journey->request;
    struct noc_endpoint *source = journey_target(journey);
    struct noc_endpoint *back = source ? journey_back(journey) : NULL;
    if (back && effect_check_transfer(journey, source, request->target_address, back, request->back_address,
                                      request->length, source->read_alignment) == STEP_DONE) {
        struct recipients recipients; /* of which only the first is set: there are many */
        recipients.endpoint[0] = source;
        recipients.count = 1;
        start_packets(journey, &recipients, back);
    }
}

static void start_write(const struct journey *journey)
{
    const struct noc_request *request = journey->request;
    struct noc_endpoint *back = journey_target(journey);
    struct recipients recipients;
    enum step step = back ? recipients_find(journey, &request->back, &recipients) : STEP_STOP;
    for (unsigned i = 0; step == STEP_DONE && i < recipients.count; i++) {
        step = effect_check_transfer(journey, journey->initiator, request->target_address, recipients.endpoint[i],
                                     request->back_address, request->length, WRITE_ALIGNMENT);
    }
    if (step == STEP_DONE) {
        start_packets(journey, &recipients, request->response_marked ? back : NULL);
    }
}

static void start_write_bytes(const struct journey *journey)
{
    const struct noc_request *request = journey->request;
    struct noc_endpoint *back = journey_target(journey);
    struct recipients recipients;
    struct flight *flight;
    if (!back || recipients_find(journey, &request->back, &recipients) != STEP_DONE ||
        !(flight = packet_create(journey, BYTE_ENABLES))) {
        return;
    }
    flight->to_register = recipients.count && !endpoint_is_memory(recipients.endpoint[0], request->back_address);
    flight->extent = effect_enabled_extent(journey, flight->to_register);
    flight->back = request->response_marked ? back : NULL;
    if (effect_read_enabled(journey, flight->to_register, kept_payload(journey), flight->data) == STEP_DONE) {
        send_request(flight, &recipients);
    }
    flight_release(flight);
}

/* Inline writes and atomics bring what they need with them. */
static void start_inline(const struct journey *journey, struct noc_endpoint *back)
{
    struct recipients recipients;
    struct flight *flight;
    if (recipients_find(journey, &journey->request->target, &recipients) == STEP_DONE &&
        (flight = packet_create(journey, recipients.count * sizeof(uint32_t)))) {
        flight->extent.size = REGISTER_BYTES;
        flight->back = back;
        send_request(flight, &recipients);
        flight_release(flight);
    }
}

static void start_atomic(const struct journey *journey)
{
    const struct noc_request *request = journey->request;
    struct noc_endpoint *back = NULL;
    if (request->response_marked) {
        back = journey_back(journey);
        if (!back || effect_check_returned(journey, back) != STEP_DONE) {
            return;
        }
    }
    start_inline(journey, back);
}

static void start(const struct journey *journey)
{
    const struct diagnostics *diagnostics = journey->initiator->diagnostics;
    if (diagnostics->stopped && journey->request->start > diagnostics->stopped_at) {
        return;
    }
    if (journey->request->carried) {
        return;
    }
    if (journey->request->link) {
        journey->network->told = true;
        journey->initiator->link(journey->initiator->context, journey->request);
        return;
    }
    switch ((enum noc_request_kind)journey->request->kind) {
    case NOC_READ: start_read(journey); break;
    case NOC_WRITE: start_write(journey); break;
    case NOC_WRITE_BYTES: start_write_bytes(journey); break;
    case NOC_WRITE_INLINE: start_inline(journey, journey->request->response_marked ? journey->initiator : NULL); break;
    case NOC_ATOMIC: start_atomic(journey); break;
    }
}

/* With jitter an NIU begins nothing in some spans of time: what is started in them it begins at their end. */
static uint64_t begin_of(const struct network *network, unsigned initiator, const struct noc_request *request)
{
    uint64_t until, seed = network->jitter ^ (uint64_t)(initiator + 1) << 24;
    return network->jitter ? jitter_begin(seed, request->start, JITTER_NIU + request->noc, &until) : request->start;
}

/* Takes the requests of an outbox that were started before `now`. Those started later may not be all yet. */
static void collect(struct network *network, unsigned initiator, uint64_t now)
{
    struct traffic *traffic = network->traffic;
    struct noc_endpoint *endpoint = network->initiator[initiator];
    struct noc_outbox *outbox = endpoint->outbox;
    uint32_t first = outbox->started - outbox->count, taken = 0;
    bool full = outbox->count == NOC_OUTBOX_SIZE;
    for (; taken < outbox->count && outbox->request[taken].start < now; taken++) {
        const struct journey journey = {network, endpoint, &outbox->request[taken], first + taken, 0};
        outbox->request[taken].start = begin_of(network, initiator, &outbox->request[taken]);
        struct flight *flight = flight_create(&journey, room_for_packet(&outbox->request[taken]));
        struct delivery delivery = {.time = outbox->request[taken].start,
                                    .order = ORDER_STARTS | (uint64_t)initiator << ORDER_NUMBER_BITS | (first + taken),
                                    .flight = flight,
                                    .endpoint = endpoint,
                                    .event = FLIGHT_STARTS};
        if (flight && !deliveries_push(&traffic->planned, &delivery)) {
            flight_no_memory(flight);
            flight_release(flight);
        }
    }
    outbox->count -= taken;
    if (taken && outbox->count) {
        memmove(outbox->request, outbox->request + taken, outbox->count * sizeof *outbox->request);
    }
    if (full && taken && endpoint->room) {
        network->told = true;
        endpoint->room(endpoint->context);
    }
    network_notice(network, initiator);
}

static void collect_all(struct network *network, uint64_t now)
{
    for (unsigned word = 0; word < NETWORK_BITMAP_WORDS; word++) {
        uint64_t waiting = network->waiting[word];
        network->waiting[word] = 0;
        for (; waiting; waiting &= waiting - 1) {
            collect(network, word * 64 + (unsigned)__builtin_ctzll(waiting), now);
        }
    }
}

/* What the device does. */

static void deliver(struct delivery *delivery)
{
    struct flight *flight = delivery->flight;
    if (delivery->event == FLIGHT_STARTS) {
        const struct journey journey = {flight->network, flight->initiator, &flight->request, flight->number, 0};
        start(&journey);
    } else if (delivery->event == FLIGHT_LEAVES) {
        if (!flight->abandoned) {
            flight_leaves(flight);
        }
    } else if (delivery->event == FLIGHT_RETURNS) {
        if (!flight->abandoned) {
            flight_returns(flight, delivery->recipient, delivery->time);
        }
    } else if (delivery->event == FLIGHT_ANSWERS || delivery->event == FLIGHT_SERVED ||
               flight_arrives(flight, delivery->endpoint, delivery->recipient, delivery->time) == STEP_DONE) {
        if (delivery->event == FLIGHT_ARRIVES && serve_in_dram(delivery)) {
            flight_release(flight);
            return;
        }
        if (flight->back && !flight->abandoned) {
            send_response(delivery);
        } else {
            send_no_response(delivery);
        }
    } else {
        send_no_response(delivery);
    }
    flight_release(flight);
}

static struct deliveries *earlier(struct traffic *traffic)
{
    struct deliveries *planned = &traffic->planned, *visible = &traffic->visible;
    bool first = visible->count && (!planned->count || delivery_is_before(&visible->heap[0], &planned->heap[0]));
    return first ? visible : planned;
}

unsigned traffic_exchange(struct network *network, uint64_t now)
{
    struct traffic *traffic = network->traffic;
    unsigned done = 0;
    bool knows = false; /* what comes of packets under way, until `advanced` */
    uint64_t advanced = now;
    collect_all(network, now);
    for (;;) {
        struct deliveries *next = earlier(traffic);
        uint64_t due = next->count ? next->heap[0].time : UINT64_MAX;
        if (knows && due <= advanced) {
            done++;
            struct delivery delivery = deliveries_pop(next);
            traffic->done = delivery.time;
            deliver(&delivery);
        } else if (knows && advanced == now) {
            return done;
        } else { /* packets may bring what comes before, or still comes now */
            advanced = due < now ? due : now;
            worms_advance(&traffic->worms, &traffic->timing, advanced);
            knows = true;
        }
    }
}

/* What a tile does. */

bool inbox_changes(const struct noc_inbox *inbox, const struct noc_watch *watch)
{
    const struct delivery *delivery = deliveries_at(&inbox->due, 0);
    if (delivery->event == FLIGHT_HOLDS || delivery->event == FLIGHT_TAKEN) { /* NOC_CMD_CTRL: it is no counter */
        return false;
    }
    return flight_changes(delivery->flight, (enum flight_event)delivery->event, watch);
}

void inbox_deliver(struct noc_inbox *inbox)
{
    struct delivery delivery = deliveries_pop(&inbox->due);
    struct flight *flight = delivery.flight;
    if (delivery.event == FLIGHT_HOLDS) {
        niu_hold(endpoint_niu(delivery.endpoint, flight->request.noc), &flight->request, delivery.taken_at,
                 delivery.free_at);
    } else if (delivery.event == FLIGHT_TAKEN) {
        niu_taken(endpoint_niu(delivery.endpoint, flight->request.noc), &flight->request, delivery.taken_at,
                  delivery.free_at);
    } else if (delivery.event == FLIGHT_ARRIVES) {
        (void)flight_arrives(flight, delivery.endpoint, delivery.recipient, delivery.time);
    } else if (!flight->abandoned && delivery.event == FLIGHT_LEAVES) {
        flight_leaves(flight);
    } else if (!flight->abandoned) {
        flight_returns(flight, delivery.recipient, delivery.time);
    }
    flight_release_in_tile(inbox, flight);
}
