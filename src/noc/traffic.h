/* Packets under way, in timed mode. network_exchange() takes the requests that were started before the end of the
   device's quantum in the order of their starts, splits them into packets, and says when each has left, arrives and is
   answered (noc/timing.h). What happens at a Tensix tile's L1 and counters, and needs nothing of other tiles, goes into
   that tile's inbox: the tile does it in its own turn, at its time. All else - DRAM, registers, streams, other tiles -
   the device does at the end of a quantum; one ends when such a packet reaches a Tensix tile.
   Nothing happens earlier than TIMING_NOC_LOOKAHEAD cycles after what it comes of, and no quantum is longer. So tiles
   can run their turns at the same time, and times do not depend on where quanta end. */
#ifndef BHEMU_NOC_TRAFFIC_H
#define BHEMU_NOC_TRAFFIC_H

#include "noc/deliveries.h"
#include "noc/effects.h"
#include "noc/payloads.h"
#include "noc/timing.h"
#include "noc/worms.h"

/* A packet. It belongs to all that is still to happen to it. */
struct flight {
    struct network *network;
    struct noc_request request;
    struct noc_endpoint *initiator;
    struct noc_endpoint *back; /* where the response goes; null: none is asked for */
    uint32_t number;           /* of the request among those of the initiator */
    uint32_t uses;             /* what is still to happen to it */
    uint32_t waits;            /* a broadcast: its number among those that wait in its NIU, plus 1 */
    struct extent extent;
    bool last;        /* of its request */
    bool to_register; /* a write with byte enables */
    bool abandoned;   /* its initiator was reset */
    bool counted;     /* a broadcast that waits for its way, and counts as sent */
    uint32_t room;    /* of a request that has not begun: for so many bytes, which its only packet may have; 0: none */
    uint32_t bytes;   /* of data: */
    uint8_t data[];   /* of a read or write: its bytes; of an atomic: a result for each recipient */
};

enum flight_event {
    FLIGHT_STARTS,  /* the request reaches the NIU: order among other starts */
    FLIGHT_TRIES,   /* a broadcast: the NIU tries to reserve its way */
    FLIGHT_LEAVES,  /* its last flit has left the initiator */
    FLIGHT_ARRIVES, /* at the endpoint */
    FLIGHT_ANSWERS, /* the tile has done it at that time, in its turn: the response leaves soon */
    FLIGHT_SERVED,  /* a channel of DRAM has done it, and the response leaves */
    FLIGHT_RETURNS, /* the response reaches `back` */
    FLIGHT_HOLDS,   /* the initiator's NIU learns that the network takes the packet later, */
    FLIGHT_TAKEN    /* and when, if that was not known */
};

/* What is to happen at one Tensix tile, which does it in its turns; and what it, or another tile with an outbox, leaves
   for the device. */
struct noc_inbox {
    struct deliveries due;
    struct noc_payloads payloads; /* of requests that the device has not taken yet */
};

struct traffic {
    struct deliveries planned; /* for the device, at the end of the quantum in which it happens */
    struct deliveries
        visible;   /* for the device, at the end of a quantum at that very time: cores of a tile may see it */
    uint64_t done; /* time of what the device did last */
    struct noc_timing timing;
    struct worms worms;
    struct noc_inbox inbox[NETWORK_INITIATORS];
};

/* Where memory comes from for packets of this initiator, and for their data. */
static inline struct noc_blocks *blocks_of(const struct noc_endpoint *initiator)
{
    return &initiator->payloads->blocks;
}

/* One of its uses is over. */
void flight_release(struct flight *flight);

/* The same in the turn of the tile whose inbox that is, while other tiles may release it, too. */
void flight_release_in_tile(struct noc_inbox *inbox, struct flight *flight);

/* Stops the device: there is no memory for packets under way. */
void flight_no_memory(const struct flight *flight);

/* Returns null if there is no memory. */
struct traffic *traffic_create(void);
void traffic_destroy(struct traffic *traffic);

/* As after its creation. It may be null. */
void traffic_reset(struct traffic *traffic);

/* Forgets what an initiator has under way, and what is to happen at it: it was reset. */
void traffic_forget(struct network *network, unsigned initiator);

/* Whether the device has anything to do for packets under way. */
static inline bool traffic_pending(const struct traffic *traffic)
{
    return traffic->planned.count || traffic->visible.count || worms_next(&traffic->worms) != UINT64_MAX;
}

/* When what the device does now happens. */
static inline uint64_t traffic_now(const struct traffic *traffic)
{
    return traffic->done;
}

/* The time up to which no core may run before the device has done something that it may see; UINT64_MAX: there is none.
 */
static inline uint64_t traffic_visible(const struct traffic *traffic)
{
    uint64_t worms = worms_visible(&traffic->worms);
    return traffic->visible.count && traffic->visible.heap[0].time < worms ? traffic->visible.heap[0].time : worms;
}

/* When the device next does anything else; UINT64_MAX: nothing is planned. */
static inline uint64_t traffic_planned(const struct traffic *traffic)
{
    return traffic->planned.count ? traffic->planned.heap[0].time : UINT64_MAX;
}

/* Does all that is due at the end `now` of a quantum. Returns how much that was. */
unsigned traffic_exchange(struct network *network, uint64_t now);

/* When something is next to happen at a tile; UINT64_MAX: nothing is. */
static inline uint64_t inbox_next(const struct noc_inbox *inbox)
{
    return inbox && inbox->due.count ? inbox->due.heap[0].time : UINT64_MAX;
}

/* What cores of a tile look at. */
struct noc_watch {
    uint64_t counters[NIUS]; /* of its NIUs: a bit each */
    bool l1;                 /* any part of L1; else only these bytes: */
    uint32_t first, last;
};

/* Whether that changes any of it. */
bool inbox_changes(const struct noc_inbox *inbox, const struct noc_watch *watch);

/* Does that. */
void inbox_deliver(struct noc_inbox *inbox);

/* What a packet does, by events, at their time. Called for a tile's own by its turn, else by the device. */
void flight_leaves(const struct flight *flight);
enum step flight_arrives(struct flight *flight, struct noc_endpoint *endpoint, unsigned recipient, uint64_t time);
void flight_returns(struct flight *flight, unsigned recipient, uint64_t time);

/* Whether one that a tile does in its own turn changes what is looked at there. */
bool flight_changes(const struct flight *flight, enum flight_event event, const struct noc_watch *watch);

/* Whether the tile at the endpoint can do it in its own turn. */
bool flight_arrives_in_tile(const struct flight *flight, const struct noc_endpoint *endpoint);
bool flight_returns_in_tile(const struct flight *flight);

#endif
