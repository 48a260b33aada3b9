#include "noc/timing.h"

#include <stddef.h>

static unsigned distance(unsigned from, unsigned to, unsigned size)
{
    return to >= from ? to - from : to + size - from;
}

unsigned noc_hops(struct noc_raw from, struct noc_raw to)
{
    return distance(from.x, to.x, NOC_WIDTH) + distance(from.y, to.y, NOC_HEIGHT);
}

/* One after the other, all that a packet takes on its way, but its NIU. */
struct walk {
    struct noc_fabric *fabric;
    struct noc_raw at, to;
    bool right_first;
    bool ended;
};

static uint64_t *go_right(struct walk *walk)
{
    uint64_t *link = &walk->fabric->right[walk->at.y][walk->at.x];
    walk->at.x = walk->at.x + 1 == NOC_WIDTH ? 0 : walk->at.x + 1;
    return link;
}

static uint64_t *go_down(struct walk *walk)
{
    uint64_t *link = &walk->fabric->down[walk->at.y][walk->at.x];
    walk->at.y = walk->at.y + 1 == NOC_HEIGHT ? 0 : walk->at.y + 1;
    return link;
}

static uint64_t *next_link(struct walk *walk)
{
    bool right = walk->at.x != walk->to.x, down = walk->at.y != walk->to.y;
    if (right && (walk->right_first || !down)) {
        return go_right(walk);
    }
    if (down) {
        return go_down(walk);
    }
    if (walk->ended) {
        return NULL;
    }
    walk->ended = true;
    return &walk->fabric->eject[walk->at.y][walk->at.x];
}

static struct walk walk_to(struct noc_timing *timing, const struct noc_way *way, struct noc_raw to)
{
    return (struct walk){&timing->fabric[way->noc], way->from, to, way->noc == 0, false};
}

static uint64_t occupies(const struct noc_way *way, bool contended)
{
    return MILLI + (uint64_t)(way->flits - 1) * (contended ? TIMING_NOC_CONTENDED_MILLI : MILLI);
}

/* To one place: the packet waits before each link until that is free. */
static void pass(struct noc_timing *timing, struct noc_way *way, struct noc_raw to)
{
    struct walk walk = walk_to(timing, way, to);
    for (uint64_t *link; (link = next_link(&walk)) != NULL;) {
        bool contended = *link > way->passes;
        way->passes = contended ? *link : way->passes;
        *link = way->passes + occupies(way, contended);
    }
}

/* How long it takes to reserve the way. */
static uint64_t reserving(const struct noc_way *way, const struct noc_raw *to, unsigned count)
{
    unsigned furthest = 0;
    for (unsigned i = 0; i < count; i++) {
        unsigned hops = noc_hops(way->from, to[i]);
        furthest = hops > furthest ? hops : furthest;
    }
    return (TIMING_NOC_RESERVE + (uint64_t)furthest * TIMING_NOC_RESERVE_ROUTER) * MILLI;
}

/* Whether this is the own copy of a sender of several: it does not wait for responses that come to the sender's NIU,
   which go over other virtual channels. */
static bool is_own_copy(const struct noc_way *way, struct noc_raw to)
{
    return way->from.x == to.x && way->from.y == to.y;
}

/* To several places: all of the way is reserved before. */
static void reserve(struct noc_timing *timing, struct noc_way *way, const struct noc_raw *to, unsigned count)
{
    uint64_t *link;
    for (unsigned i = 0; i < count; i++) {
        if (is_own_copy(way, to[i])) {
            continue;
        }
        for (struct walk walk = walk_to(timing, way, to[i]); (link = next_link(&walk)) != NULL;) {
            way->passes = *link > way->passes ? *link : way->passes;
        }
    }
    way->begins = way->passes;
    way->passes += way->reserves ? reserving(way, to, count) : 0;
    uint64_t until = way->passes + occupies(way, false);
    for (unsigned i = 0; i < count; i++) {
        for (struct walk walk = walk_to(timing, way, to[i]); (link = next_link(&walk)) != NULL;) {
            *link = until;
        }
    }
    way->leaves = way->passes;
}

void noc_send(struct noc_timing *timing, struct noc_way *way, const struct noc_raw *to, unsigned count)
{
    uint64_t *niu = &timing->fabric[way->noc].niu[way->from.y][way->from.x];
    way->begins = way->passes = way->leaves = *niu > way->ready ? *niu : way->ready;
    if (count == 1 && !way->reserves) {
        pass(timing, way, to[0]);
    } else {
        reserve(timing, way, to, count);
    }
    if (!way->early) {
        *niu = way->leaves + noc_sending(way->flits);
    }
}

uint64_t noc_dram(struct noc_timing *timing, unsigned channel, uint64_t ready, uint32_t flits, bool reads)
{
    uint64_t *channel_free = &timing->channel[channel], begin = *channel_free > ready ? *channel_free : ready;
    uint64_t takes = TIMING_DRAM_PACKET_MILLI + (uint64_t)flits * TIMING_DRAM_FLIT_MILLI;
    uint64_t least = reads ? TIMING_DRAM_LEAST_READ_MILLI : TIMING_DRAM_LEAST_WRITE_MILLI;
    *channel_free = begin + (takes > least ? takes : least);
    return begin;
}

uint64_t noc_arrival(const struct noc_way *way, struct noc_raw to)
{
    uint64_t head = 2 * TIMING_NOC_NIU_TO_ROUTER + (uint64_t)noc_hops(way->from, to) * TIMING_NOC_ROUTER;
    return way->passes + head * MILLI + (uint64_t)(way->flits - 1) * TIMING_NOC_FLIT_MILLI;
}
