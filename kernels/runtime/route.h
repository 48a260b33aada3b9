/* Packets between Tensix tiles of any chips, which routers on Ethernet tiles store and forward. At each end of a link
   E1 runs kernels/link_route/erisc1.c: it sends over the link what others have put into its slots, and gives what comes
   over the link to the tile that it is for, or to the Ethernet tile from where the next link leads on.

   The slots are in channels, each with one feeder: the worker of the chip (channel 0), or another Ethernet tile of it
   (channel 1 to 3, the feeder's own index). A feeder puts a packet into a slot only when one is free. So packets wait,
   and are never lost. Two routes that wait for each other would wait for ever: routes are such that the channels which
   they take one after the other lead round no circle, as in a row or a tree, in meshes with one dimension after the
   other, or on rings where no packet passes more than two links.

   The host leaves zeroes in all words. */
#ifndef BHEMU_KERNELS_ROUTE_H
#define BHEMU_KERNELS_ROUTE_H

#include <stdbool.h>

#include "noc.h"

enum { ROUTE_SLOT_SIZE = 0x1000, ROUTE_SLOTS = 8, ROUTE_CHANNELS = 4, ROUTE_CHIPS = 16 };

/* At the beginning of a packet; address and size are multiples of 16. */
struct route_header {
    uint32_t chip, tile; /* where it goes: the tile as x | y << 6 */
    uint32_t address, size;
};
enum { ROUTE_HEADER_SIZE = sizeof(struct route_header), ROUTE_PAYLOAD = ROUTE_SLOT_SIZE - ROUTE_HEADER_SIZE };

/* Words in L1 of all tiles, each in 16 bytes of its own. */
enum {
    ROUTE_FREE = LAYOUT_ARGUMENTS + 0x200, /* for each index: packets of this tile that the Ethernet tile has sent */
    ROUTE_COME = ROUTE_FREE + 0x40,        /* packets that were delivered to this tile */
    ROUTE_OLD = ROUTE_COME + 0x10,
    ROUTE_STAGE = ROUTE_COME + 0x20,    /* what this tile sends next: a word, or a header */
    ROUTE_POSTED = ROUTE_COME + 0x30,   /* for each channel: packets that its feeder has put there */
    ROUTE_ARRIVED = ROUTE_COME + 0x70,  /* packets that the other end has sent */
    ROUTE_RETURNED = ROUTE_COME + 0x80, /* packets that have left the other end again */
};

/* Slots of an Ethernet tile: of what has come over the link, and of each channel. */
enum { ROUTE_IN = 0x20000, ROUTE_OUT = 0x30000, ROUTE_CHANNEL_SIZE = ROUTE_SLOTS * ROUTE_SLOT_SIZE };

/* An Ethernet tile of this chip: x | y << 6 | index << 12, its index from 1. */
static inline uint32_t route_tile(uint32_t hop)
{
    return hop & 0xfff;
}

static inline uint32_t route_index(uint32_t hop)
{
    return hop >> 12;
}

static inline uint32_t route_word(uint32_t address)
{
    return load_shared((const volatile uint32_t *)address);
}

/* Puts a word into this tile's L1, from where it is sent. */
static inline void route_stage(uint32_t value)
{
    *(volatile uint32_t *)ROUTE_STAGE = value;
    (void)route_word(ROUTE_STAGE);
}

/* Adds one to a word of a tile. */
static inline void route_count(struct noc *noc, uint32_t tile, uint32_t address)
{
    noc_increment(noc, (struct noc_place){tile, address}, 1, ROUTE_OLD);
    noc_wait(noc, NOC_ATOMIC_RESP_RECEIVED);
}

/* Whether the feeder of a channel, which has put so many packets there, finds a free slot. */
static inline bool route_is_free(uint32_t hop, uint32_t posted)
{
    return posted - route_word(ROUTE_FREE + 16 * route_index(hop)) < ROUTE_SLOTS;
}

/* The slot for the packet behind so many in a channel of an Ethernet tile. */
static inline struct noc_place route_slot(uint32_t hop, uint32_t channel, uint32_t posted)
{
    return (struct noc_place){route_tile(hop),
                              ROUTE_OUT + channel * ROUTE_CHANNEL_SIZE + posted % ROUTE_SLOTS * ROUTE_SLOT_SIZE};
}

#endif
