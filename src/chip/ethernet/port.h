/* The ports of a chip's Ethernet channels: whether their links are up. A link is up while its cable is plugged in and
   the ports at both ends are on; when that begins, both ends train for a while before. Plain data. What a port of the
   other end does arrives as a message (chip/ethernet/wire.h), so that ends may be in different processes.

   Firmware that has to bring a link up again (request 6, chip/ethernet/firmware.h) waits until it is, or gives up.
   Sources: tables/links.def (times). */
#ifndef BHEMU_CHIP_ETHERNET_PORT_H
#define BHEMU_CHIP_ETHERNET_PORT_H

#include <stdbool.h>
#include <stdint.h>

enum { WIRE_CHANNELS = 14, WIRE_QUEUES = 3 };

struct link_ports {
    /* A bit for each channel. */
    uint16_t plugged;  /* the cable is in */
    uint16_t on;       /* this end's port */
    uint16_t other_on; /* the port of the other end, as far as this one knows */
    uint16_t up;
    uint16_t trains;
    uint16_t awaited;                              /* firmware waits for the link */
    uint64_t due[WIRE_CHANNELS];                   /* when training ends, or firmware gives up; UINT64_MAX: never */
    uint64_t up_at[WIRE_CHANNELS];                 /* when a link came up last; 0: it was up from the start */
    uint32_t retrained[WIRE_CHANNELS];             /* how often a link came up again */
    uint32_t unsent[WIRE_CHANNELS][WIRE_QUEUES];   /* TT-link packets that nobody has acknowledged: the link is down */
    uint64_t repeated[WIRE_CHANNELS][WIRE_QUEUES]; /* how often they were sent again then */
};

/* All links that `connected` names are up as far as this end is concerned. */
void port_reset(struct link_ports *ports, uint16_t connected);

/* To be called when plugged, on, other_on or awaited has changed. */
void port_update(struct link_ports *ports, unsigned channel, uint64_t now);

/* What is due happens. */
void port_act(struct link_ports *ports, unsigned channel);

static inline bool port_is_up(const struct link_ports *ports, unsigned channel)
{
    return ports->up >> channel & 1;
}

#endif
