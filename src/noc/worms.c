#include "noc/passages.h"

#include <stdlib.h>

/* The shortest packets find room in one buffer, behind others. */
enum { BUFFER_FLITS = WORMS_BUFFER / WORMS_FLIT };

uint64_t worms_next(const struct worms *worms)
{
    const struct worm *worm = first_worm(worms);
    uint64_t next = worm ? worm->passage / MILLI : UINT64_MAX;
    uint64_t other = worms->passages.count ? worms->passages.heap[0].time / MILLI : UINT64_MAX;
    return next < other ? next : other;
}

bool worms_plan(struct worms *worms, struct delivery *delivery)
{
    delivery->time = (delivery->time + TIMING_NOC_ROUTER) * MILLI;
    bool room = deliveries_reserve(&worms->passages, ++worms->planned + worms->under_way);
    return room && deliveries_push(&worms->passages, delivery);
}

static inline uint64_t later(uint64_t one, uint64_t other)
{
    return one > other ? one : other;
}

/* Whether its next place is the link to the NIU of its destination. */
static inline bool is_last(const struct worm *worm)
{
    return worm->entered + 1 == worm->places;
}

/* A passage that is in none of the lists. */
static __attribute__((noinline)) void plan_other(struct worms *worms, struct worm *worm)
{
    struct delivery passage = {.time = worm->passage, .order = worm->order, .worm = worm};
    (void)deliveries_push(&worms->passages, &passage);
}

/* When the worm goes on. There is room for a passage of each. */
static inline void plan(struct worms *worms, struct worm *worm, uint64_t time)
{
    worm->passage = time + (is_last(worm) ? 0 : TIMING_NOC_ROUTER * MILLI);
    if (!list_passage(worms, worm)) {
        plan_other(worms, worm);
    }
}

/* From the NIU or a router to the next router. */
static inline uint64_t way_to(unsigned place)
{
    return (place == 1 ? TIMING_NOC_NIU_TO_ROUTER : TIMING_NOC_ROUTER) * MILLI;
}

/* Of a link of its way. */
static inline struct noc_lane *link_lane(const struct worm *worm, unsigned place)
{
    return &worm->link[place]->lane[worm->channel[place] + (worm->response ? NOC_RESPONSES : 0)];
}

/* Of the NIU that it comes from. */
static struct noc_lane *niu_lane(struct noc_timing *timing, const struct worm *worm)
{
    struct noc_fabric *fabric = &timing->fabric[worm->noc];
    return &(worm->response ? fabric->responses : fabric->requests)[worm->from.y][worm->from.x];
}

static inline struct noc_lane *lane_of(struct noc_timing *timing, const struct worm *worm, unsigned place)
{
    return place ? link_lane(worm, place) : niu_lane(timing, worm);
}

static inline bool is_full(const struct noc_lane *lane)
{
    return lane->stored >= WORMS_BUFFER;
}

/* The first one that waits for a channel goes on when it is free. */
static void plan_first(struct worms *worms, struct noc_lane *lane, uint64_t time)
{
    struct worm *worm = lane->first;
    lane->goes = true;
    uint64_t goes = lane->free + (worm->entered ? 0 : TIMING_NOC_NIU_TO_ROUTER * MILLI);
    goes = goes > time ? goes : time;
    plan(worms, worm, goes);
    if (worm->entered == 0) {
        worms->events->enters(worm, goes, time);
    }
}

/* When the next one may have the channel of a place to which the worm's last flit comes at `tail`. */
static inline uint64_t free_behind(const struct worm *worm, unsigned place, uint64_t tail)
{
    bool follows_at_once = worm->response && worm->flits == 1;
    return place ? tail + worm->gap : tail + MILLI + (follows_at_once ? 0 : TIMING_NOC_PACKET_MILLI);
}

/* Nobody has the channel of a place any more when the worm's last flit has gone. */
static inline void set_free(struct worms *worms, struct noc_lane *lane, const struct worm *worm, unsigned place,
                            uint64_t time)
{
    lane->holder = NULL;
    lane->free = free_behind(worm, place, worm->tail[place]);
    if (lane->first && !is_full(lane)) {
        plan_first(worms, lane, time);
    }
}

/* Flits leave the buffer behind a channel: who waits for room comes when word of that has got back. */
static void unstore(struct worms *worms, struct noc_lane *lane, uint32_t room, uint64_t time)
{
    bool full = is_full(lane);
    lane->stored -= room;
    if (full && !is_full(lane)) {
        lane->free = later(lane->free, time + TIMING_NOC_ROUTER * MILLI);
        if (lane->first && !lane->holder && !lane->goes) {
            plan_first(worms, lane, time);
        }
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
    set_free(worms, lane_of(timing, worm, place), worm, place, time);
    if (place == 0) {
        worms->events->leaves(worm, time);
    }
}

/* How many places further the first flit has to be before it is known when the last one leaves a place: where all
   between them are in buffers. */
static unsigned stretches(const struct worm *worm)
{
    unsigned full = (worm->flits - 1) / BUFFER_FLITS;
    return full ? full : 1;
}

/* Flits behind the first one can not go on before buffers between have room; of some it is known then when they leave
   the last places. */
static void follow(struct worms *worms, struct noc_timing *timing, struct worm *worm, unsigned place, uint64_t time)
{
    unsigned flits = worm->flits;
    for (unsigned back = 1; worm->left + back <= place && back * BUFFER_FLITS < flits; back++) {
        uint64_t earliest = worm->tail[place] - back * (uint64_t)(BUFFER_FLITS - TIMING_NOC_ROUTER) * MILLI;
        uint64_t *tail = &worm->tail[place - back];
        *tail = *tail > earliest ? *tail : earliest;
    }
    unsigned behind = worm->entered == worm->places || flits <= WORMS_SHORTEST ? 0 : stretches(worm);
    while (worm->left + behind < worm->entered) {
        leave(worms, timing, worm, time);
    }
}

/* The first flit leaves the NIU. */
static void enter_niu(struct worms *worms, struct noc_timing *timing, struct worm *worm, uint64_t comes, uint64_t time)
{
    worm->entered = 1;
    niu_lane(timing, worm)->holder = worm;
    worm->tail[0] = comes + (uint64_t)(worm->flits - 1) * TIMING_NOC_FLIT_MILLI;
    follow(worms, timing, worm, 0, time);
}

/* Of the router before a link. */
static inline struct noc_schedule *port_before(struct noc_timing *timing, const struct worm *worm, unsigned place)
{
    return place > 1 ? &worm->link[place - 1]->port : &timing->fabric[worm->noc].port[worm->from.y][worm->from.x];
}

/* Flits go out of the buffers of a router and over the link behind it, one a cycle. Returns when the last one does. */
static inline uint64_t cross(struct noc_timing *timing, struct worm *worm, unsigned place, uint64_t from,
                             uint64_t needs)
{
    worm->crosses[place] = noc_take(&worm->link[place]->flits, from, needs);
    worm->leaves[place] = noc_take(port_before(timing, worm, place), from, needs);
    return later(worm->crosses[place], worm->leaves[place]) - MILLI;
}

/* How many places before the next one still have flits that find no room in buffers. */
static inline unsigned backs_up(const struct worm *worm)
{
    unsigned places = (worm->flits - 1) / BUFFER_FLITS, known = worm->entered - worm->left;
    places = places < known ? places : known;
    return places < worm->entered ? places : worm->entered - 1u;
}

static inline uint64_t behind_buffers(const struct worm *worm, unsigned back)
{
    return (uint64_t)(worm->flits - back * BUFFER_FLITS) * MILLI;
}

/* It waits for its next link: what finds no room in buffers will go over those before at another time. */
static void stall(struct noc_timing *timing, struct worm *worm)
{
    for (unsigned back = backs_up(worm); back > 0; back--) {
        unsigned place = worm->entered - back;
        uint64_t rest = behind_buffers(worm, back);
        noc_give(&worm->link[place]->flits, worm->crosses[place] - rest, worm->crosses[place]);
        noc_give(port_before(timing, worm, place), worm->leaves[place] - rest, worm->leaves[place]);
    }
}

/* It goes on, and what is behind the buffers follows when word of room in them has got back. */
static void resume(struct noc_timing *timing, struct worm *worm, uint64_t comes)
{
    for (unsigned back = backs_up(worm); back > 0; back--) {
        unsigned place = worm->entered - back;
        uint64_t from = comes + back * (uint64_t)TIMING_NOC_ROUTER * MILLI;
        uint64_t last = later(worm->tail[place], cross(timing, worm, place, from, behind_buffers(worm, back)));
        worm->tail[place] = place > worm->left ? later(last, worm->tail[place - 1] + way_to(place)) : last;
    }
}

/* The NIU to which a request comes next holds it. */
static inline void hold(const struct worm *worm, struct noc_lane *lane)
{
    lane->stored += !worm->response && is_last(worm) ? worm->held : 0;
}

/* The first flit comes to the next link. */
static inline void enter_link(struct worms *worms, struct noc_timing *timing, struct worm *worm, struct noc_lane *lane,
                              uint64_t comes, uint64_t time)
{
    unsigned place = worm->entered++;
    /* Short ones take no time of ports, so that most of them pass in one step (glides(): reads of 64 bytes). */
    uint64_t last = worm->flits > WORMS_SHORTEST
                        ? cross(timing, worm, place, comes, worm->flits * MILLI)
                        : noc_take(&worm->link[place]->flits, comes, worm->flits * MILLI) - MILLI;
    uint64_t follows = worm->tail[place - 1] + way_to(place);
    last = last > follows ? last : follows;
    worm->tail[place] = last;
    if (worm->flits <= WORMS_SHORTEST && worm->left == place) {
        worm->left++;
        set_free(worms, lane, worm, place, time);
    } else {
        lane->holder = worm;
        follow(worms, timing, worm, place, time);
    }
}

/* Nobody has or wants the channel. */
static inline bool is_idle(const struct noc_lane *lane, uint64_t time)
{
    return !((uintptr_t)lane->holder | (uintptr_t)lane->first) && lane->free <= time && !is_full(lane);
}

/* A response comes to a link of which it takes either of two channels: an idle one, or that which others want less. */
static inline void choose_channel(struct worm *worm, uint64_t time)
{
    enum { BUDDY = NOC_RESPONSES_BUDDY - NOC_RESPONSES };
    uint8_t *channel = &worm->channel[worm->entered];
    *channel %= BUDDY;
    const struct noc_lane *one = link_lane(worm, worm->entered), *other = one + BUDDY;
    bool sooner = one->first && (!other->first || other->last->passage < one->last->passage);
    *channel += !is_idle(one, time) && (is_idle(other, time) || sooner) ? BUDDY : 0;
}

/* The room that a packet takes in a buffer: long ones hold the channel before it. */
static inline uint32_t room_of(const struct worm *worm)
{
    return worm->flits > WORMS_SHORTEST ? 0 : worm->flits * WORMS_FLIT;
}

/* Stays in the buffer behind its last channel, from which packets go on one after the other. */
static void enter_buffer(struct noc_timing *timing, struct worm *worm)
{
    struct noc_lane *lane = lane_of(timing, worm, worm->entered - 1u);
    worm->buffered = true;
    worm->glides = false;
    worm->after = NULL;
    *(lane->next ? &lane->newest->after : &lane->next) = worm;
    lane->newest = worm;
    lane->stored += room_of(worm);
}

/* It goes on, and the next one can, when its flits have gone. */
static void leave_buffer(struct worms *worms, struct noc_timing *timing, struct worm *worm, uint64_t time)
{
    struct noc_lane *lane = lane_of(timing, worm, worm->entered - 1u);
    worm->buffered = false;
    lane->next = worm->after;
    if (lane->next) {
        plan(worms, lane->next, time + (uint64_t)worm->flits * MILLI);
    }
    unstore(worms, lane, room_of(worm), time);
}

/* Waits for a channel. */
static void wait_for(struct worms *worms, struct noc_timing *timing, struct noc_lane *lane, struct worm *worm,
                     uint64_t time)
{
    worm->waits = true;
    worm->glides = false;
    worm->behind = NULL;
    bool alone = !lane->first;
    *(alone ? &lane->first : &lane->last->behind) = worm;
    lane->last = worm;
    if (worm->entered == 0) {
        worms->events->waits(worm);
    } else if (!worm->buffered) {
        enter_buffer(timing, worm);
    }
    if (alone && !lane->holder && !is_full(lane)) {
        plan_first(worms, lane, time);
    }
}

/* Whether the worm has the channel, which it may come to so much before its passage; else it waits for it. */
static inline bool gets(struct worms *worms, struct noc_timing *timing, struct noc_lane *lane, struct worm *worm,
                        uint64_t ahead, uint64_t time)
{
    if (worm->waits) {
        lane->first = worm->behind;
        lane->goes = worm->waits = false;
    } else if (!is_idle(lane, time - ahead)) {
        wait_for(worms, timing, lane, worm, time);
        return false;
    }
    if (worm->buffered) {
        leave_buffer(worms, timing, worm, time);
    }
    return true;
}

void worms_let_go(struct worms *worms, struct noc_timing *timing, unsigned noc, struct noc_raw from, struct noc_raw to,
                  unsigned held, uint64_t time)
{
    bool down_last = noc == 0 ? from.y != to.y : from.x == to.x;
    bool around = down_last ? to.y < from.y : to.x < from.x;
    struct noc_link *link = &timing->fabric[noc].eject[to.y][to.x];
    unstore(worms, &link->lane[around ? NOC_REQUESTS_AROUND : NOC_REQUESTS], held, time);
}

/* A response begins to leave the NIU that has held the request. */
static inline void let_go(struct worms *worms, struct noc_timing *timing, const struct worm *response, uint64_t time)
{
    if (response->held) {
        worms_let_go(worms, timing, response->noc, response->to, response->from, response->held, time);
    }
}

/* Each returns false if the worm waits. */

static bool pass_niu(struct worms *worms, struct noc_timing *timing, struct worm *worm, uint64_t time)
{
    const uint64_t ahead = TIMING_NOC_NIU_TO_ROUTER * MILLI;
    struct noc_lane *lane = niu_lane(timing, worm);
    bool passes = gets(worms, timing, lane, worm, ahead, time);
    if (passes) {
        if (worm->response) {
            let_go(worms, timing, worm, time);
        }
        enter_niu(worms, timing, worm, later(lane->free, time - ahead), time);
    }
    return passes;
}

static inline bool pass_link(struct worms *worms, struct noc_timing *timing, struct worm *worm, uint64_t time)
{
    if (worm->either && !worm->waits) {
        choose_channel(worm, time);
    }
    if (!worm->buffered && lane_of(timing, worm, worm->entered - 1u)->next) { /* others are before it */
        enter_buffer(timing, worm);
        stall(timing, worm);
        return false;
    }
    struct noc_lane *lane = link_lane(worm, worm->entered);
    bool waited = worm->buffered, passes = gets(worms, timing, lane, worm, 0, time);
    if (passes) {
        uint64_t ahead = worm->early && is_last(worm) ? TIMING_NOC_ROUTER * MILLI : 0;
        uint64_t comes = later(lane->free, time - ahead);
        hold(worm, lane);
        if (waited) {
            resume(timing, worm, comes);
        }
        enter_link(worms, timing, worm, lane, comes, time);
    } else if (!waited) {
        stall(timing, worm);
    }
    return passes;
}

/* The first flit has come to the next place. */
static inline void go_further(struct worms *worms, struct worm *worm, uint64_t time)
{
    if (worm->entered == worm->places) {
        worms->events->arrives(worm, time);
    } else {
        plan(worms, worm, time + TIMING_NOC_ROUTER * MILLI);
    }
}

static __attribute__((noinline)) void go_on(struct worms *worms, struct noc_timing *timing, struct worm *worm,
                                            uint64_t time)
{
    bool starts = worm->entered == 0;
    if (starts && !pass_niu(worms, timing, worm, time)) {
        return;
    }
    if (!(starts && worm->early) && !pass_link(worms, timing, worm, time)) {
        return;
    }
    worm->glides = worm->flits <= WORMS_SHORTEST && worm->left == worm->entered && !worm->early;
    go_further(worms, worm, time);
}

/* Most passages: a short worm comes to a link whose channel nobody has or wants, and has gone at once. go_on() does the
   same. Returns false if it is none of those, and nothing happened. */
static inline __attribute__((always_inline)) bool glides(struct worms *worms, struct worm *worm, uint64_t time)
{
    unsigned place = worm->entered;
    if (!worm->glides) {
        return false;
    }
    if (worm->either) {
        choose_channel(worm, time);
    }
    struct noc_lane *lane = link_lane(worm, place);
    if (link_lane(worm, place - 1)->next || !is_idle(lane, time)) {
        return false;
    }
    uint64_t last = noc_take(&worm->link[place]->flits, time, worm->flits * MILLI) - MILLI;
    worm->tail[place] = last = later(last, worm->tail[place - 1] + way_to(place));
    lane->free = last + worm->gap;
    worm->entered = worm->left = (uint8_t)(place + 1);
    if (place + 1 == worm->places) {
        lane->stored += worm->response ? 0 : worm->held; /* hold() */
        worms->events->arrives(worm, time);
    } else {
        plan(worms, worm, time + TIMING_NOC_ROUTER * MILLI);
    }
    return true;
}

void worms_start(struct worms *worms, struct worm *worm)
{
    worm_complete(worm);
    plan(worms, worm, worm->ready + TIMING_NOC_NIU_TO_ROUTER * MILLI);
}

bool worms_start_at_once(struct worms *worms, struct noc_timing *timing, struct worm *worm, uint64_t time)
{
    const struct noc_lane *lane = lane_of(timing, worm, 0);
    if (lane->holder || lane->first || lane->free > worm->ready) {
        return false;
    }
    worm->early = false;
    worm_complete(worm);
    let_go(worms, timing, worm, time);
    enter_niu(worms, timing, worm, worm->ready, time);
    plan(worms, worm, worm->ready + TIMING_NOC_NIU_TO_ROUTER * MILLI);
    return true;
}

/* When the first flit of a worm comes to a place by its next passage. */
static inline uint64_t comes_at(const struct worm *worm)
{
    return worm->passage - (is_last(worm) ? 0 : TIMING_NOC_ROUTER * MILLI);
}

/* The first of those that are in none of the lists: a worm, whose passage it is; null: it was something else. */
static struct worm *take_other(struct worms *worms)
{
    struct delivery passage = deliveries_pop(&worms->passages);
    worms->from = passage.time / MILLI > worms->from ? passage.time / MILLI : worms->from;
    if (passage.worm) {
        passage.worm->passage = passage.time;
    } else {
        worms->planned--;
        worms->events->tries(&passage);
    }
    return passage.worm;
}

/* Whether something that is in none of the lists comes before the first worm in one of them, if there is one. */
static inline bool other_is_first(const struct worms *worms, const struct worm *worm)
{
    const struct delivery_key *other = worms->passages.heap;
    return worms->passages.count && !(worm && passes_before(worm, other->time, other->order));
}

/* Does the passages of one cycle, whose list this is, up to one at `end` or later, or something that is in none of the
   lists. Returns whether it did them all. */
static bool pass_cycle(struct worms *worms, struct noc_timing *timing, struct worms_cycle *list, uint64_t end)
{
    if (list->first->passage >= end) {
        return false;
    }
    worms->from = list->first->passage / MILLI;
    for (struct worm *worm; (worm = list->first) && worm->passage < end;) {
        if (__builtin_expect(other_is_first(worms, worm), 0)) {
            return false;
        }
        (void)take_first(list);
        uint64_t comes = comes_at(worm);
        if (!glides(worms, worm, comes)) {
            go_on(worms, timing, worm, comes);
        }
    }
    return !list->first;
}

void worms_advance(struct worms *worms, struct noc_timing *timing, uint64_t now)
{
    uint64_t end = (now + WORMS_AHEAD) * MILLI;
    for (;;) {
        unsigned cycle = first_cycle(worms);
        struct worms_cycle *list = cycle == WORMS_CYCLES ? NULL : &worms->cycle[cycle];
        bool other = other_is_first(worms, list ? list->first : NULL);
        if (other ? worms->passages.heap->time >= end : !list || list->first->passage >= end) {
            return;
        }
        struct worm *worm = other ? take_other(worms) : NULL;
        if (worm) {
            go_on(worms, timing, worm, comes_at(worm));
        } else if (!other && pass_cycle(worms, timing, list, end)) {
            leave_cycle(worms, cycle);
        }
    }
}

static int compare_passages(const void *one, const void *other)
{
    const struct delivery_key *first = one, *second = other;
    return delivery_is_before(first, second) ? -1 : delivery_is_before(second, first);
}

void worms_gather(struct worms *worms)
{
    uint64_t from = worms->from;
    for (unsigned cycle; (cycle = first_cycle(worms)) != WORMS_CYCLES; leave_cycle(worms, cycle)) {
        while (worms->cycle[cycle].first) {
            plan_other(worms, take_first(&worms->cycle[cycle]));
        }
    }
    if (worms->passages.count) { /* what is in order is a heap */
        qsort(worms->passages.heap, worms->passages.count, sizeof *worms->passages.heap, compare_passages);
    }
    worms->from = from;
}

uint64_t worm_arrival(const struct worm *worm)
{
    return worm->tail[worm->places - 1] + (uint64_t)TIMING_NOC_NIU_TO_ROUTER * MILLI;
}
