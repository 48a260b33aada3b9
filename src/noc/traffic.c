#include "noc/traffic.h"

#include <stdlib.h>

#include "noc/recipients.h"

/* Packets. Tiles that end with one do so at the same time as others. */

static void release(struct flight *flight)
{
    if (flight && __atomic_sub_fetch(&flight->uses, 1, __ATOMIC_ACQ_REL) == 0) {
        free(flight);
    }
}

static void forget_all(struct deliveries *deliveries)
{
    for (uint32_t i = 0; i < deliveries->count; i++) {
        release(deliveries->heap[i].flight);
    }
    free(deliveries->heap);
    *deliveries = (struct deliveries){0};
}

struct traffic *traffic_create(void)
{
    return calloc(1, sizeof(struct traffic));
}

void traffic_reset(struct traffic *traffic)
{
    if (traffic) {
        forget_all(&traffic->planned);
        forget_all(&traffic->visible);
        for (unsigned i = 0; i < NETWORK_INITIATORS; i++) {
            forget_all(&traffic->inbox[i].due);
        }
        *traffic = (struct traffic){0};
    }
}

void traffic_destroy(struct traffic *traffic)
{
    traffic_reset(traffic);
    free(traffic);
}

static void abandon(const struct deliveries *deliveries, const struct noc_endpoint *initiator)
{
    for (uint32_t i = 0; i < deliveries->count; i++) {
        struct flight *flight = deliveries->heap[i].flight;
        flight->abandoned |= flight->initiator == initiator;
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
    for (unsigned i = 0; i < NETWORK_INITIATORS; i++) {
        abandon(&traffic->inbox[i].due, endpoint);
    }
    forget_all(&traffic->inbox[initiator].due);
    for (unsigned noc = 0; noc < NIUS; noc++) {
        struct noc_raw at = noc_raw(noc, endpoint->x, endpoint->y);
        traffic->timing.fabric[noc].queue[at.y][at.x] = (struct noc_queue){0};
    }
}

/* Planning. */

/* Order of starts at the same time: by initiators. They come after what arrives then. */
enum { ORDER_NUMBER_BITS = 32 };
#define ORDER_STARTS (UINT64_C(1) << 63)

static void no_memory(const struct flight *flight)
{
    const struct journey journey = {flight->network, flight->initiator, &flight->request, flight->number};
    (void)journey_wrong(&journey, BH_UNSUPPORTED, "there is no memory for packets under way");
}

static void plan(struct deliveries *deliveries, struct delivery *delivery)
{
    struct traffic *traffic = delivery->flight->network->traffic;
    delivery->order = traffic->order++;
    __atomic_add_fetch(&delivery->flight->uses, 1, __ATOMIC_RELAXED);
    if (!deliveries_push(deliveries, delivery)) {
        no_memory(delivery->flight);
        __atomic_sub_fetch(&delivery->flight->uses, 1, __ATOMIC_RELAXED); /* not the last: the caller has one */
    }
}

/* In the inbox of the tile, whose turn it then takes, or for the device. */
static void plan_at(struct noc_endpoint *endpoint, bool in_tile, struct delivery *delivery)
{
    struct traffic *traffic = delivery->flight->network->traffic;
    if (in_tile) {
        plan(&endpoint->inbox->due, delivery);
        endpoint->expect(endpoint->context);
    } else {
        plan(endpoint->inbox ? &traffic->visible : &traffic->planned, delivery);
    }
}

static uint64_t cycles(uint64_t milli)
{
    return (milli + MILLI - 1) / MILLI;
}

static uint64_t no_earlier(uint64_t time, uint64_t start)
{
    uint64_t earliest = start + TIMING_NOC_LOOKAHEAD;
    return time > earliest ? time : earliest;
}

/* Flits of a packet: a header, and data. */
static uint32_t request_flits(const struct flight *flight)
{
    switch ((enum noc_request_kind)flight->request.kind) {
    case NOC_WRITE: return 1 + noc_flits(flight->extent.size);
    case NOC_WRITE_BYTES: return 2;
    default: return 1;
    }
}

static uint32_t response_flits(const struct flight *flight)
{
    return flight->request.kind == NOC_READ ? 1 + noc_flits(flight->extent.size) : 1;
}

/* How much longer it takes to write these bytes if they are to be written to L1: parts of its words are read first. */
static uint64_t part(const struct noc_endpoint *endpoint, uint64_t address, uint32_t size)
{
    enum { WORD = 16 };
    bool whole = (address | size) % WORD == 0;
    return !whole && endpoint->l1 && endpoint_is_memory(endpoint, address) ? TIMING_NOC_PART : 0;
}

static bool is_dram(const struct noc_endpoint *endpoint)
{
    return noc_tile_kind(endpoint->x, endpoint->y) == TILE_DRAM;
}

/* When a DRAM tile has the response to what arrived at `time` in its NIU. */
static uint64_t served_by_dram(const struct flight *flight, const struct noc_endpoint *endpoint, uint64_t time)
{
    struct noc_timing *timing = &flight->network->traffic->timing;
    unsigned channel = dram_channel_at(endpoint->x, endpoint->y);
    uint32_t flits = noc_flits(flight->extent.size);
    if (flight->request.kind == NOC_READ) { /* the response leaves as the channel brings it, but without gaps */
        uint64_t begin = noc_dram(timing, channel, time * MILLI, flits, true);
        uint64_t brings = (uint64_t)flits * TIMING_DRAM_FLIT_MILLI, sends = (uint64_t)flits * TIMING_NOC_FLIT_MILLI;
        return begin + TIMING_DRAM_READ * MILLI + (brings > sends ? brings - sends : 0);
    }
    uint64_t through = (uint64_t)flits * TIMING_NOC_FLIT_MILLI, last = time * MILLI;
    uint64_t begin = noc_dram(timing, channel, last > through ? last - through : 0, flits, false);
    return (begin + through > last ? begin + through : last) + TIMING_DRAM_WRITE * MILLI;
}

/* From the arrival of a request until its response is in the NIU. */
static uint64_t serving(const struct flight *flight, const struct noc_endpoint *endpoint)
{
    const struct noc_request *request = &flight->request;
    uint64_t offset = flight->extent.offset;
    switch ((enum noc_request_kind)request->kind) {
    case NOC_READ: return TIMING_NOC_READ;
    case NOC_WRITE: return TIMING_NOC_WRITE + part(endpoint, request->back_address + offset, flight->extent.size);
    case NOC_WRITE_BYTES: return TIMING_NOC_WRITE + part(endpoint, request->back_address, 1);
    case NOC_WRITE_INLINE: return TIMING_NOC_WRITE;
    case NOC_ATOMIC: return TIMING_NOC_READ;
    }
    return 0;
}

/* From the arrival of a response until its counter says so. */
static uint64_t ending(const struct flight *flight)
{
    const struct noc_request *request = &flight->request;
    switch ((enum noc_request_kind)request->kind) {
    case NOC_READ:
        return TIMING_NOC_END + part(flight->back, request->back_address + flight->extent.offset, flight->extent.size);
    case NOC_ATOMIC: return TIMING_NOC_END + part(flight->back, request->back_address, 1);
    default: return TIMING_NOC_END;
    }
}

static void answer(struct delivery *delivery, uint64_t earliest);
static void hold(struct flight *flight, uint64_t start, const struct noc_way *way);

/* Whether the packet, and its response, stay at the tile: then all of it is known at once. */
static bool stays(const struct flight *flight, const struct noc_endpoint *endpoint)
{
    return endpoint == flight->initiator && flight->back == endpoint && flight_returns_in_tile(flight);
}

/* Tells the NIU that a packet waits in it and tries again at `next`; it may have to wait once more. */
static void hold_until(struct flight *flight, uint64_t start, uint64_t next, const struct noc_way *way)
{
    uint64_t taken = (next + TIMING_NOC_START) * MILLI;
    struct delivery holds = {.time = start + TIMING_NOC_LOOKAHEAD,
                             .flight = flight,
                             .endpoint = flight->initiator,
                             .taken_at = taken + TIMING_NOC_LOOKAHEAD * MILLI,
                             .free_at = taken + noc_sending(way->flits),
                             .event = FLIGHT_HOLDS};
    if (flight->initiator->inbox) {
        plan_at(flight->initiator, true, &holds);
    }
}

/* A broadcast whose way others hold waits in its NIU until they are done, and those behind it wait with it; they try
   again one after the other. Silicon backs off for random times: who holds a way and has more to send goes on first. */
static bool waits_for_way(struct flight *flight, uint64_t start, const struct noc_way *way, const struct noc_raw *to,
                          unsigned count)
{
    struct noc_timing *timing = &flight->network->traffic->timing;
    struct noc_queue *queue = &timing->fabric[way->noc].queue[way->from.y][way->from.x];
    bool first = flight->waits ? flight->waits == queue->first + 1 : queue->first == queue->end;
    uint64_t held = first ? noc_held(timing, way, to, count) : 0;
    if (first && !held) {
        queue->first += flight->waits != 0;
        return false;
    }
    flight->waits = flight->waits ? flight->waits : ++queue->end;
    queue->next = held ? cycles(held) - TIMING_NOC_START : queue->next;
    uint64_t next = queue->next > start ? queue->next : start + 1;
    struct delivery tries = {.time = next, .flight = flight, .endpoint = flight->initiator, .event = FLIGHT_TRIES};
    plan(&flight->network->traffic->planned, &tries);
    hold_until(flight, start, next, way);
    return true;
}

/* The packet leaves, and arrives. */
static void send(struct flight *flight, uint64_t start, const struct recipients *recipients)
{
    unsigned noc = flight->request.noc;
    struct noc_endpoint *initiator = flight->initiator;
    struct noc_raw to[NOC_WIDTH * NOC_HEIGHT];
    struct noc_way way = {.noc = noc,
                          .from = noc_raw(noc, initiator->x, initiator->y),
                          .flits = request_flits(flight),
                          .ready = (start + TIMING_NOC_START) * MILLI,
                          .reserves = flight->request.reserves && flight->extent.offset == 0};
    for (unsigned i = 0; i < recipients->count; i++) {
        to[i] = noc_raw(noc, recipients->endpoint[i]->x, recipients->endpoint[i]->y);
    }
    if ((recipients->count > 1 || way.reserves) && waits_for_way(flight, start, &way, to, recipients->count)) {
        return;
    }
    noc_send(&flight->network->traffic->timing, &way, to, recipients->count);
    hold(flight, start, &way);
    struct delivery leaves = {.time = no_earlier(cycles(way.leaves + noc_sending(way.flits)), start),
                              .flight = flight,
                              .endpoint = initiator,
                              .event = FLIGHT_LEAVES};
    plan_at(initiator, initiator->inbox && !flight->request.reader, &leaves);
    for (unsigned i = 0; i < recipients->count; i++) {
        struct noc_endpoint *endpoint = recipients->endpoint[i];
        struct delivery arrives = {.time = no_earlier(cycles(noc_arrival(&way, to[i])), start),
                                   .flight = flight,
                                   .endpoint = endpoint,
                                   .recipient = (uint16_t)i,
                                   .event = FLIGHT_ARRIVES};
        bool in_tile = flight_arrives_in_tile(flight, endpoint);
        plan_at(endpoint, in_tile, &arrives);
        if (in_tile && stays(flight, endpoint)) {
            arrives.time = cycles(noc_arrival(&way, to[i]));
            answer(&arrives, start + TIMING_NOC_LOOKAHEAD);
        } else if (in_tile && flight->back) {
            arrives.event = FLIGHT_ANSWERS;
            plan(&flight->network->traffic->planned, &arrives);
        }
    }
}

/* Tells the NIU that a packet was held up, by the network or by responses that the NIU sent. */
static void hold(struct flight *flight, uint64_t start, const struct noc_way *way)
{
    struct noc_endpoint *initiator = flight->initiator;
    if (initiator->inbox && way->leaves > way->ready) {
        struct delivery holds = {.time = start + TIMING_NOC_LOOKAHEAD,
                                 .flight = flight,
                                 .endpoint = initiator,
                                 .taken_at = way->begins,
                                 .free_at = way->leaves + noc_sending(way->flits),
                                 .event = FLIGHT_HOLDS};
        plan_at(initiator, true, &holds);
    }
}

/* The response leaves, and arrives. */
static void answer(struct delivery *delivery, uint64_t earliest)
{
    struct flight *flight = delivery->flight;
    unsigned noc = flight->request.noc;
    uint64_t ready = delivery->time;
    if (delivery->event != FLIGHT_SERVED) {
        ready += serving(flight, delivery->endpoint);
    }
    struct noc_way way = {.noc = noc,
                          .from = noc_raw(noc, delivery->endpoint->x, delivery->endpoint->y),
                          .flits = response_flits(flight),
                          .ready = ready * MILLI,
                          .interleaves = true,
                          .early = stays(flight, delivery->endpoint) && flight->request.kind != NOC_READ};
    struct noc_raw to = noc_raw(noc, flight->back->x, flight->back->y);
    noc_send(&flight->network->traffic->timing, &way, &to, 1);
    uint64_t time = cycles(noc_arrival(&way, to)) + ending(flight);
    struct delivery returns = {.time = time > earliest ? time : earliest,
                               .flight = flight,
                               .endpoint = delivery->endpoint,
                               .recipient = delivery->recipient,
                               .event = FLIGHT_RETURNS};
    plan_at(flight->back, flight_returns_in_tile(flight), &returns);
}

/* Starting. */

static struct flight *flight_create(const struct journey *journey, size_t bytes)
{
    struct flight *flight = malloc(sizeof *flight + bytes);
    if (flight) {
        *flight = (struct flight){.network = journey->network,
                                  .request = *journey->request,
                                  .initiator = journey->initiator,
                                  .number = journey->number,
                                  .uses = 1};
    } else {
        (void)journey_wrong(journey, BH_UNSUPPORTED, "there is no memory for packets under way");
    }
    return flight;
}

/* A packet of a read or write, whose bytes it takes along. */
static enum step start_packet(const struct journey *journey, uint64_t offset, const struct recipients *recipients,
                              struct noc_endpoint *back)
{
    const struct noc_request *request = journey->request;
    uint64_t left = request->length - offset;
    uint32_t size = left < NOC_PACKET_BYTES ? (uint32_t)left : NOC_PACKET_BYTES;
    struct flight *flight = flight_create(journey, size < HEADER_BYTES ? HEADER_BYTES : size);
    if (!flight) {
        return STEP_STOP;
    }
    flight->extent = (struct extent){offset, size};
    flight->last = left == size;
    flight->back = back;
    enum step step = STEP_DONE;
    if (request->kind == NOC_WRITE) {
        memset(flight->data, 0, HEADER_BYTES);
        step = get(journey, journey->initiator, request->target_address + offset, flight->data, size);
    }
    if (step == STEP_DONE) {
        send(flight, request->start, recipients);
    }
    release(flight);
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
    struct noc_endpoint *source = journey_endpoint(journey, request->target.x, request->target.y);
    struct noc_endpoint *back = source ? journey_endpoint(journey, request->back.x, request->back.y) : NULL;
    if (back && effect_check_transfer(journey, source, request->target_address, back, request->back_address,
                                      request->length, source->read_alignment) == STEP_DONE) {
        const struct recipients recipients = {.endpoint = {source}, .count = 1};
        start_packets(journey, &recipients, back);
    }
}

static void start_write(const struct journey *journey)
{
    const struct noc_request *request = journey->request;
    struct noc_endpoint *back = journey_endpoint(journey, request->target.x, request->target.y);
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
    struct noc_endpoint *back = journey_endpoint(journey, request->target.x, request->target.y);
    struct recipients recipients;
    struct flight *flight;
    if (!back || recipients_find(journey, &request->back, &recipients) != STEP_DONE ||
        !(flight = flight_create(journey, BYTE_ENABLES))) {
        return;
    }
    flight->to_register = recipients.count && !endpoint_is_memory(recipients.endpoint[0], request->back_address);
    flight->extent = effect_enabled_extent(journey, flight->to_register);
    flight->back = request->response_marked ? back : NULL;
    if (effect_read_enabled(journey, flight->to_register, flight->data) == STEP_DONE) {
        send(flight, request->start, &recipients);
    }
    release(flight);
}

/* Inline writes and atomics bring what they need with them. */
static void start_inline(const struct journey *journey, struct noc_endpoint *back)
{
    struct recipients recipients;
    struct flight *flight;
    if (recipients_find(journey, &journey->request->target, &recipients) == STEP_DONE &&
        (flight = flight_create(journey, recipients.count * sizeof(uint32_t)))) {
        flight->extent.size = REGISTER_BYTES;
        flight->back = back;
        send(flight, journey->request->start, &recipients);
        release(flight);
    }
}

static void start_atomic(const struct journey *journey)
{
    const struct noc_request *request = journey->request;
    struct noc_endpoint *back = NULL;
    if (request->response_marked) {
        back = journey_endpoint(journey, request->back.x, request->back.y);
        if (!back || effect_check_atomic(journey, back, "return address", request->back_address) != STEP_DONE) {
            return;
        }
    }
    start_inline(journey, back);
}

static void start(const struct journey *journey)
{
    if (journey->initiator->diagnostics->stopped) {
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

/* Takes the requests of an outbox that were started before `now`. Those started later may not be all yet. */
static void collect(struct network *network, unsigned initiator, uint64_t now)
{
    struct traffic *traffic = network->traffic;
    struct noc_endpoint *endpoint = network->initiator[initiator];
    struct noc_outbox *outbox = endpoint->outbox;
    uint32_t first = outbox->started - outbox->count, taken = 0;
    bool full = outbox->count == NOC_OUTBOX_SIZE;
    for (; taken < outbox->count && outbox->request[taken].start < now; taken++) {
        const struct journey journey = {network, endpoint, &outbox->request[taken], first + taken};
        struct flight *flight = flight_create(&journey, 0);
        struct delivery delivery = {.time = outbox->request[taken].start,
                                    .order = ORDER_STARTS | (uint64_t)initiator << ORDER_NUMBER_BITS | (first + taken),
                                    .flight = flight,
                                    .endpoint = endpoint,
                                    .event = FLIGHT_STARTS};
        if (flight && !deliveries_push(&traffic->planned, &delivery)) {
            no_memory(flight);
            release(flight);
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

static void try_again(struct flight *flight, uint64_t now)
{
    const struct noc_request *request = &flight->request;
    const struct journey journey = {flight->network, flight->initiator, request, flight->number};
    bool to_back = request->kind == NOC_WRITE || request->kind == NOC_WRITE_BYTES;
    struct recipients recipients;
    if (recipients_find(&journey, to_back ? &request->back : &request->target, &recipients) == STEP_DONE) {
        send(flight, now, &recipients);
    }
}

/* What the device does. */

static void deliver(struct delivery *delivery)
{
    struct flight *flight = delivery->flight;
    if (delivery->event == FLIGHT_STARTS) {
        const struct journey journey = {flight->network, flight->initiator, &flight->request, flight->number};
        start(&journey);
    } else if (delivery->event == FLIGHT_TRIES) {
        if (!flight->abandoned) {
            try_again(flight, delivery->time);
        }
    } else if (delivery->event == FLIGHT_LEAVES) {
        if (!flight->abandoned) {
            flight_leaves(flight);
        }
    } else if (delivery->event == FLIGHT_RETURNS) {
        if (!flight->abandoned) {
            flight_returns(flight, delivery->recipient);
        }
    } else if (delivery->event == FLIGHT_ANSWERS || delivery->event == FLIGHT_SERVED ||
               flight_arrives(flight, delivery->endpoint, delivery->recipient) == STEP_DONE) {
        if (delivery->event == FLIGHT_ARRIVES && is_dram(delivery->endpoint)) {
            delivery->time = cycles(served_by_dram(flight, delivery->endpoint, delivery->time));
            delivery->event = FLIGHT_SERVED;
            plan(&flight->network->traffic->planned, delivery);
        } else if (flight->back && !flight->abandoned) {
            answer(delivery, delivery->time + TIMING_NOC_LOOKAHEAD);
        }
    }
    release(flight);
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
    collect_all(network, now);
    for (struct deliveries *next; (next = earlier(traffic))->count && next->heap[0].time <= now; done++) {
        struct delivery delivery = deliveries_pop(next);
        traffic->done = delivery.time;
        deliver(&delivery);
    }
    return done;
}

/* What a tile does. */
void inbox_deliver(struct noc_inbox *inbox)
{
    struct delivery delivery = deliveries_pop(&inbox->due);
    struct flight *flight = delivery.flight;
    if (delivery.event == FLIGHT_HOLDS) {
        niu_hold(endpoint_niu(delivery.endpoint, flight->request.noc), flight->request.initiator, delivery.taken_at,
                 delivery.free_at);
    } else if (delivery.event == FLIGHT_ARRIVES) {
        (void)flight_arrives(flight, delivery.endpoint, delivery.recipient);
    } else if (!flight->abandoned && delivery.event == FLIGHT_LEAVES) {
        flight_leaves(flight);
    } else if (!flight->abandoned) {
        flight_returns(flight, delivery.recipient);
    }
    release(flight);
}
