/* Both NoCs: carries requests from the NIUs that started them to the endpoints that they are for, and what comes back.
   The device calls network_exchange() at the end of each quantum: it takes all outboxes in the order of the initiators'
   numbers, each in the order of issue, and carries out one request after the other, with everything that follows from
   it: data, acknowledgements, counters. So the order of events does not depend on who ran when within
   the quantum. What a request starts at another NIU is carried out by the next exchange.
   Sources: ISA documentation NoC/MemoryMap.md, NoC/Counters.md, NoC/Atomics.md. */
#ifndef BHEMU_NOC_NETWORK_H
#define BHEMU_NOC_NETWORK_H

#include <stdbool.h>
#include <stdint.h>

#include "debug/diagnostic.h"
#include "noc/niu.h"

struct l1;

/* What the NoC sees of a tile. Pointers that a tile has no use for are null. */
struct noc_endpoint {
    void *context;
    enum step (*read)(void *context, uint64_t address, void *data, uint32_t size);
    enum step (*write)(void *context, uint64_t address, const void *data, uint32_t size);
    /* Where [address, address + size) lies, if to read it, or to write it, is to copy bytes and no more, for a write
       but for l1_written(). Null: it may be more. May itself be null. */
    uint8_t *(*bytes)(void *context, bool write, uint64_t address, uint32_t size);
    /* Of a tile with an overlay: a packet for a stream has arrived, its data are there (returns what is wrong with it,
       or null); the data of a request with this reader have been read; the outbox, which was full, has room again. */
    const char *(*packet)(void *context, uint16_t tag, uint32_t bytes);
    void (*sent)(void *context, unsigned reader);
    void (*room)(void *context);
    void (*link)(void *context, const struct noc_request *request); /* carries out what goes over Ethernet */
    struct diagnostics *diagnostics; /* where read() and write() say what is wrong; those of the initiator if null */
    struct niu *niu;                 /* of NoC 0 and of NoC 1 */
    struct noc_outbox *outbox;
    struct observed *observed; /* null: nobody wants to hear of the tile */
    struct l1 *l1;             /* what atomic operations work on */
    uint64_t memory;           /* addresses below are memory, */
    uint64_t registers;        /* those from here on are registers; between them there is nothing */
    uint8_t read_alignment;    /* reads: how many low bits of source and destination have to be the same, as a mask */
    uint8_t x, y;              /* of NoC 0 */
    uint8_t *via; /* if not null: becomes the number of the NoC over which an access comes, before it does */
};

enum { NETWORK_INITIATORS = NOC_HEIGHT * NOC_WIDTH, NETWORK_BITMAP_WORDS = (NETWORK_INITIATORS + 63) / 64 };

struct network {
    /* Connects the tile at coordinates of NoC 0, ready for use. */
    void (*connect)(void *context, unsigned x, unsigned y);
    void *context;
    bool told;                              /* since somebody cleared it, diagnostics of a tile may have been given */
    uint64_t waiting[NETWORK_BITMAP_WORDS]; /* initiators whose outboxes may hold requests */
    struct noc_endpoint *initiator[NETWORK_INITIATORS];
    struct noc_endpoint endpoint[NOC_HEIGHT][NOC_WIDTH]; /* read is null where nothing is connected */
};

/* Connects a tile at its NoC 0 coordinates, which the endpoint names. */
void network_connect(struct network *network, const struct noc_endpoint *endpoint);

/* The same with a tile that has an outbox, whose number among the initiators this is. */
void network_connect_initiator(struct network *network, const struct noc_endpoint *endpoint, unsigned initiator);

/* The endpoint at coordinates of NoC 0, which is connected when it is first reached. Everybody who reaches a tile does
   so through here. */
static inline struct noc_endpoint *network_endpoint(struct network *network, unsigned x, unsigned y)
{
    struct noc_endpoint *endpoint = &network->endpoint[y][x];
    if (!endpoint->read) {
        network->connect(network->context, x, y);
    }
    return endpoint;
}

/* To be called when something happened on a tile that may have started requests. */
static inline void network_notice(struct network *network, unsigned initiator)
{
    if (network->initiator[initiator]->outbox->count) {
        network->waiting[initiator / 64] |= UINT64_C(1) << initiator % 64;
    }
}

/* Whether any request waits for the next exchange. */
bool network_pending(const struct network *network);

/* Carries out all requests that were started before. A request that is wrong stops its initiator. Returns how many
   there were. */
unsigned network_exchange(struct network *network);

#endif
