/* Packets come and go, and find their ways: see worms.h. */
#include <stdlib.h>

#include "noc/worms.h"

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

/* The next links of its way, along one axis: from place `from` to place `to` of `size` of them, `stride` links apart.
   Returns whether that goes around the torus. */
static inline bool go_along(struct worm *worm, struct noc_link *first, unsigned stride, unsigned from, unsigned to,
                            unsigned size)
{
    unsigned place = worm->places;
    uint8_t channel = NOC_REQUESTS;
    while (from != to) {
        worm->link[place] = first + (size_t)from * stride;
        from++;
        channel = from == size ? NOC_REQUESTS_AROUND : channel;
        from = from == size ? 0 : from;
        worm->channel[place++] = channel;
    }
    worm->places = (uint8_t)place;
    return channel == NOC_REQUESTS_AROUND;
}

/* The links that noc_next_link() finds one after the other. */
static void find_way(struct worm *worm, struct noc_fabric *fabric)
{
    struct noc_raw from = worm->from, to = worm->to;
    bool around = false, first_right = worm->noc == 0;
    if (from.x != to.x && first_right) {
        around = go_along(worm, fabric->right[from.y], 1, from.x, to.x, NOC_WIDTH);
    }
    if (from.y != to.y) {
        around = go_along(worm, &fabric->down[0][first_right ? to.x : from.x], NOC_WIDTH, from.y, to.y, NOC_HEIGHT);
    }
    if (from.x != to.x && !first_right) {
        around = go_along(worm, fabric->right[to.y], 1, from.x, to.x, NOC_WIDTH);
    }
    worm->link[worm->places] = &fabric->eject[to.y][to.x];
    worm->channel[worm->places++] = around ? NOC_REQUESTS_AROUND : NOC_REQUESTS;
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
    worm->waits = worm->response = worm->either = worm->buffered = false;
    worm->held = 0;
    worm->early = from.x == to.x && from.y == to.y;
    worm->entered = worm->left = 0;
    worm->places = 1;
    find_way(worm, &timing->fabric[noc]);
    return worm;
}

void worm_complete(struct worm *worm)
{
    worm->gap = MILLI + (worm->response && worm->flits == 1 ? 0 : TIMING_NOC_LINK_PACKET_MILLI);
    worm->glides = worm->entered && worm->flits <= WORMS_SHORTEST && worm->left == worm->entered && !worm->waits &&
                   !worm->buffered && !worm->early;
}
