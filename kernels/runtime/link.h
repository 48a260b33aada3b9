/* Links between chips as queues of slots, for kernels of Tensix tiles. At each end of a link E1 of the Ethernet tile
   runs kernels/link/erisc1.c, which serves one Tensix tile, in both directions. A sender puts a slot into the L1 of its
   Ethernet tile and counts it as posted; E1 brings it over the link; at the other end E1 tells the receiver how many
   slots have come. The receiver counts those that it has taken, of which the other E1 tells the sender: so many slots
   of the other end are free again.

   E1 tells its Tensix tile by writing to words in its L1, in which the tile can wait without traffic. A tile may have
   several links, each with words of its own. The host leaves zeroes in all words. */
#ifndef BHEMU_KERNELS_LINK_H
#define BHEMU_KERNELS_LINK_H

#include "noc.h"

enum { LINK_SLOT_SIZE = 0x1000, LINK_SLOTS = 8 };

/* In L1 of an Ethernet tile; each word in 16 bytes of its own. */
enum {
    LINK_POSTED = 0x17000,   /* slots that the Tensix tile has put there */
    LINK_TAKEN = 0x17010,    /* slots that it has taken */
    LINK_ARRIVED = 0x17020,  /* slots that the other end has sent */
    LINK_RETURNED = 0x17030, /* slots that were taken at the other end */
    LINK_STAGE = 0x17040,    /* words that E1 sends */
    LINK_OUT = 0x20000,
    LINK_IN = 0x30000,
};

/* In L1 of a Tensix tile, for its link `id`; each in 16 bytes of its own. */
enum { LINK_WORDS = LAYOUT_ARGUMENTS + 0x200, LINK_WORDS_SIZE = 0x40 };
enum { LINK_HAS_COME = 0, LINK_IS_FREE = 0x10, LINK_OLD = 0x20 };

/* At LAYOUT_ARGUMENTS of the Ethernet tile. E1 ends when so many slots were sent, and taken at the other end, and so
   many have come, and were taken here. */
struct link_arguments {
    uint32_t worker;          /* the Tensix tile: x | y << 6 */
    uint32_t id;              /* of the link there */
    uint32_t sends, receives; /* slots */
};

/* One end of a link, as a Tensix tile has it. */
struct link {
    struct noc *noc;
    uint32_t at;    /* the Ethernet tile: x | y << 6 */
    uint32_t words; /* in this tile */
    uint32_t sent, received;
};

/* at: the Ethernet tile, x | y << 6; id: which of this tile's links it is. */
static inline struct link link_open(struct noc *noc, uint32_t at, uint32_t id)
{
    return (struct link){.noc = noc, .at = at, .words = LINK_WORDS + id * LINK_WORDS_SIZE};
}

/* How many slots a stretch of memory takes. */
static inline uint32_t link_slots(uint32_t size)
{
    return (size + LINK_SLOT_SIZE - 1) / LINK_SLOT_SIZE;
}

/* One of LINK_HAS_COME, LINK_IS_FREE, LINK_OLD. */
static inline volatile uint32_t *link_word(const struct link *link, uint32_t word)
{
    return (volatile uint32_t *)(link->words + word);
}

/* The part of a stretch of memory that is in one of its slots. */
static inline uint32_t link_part(uint32_t size, uint32_t at)
{
    return size - at < LINK_SLOT_SIZE ? size - at : LINK_SLOT_SIZE;
}

/* Sends a stretch of this tile's L1, at a multiple of 16, slot by slot. It may be overwritten afterwards. */
static inline void link_send(struct link *link, uint32_t from, uint32_t size)
{
    for (uint32_t at = 0; at < size; at += LINK_SLOT_SIZE) {
        uint32_t slot = LINK_OUT + link->sent % LINK_SLOTS * LINK_SLOT_SIZE;
        while (link->sent - load_shared(link_word(link, LINK_IS_FREE)) >= LINK_SLOTS) {
        }
        noc_write(link->noc, from + at, (struct noc_place){link->at, slot}, link_part(size, at));
        noc_wait(link->noc, NOC_WR_ACK_RECEIVED);
        noc_increment(link->noc, (struct noc_place){link->at, LINK_POSTED}, 1, link->words + LINK_OLD);
        noc_wait(link->noc, NOC_ATOMIC_RESP_RECEIVED);
        link->sent++;
    }
}

/* Receives what the other end has sent as a stretch of this size. */
static inline void link_receive(struct link *link, uint32_t to, uint32_t size)
{
    for (uint32_t at = 0; at < size; at += LINK_SLOT_SIZE) {
        uint32_t slot = LINK_IN + link->received % LINK_SLOTS * LINK_SLOT_SIZE;
        while (load_shared(link_word(link, LINK_HAS_COME)) == link->received) {
        }
        noc_read(link->noc, (struct noc_place){link->at, slot}, to + at, link_part(size, at));
        noc_wait(link->noc, NOC_RD_RESP_RECEIVED);
        noc_increment(link->noc, (struct noc_place){link->at, LINK_TAKEN}, 1, link->words + LINK_OLD);
        noc_wait(link->noc, NOC_ATOMIC_RESP_RECEIVED);
        link->received++;
    }
}

#endif
