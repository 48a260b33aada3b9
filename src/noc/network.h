/* Both NoCs: carry requests from the NIUs that started them to their endpoints, and responses back. The device calls
   network_exchange() at the end of each quantum: it takes all outboxes in the order of the initiators' numbers, each in
   the order of issue, and carries out one request after the other with everything that follows from it: data,
   acknowledgements, counters. So the order of events does not depend on the order in which tiles ran within the
   quantum. In functional mode it also has requests carried out between (chip/series.h). Requests that another NIU
   starts during an exchange wait for the next one. Sources: ISA documentation NoC/MemoryMap.md, NoC/Counters.md,
   NoC/Atomics.md. */
#ifndef BHEMU_NOC_NETWORK_H
#define BHEMU_NOC_NETWORK_H

#include <stdbool.h>
#include <stdint.h>

#include "debug/diagnostic.h"
#include "noc/niu.h"

struct l1;
struct noc_inbox;
struct noc_payloads;
struct traffic;

/* A tile as the NoC sees it. Pointers that a tile does not need are null. */
struct noc_endpoint {
    void *context;
    enum step (*read)(void *context, uint64_t address, void *data, uint32_t size);
    enum step (*write)(void *context, uint64_t address, const void *data, uint32_t size);
    /* The host's pointer to [address, address + size) if the access only copies bytes (after a write, l1_written() has
       to be called); null if it may have side effects. The function pointer may be null: all accesses may. */
    uint8_t *(*bytes)(void *context, bool write, uint64_t address, uint32_t size);
    /* For tiles with an overlay. packet: a packet for a stream has arrived, and its data are in place; returns what is
       wrong with it, or null. sent: the data of a request of this reader have been read. room: the outbox was full and
       is no longer. */
    const char *(*packet)(void *context, uint16_t tag, uint32_t bytes);
    void (*sent)(void *context, unsigned reader);
    void (*room)(void *context);
    void (*expect)(void *context); /* timed mode: something is on its way to the tile, which does it in its turn; null:
                                      the device does all of it */
    struct noc_inbox *inbox;       /* timed mode: what that is, and when */
    struct noc_payloads *payloads; /* timed mode, of tiles with an outbox: data of writes that they have started */
    void (*link)(void *context, const struct noc_request *request); /* carries out requests that go over Ethernet */
    struct diagnostics *diagnostics; /* of read() and write(); null: the initiator's are used */
    struct niu *niu;                 /* of NoC 0 and of NoC 1 */
    struct noc_outbox *outbox;
    struct observed *observed; /* null: nobody wants to hear of the tile */
    struct l1 *l1;             /* what atomic operations work on */
    uint64_t memory;           /* addresses below are memory, */
    uint64_t registers;        /* those from here on are registers; between them there is nothing */
    uint64_t ignored;          /* bits of addresses that make no difference */
    /* A DRAM tile shows memory, and has a core with L1 beside it: two endpoints at one place. The one that an access
       to this address over a NoC reaches; the function pointer is null where there is only one. */
    struct noc_endpoint *(*side)(void *context, unsigned noc, uint64_t address);
    uint8_t read_alignment; /* reads: how many low bits of source and destination have to be the same, as a mask */
    uint8_t x, y;           /* of NoC 0 */
    uint8_t *via;           /* if not null: set to the number of the NoC before each access */
};

enum { DRAM_TILES = 3 * DRAM_CHANNELS };
enum { NETWORK_INITIATORS = NOC_HEIGHT * NOC_WIDTH, NETWORK_BITMAP_WORDS = (NETWORK_INITIATORS + 63) / 64 };

struct network {
    /* Connects the tile at coordinates of NoC 0, ready for use. */
    void (*connect)(void *context, unsigned x, unsigned y);
    void *context;
    bool told;               /* a diagnostic of a tile may have been given since this was last cleared */
    struct traffic *traffic; /* timed mode: what is under way; else null: nothing is between exchanges */
    /* Timed mode: has channels of DRAM do what else they were asked for before a time: copies of the tiles' engines.
       Null: there is nothing else. */
    void (*book)(void *context, unsigned channel, uint64_t before);
    uint32_t copies;                        /* a bit for each channel at which any may wait for that */
    uint64_t jitter;                        /* timed mode: seed of the delays of NIUs; 0: none */
    uint64_t waiting[NETWORK_BITMAP_WORDS]; /* initiators whose outboxes may hold requests */
    struct noc_endpoint *initiator[NETWORK_INITIATORS];
    struct noc_endpoint endpoint[NOC_HEIGHT][NOC_WIDTH]; /* read is null where nothing is connected */
    struct noc_endpoint
        dram_core[DRAM_TILES]; /* the same of the cores of DRAM tiles, which are the other sides there */
};

/* Connects a tile at its NoC 0 coordinates, which the endpoint names. */
void network_connect(struct network *network, const struct noc_endpoint *endpoint);

/* The same with a tile that has an outbox, whose number among the initiators this is. The second is for the core of a
   DRAM tile, whose memory is connected already. */
void network_connect_dram_core(struct network *network, const struct noc_endpoint *endpoint, unsigned number,
                               unsigned initiator);
void network_connect_initiator(struct network *network, const struct noc_endpoint *endpoint, unsigned initiator);

/* The endpoint at coordinates of NoC 0; connects it if nobody has reached it before. All accesses to a tile from
   outside begin here. */
static inline struct noc_endpoint *network_endpoint(struct network *network, unsigned x, unsigned y)
{
    struct noc_endpoint *endpoint = &network->endpoint[y][x];
    if (!endpoint->read) {
        network->connect(network->context, x, y);
    }
    return endpoint;
}

/* Call this after anything that may have started requests on a tile. */
static inline void network_notice(struct network *network, unsigned initiator)
{
    if (network->initiator[initiator]->outbox->count) {
        network->waiting[initiator / 64] |= UINT64_C(1) << initiator % 64;
    }
}

/* Has a channel of DRAM do the copies that it was asked for before a time, which come before packets of that time. */
static inline void network_book_copies(struct network *network, unsigned channel, uint64_t before)
{
    if (__builtin_expect(network->copies >> channel & 1, 0)) {
        network->book(network->context, channel, before);
    }
}

/* Functional mode: carries out all requests that an initiator has started, between two of its tile's turns. Returns how
   many there were. */
unsigned network_carry_all(struct network *network, unsigned initiator);

/* Functional mode: the same within a turn, for the request that its tile has just started, if no other waits, and if
   the tile may go on at once. Returns whether it was carried out. */
bool network_carry_at_once(struct network *network, unsigned initiator);

/* Whether any request waits for the next exchange, or, in timed mode, is under way. */
bool network_pending(const struct network *network);

/* Whether requests wait in outboxes to be carried out. */
bool network_requested(const struct network *network);

/* Carries out all requests started so far; in timed mode, all that is due at `now`. A request with an error stops the
   tile of its initiator. Returns how many requests there were, or in timed mode how much was due. */
unsigned network_exchange(struct network *network, uint64_t now);

#endif
