#include "noc/worms.h"

#include <stdlib.h>

enum { BUFFER_FLITS = 2 * TIMING_NOC_ROUTER };

/* All that are under way. */

void worms_clear(struct worms *worms)
{
    for (struct worm *worm; (worm = worms->first ? worms->first : worms->spare) != NULL; free(worm)) {
        *(worms->first ? &worms->first : &worms->spare) = worm->next;
    }
    deliveries_forget(&worms->passages);
    *worms = (struct worms){.events = worms->events};
}

void worms_destroy(struct worms *worms, struct worm *worm)
{
    worms->under_way--;
    *(worm->previous ? &worm->previous->next : &worms->first) = worm->next;
    if (worm->next) {
        worm->next->previous = worm->previous;
    }
    worm->next = worms->spare;
    worms->spare = worm;
}

struct worm *worms_create(struct worms *worms, struct noc_timing *timing, unsigned noc, struct noc_raw from,
                          struct noc_raw to)
{
    struct worm *worm = worms->spare ? worms->spare : malloc(sizeof *worm);
    bool room = deliveries_reserve(&worms->passages, worms->planned + worms->under_way + 1); /* each has at most one */
    if (!worm || !room) {
        free(worm == worms->spare ? NULL : worm);
        return NULL;
    }
    worms->spare = worm == worms->spare ? worm->next : worms->spare;
    worms->under_way++;
    worm->previous = NULL;
    worm->next = worms->first;
    if (worms->first) {
        worms->first->previous = worm;
    }
    worms->first = worm;
    worm->noc = (uint8_t)noc;
    worm->from = from;
    worm->to = to;
    worm->waits = worm->response = false;
    worm->early = from.x == to.x && from.y == to.y;
    worm->entered = worm->left = 0;
    worm->places = 1;
    struct noc_walk walk = noc_walk_to(timing, noc, from, to);
    for (struct noc_link *link; (link = noc_next_link(&walk)) != NULL; worm->places++) {
        worm->link[worm->places] = link;
        worm->channel[worm->places] = walk.around ? NOC_REQUESTS_AROUND : NOC_REQUESTS;
    }
    return worm;
}

/* Passages. */

bool worms_plan(struct worms *worms, struct delivery *delivery)
{
    delivery->time = (delivery->time + TIMING_NOC_ROUTER) * MILLI;
    bool room = deliveries_reserve(&worms->passages, ++worms->planned + worms->under_way);
    return room && deliveries_push(&worms->passages, delivery);
}

/* Whether its next place is the link to the NIU of its destination. */
static bool is_last(const struct worm *worm)
{
    return worm->entered + 1 == worm->places;
}

/* When the worm goes on. There is room for a passage of each. */
static void plan(struct worms *worms, struct worm *worm, uint64_t time)
{
    struct delivery passage = {
        .time = time + (is_last(worm) ? 0 : TIMING_NOC_ROUTER * MILLI), .order = worm->order, .worm = worm};
    (void)deliveries_push(&worms->passages, &passage);
}

/* From the NIU or a router to the next router. */
static uint64_t way_to(unsigned place)
{
    return (place == 1 ? TIMING_NOC_NIU_TO_ROUTER : TIMING_NOC_ROUTER) * MILLI;
}

static struct noc_lane *lane_of(struct noc_timing *timing, const struct worm *worm, unsigned place)
{
    struct noc_fabric *fabric = &timing->fabric[worm->noc];
    if (place == 0) {
        return &(worm->response ? fabric->responses : fabric->requests)[worm->from.y][worm->from.x];
    }
    return &worm->link[place]->lane[worm->channel[place] + (worm->response ? NOC_RESPONSES : 0)];
}

/* The first one that waits for a channel goes on when it is free. */
static void plan_first(struct worms *worms, const struct noc_lane *lane, uint64_t time)
{
    struct worm *worm = lane->first;
    uint64_t goes = lane->free + (worm->entered ? 0 : TIMING_NOC_NIU_TO_ROUTER * MILLI);
    goes = goes > time ? goes : time;
    plan(worms, worm, goes);
    if (worm->entered == 0) {
        worms->events->enters(worm, goes, time);
    }
}

/* It is known when the last flit of a worm gets to a place: who waits for the channel comes then. */
static void leave(struct worms *worms, struct noc_timing *timing, struct worm *worm, uint64_t time)
{
    unsigned place = worm->left++;
    uint64_t *tail = &worm->tail[place];
    if (place && *tail < tail[-1] + way_to(place)) {
        *tail = tail[-1] + way_to(place);
    }
    struct noc_lane *lane = lane_of(timing, worm, place);
    lane->holder = NULL;
    lane->free = *tail + MILLI + (worm->response && worm->flits == 1 ? 0 : TIMING_NOC_PACKET_MILLI);
    if (lane->first) {
        plan_first(worms, lane, time);
    }
    if (place == 0) {
        worms->events->leaves(worm, time);
    }
}

/* How many places further the first flit has to be before it is known when the last one leaves a place: where all
   between them are in buffers. The shortest packets find room in the next buffer. */
static unsigned stretches(const struct worm *worm)
{
    unsigned full = (worm->flits - 1) / BUFFER_FLITS;
    return worm->flits <= 2 ? 0 : full ? full : 1;
}

/* The first flit comes to the next place. Those behind it can not go on before buffers between have room. */
static void enter(struct worms *worms, struct noc_timing *timing, struct worm *worm, uint64_t comes, uint64_t time)
{
    unsigned place = worm->entered++, flits = worm->flits;
    uint64_t last = comes + (uint64_t)(flits - 1) * TIMING_NOC_FLIT_MILLI;
    lane_of(timing, worm, place)->holder = worm;
    if (place) {
        last = noc_take(worm->link[place], comes, flits * MILLI) - MILLI;
        uint64_t follows = worm->tail[place - 1] + way_to(place);
        last = last > follows ? last : follows;
    }
    worm->tail[place] = last;
    for (unsigned back = 1; worm->left + back <= place && back * BUFFER_FLITS < flits; back++) {
        uint64_t earliest = last - back * (uint64_t)(BUFFER_FLITS - TIMING_NOC_ROUTER) * MILLI;
        uint64_t *tail = &worm->tail[place - back];
        *tail = *tail > earliest ? *tail : earliest;
    }
    unsigned behind = worm->entered == worm->places ? 0 : stretches(worm);
    while (worm->left + behind < worm->entered) {
        leave(worms, timing, worm, time);
    }
}

/* Comes to the next place, or waits for its channel. Returns false if it waits. */
static bool pass(struct worms *worms, struct noc_timing *timing, struct worm *worm, uint64_t time)
{
    struct noc_lane *lane = lane_of(timing, worm, worm->entered);
    uint64_t ahead = worm->entered ? 0 : TIMING_NOC_NIU_TO_ROUTER * MILLI;
    if (worm->waits) {
        lane->first = worm->behind;
        worm->waits = false;
    } else if (lane->holder || lane->first || lane->free + ahead > time) {
        worm->waits = true;
        worm->behind = NULL;
        bool alone = !lane->first;
        *(alone ? &lane->first : &lane->last->behind) = worm;
        lane->last = worm;
        if (worm->entered == 0) {
            worms->events->waits(worm);
        }
        if (alone && !lane->holder) {
            plan_first(worms, lane, time);
        }
        return false;
    }
    if (worm->early && is_last(worm)) {
        ahead = TIMING_NOC_ROUTER * MILLI;
    }
    enter(worms, timing, worm, lane->free > time - ahead ? lane->free : time - ahead, time);
    return true;
}

static void go_on(struct worms *worms, struct noc_timing *timing, struct worm *worm, uint64_t time)
{
    bool starts = worm->entered == 0;
    if (!pass(worms, timing, worm, time) || (starts && !worm->early && !pass(worms, timing, worm, time))) {
        return;
    }
    if (worm->entered == worm->places) {
        worms->events->arrives(worm, time);
    } else {
        plan(worms, worm, time + TIMING_NOC_ROUTER * MILLI);
    }
}

void worms_start(struct worms *worms, struct worm *worm)
{
    plan(worms, worm, worm->ready + TIMING_NOC_NIU_TO_ROUTER * MILLI);
}

bool worms_start_at_once(struct worms *worms, struct noc_timing *timing, struct worm *worm, uint64_t time)
{
    const struct noc_lane *lane = lane_of(timing, worm, 0);
    if (lane->holder || lane->first || lane->free > worm->ready) {
        return false;
    }
    worm->early = false;
    enter(worms, timing, worm, worm->ready, time);
    plan(worms, worm, worm->ready + TIMING_NOC_NIU_TO_ROUTER * MILLI);
    return true;
}

void worms_advance(struct worms *worms, struct noc_timing *timing, uint64_t now)
{
    while (worms->passages.count && worms->passages.heap[0].time < (now + WORMS_AHEAD) * MILLI) {
        struct delivery passage = deliveries_pop(&worms->passages);
        struct worm *worm = passage.worm;
        if (!worm) {
            worms->planned--;
            worms->events->tries(&passage);
            continue;
        }
        go_on(worms, timing, worm, passage.time - (is_last(worm) ? 0 : TIMING_NOC_ROUTER * MILLI));
    }
}

uint64_t worm_arrival(const struct worm *worm)
{
    return worm->tail[worm->places - 1] + (uint64_t)TIMING_NOC_NIU_TO_ROUTER * MILLI;
}
