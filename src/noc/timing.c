#include "noc/timing.h"

#include <stddef.h>
#include <string.h>

static unsigned distance(unsigned from, unsigned to, unsigned size)
{
    return to >= from ? to - from : to + size - from;
}

unsigned noc_hops(struct noc_raw from, struct noc_raw to)
{
    return distance(from.x, to.x, NOC_WIDTH) + distance(from.y, to.y, NOC_HEIGHT);
}

/* Schedules. */

static void add_gap(struct noc_schedule *schedule, uint32_t at, uint64_t from, uint64_t to)
{
    if (to - from < MILLI) { /* no flit goes through */
        return;
    }
    if (schedule->gaps == NOC_GAPS) { /* the earliest is the one that is least likely to be needed */
        if (at == 0) {
            return;
        }
        memmove(schedule->gap, schedule->gap + 1, --at * sizeof *schedule->gap);
    } else {
        memmove(schedule->gap + at + 1, schedule->gap + at, (schedule->gaps++ - at) * sizeof *schedule->gap);
    }
    schedule->gap[at] = (struct noc_gap){from, to};
}

/* Takes the gaps behind `from`, as far as so much is needed. Returns when it was enough; 0: there is still *needs. */
static uint64_t take_gaps(struct noc_schedule *schedule, uint64_t from, uint64_t *needs)
{
    uint32_t first = schedule->gaps, end;
    while (first && schedule->gap[first - 1].to > from) {
        first--;
    }
    uint64_t before = first < schedule->gaps ? schedule->gap[first].from : from, done = 0;
    for (end = first; end < schedule->gaps && !done; end++) {
        struct noc_gap *gap = &schedule->gap[end];
        uint64_t begin = gap->from > from ? gap->from : from, room = gap->to - begin;
        if (room > *needs) {
            done = gap->from = begin + *needs;
            break;
        }
        *needs -= room;
        done = *needs ? 0 : gap->to;
    }
    schedule->gaps -= end - first;
    memmove(schedule->gap + first, schedule->gap + end, (schedule->gaps - first) * sizeof *schedule->gap);
    if (before < from) {
        add_gap(schedule, first, before, from);
    }
    return done;
}

/* Their first one becomes the first of the array. */
static void turn_gaps(struct noc_schedule *schedule)
{
    struct noc_gap gap[NOC_GAPS];
    for (unsigned i = 0; i < schedule->gaps; i++) {
        gap[i] = schedule->gap[(schedule->first_gap + i) % NOC_GAPS];
    }
    memcpy(schedule->gap, gap, schedule->gaps * sizeof *gap);
    schedule->first_gap = 0;
}

uint64_t noc_take_gaps(struct noc_schedule *schedule, uint64_t from, uint64_t needs)
{
    if (schedule->first_gap) {
        turn_gaps(schedule);
    }
    uint64_t done = take_gaps(schedule, from, &needs);
    return done ? done : (schedule->free += needs);
}

/* From `from` to `to`, without what was free before. */
static void add_between(struct noc_schedule *schedule, uint64_t from, uint64_t to)
{
    uint32_t at = schedule->gaps;
    while (at && schedule->gap[at - 1].from > from) {
        at--;
    }
    from = at && schedule->gap[at - 1].to > from ? schedule->gap[at - 1].to : from;
    to = at < schedule->gaps && schedule->gap[at].from < to ? schedule->gap[at].from : to;
    if (from < to) {
        add_gap(schedule, at, from, to);
    }
}

void noc_give(struct noc_schedule *schedule, uint64_t from, uint64_t to)
{
    uint64_t last_gap = schedule->gaps ? noc_gap_at(schedule, schedule->gaps - 1)->to : 0;
    if (to >= schedule->free) {
        schedule->free = from > last_gap ? from : last_gap;
        return;
    }
    if (schedule->first_gap) {
        turn_gaps(schedule);
    }
    add_between(schedule, from, to);
}

/* Ways. */

struct noc_walk noc_walk_to(struct noc_timing *timing, unsigned noc, struct noc_raw from, struct noc_raw to)
{
    return (struct noc_walk){.fabric = &timing->fabric[noc], .at = from, .to = to, .right_first = noc == 0};
}

static bool is_same(struct noc_raw one, struct noc_raw other)
{
    return one.x == other.x && one.y == other.y;
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

uint64_t noc_held(struct noc_timing *timing, const struct noc_way *way, const struct noc_raw *to, unsigned count)
{
    uint64_t until = 0;
    struct noc_link *link;
    for (unsigned i = 0; i < count; i++) {
        for (struct noc_walk walk = noc_walk_to(timing, way->noc, way->from, to[i]); (link = noc_next_link(&walk));) {
            bool own = is_same(link->holder, way->from);
            uint64_t held = link->kept ? CLOCK_NEVER : link->held;
            until = !own && held > until ? held : until;
        }
    }
    return until > way->ready ? until : 0;
}

/* All of the way is reserved before, for which other broadcasts wait. Packets to one place go over other virtual
   channels. */
static void reserve(struct noc_timing *timing, struct noc_way *way, const struct noc_raw *to, unsigned count)
{
    uint64_t needs = (uint64_t)way->flits * MILLI, reservation = ++timing->reservations;
    struct noc_link *link;
    for (unsigned i = 0; i < count; i++) {
        for (struct noc_walk walk = noc_walk_to(timing, way->noc, way->from, to[i]); (link = noc_next_link(&walk));) {
            if (link->reservation != reservation) {
                link->reservation = reservation;
                link->holder = way->from;
                link->held = noc_take(&link->flits, way->leaves, needs);
                link->kept = way->keeps;
                way->passes = link->held - needs > way->passes ? link->held - needs : way->passes;
            }
        }
    }
}

static void give_back(struct noc_link links[NOC_HEIGHT][NOC_WIDTH], struct noc_raw from)
{
    for (unsigned y = 0; y < NOC_HEIGHT; y++) {
        for (unsigned x = 0; x < NOC_WIDTH; x++) {
            links[y][x].kept &= !is_same(links[y][x].holder, from);
        }
    }
}

void noc_give_back(struct noc_timing *timing, unsigned noc, struct noc_raw from)
{
    struct noc_fabric *fabric = &timing->fabric[noc];
    give_back(fabric->eject, from);
    give_back(fabric->right, from);
    give_back(fabric->down, from);
}

void noc_broadcast(struct noc_timing *timing, struct noc_way *way, const struct noc_raw *to, unsigned count)
{
    uint64_t *niu = &timing->fabric[way->noc].requests[way->from.y][way->from.x].free, begins = way->ready;
    struct noc_link *link;
    begins = *niu > begins ? *niu : begins;
    for (unsigned i = 0; i < count; i++) {
        for (struct noc_walk walk = noc_walk_to(timing, way->noc, way->from, to[i]); (link = noc_next_link(&walk));) {
            begins = link->held > begins ? link->held : begins;
        }
    }
    way->begins = begins;
    way->leaves = way->passes = begins + (way->reserves ? reserving(way, to, count) : 0);
    if (!way->reserves && !way->keeps) { /* the last of linked ones; those before it can have other recipients */
        noc_give_back(timing, way->noc, way->from);
    }
    reserve(timing, way, to, count);
    *niu = way->leaves + noc_sending(way->flits);
}

/* Parts of words of L1, one after the other: begins when it is ready and those before are done, and takes so long. */
static uint64_t in_turn(struct noc_timing *timing, unsigned noc, struct noc_raw at, uint64_t ready, uint64_t takes)
{
    uint64_t *next = &timing->fabric[noc].part[at.y][at.x], begin = *next > ready ? *next : ready;
    *next = begin + takes;
    return begin;
}

uint64_t noc_read_part(struct noc_timing *timing, unsigned noc, struct noc_raw at, uint64_t ready)
{
    return in_turn(timing, noc, at, ready, TIMING_NOC_READ_PART);
}

uint64_t noc_operate(struct noc_timing *timing, unsigned noc, struct noc_raw at, uint64_t ready)
{
    return in_turn(timing, noc, at, ready, TIMING_NOC_ATOMIC);
}

uint64_t noc_dram(struct noc_timing *timing, unsigned channel, uint64_t *port, uint64_t ready, uint32_t flits,
                  bool reads)
{
    uint64_t takes = TIMING_DRAM_PACKET_MILLI + (uint64_t)flits * TIMING_DRAM_FLIT_MILLI;
    uint64_t begin = *port > ready ? *port : ready;
    *port = begin + (reads ? TIMING_DRAM_LEAST_READ_MILLI : TIMING_DRAM_LEAST_WRITE_MILLI);
    return noc_take(&timing->channel[channel], begin, takes) - takes;
}

uint64_t noc_arrival(const struct noc_way *way, struct noc_raw to)
{
    uint64_t head = 2 * TIMING_NOC_NIU_TO_ROUTER + (uint64_t)noc_hops(way->from, to) * TIMING_NOC_ROUTER;
    return way->passes + head * MILLI + (uint64_t)(way->flits - 1) * TIMING_NOC_FLIT_MILLI;
}
