/* The NoC overlay of a tile: streams, which carry messages in phases of a known number of messages, from software or
   from another stream, to software, to other streams, or nowhere. Tensix tiles have 64, Ethernet tiles 32. Streams that
   are idle serve as counters. Plain data, and what accesses and packets make of it:
     tile/overlay/registers.c  registers                    tile/overlay/messages.c  messages pushed and pulled by
   software tile/overlay/phases.c     phases and handshakes        tile/overlay/packets.c   packets that leave and
   arrive tile/overlay/gather.c     several streams of the tile joined into one tile/overlay/headers.c    message header
   arrays Whatever happens to a stream, it goes on as far as it can before anybody looks at it again; what leaves goes
   to the tile's outbox and arrives with the next exchange of the NoC. Lengths and addresses are in units of 16 bytes.
   Not emulated, with a diagnostic when such a phase starts: phases out of order, tokens, copies (docs/unsupported.md).
   Sources: ISA documentation NoC/Overlay/README.md and the pages beside it (Wormhole); tt-metal
   noc_overlay_parameters.h (Blackhole's indices and fields). */
#ifndef BHEMU_TILE_OVERLAY_OVERLAY_H
#define BHEMU_TILE_OVERLAY_OVERLAY_H

#include <stdbool.h>
#include <stdint.h>

#include "debug/diagnostic.h"
#include "memory/l1.h"
#include "noc/niu.h"

enum {
    STREAMS = 64,
    ETHERNET_STREAMS = 32,
    STREAM_REGISTERS = 512,
    STREAM_STRIDE = 0x1000, /* bytes from one stream's registers to the next one's */
    STREAM_MESSAGES = 16,   /* of each FIFO; docs/discrepancies.md */
    STREAM_DESTINATIONS = 32,
    STREAM_HEADER_WORDS = 4,
    STREAM_OFFSETS = 8, /* of the global offset table */
};

/* STREAM_CURR_STATE. */
enum stream_state { STREAM_IDLE, STREAM_LOADING, STREAM_LOADED = 3, STREAM_FLUSHING, STREAM_FORWARDING };

/* One message of the message metadata FIFO. source: 1 + the stream of the same tile whose buffer it is in; 0: the own.
 */
struct stream_message {
    uint8_t source;
    bool last; /* it ends its phase, if that is without end */
    uint32_t address, length;
    uint32_t header[STREAM_HEADER_WORDS];
};

/* A read of L1 that is not complete: what is given back then, and to whom, as in struct stream_message. */
struct stream_read {
    uint8_t source[2];
    uint32_t length[2];
};

struct stream_engine {
    uint8_t state;                      /* enum stream_state */
    bool same_source, same_destination; /* as in the phase before: no handshake */
    bool shaking, requested;            /* waits for its destinations to be ready; has asked them */
    bool respond, two_way;              /* a handshake response is to be sent; because the source asked for it */
    bool heard;                         /* something of the phase has arrived */
    bool incoming;                      /* a message has arrived in part */
    bool endless;                       /* the phase ends with a message that says so */
    bool last, last_header;             /* such a message has come; its header said so */
    uint16_t expected;                  /* messages of the phase that have not been received yet */
    uint8_t first, count;               /* the message metadata FIFO: received, not transmitted yet */
    uint8_t first_read, reads;          /* the L1 read complete FIFO: data not given back yet */
    struct stream_message message[STREAM_MESSAGES];
    struct stream_read read[STREAM_MESSAGES];
    uint32_t set_header[STREAM_HEADER_WORDS]; /* of the next message that software pushes */
    uint32_t next_message; /* where in the receive buffer the next message begins that has no place in the FIFO yet */
    uint32_t in_flight;    /* of the receive buffer, taken up */
    uint32_t arrived;      /* of it, what has not been transmitted */
    uint32_t sent;         /* of the message at the front of the FIFO, what has left */
    uint32_t lent;         /* of messages that were gathered from it, what is not given back yet */
    uint32_t freed;        /* given back, of which the source has not been told */
    uint32_t freed_info;   /* likewise, of a header array that wraps around */
    uint32_t gather;       /* STREAM_GATHER as the phase began with it; 0: nothing was gathered yet */
    bool gathering;        /* all that it gathers from have started their phases */
    uint8_t group, next_group; /* 1 + the first stream of the group that it gathers from now, 0: none; the next one */
    uint32_t gathered;         /* messages of that group */
    uint32_t in_order;         /* messages since it began with the first group */
    uint32_t to_clear;         /* messages that STREAM_MULTI_MSG_CLEAR is to clear yet */
    struct diagnostic_origin origin; /* who started it */
};

struct overlay {
    uint32_t words[STREAMS][STREAM_REGISTERS];
    uint16_t info_space[STREAMS][STREAM_DESTINATIONS]; /* free in header arrays of destinations, if they wrap around */
    struct stream_engine engine[STREAMS];
    uint32_t ready[STREAMS][STREAM_DESTINATIONS]; /* phases for which destinations are ready; HANDSHAKE_READY is set */
    uint32_t offset[STREAM_OFFSETS];
    uint64_t done;         /* STREAM_BLOB_AUTO_CFG_DONE */
    uint64_t busy;         /* streams that may have something to do */
    bool waiting;          /* some stream waits for room in the outbox */
    uint8_t x, y, streams; /* NoC 0 coordinates of the tile */
};

/* An overlay with what is around it. */
struct overlay_site {
    struct overlay *overlay;
    const struct l1 *l1;
    uint32_t l1_size;
    uint32_t link_units; /* the longest packet that an Ethernet tile sends to its peer; 0: there is no peer */
    struct niu *niu;     /* both */
    struct noc_outbox *outbox;
    struct diagnostics *diagnostics;
    struct observed *observed;
};

/* Puts an overlay, which has to be zero, into its state after power-on. */
void overlay_reset(struct overlay *overlay, unsigned streams, unsigned x, unsigned y);

/* Whether a stream has a register at `index` that tables/mmio.def has no name for, and that does something: it is part
   of a row of them. */
bool overlay_is_row(const struct overlay *overlay, unsigned stream, uint32_t index);

/* What loads and stores of registers do. STEP_STOP: nothing happened, or what followed from it was wrong. */
enum step overlay_read(const struct overlay_site *site, unsigned stream, uint32_t index, uint32_t *value);
enum step overlay_write(const struct overlay_site *site, unsigned stream, uint32_t index, uint32_t value);

/* A packet for a stream has arrived, its data are in L1. Returns what is wrong with it, or null. */
const char *overlay_packet(const struct overlay_site *site, uint16_t tag, uint32_t bytes);

/* The data of a packet that the stream sent have been read. */
void overlay_sent(const struct overlay_site *site, unsigned stream);

/* The outbox has room again. */
void overlay_go_on(const struct overlay_site *site);

#endif
