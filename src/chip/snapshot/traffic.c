/* What is under way in timed mode, in a snapshot: packets, worms and deliveries point to each other. There they are
   written as structs whose pointers are replaced by numbers, counted from 1 on; 0 is null. */
#include <stdlib.h>
#include <string.h>

#include "chip/snapshot/parts.h"
#include "noc/traffic.h"

static const char out_of_range[] = "what is under way on its NoC does not fit together";

/* Things and their numbers. */
struct numbered {
    void **thing; /* thing[number - 1] */
    uint32_t count, room;
    uint32_t *place; /* a hash table of numbers, of 2 * room entries; while saving only */
};

static uint32_t *place_of(const struct numbered *all, const void *thing)
{
    uint64_t hash = (uintptr_t)thing * 0x9e3779b97f4a7c15;
    uint32_t mask = 2 * all->room - 1, at = (uint32_t)(hash >> 32) & mask;
    while (all->place[at] && all->thing[all->place[at] - 1] != thing) {
        at = (at + 1) & mask;
    }
    return &all->place[at];
}

static void forget(struct numbered *all)
{
    free(all->thing);
    free(all->place);
}

static bool grow(struct archive *archive, struct numbered *all)
{
    struct numbered larger = {.count = all->count, .room = all->room ? 2 * all->room : 64};
    larger.thing = calloc(larger.room, sizeof *larger.thing);
    larger.place = calloc(2 * (size_t)larger.room, sizeof *larger.place);
    if (!larger.thing || !larger.place) {
        forget(&larger);
        archive_no_memory(archive);
        return false;
    }
    for (uint32_t i = 0; i < all->count; i++) {
        larger.thing[i] = all->thing[i];
        *place_of(&larger, larger.thing[i]) = i + 1;
    }
    forget(all);
    *all = larger;
    return true;
}

/* Gives a thing a number, unless it has one. false: there is no memory. */
static bool add(struct archive *archive, struct numbered *all, void *thing)
{
    bool known = !thing || (all->room && *place_of(all, thing));
    if (!known && all->count == all->room && !grow(archive, all)) {
        return false;
    }
    if (!known) {
        all->thing[all->count++] = thing;
        *place_of(all, thing) = all->count;
    }
    return true;
}

static void *number_of(const struct numbered *all, const void *thing)
{
    return (void *)(uintptr_t)(thing && all->room ? *place_of(all, thing) : 0);
}

/* The thing whose number is in place of a pointer. */
static void *thing_of(struct archive *archive, const struct numbered *all, const void *number)
{
    uintptr_t index = (uintptr_t)number;
    if (index > all->count) {
        archive_wrong(archive, out_of_range);
        return NULL;
    }
    return index ? all->thing[index - 1] : NULL;
}

struct graph {
    struct network *network;
    struct traffic *traffic;
    struct numbered flights, worms;
};

/* Endpoints and links. */

static void *endpoint_number(const struct graph *graph, const struct noc_endpoint *endpoint)
{
    const struct noc_endpoint *cores = graph->network->dram_core;
    if (endpoint >= cores && endpoint < cores + DRAM_TILES) {
        return (void *)(uintptr_t)(endpoint - cores + NOC_HEIGHT * NOC_WIDTH + 1);
    }
    return (void *)(uintptr_t)(endpoint ? endpoint - graph->network->endpoint[0] + 1 : 0);
}

static struct noc_endpoint *endpoint_of(struct archive *archive, const struct graph *graph, const void *number)
{
    uintptr_t index = (uintptr_t)number;
    if (index == 0) {
        return NULL;
    }
    enum { PLACES = NOC_HEIGHT * NOC_WIDTH };
    struct noc_endpoint *endpoint = index > PLACES + DRAM_TILES ? NULL
                                    : index > PLACES
                                        ? &graph->network->dram_core[index - 1 - PLACES]
                                        : &graph->network->endpoint[(index - 1) / NOC_WIDTH][(index - 1) % NOC_WIDTH];
    if (!endpoint || !endpoint->read) {
        archive_wrong(archive, out_of_range);
        return NULL;
    }
    return endpoint;
}

enum { FABRIC_LINKS = NOC_HEIGHT * NOC_WIDTH, LINK_KINDS = 3 };

static struct noc_link *link_at(struct noc_timing *timing, unsigned index)
{
    struct noc_fabric *fabric = &timing->fabric[index / (LINK_KINDS * FABRIC_LINKS)];
    unsigned kind = index / FABRIC_LINKS % LINK_KINDS, place = index % FABRIC_LINKS;
    struct noc_link(*links)[NOC_WIDTH] = kind == 0 ? fabric->eject : kind == 1 ? fabric->right : fabric->down;
    return &links[place / NOC_WIDTH][place % NOC_WIDTH];
}

static void *link_number(struct noc_timing *timing, const struct noc_link *link)
{
    for (unsigned kind = 0; kind < NIUS * LINK_KINDS; kind++) {
        const struct noc_link *first = link_at(timing, kind * FABRIC_LINKS);
        if (link >= first && link < first + FABRIC_LINKS) {
            return (void *)(uintptr_t)(kind * FABRIC_LINKS + (unsigned)(link - first) + 1);
        }
    }
    return NULL;
}

static struct noc_link *link_of(struct archive *archive, struct noc_timing *timing, const void *number)
{
    uintptr_t index = (uintptr_t)number;
    if (index == 0 || index > NIUS * LINK_KINDS * FABRIC_LINKS) {
        archive_wrong(archive, out_of_range);
        return NULL;
    }
    return link_at(timing, (unsigned)index - 1);
}

/* Packets. */

static void add_flights(struct archive *archive, struct graph *graph, const struct deliveries *deliveries)
{
    for (uint32_t i = 0; i < deliveries->count; i++) {
        (void)add(archive, &graph->flights, deliveries_at(deliveries, i)->flight);
    }
}

static void number_all(struct archive *archive, struct graph *graph)
{
    struct traffic *traffic = graph->traffic;
    for (struct worm *worm = traffic->worms.first; worm; worm = worm->next) {
        (void)add(archive, &graph->worms, worm);
        (void)add(archive, &graph->flights, worm->flight);
    }
    add_flights(archive, graph, &traffic->planned);
    add_flights(archive, graph, &traffic->visible);
    add_flights(archive, graph, &traffic->worms.passages);
    for (unsigned i = 0; i < NETWORK_INITIATORS; i++) {
        add_flights(archive, graph, &traffic->inbox[i].due);
    }
}

static void save_flight(struct archive *archive, const struct graph *graph, struct flight *flight)
{
    struct flight copy = *flight;
    copy.network = NULL;
    copy.uses = copy.room = 0;
    copy.initiator = endpoint_number(graph, flight->initiator);
    copy.back = endpoint_number(graph, flight->back);
    ARCHIVE_RAW(archive, copy);
    archive_raw(archive, flight->data, flight->bytes);
}

static struct flight *load_flight(struct archive *archive, const struct graph *graph)
{
    struct flight copy;
    ARCHIVE_RAW(archive, copy);
    if (copy.bytes > NOC_PACKET_BYTES) {
        archive_wrong(archive, out_of_range);
        return NULL;
    }
    copy.network = graph->network;
    copy.uses = copy.room = 0;
    copy.initiator = endpoint_of(archive, graph, copy.initiator);
    copy.back = endpoint_of(archive, graph, copy.back);
    if (!copy.initiator || !copy.initiator->outbox) {
        archive_wrong(archive, out_of_range);
        return NULL;
    }
    struct flight *flight = blocks_take(NULL, sizeof *flight + copy.bytes);
    if (flight) {
        *flight = copy;
        archive_raw(archive, flight->data, flight->bytes);
    }
    return flight;
}

static void save_flights(struct archive *archive, const struct graph *graph)
{
    const struct numbered *flights = &graph->flights;
    uint32_t count = flights->count;
    ARCHIVE_RAW(archive, count);
    for (uint32_t i = 0; i < count; i++) {
        save_flight(archive, graph, flights->thing[i]);
    }
}

static void load_flights(struct archive *archive, struct graph *graph)
{
    struct numbered *flights = &graph->flights;
    uint32_t count;
    ARCHIVE_RAW(archive, count);
    for (uint32_t i = 0; i < count && !archive->wrong; i++) {
        struct flight *flight = load_flight(archive, graph);
        if (!flight) {
            archive_no_memory(archive); /* unless something else was wrong */
        } else if (!add(archive, flights, flight)) {
            blocks_give(NULL, flight);
        }
    }
}

/* One use more. */
static struct flight *used_flight(struct archive *archive, const struct graph *graph, const void *number)
{
    struct flight *flight = thing_of(archive, &graph->flights, number);
    if (flight) {
        flight->uses++;
    }
    return flight;
}

/* Nobody knows of packets without uses. */
static void free_unused(struct archive *archive, const struct graph *graph)
{
    for (uint32_t i = 0; i < graph->flights.count; i++) {
        struct flight *flight = graph->flights.thing[i];
        if (flight->uses == 0) {
            blocks_give(NULL, flight);
            archive_wrong(archive, out_of_range);
        }
    }
}

/* Worms. */

static void save_worm(struct archive *archive, const struct graph *graph, const struct worm *worm)
{
    struct worm copy;
    memset(&copy, 0, sizeof copy); /* what is behind its last place has any value */
    copy.flight = number_of(&graph->flights, worm->flight);
    copy.behind = worm->waits ? number_of(&graph->worms, worm->behind) : NULL;
    copy.after = worm->buffered ? number_of(&graph->worms, worm->after) : NULL;
    copy.buffered = worm->buffered;
    copy.endpoint = endpoint_number(graph, worm->endpoint);
    copy.from = worm->from;
    copy.to = worm->to;
    copy.order = worm->order;
    copy.ready = worm->ready;
    copy.flits = worm->flits;
    copy.recipient = worm->recipient;
    copy.noc = worm->noc;
    copy.response = worm->response;
    copy.waits = worm->waits;
    copy.early = worm->early;
    copy.held = worm->held;
    copy.either = worm->either;
    copy.places = worm->places;
    copy.entered = worm->entered;
    copy.left = worm->left;
    for (unsigned i = 1; i < worm->places; i++) {
        copy.channel[i] = worm->channel[i];
        copy.link[i] = link_number(&graph->traffic->timing, worm->link[i]);
    }
    memcpy(copy.tail, worm->tail, worm->entered * sizeof *copy.tail);
    copy.passage = worm->waits || worm->buffered ? worm->passage : 0; /* else it is planned anew */
    for (unsigned i = 1; i < worm->entered && worm->flits > WORMS_SHORTEST; i++) {
        copy.crosses[i] = worm->crosses[i];
        copy.leaves[i] = worm->leaves[i];
    }
    ARCHIVE_RAW(archive, copy);
}

/* Those that it waits for are loaded when all are. */
static void load_worm(struct archive *archive, const struct graph *graph, struct worm *worm)
{
    ARCHIVE_RAW(archive, *worm);
    worm->previous = worm->next = NULL;
    worm->flight = used_flight(archive, graph, worm->flight);
    worm->endpoint = endpoint_of(archive, graph, worm->endpoint);
    bool fits = worm->flight && worm->endpoint && worm->noc < NIUS && worm->places && worm->places <= 1 + WORMS_LINKS &&
                worm->entered <= worm->places && worm->left <= worm->entered && worm->from.x < NOC_WIDTH &&
                worm->from.y < NOC_HEIGHT && worm->to.x < NOC_WIDTH && worm->to.y < NOC_HEIGHT;
    if (!fits) {
        archive_wrong(archive, out_of_range);
        worm->places = 1;
    }
    for (unsigned i = 1; i < worm->places; i++) {
        worm->link[i] = link_of(archive, &graph->traffic->timing, worm->link[i]);
        if (worm->channel[i] >= (worm->response ? NOC_CHANNELS - NOC_RESPONSES : NOC_RESPONSES)) {
            archive_wrong(archive, out_of_range);
        }
    }
    worm_complete(worm);
}

/* As the last of all. */
static void append(struct worms *worms, struct worm *last, struct worm *worm)
{
    worm->previous = last;
    *(last ? &last->next : &worms->first) = worm;
    worms->under_way++;
}

static void save_worms(struct archive *archive, const struct graph *graph)
{
    uint32_t count = graph->worms.count;
    ARCHIVE_RAW(archive, count);
    for (uint32_t i = 0; i < count; i++) {
        save_worm(archive, graph, graph->worms.thing[i]);
    }
}

static void load_worms(struct archive *archive, struct graph *graph)
{
    struct worms *worms = &graph->traffic->worms;
    struct worm *last = NULL;
    uint32_t count;
    ARCHIVE_RAW(archive, count);
    for (uint32_t i = 0; i < count && !archive->wrong; i++) {
        struct worm *worm = calloc(1, sizeof *worm);
        if (!worm) {
            archive_no_memory(archive);
            return;
        }
        load_worm(archive, graph, worm);
        append(worms, last, worm);
        (void)add(archive, &graph->worms, worm);
        last = worm;
    }
    for (struct worm *worm = worms->first; worm; worm = worm->next) {
        worm->behind = thing_of(archive, &graph->worms, worm->behind);
        worm->after = thing_of(archive, &graph->worms, worm->after);
    }
}

/* Deliveries, in the order of the heap. */

static void archive_delivery(struct archive *archive, const struct graph *graph, struct delivery *delivery)
{
    struct delivery copy = *delivery;
    if (!archive->loads) {
        copy.flight = number_of(&graph->flights, delivery->flight);
        copy.worm = number_of(&graph->worms, delivery->worm);
        copy.endpoint = endpoint_number(graph, delivery->endpoint);
    }
    ARCHIVE_RAW(archive, copy);
    if (archive->loads) {
        *delivery = copy;
        delivery->flight = used_flight(archive, graph, copy.flight);
        delivery->worm = thing_of(archive, &graph->worms, copy.worm);
        delivery->endpoint = endpoint_of(archive, graph, copy.endpoint);
    }
}

/* Which deliveries have what. */
enum delivery_kind { AT_TILES, PASSAGES };

static bool fits(const struct delivery *delivery, enum delivery_kind kind)
{
    return delivery->event <= FLIGHT_TAKEN &&
           (kind == PASSAGES ? !delivery->flight != !delivery->worm
                             : delivery->flight && delivery->endpoint && !delivery->worm);
}

static void archive_deliveries(struct archive *archive, const struct graph *graph, struct deliveries *deliveries,
                               enum delivery_kind kind)
{
    uint32_t count = deliveries->count;
    ARCHIVE_RAW(archive, count);
    for (uint32_t i = 0; i < count && !archive->wrong; i++) {
        struct delivery loaded = {0};
        archive_delivery(archive, graph, archive->loads ? &loaded : deliveries_at(deliveries, i));
        if (archive->loads && !fits(&loaded, kind)) {
            archive_wrong(archive, out_of_range);
        }
        if (archive->loads && !deliveries_push(deliveries, &loaded)) {
            archive_no_memory(archive);
            flight_release(loaded.flight);
        }
    }
}

/* Each worm, and all else that is planned, has a place among the passages. */
static void reserve_passages(struct archive *archive, struct worms *worms)
{
    worms->planned = 0;
    for (uint32_t i = 0; i < worms->passages.count; i++) {
        worms->planned += !deliveries_at(&worms->passages, i)->worm;
    }
    uint32_t count = worms->planned + worms->under_way;
    while (worms->passages.room < count && !archive->wrong) {
        if (!deliveries_reserve(&worms->passages, count)) {
            archive_no_memory(archive);
        }
    }
}

/* Data of requests that wait in outboxes, in their order; then a size that none has. */

enum { NO_PAYLOAD = L1_SIZE + 1 };

static void save_payloads(struct archive *archive, const struct noc_payloads *payloads)
{
    for (struct noc_payload *payload = payloads->first; payload; payload = payload->next) {
        ARCHIVE_RAW(archive, payload->size);
        ARCHIVE_RAW(archive, payload->number);
        archive_raw(archive, payload->data, payload->size);
    }
    (void)archive_number(archive, NO_PAYLOAD, NO_PAYLOAD + 1);
}

static void load_payloads(struct archive *archive, struct noc_payloads *payloads)
{
    uint32_t size, number;
    while ((size = archive_number(archive, 0, NO_PAYLOAD + 1)) != NO_PAYLOAD && !archive->wrong) {
        ARCHIVE_RAW(archive, number);
        uint8_t *data = payloads_add(payloads, number, size);
        if (!data) {
            archive_no_memory(archive);
            return;
        }
        archive_raw(archive, data, size);
    }
}

static void archive_payloads(struct archive *archive, struct noc_payloads *payloads)
{
    if (archive->loads) {
        load_payloads(archive, payloads);
    } else {
        save_payloads(archive, payloads);
    }
}

/* Links and channels. */

static void number_lane(const struct graph *graph, struct noc_lane *lane)
{
    lane->last = lane->first ? number_of(&graph->worms, lane->last) : NULL;
    lane->holder = number_of(&graph->worms, lane->holder);
    lane->first = number_of(&graph->worms, lane->first);
    lane->newest = lane->next ? number_of(&graph->worms, lane->newest) : NULL;
    lane->next = number_of(&graph->worms, lane->next);
}

static void point_lane(struct archive *archive, const struct graph *graph, struct noc_lane *lane)
{
    lane->holder = thing_of(archive, &graph->worms, lane->holder);
    lane->first = thing_of(archive, &graph->worms, lane->first);
    lane->last = thing_of(archive, &graph->worms, lane->last);
    lane->next = thing_of(archive, &graph->worms, lane->next);
    lane->newest = thing_of(archive, &graph->worms, lane->newest);
    if (!lane->first != !lane->last || !lane->next != !lane->newest) {
        archive_wrong(archive, out_of_range);
    }
}

static void visit_lane(struct archive *archive, const struct graph *graph, struct noc_lane *lane)
{
    if (archive->loads) {
        point_lane(archive, graph, lane);
    } else {
        number_lane(graph, lane);
    }
}

static void visit_schedule(struct archive *archive, struct noc_schedule *schedule)
{
    if (schedule->gaps > NOC_GAPS || schedule->first_gap >= NOC_GAPS) {
        archive_wrong(archive, out_of_range);
        schedule->gaps = schedule->first_gap = 0;
    }
}

/* From pointers to numbers, or back. */
static void visit_lanes(struct archive *archive, const struct graph *graph, struct noc_timing *timing)
{
    for (unsigned noc = 0; noc < NIUS; noc++) {
        for (unsigned i = 0; i < NOC_HEIGHT * NOC_WIDTH; i++) {
            visit_lane(archive, graph, &timing->fabric[noc].requests[i / NOC_WIDTH][i % NOC_WIDTH]);
            visit_lane(archive, graph, &timing->fabric[noc].responses[i / NOC_WIDTH][i % NOC_WIDTH]);
        }
    }
    for (unsigned i = 0; i < NIUS * LINK_KINDS * FABRIC_LINKS; i++) {
        struct noc_link *link = link_at(timing, i);
        for (unsigned channel = 0; channel < NOC_CHANNELS; channel++) {
            visit_lane(archive, graph, &link->lane[channel]);
        }
        visit_schedule(archive, &link->flits);
        visit_schedule(archive, &link->port);
    }
}

static void archive_timing(struct archive *archive, const struct graph *graph)
{
    struct noc_timing *timing = &graph->traffic->timing, *copy = timing;
    if (!archive->loads) {
        copy = malloc(sizeof *copy);
        if (!copy) {
            archive_no_memory(archive);
            return;
        }
        *copy = *timing;
        visit_lanes(archive, graph, copy);
    }
    archive_memory(archive, copy, sizeof *copy);
    if (archive->loads) {
        visit_lanes(archive, graph, timing);
    } else {
        free(copy);
    }
}

void archive_traffic(struct archive *archive, struct network *network)
{
    struct traffic *traffic = network->traffic;
    struct graph graph = {.network = network, .traffic = traffic};
    ARCHIVE(archive, traffic->done);
    if (archive->loads) {
        load_flights(archive, &graph);
        load_worms(archive, &graph);
    } else {
        worms_gather(&traffic->worms);
        number_all(archive, &graph);
        save_flights(archive, &graph);
        save_worms(archive, &graph);
    }
    archive_deliveries(archive, &graph, &traffic->planned, AT_TILES);
    archive_deliveries(archive, &graph, &traffic->visible, AT_TILES);
    archive_deliveries(archive, &graph, &traffic->worms.passages, PASSAGES);
    for (unsigned i = 0; i < NETWORK_INITIATORS; i++) {
        archive_deliveries(archive, &graph, &traffic->inbox[i].due, AT_TILES);
    }
    for (unsigned i = 0; i < NETWORK_INITIATORS; i++) {
        archive_payloads(archive, &traffic->inbox[i].payloads);
    }
    archive_timing(archive, &graph);
    if (archive->loads) {
        reserve_passages(archive, &traffic->worms);
        free_unused(archive, &graph);
    }
    forget(&graph.flights);
    forget(&graph.worms);
}
