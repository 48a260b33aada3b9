/* How long packets take, in timed mode. A packet goes from its NIU to a router, over links to other routers, and from
   the last one to an NIU. NoC 0 takes it right, then down; NoC 1 up, then left; both around the torus. Each NIU and
   each link takes a flit after the other. Packets to one place: noc/worms.h. A broadcast reserves all of its way, which
   it has to itself but for packets to one place. Schedules keep the gaps between what is planned, since packets are
   planned in another order than they come. Times are in thousandths of a cycle. Constants: tables/timing.def.
   Source: ISA documentation NoC/README.md and NoC/RoutingPaths.md. */
#ifndef BHEMU_NOC_TIMING_H
#define BHEMU_NOC_TIMING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "noc/coordinates.h"
#include "noc/niu.h"
#include "time/clock.h"
#include "time/timing.h"

/* Raw coordinates of one NoC: both grow on the way of a packet. */
struct noc_raw {
    uint8_t x, y;
};

static inline struct noc_raw noc_raw(unsigned noc, unsigned x, unsigned y)
{
    return noc ? (struct noc_raw){(uint8_t)(NOC_WIDTH - 1 - x), (uint8_t)(NOC_HEIGHT - 1 - y)}
               : (struct noc_raw){(uint8_t)x, (uint8_t)y};
}

/* A time in which a link carries nothing although packets are planned for later. */
struct noc_gap {
    uint64_t from, to;
};

/* Virtual channels of a link. Requests have others than responses, and packets that went around the torus on this axis
   others than those that did not: so nobody waits for himself. The last two are for responses that take either of two.
 */
enum noc_channel {
    NOC_REQUESTS,
    NOC_REQUESTS_AROUND,
    NOC_RESPONSES,
    NOC_RESPONSES_AROUND,
    NOC_RESPONSES_BUDDY,
    NOC_RESPONSES_BUDDY_AROUND,
    NOC_CHANNELS
};

/* A virtual channel: one packet after the other has it. */
struct noc_lane {
    struct worm *holder;        /* has it until nobody knows when; null: */
    uint64_t free;              /* it is free then */
    struct worm *first, *last;  /* wait for it */
    struct worm *next, *newest; /* wait in the buffer behind it: the first, behind which the others are, and the last */
    uint32_t stored;            /* the room that short packets take that wait in the buffer behind it */
    bool goes;                  /* it is known when the first of those that wait goes on */
};

/* What is planned for a link, or for a port of a router, which pass one flit a cycle: the latest gaps, the earliest of
   them first, in a ring; and from when on nothing is planned. */
enum { NOC_GAPS = 16 };
struct noc_schedule {
    uint64_t free;
    uint32_t gaps, first_gap;
    struct noc_gap gap[NOC_GAPS];
};

struct noc_link {
    struct noc_schedule flits;
    struct noc_schedule port; /* of the router that it goes to: out of the buffers of all its virtual channels */
    struct noc_lane lane[NOC_CHANNELS];
    struct noc_raw holder; /* where the broadcast comes from that has its way here, */
    uint64_t reservation;  /* and its number */
    uint64_t held;         /* until then, */
    bool kept;             /* and until another broadcast of the same NIU has gone */
};

/* Broadcasts that wait in an NIU for their way: numbers of the first and of the one behind the last, and when they try
   again; which of them found its way held at `since`. Besides when the last ones that got it have left. */
struct noc_queue {
    uint32_t first, end;
    uint64_t next;
    uint32_t backs_off;
    uint64_t since;
    uint64_t gone[TIMING_NOC_SHORT_BROADCASTS]; /* the earliest first */
};

/* Of one NoC, by raw coordinates. */
struct noc_fabric {
    struct noc_lane requests[NOC_HEIGHT][NOC_WIDTH]; /* of an NIU to its router */
    struct noc_lane responses[NOC_HEIGHT][NOC_WIDTH];
    struct noc_schedule port[NOC_HEIGHT][NOC_WIDTH]; /* of routers, out of the buffers behind their NIU */
    struct noc_queue queue[NOC_HEIGHT][NOC_WIDTH];
    uint64_t part[NOC_HEIGHT][NOC_WIDTH]; /* the cycle in which it next reads part of a word of L1, or changes it */
    uint64_t dram[NOC_HEIGHT][NOC_WIDTH]; /* of a DRAM tile: when its channel takes the NIU's next packet */
    struct noc_link eject[NOC_HEIGHT][NOC_WIDTH]; /* from the router to its NIU */
    struct noc_link right[NOC_HEIGHT][NOC_WIDTH]; /* to the next router on the axis */
    struct noc_link down[NOC_HEIGHT][NOC_WIDTH];
};

struct noc_timing {
    struct noc_fabric fabric[NIUS];
    uint64_t reservations;
    struct noc_schedule channel[DRAM_CHANNELS]; /* of DRAM, which its three tiles share: their NIUs and engines */
};

/* How many routers a packet goes to behind the first one. */
unsigned noc_hops(struct noc_raw from, struct noc_raw to);

/* One after the other, the links that a packet takes on its way. */
struct noc_walk {
    struct noc_fabric *fabric;
    struct noc_raw at, to;
    bool right_first, went_right;
    bool around; /* the torus, on this axis */
    bool ended;
};

struct noc_walk noc_walk_to(struct noc_timing *timing, unsigned noc, struct noc_raw from, struct noc_raw to);

static inline struct noc_link *noc_go_right(struct noc_walk *walk)
{
    struct noc_link *link = &walk->fabric->right[walk->at.y][walk->at.x];
    walk->around |= walk->at.x + 1 == NOC_WIDTH;
    walk->at.x = walk->at.x + 1 == NOC_WIDTH ? 0 : walk->at.x + 1;
    return link;
}

static inline struct noc_link *noc_go_down(struct noc_walk *walk)
{
    struct noc_link *link = &walk->fabric->down[walk->at.y][walk->at.x];
    walk->around |= walk->at.y + 1 == NOC_HEIGHT;
    walk->at.y = walk->at.y + 1 == NOC_HEIGHT ? 0 : walk->at.y + 1;
    return link;
}

/* Null: there is no further link. */
static inline struct noc_link *noc_next_link(struct noc_walk *walk)
{
    bool right = walk->at.x != walk->to.x, down = walk->at.y != walk->to.y;
    bool goes_right = right && (walk->right_first || !down), turns = goes_right != walk->went_right;
    walk->went_right = goes_right;
    if (right || down) {
        walk->around &= !turns;
        return goes_right ? noc_go_right(walk) : noc_go_down(walk);
    }
    if (walk->ended) {
        return NULL;
    }
    walk->ended = true;
    return &walk->fabric->eject[walk->at.y][walk->at.x];
}

/* Takes so much time of a schedule from `from` on, which ends before its last gap does. Returns when it is over. */
uint64_t noc_take_gaps(struct noc_schedule *schedule, uint64_t from, uint64_t needs);

static inline struct noc_gap *noc_gap_at(struct noc_schedule *schedule, uint32_t index)
{
    return &schedule->gap[(schedule->first_gap + index) % NOC_GAPS];
}

/* The same for any time. */
static inline uint64_t noc_take(struct noc_schedule *schedule, uint64_t from, uint64_t needs)
{
    uint64_t begin = from;
    if (schedule->free > from) {
        if (schedule->gaps && noc_gap_at(schedule, schedule->gaps - 1)->to > from) {
            return noc_take_gaps(schedule, from, needs);
        }
        begin = schedule->free;
    } else if (from - schedule->free >=
               MILLI) { /* a flit goes through: the earliest gap is the least likely to be needed */
        *noc_gap_at(schedule, schedule->gaps) = (struct noc_gap){schedule->free, from};
        schedule->first_gap = (schedule->first_gap + (schedule->gaps == NOC_GAPS)) % NOC_GAPS;
        schedule->gaps += schedule->gaps < NOC_GAPS;
    }
    return schedule->free = begin + needs;
}

/* Gives back the last part of what was taken until `to`. */
void noc_give(struct noc_schedule *schedule, uint64_t from, uint64_t to);

/* The way of a broadcast of so many flits that is ready at its NIU at `ready`. */
struct noc_way {
    unsigned noc;
    struct noc_raw from;
    uint32_t flits;
    uint64_t ready;
    bool reserves;   /* its way, before it leaves, */
    bool keeps;      /* and keeps it for the next one of its NIU */
    uint64_t begins; /* result: when its NIU takes it, */
    uint64_t leaves; /* when its first flit leaves the NIU, */
    uint64_t passes; /* the same, and what it waited for links */
};

/* Until when broadcasts of others hold links of the way of a broadcast; 0: none does when it is ready; CLOCK_NEVER:
   nobody knows. */
uint64_t noc_held(struct noc_timing *timing, const struct noc_way *way, const struct noc_raw *to, unsigned count);

/* Finds when it leaves and passes, and takes its NIU, which has to know when it is free, and its links. */
void noc_broadcast(struct noc_timing *timing, struct noc_way *way, const struct noc_raw *to, unsigned count);

/* An NIU gives back all links that its linked broadcasts keep. */
void noc_give_back(struct noc_timing *timing, unsigned noc, struct noc_raw from);

/* The cycle in which an NIU begins to read part of a word of L1. It does this, and what follows, for one packet after
   the other. */
uint64_t noc_read_part(struct noc_timing *timing, unsigned noc, struct noc_raw at, uint64_t ready);

/* The cycle in which an NIU begins an atomic operation on L1. */
uint64_t noc_operate(struct noc_timing *timing, unsigned noc, struct noc_raw at, uint64_t ready);

/* When a channel of DRAM begins to read or write so many flits, which it does one packet after the other, or at several
   times, which end so much later. *port: when it takes the next packet of whoever asks. To be called in the order in
   which packets come. */
uint64_t noc_dram(struct noc_timing *timing, unsigned channel, uint64_t *port, uint64_t ready, uint32_t flits,
                  bool reads);

/* When the last flit of a broadcast is at the NIU of one of these places. */
uint64_t noc_arrival(const struct noc_way *way, struct noc_raw to);

#endif
