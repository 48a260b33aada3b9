/* How long packets take, in timed mode. A packet goes from its NIU to a router, over links to other routers, and from
   the last one to an NIU. NoC 0 takes it right, then down; NoC 1 up, then left; both around the torus. Each NIU and
   each link takes a flit after the other: it has a time at which it is free again. A packet whose path is not free
   waits at its NIU, which sends nothing else meanwhile. Links are taken for a packet from when it leaves its NIU on,
   not from when its head reaches them, so that those of packets that left earlier from further away leave no gaps.
   Times are in thousandths of a cycle. Constants: tables/timing.def. Source: ISA documentation NoC/README.md. */
#ifndef BHEMU_NOC_TIMING_H
#define BHEMU_NOC_TIMING_H

#include <stdbool.h>
#include <stdint.h>

#include "noc/coordinates.h"
#include "noc/niu.h"
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

/* When each is free again. Of one NoC, by raw coordinates. */
struct noc_fabric {
    uint64_t niu[NOC_HEIGHT][NOC_WIDTH];   /* what its NIU sends */
    uint64_t eject[NOC_HEIGHT][NOC_WIDTH]; /* from the router to its NIU */
    uint64_t right[NOC_HEIGHT][NOC_WIDTH]; /* to the next router on the axis */
    uint64_t down[NOC_HEIGHT][NOC_WIDTH];
};

struct noc_timing {
    struct noc_fabric fabric[NIUS];
    uint64_t channel[DRAM_CHANNELS]; /* of DRAM, at whichever of its tiles */
};

/* How many routers a packet goes to behind the first one. */
unsigned noc_hops(struct noc_raw from, struct noc_raw to);

/* The way of one packet of so many flits, to one place or several, that is ready at its NIU at `ready`. */
struct noc_way {
    unsigned noc;
    struct noc_raw from;
    uint32_t flits;
    uint64_t ready;
    bool reserves;   /* its way, before it leaves */
    bool early;      /* sent ahead of its time: what its NIU sends until then does not wait for it */
    uint64_t begins; /* result: when its NIU takes it, */
    uint64_t leaves; /* when its first flit leaves the NIU, */
    uint64_t passes; /* the same, and what it waited for links */
};

/* Finds when the packet leaves and passes, and takes its NIU and its links. */
void noc_send(struct noc_timing *timing, struct noc_way *way, const struct noc_raw *to, unsigned count);

/* When a channel of DRAM begins to read or write so many flits, which it does one packet after the other. */
uint64_t noc_dram(struct noc_timing *timing, unsigned channel, uint64_t ready, uint32_t flits, bool reads);

/* When the last flit of a packet that left then is at the NIU of one of these places. */
uint64_t noc_arrival(const struct noc_way *way, struct noc_raw to);

#endif
