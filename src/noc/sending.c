#include "noc/sending.h"

#include <stdlib.h>

/* Planning. */

void flight_release(struct flight *flight)
{
    if (flight && --flight->uses == 0) {
        blocks_give(blocks_of(flight->initiator), flight);
    }
}

void flight_release_in_tile(struct noc_inbox *inbox, struct flight *flight)
{
    bool last = __atomic_load_n(&flight->uses, __ATOMIC_ACQUIRE) == 1; /* whose flight it is alone */
    if (last || __atomic_sub_fetch(&flight->uses, 1, __ATOMIC_ACQ_REL) == 0) {
        blocks_give(&inbox->payloads.blocks, flight);
    }
}

static void use(struct flight *flight)
{
    flight->uses++;
}

void flight_no_memory(const struct flight *flight)
{
    const struct journey journey = {flight->network, flight->initiator, &flight->request, flight->number, 0};
    (void)journey_wrong(&journey, BH_UNSUPPORTED, "there is no memory for packets under way");
}

/* Of what happens at the same time: by initiators, and by their requests, packets and recipients. It depends on nothing
   but these, so that cycles do not depend on where quanta end. */
static uint64_t order_of(const struct flight *flight, unsigned recipient)
{
    enum { PLACE_BITS = 5, NUMBER_BITS = 24, PACKET_BITS = 12, RECIPIENT_BITS = 12, EVENT_BITS = 4 };
    _Static_assert(2 * PLACE_BITS + NUMBER_BITS + PACKET_BITS + RECIPIENT_BITS + EVENT_BITS < 64, "ORDER_STARTS");
    uint64_t order = (uint64_t)flight->initiator->x << PLACE_BITS | flight->initiator->y;
    order = order << NUMBER_BITS | (flight->number & ((1u << NUMBER_BITS) - 1));
    order = order << PACKET_BITS | (flight->extent.offset / NOC_PACKET_BYTES & ((1u << PACKET_BITS) - 1));
    return (order << RECIPIENT_BITS | recipient) << EVENT_BITS;
}

static void plan(struct deliveries *deliveries, struct delivery *delivery)
{
    delivery->order = order_of(delivery->flight, delivery->recipient) | delivery->event;
    use(delivery->flight);
    if (!deliveries_push(deliveries, delivery)) {
        flight_no_memory(delivery->flight);
        delivery->flight->uses--; /* not the last: the caller has one */
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
        bool watched = endpoint->outbox != NULL; /* by cores */
        plan(watched ? &traffic->visible : &traffic->planned, delivery);
    }
}

static uint64_t cycles(uint64_t milli)
{
    return (milli + MILLI - 1) / MILLI;
}

static uint64_t later(uint64_t one, uint64_t other)
{
    return one > other ? one : other;
}

/* The first cycle at which a tile may see what comes of a passage at a router. */
static uint64_t seen(uint64_t passage)
{
    return cycles(passage) + TIMING_NOC_ROUTER + WORMS_LATER;
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

/* How long tiles take. */

/* How much longer it takes to write these bytes if they are to be written to L1: parts of its words are read first. */
static uint64_t part(const struct noc_endpoint *endpoint, uint64_t address, uint32_t size)
{
    enum { WORD = 16 };
    bool whole = (address | size) % WORD == 0;
    return !whole && endpoint->l1 && endpoint_is_memory(endpoint, address) ? TIMING_NOC_PART : 0;
}

/* Whether another tile reads part of a word of L1. */
static bool reads_part(const struct flight *flight, const struct noc_endpoint *endpoint)
{
    const struct noc_request *request = &flight->request;
    return request->kind == NOC_READ && endpoint != flight->initiator &&
           part(endpoint, request->target_address + flight->extent.offset, flight->extent.size);
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

/* When a DRAM tile has the response to a read that arrived at `time` in its NIU, or its channel has taken a write. */
static uint64_t served_by_dram(const struct flight *flight, const struct noc_endpoint *endpoint, uint64_t time)
{
    struct noc_timing *timing = &flight->network->traffic->timing;
    unsigned channel = dram_channel_at(endpoint->x, endpoint->y), noc = flight->request.noc;
    struct noc_raw at = noc_raw(noc, endpoint->x, endpoint->y);
    uint64_t *port = &timing->fabric[noc].dram[at.y][at.x];
    uint32_t flits = noc_flits(flight->extent.size);
    network_book_copies(flight->network, channel, time);
    if (flight->request.kind == NOC_READ) { /* the response leaves as the channel brings it, but without gaps */
        uint64_t begin = noc_dram(timing, channel, port, time * MILLI, flits, true);
        uint64_t brings = (uint64_t)flits * TIMING_DRAM_FLIT_MILLI, sends = (uint64_t)flits * TIMING_NOC_FLIT_MILLI;
        return begin + TIMING_DRAM_READ * MILLI + (brings > sends ? brings - sends : 0);
    }
    uint64_t through = (uint64_t)flits * TIMING_NOC_FLIT_MILLI, last = time * MILLI;
    uint64_t begin = noc_dram(timing, channel, port, last > through ? last - through : 0, flits, false);
    return begin + through > last ? begin + through : last;
}

bool serve_in_dram(struct delivery *delivery)
{
    struct flight *flight = delivery->flight;
    if (!endpoint_is_dram(delivery->endpoint)) {
        return false;
    }
    delivery->time = cycles(served_by_dram(flight, delivery->endpoint, delivery->time));
    delivery->event = FLIGHT_SERVED;
    plan(&flight->network->traffic->planned, delivery);
    return true;
}

/* To one place. */

static struct noc_raw raw_of(const struct flight *flight, const struct noc_endpoint *endpoint)
{
    return noc_raw(flight->request.noc, endpoint->x, endpoint->y);
}

static struct worm *make_worm(struct flight *flight, struct noc_endpoint *from, struct noc_endpoint *to,
                              unsigned recipient, uint64_t ready, bool response)
{
    struct traffic *traffic = flight->network->traffic;
    struct worm *worm =
        worms_create(&traffic->worms, &traffic->timing, flight->request.noc, raw_of(flight, from), raw_of(flight, to));
    if (!worm) {
        flight_no_memory(flight);
        return NULL;
    }
    use(flight);
    worm->flight = flight;
    worm->endpoint = to;
    worm->recipient = (uint16_t)recipient;
    worm->order = order_of(flight, recipient);
    worm->response = response;
    worm->flits = response ? response_flits(flight) : request_flits(flight);
    worm->ready = ready * MILLI;
    return worm;
}

/* An NIU takes reads of L1 or DRAM, and atomic operations, only while it has few of them to answer or to do, and one of
   a DRAM tile writes only while its channel keeps up. The room that such a packet takes; 0: the NIU takes any number of
   these. */
static uint16_t held(const struct flight *flight, const struct noc_endpoint *endpoint)
{
    const struct noc_request *request = &flight->request;
    bool in_dram = endpoint_is_dram(endpoint);
    if (request->kind == NOC_ATOMIC) {
        return endpoint->l1 && !request->broadcast ? worms_part(1, TIMING_NOC_ATOMICS_HELD) : 0;
    }
    if (request->kind != NOC_READ) {
        return in_dram && !request->broadcast ? worms_part(noc_flits(flight->extent.size), TIMING_DRAM_WRITES_HELD) : 0;
    }
    if (request->reserves || flight->back != flight->initiator) {
        return 0;
    }
    return endpoint->l1 ? worms_part(1, TIMING_NOC_READS_HELD) : in_dram ? worms_part(1, TIMING_DRAM_READS_HELD) : 0;
}

static struct worm *make_request(struct flight *flight, struct noc_endpoint *to)
{
    uint64_t ready = flight->request.start + TIMING_NOC_START;
    struct worm *worm = make_worm(flight, flight->initiator, to, 0, ready, false);
    if (worm) {
        worm->held = held(flight, to);
    }
    return worm;
}

static struct worm *make_response(const struct delivery *delivery)
{
    struct flight *flight = delivery->flight;
    const struct noc_endpoint *endpoint = delivery->endpoint;
    bool reads = flight->request.kind == NOC_READ, in_dram = delivery->event == FLIGHT_SERVED;
    uint64_t begin = delivery->time, serves = !in_dram ? serving(flight, endpoint) : reads ? 0 : TIMING_DRAM_WRITE;
    if (reads_part(flight, endpoint)) {
        struct noc_timing *timing = &flight->network->traffic->timing;
        begin = noc_read_part(timing, flight->request.noc, raw_of(flight, endpoint), begin);
    }
    struct worm *worm = make_worm(flight, delivery->endpoint, flight->back, delivery->recipient, begin + serves, true);
    if (worm) {
        worm->held = reads ? held(flight, endpoint) : 0;
        worm->either = endpoint_is_dram(endpoint);
    }
    return worm;
}

static void set_out(struct worm *worm)
{
    if (worm) {
        worms_start(&worm->flight->network->traffic->worms, worm);
    }
}

/* The NIU no longer holds the request. */
static void give_room(const struct delivery *delivery)
{
    const struct flight *flight = delivery->flight;
    struct traffic *traffic = flight->network->traffic;
    unsigned room = held(flight, delivery->endpoint);
    if (room) {
        worms_let_go(&traffic->worms, &traffic->timing, flight->request.noc, raw_of(flight, flight->initiator),
                     raw_of(flight, delivery->endpoint), room, (delivery->time + WORMS_AHEAD) * MILLI);
    }
}

void send_response(const struct delivery *delivery)
{
    if (delivery->flight->request.kind != NOC_READ) { /* that of a read gives the room when it leaves */
        give_room(delivery);
    }
    set_out(make_response(delivery));
}

void send_no_response(const struct delivery *delivery)
{
    give_room(delivery);
}

/* Tells the initiator's NIU when the network takes a packet that it can not take at once. */
static void tell(struct flight *flight, enum flight_event event, uint64_t time, uint64_t taken_at, uint64_t free_at)
{
    if (flight->initiator->inbox) {
        struct delivery tells = {.time = time,
                                 .flight = flight,
                                 .endpoint = flight->initiator,
                                 .taken_at = taken_at,
                                 .free_at = free_at,
                                 .event = (uint8_t)event};
        plan_at(flight->initiator, true, &tells);
    }
}

static void worm_waits(struct worm *worm)
{
    if (!worm->response) {
        uint64_t started = worm->ready / MILLI - TIMING_NOC_START;
        tell(worm->flight, FLIGHT_HOLDS, started + TIMING_NOC_LOOKAHEAD, NIU_UNKNOWN, 0);
    }
}

static void worm_enters(struct worm *worm, uint64_t comes, uint64_t time)
{
    if (!worm->response) {
        uint64_t taken = comes - TIMING_NOC_NIU_TO_ROUTER * MILLI;
        tell(worm->flight, FLIGHT_TAKEN, later(cycles(taken), seen(time)), taken, taken + noc_sending(worm->flits));
    }
}

/* Its last flit has left, or counts as if it had. */
static void plan_leaving(struct flight *flight, uint64_t time)
{
    struct delivery leaves = {.time = time, .flight = flight, .endpoint = flight->initiator, .event = FLIGHT_LEAVES};
    plan_at(flight->initiator, flight->initiator->inbox && !flight->request.reader, &leaves);
}

static void worm_leaves(struct worm *worm, uint64_t time)
{
    struct flight *flight = worm->flight;
    if (worm->response) {
        return;
    }
    uint64_t gone = worm->tail[0] + TIMING_NOC_FLIT_MILLI + TIMING_NOC_PACKET_MILLI;
    uint64_t told = later(cycles(gone), seen(time));
    plan_leaving(flight, told);
    if (gone > worm->ready + noc_sending(worm->flits)) {
        tell(flight, FLIGHT_HOLDS, told, 0, gone);
    }
}

static bool stays(const struct flight *flight, const struct noc_endpoint *endpoint)
{
    return endpoint == flight->initiator && flight->back == endpoint && flight_returns_in_tile(flight);
}

/* A request is there. `time`: of the passage of which that comes. */
static void arrive(struct flight *flight, struct delivery *arrives, uint64_t earliest, uint64_t time)
{
    struct traffic *traffic = flight->network->traffic;
    bool in_tile = flight_arrives_in_tile(flight, arrives->endpoint);
    if (flight->request.kind == NOC_ATOMIC && arrives->endpoint->l1) {
        arrives->time =
            noc_operate(&traffic->timing, flight->request.noc, raw_of(flight, arrives->endpoint), arrives->time);
    }
    struct delivery here = *arrives;
    here.event = FLIGHT_ARRIVES;
    here.time = later(here.time, earliest);
    plan_at(here.endpoint, in_tile, &here);
    if (in_tile && stays(flight, arrives->endpoint)) { /* the response may be back before the device learns of this */
        struct worm *worm = make_response(arrives);
        if (flight->request.kind != NOC_READ) {
            give_room(arrives);
        }
        if (worm && !worms_start_at_once(&traffic->worms, &traffic->timing, worm, time)) {
            set_out(worm);
        }
    } else if (in_tile && (flight->back || held(flight, arrives->endpoint))) {
        arrives->event = FLIGHT_ANSWERS;
        plan(&traffic->planned, arrives);
    }
}

static void worm_arrives(struct worm *worm, uint64_t time)
{
    struct flight *flight = worm->flight;
    struct delivery arrives = {.time = cycles(worm_arrival(worm)),
                               .flight = flight,
                               .endpoint = worm->endpoint,
                               .recipient = worm->recipient,
                               .event = FLIGHT_RETURNS};
    if (worm->response) {
        arrives.time = later(arrives.time + ending(flight), cycles(time) + WORMS_LATER);
        plan_at(flight->back, flight_returns_in_tile(flight), &arrives);
    } else {
        arrive(flight, &arrives, cycles(time) + WORMS_LATER, time);
    }
    worms_destroy(&flight->network->traffic->worms, worm);
    flight_release(flight);
}

/* To several places. */

/* The NIU tries to send a broadcast that was, or is again, at it at `start`. */
static void plan_try(struct flight *flight, uint64_t start)
{
    struct delivery tries = {.time = start + TIMING_NOC_START + TIMING_NOC_NIU_TO_ROUTER,
                             .order = order_of(flight, 0),
                             .flight = flight,
                             .taken_at = start,
                             .event = FLIGHT_TRIES};
    use(flight);
    if (!worms_plan(&flight->network->traffic->worms, &tries)) {
        flight_no_memory(flight);
        flight->uses--;
    }
}

/* When a broadcast tries again that finds its way held in cycle `at`, for the first time in cycle `since`: it waits for
   a part of the time that it has waited already, as silicon's random delays grow from try to try. */
static uint64_t next_try(uint64_t since, uint64_t at)
{
    uint64_t waits = (at - since) / TIMING_NOC_BACK_OFF_PART;
    waits = waits < TIMING_NOC_BACK_OFF_LEAST ? TIMING_NOC_BACK_OFF_LEAST : waits;
    return at + (waits < TIMING_NOC_BACK_OFF_MOST ? waits : TIMING_NOC_BACK_OFF_MOST);
}

/* The first try when nobody holds the way any more, as far as that is known. */
static uint64_t back_off(struct noc_queue *queue, uint32_t number, uint64_t start, uint64_t held)
{
    if (queue->backs_off != number) {
        queue->backs_off = number;
        queue->since = start;
    }
    uint64_t next = next_try(queue->since, start);
    while (held != CLOCK_NEVER && next + TIMING_NOC_START < cycles(held)) {
        next = next_try(queue->since, next);
    }
    return next;
}

/* Whether a broadcast counts as sent while it waits for its way, if few are before it. */
static bool is_short(const struct flight *flight)
{
    enum { HEADER_AND_DATA = 2 };
    return flight->request.reserves && request_flits(flight) <= HEADER_AND_DATA;
}

/* A short broadcast counts as sent at `time`, and another request can be given to its initiator. */
static void count_as_sent(struct flight *flight, uint64_t time, uint64_t free_at)
{
    if (!flight->counted) {
        flight->counted = true;
        plan_leaving(flight, time);
        tell(flight, FLIGHT_TAKEN, time, (time - TIMING_NOC_READY) * MILLI, free_at);
    }
}

/* How many broadcasts an NIU has in cycle `at` before one that waits there. */
static uint32_t waiting_before(const struct noc_queue *queue, const struct flight *flight, uint64_t at)
{
    uint32_t count = flight->waits - 1 - queue->first;
    for (unsigned i = 0; i < TIMING_NOC_SHORT_BROADCASTS; i++) {
        count += queue->gone[i] > at * MILLI;
    }
    return count;
}

/* A broadcast whose way others hold waits in its NIU until they are done, and those behind it wait with it; they try
   again one after the other. Who holds a way and has more to send goes on first. */
static bool waits_for_way(struct flight *flight, uint64_t start, const struct noc_way *way, const struct noc_raw *to,
                          unsigned count)
{
    struct noc_timing *timing = &flight->network->traffic->timing;
    struct noc_fabric *fabric = &timing->fabric[way->noc];
    struct noc_queue *queue = &fabric->queue[way->from.y][way->from.x];
    const struct noc_lane *lane = &fabric->requests[way->from.y][way->from.x];
    bool first = flight->waits ? flight->waits == queue->first + 1 : queue->first == queue->end;
    bool sends = lane->holder || lane->first; /* until nobody knows when */
    uint64_t held = first && !sends ? noc_held(timing, way, to, count) : 0;
    if (first && !sends && !held) {
        queue->first += flight->waits != 0;
        return false;
    }
    flight->waits = flight->waits ? flight->waits : ++queue->end;
    queue->next = held ? back_off(queue, flight->waits, start, held) : queue->next;
    uint64_t next = later(queue->next, start + (sends ? TIMING_NOC_LOOKAHEAD : 1));
    plan_try(flight, next);
    uint64_t taken = (next + TIMING_NOC_START) * MILLI, told = start + TIMING_NOC_LOOKAHEAD;
    if (is_short(flight) && waiting_before(queue, flight, start) < TIMING_NOC_SHORT_BROADCASTS) {
        count_as_sent(flight, told, taken + noc_sending(way->flits));
    }
    tell(flight, FLIGHT_HOLDS, told, flight->counted ? 0 : taken + TIMING_NOC_LOOKAHEAD * MILLI,
         taken + noc_sending(way->flits));
    return true;
}

static void broadcast(struct flight *flight, uint64_t start, const struct recipients *recipients)
{
    struct noc_raw to[NOC_WIDTH * NOC_HEIGHT];
    struct noc_way way = {.noc = flight->request.noc,
                          .from = raw_of(flight, flight->initiator),
                          .flits = request_flits(flight),
                          .ready = (start + TIMING_NOC_START) * MILLI,
                          .reserves = flight->request.reserves && flight->extent.offset == 0,
                          .keeps = flight->request.keeps};
    for (unsigned i = 0; i < recipients->count; i++) {
        to[i] = raw_of(flight, recipients->endpoint[i]);
    }
    if (waits_for_way(flight, start, &way, to, recipients->count)) {
        return;
    }
    noc_broadcast(&flight->network->traffic->timing, &way, to, recipients->count);
    uint64_t earliest = start + TIMING_NOC_LOOKAHEAD, free_at = way.leaves + noc_sending(way.flits);
    struct noc_queue *queue = &flight->network->traffic->timing.fabric[way.noc].queue[way.from.y][way.from.x];
    if (is_short(flight)) {
        count_as_sent(flight, later(cycles(queue->gone[0]), earliest), free_at);
    } else {
        if (way.leaves > way.ready) {
            tell(flight, FLIGHT_HOLDS, earliest, way.begins, free_at);
        }
        plan_leaving(flight, later(cycles(free_at), earliest));
    }
    memmove(queue->gone, queue->gone + 1, sizeof queue->gone - sizeof *queue->gone);
    queue->gone[TIMING_NOC_SHORT_BROADCASTS - 1] = free_at;
    for (unsigned i = 0; i < recipients->count; i++) {
        struct delivery arrives = {.time = cycles(noc_arrival(&way, to[i])),
                                   .flight = flight,
                                   .endpoint = recipients->endpoint[i],
                                   .recipient = (uint16_t)i};
        arrive(flight, &arrives, earliest, way.ready);
    }
}

static void try_to_send(struct delivery *delivery)
{
    struct flight *flight = delivery->flight;
    const struct noc_request *request = &flight->request;
    const struct journey journey = {flight->network, flight->initiator, request, flight->number, 0};
    bool to_back = request->kind == NOC_WRITE || request->kind == NOC_WRITE_BYTES;
    struct recipients recipients;
    if (!flight->abandoned &&
        recipients_find(&journey, to_back ? &request->back : &request->target, &recipients) == STEP_DONE) {
        broadcast(flight, delivery->taken_at, &recipients);
    }
    flight_release(flight);
}

void send_request(struct flight *flight, const struct recipients *recipients)
{
    uint64_t start = flight->request.start;
    if (recipients->count == 1 && !flight->request.broadcast) {
        set_out(make_request(flight, recipients->endpoint[0]));
    } else {
        plan_try(flight, start);
    }
}

const struct worm_events sending_events = {worm_waits, worm_enters, worm_leaves, worm_arrives, try_to_send};
