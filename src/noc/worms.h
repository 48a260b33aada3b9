/* Packets to one place on their way, in timed mode: wormhole routing. A packet moves on to the next link, in the order
   in which packets get there, when no other one has its virtual channel of that link. It has the channel until its last
   flit has gone, while the first ones go on; where they have to wait, those behind them fill the buffers of the routers
   before, each of which holds the flits that are sent until word of a free place gets back (two times the way to the
   next router), and then wait too. A router takes one flit a cycle out of the buffers behind each of its links, and its
   NIU, whichever channels they are of and wherever they go: when a packet goes on, what has waited comes in the way of
   others that are passing (blackhole-py, noc-dual-dm-aggregate.md: packets on a ring take 1.3 times as long as their
   flits). Short packets wait there one behind the other, until it is full; only the first of them asks for its next
   channel, so that one that could go on waits behind one that can not. An NIU takes no further reads, writes or atomic
   operations while it has as many as it holds. So a packet that waits makes others wait whose way is free. All takes
   place in the order of passages. One that reaches a router at x is planned for x + TIMING_NOC_ROUTER, one that reaches
   the router of its destination for that time; nothing that tiles do can be among those that are due earlier than
   WORMS_AHEAD cycles from now, and no tile sees what comes of a passage until WORMS_LATER cycles after its time.
   Source: ISA documentation NoC/README.md ("Virtual channels") and NoC/RoutingPaths.md. */
#ifndef BHEMU_NOC_WORMS_H
#define BHEMU_NOC_WORMS_H

#include "noc/deliveries.h"
#include "noc/timing.h"

enum { WORMS_LINKS = NOC_WIDTH + NOC_HEIGHT + 1 };
/* Room in buffers is counted in parts of a flit, since an NIU may hold more reads than a buffer has flits. */
enum { WORMS_FLIT = 16, WORMS_BUFFER = 2 * TIMING_NOC_ROUTER * WORMS_FLIT };
enum { WORMS_SHORTEST = 2 }; /* flits of packets that take no time of routers: `crosses` and `leaves` are not theirs */
enum {
    WORMS_AHEAD = TIMING_NOC_START + TIMING_NOC_NIU_TO_ROUTER + TIMING_NOC_ROUTER,
    WORMS_LATER = TIMING_NOC_LOOKAHEAD - WORMS_AHEAD
};

/* A packet under way. */
struct worm {
    struct worm *behind;          /* waits for the same channel */
    struct worm *after;           /* is in the same buffer, behind it */
    struct worm *previous, *next; /* all of them */
    struct worm *following;       /* it has its next passage next in the same cycle */
    struct flight *flight;
    struct noc_endpoint *endpoint; /* where it goes */
    struct noc_raw from, to;
    uint64_t order;   /* among passages at the same time: as it was started */
    uint64_t ready;   /* at its NIU */
    uint64_t passage; /* the last one that was planned */
    uint32_t flits;
    uint32_t gap; /* from its last flit at a link until the next packet may have that */
    uint16_t recipient;
    uint8_t noc;
    bool response;
    bool waits;                       /* for the next channel of its way */
    bool buffered;                    /* it is, or was until it has passed, in the buffer behind its last channel */
    bool early;                       /* it stays at its tile: it is back TIMING_NOC_ROUTER cycles before its passage */
    uint16_t held;                    /* room that a request, or its response, takes in an NIU until that leaves */
    bool glides;                      /* it is short, and wherever it has been it has gone; false: perhaps not */
    bool either;                      /* a response that takes either of two channels of each link */
    uint8_t places;                   /* of its way: its NIU, and links */
    uint8_t entered;                  /* how many it has come to, */
    uint8_t left;                     /* and of how many it is known when it has gone */
    uint8_t channel[1 + WORMS_LINKS]; /* among those of requests, or of responses */
    struct noc_link *link[1 + WORMS_LINKS]; /* the first is none: its NIU */
    uint64_t tail[1 + WORMS_LINKS];         /* when its last flit gets to a place */
    uint64_t crosses[1 + WORMS_LINKS];      /* until when it has taken a link of a place, */
    uint64_t leaves[1 + WORMS_LINKS];       /* and what comes out of the buffers before it */
};

/* The room that something takes of which an NIU holds so much. */
static inline uint16_t worms_part(uint32_t size, unsigned holds)
{
    return (uint16_t)((size * WORMS_BUFFER + holds - 1) / holds);
}

/* What becomes of them. `time`: of the passage, in thousandths of a cycle. */
struct worm_events {
    void (*waits)(struct worm *worm); /* in its NIU */
    void (*enters)(struct worm *worm, uint64_t comes,
                   uint64_t time);                     /* it waited; it is known when it is at a router */
    void (*leaves)(struct worm *worm, uint64_t time);  /* it is known when its NIU has sent it: tail[0] */
    void (*arrives)(struct worm *worm, uint64_t time); /* it is known when it arrives: worm_arrival() */
    void (*tries)(struct delivery *delivery);          /* something else that was planned is due */
};

/* Passages in one cycle, in their order. */
enum { WORMS_CYCLES = 256 };
struct worms_cycle {
    struct worm *first, *last;
};

struct worms {
    struct worms_cycle cycle[WORMS_CYCLES]; /* of worms, in the cycles from the last passage on, by their last bits: */
    uint64_t some[WORMS_CYCLES / 64];       /* a bit for each cycle that has any, */
    uint64_t from;                          /* and the first of them */
    struct deliveries passages;             /* all others, in thousandths of a cycle */
    struct worm *first, *spare;
    uint32_t under_way, planned; /* how many worms, and how much else */
    const struct worm_events *events;
};

/* Forgets all. */
void worms_clear(struct worms *worms);

/* A packet between these places. Null: there is no memory. */
struct worm *worms_create(struct worms *worms, struct noc_timing *timing, unsigned noc, struct noc_raw from,
                          struct noc_raw to);

/* Sets what follows from other members: a snapshot does not have it. */
void worm_complete(struct worm *worm);

/* It is at its NIU at worm->ready. */
void worms_start(struct worms *worms, struct worm *worm);

/* The same for a packet of a tile to itself of which it is known at a passage at `time` when it will be ready. Returns
   false if its NIU sends others until then. */
bool worms_start_at_once(struct worms *worms, struct noc_timing *timing, struct worm *worm, uint64_t time);

/* The NIU no longer holds a request between these places, which took so much room: others get in from `time` on. */
void worms_let_go(struct worms *worms, struct noc_timing *timing, unsigned noc, struct noc_raw from, struct noc_raw to,
                  unsigned held, uint64_t time);

/* Plans something else for a time, in cycles, as if it reached a router then. Returns false if there is no memory. */
bool worms_plan(struct worms *worms, struct delivery *delivery);

/* Destroys it: it has arrived. */
void worms_destroy(struct worms *worms, struct worm *worm);

/* Does all passages that are due, now being that cycle. */
void worms_advance(struct worms *worms, struct noc_timing *timing, uint64_t now);

/* The cycle of the next passage; UINT64_MAX: there is none. */
uint64_t worms_next(const struct worms *worms);

/* The first cycle at which a tile may see what comes of the next passage; UINT64_MAX: there is none. */
static inline uint64_t worms_visible(const struct worms *worms)
{
    uint64_t next = worms_next(worms);
    return next == UINT64_MAX ? next : next + WORMS_LATER;
}

/* For a snapshot: all passages are in worms->passages then, in their order. */
void worms_gather(struct worms *worms);

/* When its last flit is at the NIU of its destination. */
uint64_t worm_arrival(const struct worm *worm);

#endif
