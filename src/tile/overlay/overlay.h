/* The NoC overlay of a tile: streams, which carry messages in phases of a known number of messages, from software or
   from another stream, to software, to other streams, or nowhere. Tensix tiles have 64, Ethernet tiles 32. Streams that
   are idle serve as counters. The state is plain data; the code is in:
     registers.c  registers                  messages.c  messages pushed and pulled by software
     phases.c     phases and handshakes      packets.c   packets sent and received
     gather.c     several streams of the tile joined into one
     headers.c    message header arrays

   After each event a stream progresses as far as it can before any other access. Packets go to the tile's outbox and
   arrive with the next exchange of the NoC. Lengths and addresses are in units of 16 bytes. Not emulated, with a
   diagnostic when such a phase starts: phases out of order, tokens, copies (docs/unsupported.md). Sources: ISA
   documentation NoC/Overlay/README.md and the pages beside it (Wormhole); tt-metal noc_overlay_parameters.h
   (Blackhole's indices and fields). */
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
    STREAM_STRIDE = 0x1000, /* bytes between the registers of two streams */
    STREAM_MESSAGES = 16,   /* capacity of each FIFO; docs/discrepancies.md */
    STREAM_DESTINATIONS = 32,
    STREAM_HEADER_WORDS = 4,
    STREAM_OFFSETS = 8, /* of the global offset table */
};

/* STREAM_CURR_STATE. */
enum stream_state { STREAM_IDLE, STREAM_LOADING, STREAM_LOADED = 3, STREAM_FLUSHING, STREAM_FORWARDING };

/* A message in the message metadata FIFO. source: 1 + the stream of the same tile whose buffer holds it; 0: this
   stream's. */
struct stream_message {
    uint8_t source;
    bool last; /* the message ends its phase, if that is endless */
    uint32_t address, length;
    uint32_t header[STREAM_HEADER_WORDS];
};

/* A read of L1 that is not complete: the space to give back afterwards, and its buffer, as in struct stream_message. */
struct stream_read {
    uint8_t source[2];
    uint32_t length[2];
};

struct stream_engine {
    uint8_t state;                      /* enum stream_state */
    bool same_source, same_destination; /* as in the phase before: no handshake */
    bool shaking, requested;            /* waits for a handshake with its destinations; has sent them requests */
    bool respond, two_way;              /* has to send a handshake response; because the source requested it */
    bool heard;                         /* data of the phase have arrived */
    bool incoming;                      /* a message has arrived in part */
    bool endless;                       /* endless phase: it ends with a message that is marked as the last */
    bool last, last_header;             /* the last message has arrived; its header was seen */
    uint16_t expected;                  /* messages of the phase still to be received */
    uint8_t first, count;               /* message metadata FIFO: messages received and not transmitted yet */
    uint8_t first_read, reads;          /* L1 read complete FIFO: data not given back yet */
    struct stream_message message[STREAM_MESSAGES];
    struct stream_read read[STREAM_MESSAGES];
    uint32_t set_header[STREAM_HEADER_WORDS]; /* header of the next message that software pushes */
    uint32_t next_message;                    /* receive buffer offset of the next message to enter the FIFO */
    uint32_t in_flight;                       /* occupied space of the receive buffer */
    uint32_t arrived;                         /* part of it that has not been transmitted */
    uint32_t sent;                            /* part of the front message that has been sent */
    uint32_t lent;                            /* space lent to a gathering stream and not given back yet */
    uint32_t freed;                           /* space given back but not yet reported to the source */
    uint32_t freed_info;                      /* likewise, in a header array that wraps around */
    uint32_t gather;                          /* STREAM_GATHER at the beginning of the phase; 0: nothing gathered yet */
    bool gathering;                           /* all streams to gather from have started their phases */
    uint8_t group, next_group;       /* 1 + first stream of the group being gathered from, 0: none; the next group */
    uint32_t gathered;               /* messages gathered from that group */
    uint32_t in_order;               /* messages gathered since the first group */
    uint32_t to_clear;               /* messages that STREAM_MULTI_MSG_CLEAR still has to clear */
    struct diagnostic_origin origin; /* agent that started the phase */
};

struct overlay {
    /* One register of all streams after the other: what a boot writes, a few of each stream, is on few pages. */
    uint32_t words[STREAM_REGISTERS][STREAMS];
    uint16_t info_space[STREAMS]
                       [STREAM_DESTINATIONS]; /* free space in destinations' header arrays, if they wrap around */
    struct stream_engine engine[STREAMS];
    uint32_t ready[STREAMS]
                  [STREAM_DESTINATIONS]; /* phases for which destinations are ready, with HANDSHAKE_READY set */
    uint32_t offset[STREAM_OFFSETS];
    uint64_t done;    /* STREAM_BLOB_AUTO_CFG_DONE */
    uint64_t busy;    /* streams that may be able to make progress */
    bool waiting;     /* a stream waits for room in the outbox */
    bool of_ethernet; /* it has ETHERNET_STREAMS. A Tensix tile's is all zeroes at first */
};

static inline unsigned overlay_streams(const struct overlay *overlay)
{
    return overlay->of_ethernet ? ETHERNET_STREAMS : STREAMS;
}

/* An overlay with the parts of its tile that it uses. */
struct overlay_site {
    struct overlay *overlay;
    const struct l1 *l1;
    uint32_t l1_size;
    uint32_t link_units; /* longest packet that an Ethernet tile sends over its link; 0: no link */
    struct niu *niu;     /* both */
    struct noc_outbox *outbox;
    struct diagnostics *diagnostics;
    struct observed *observed;
};

/* Whether a stream has a register with an effect at `index` that belongs to an array of registers, which
   tables/mmio.def does not name. */
bool overlay_is_row(const struct overlay *overlay, unsigned stream, uint32_t index);

/* Loads and stores of registers. STEP_STOP: nothing happened, or a consequence of it was wrong. */
enum step overlay_read(const struct overlay_site *site, unsigned stream, uint32_t index, uint32_t *value);
enum step overlay_write(const struct overlay_site *site, unsigned stream, uint32_t index, uint32_t value);

/* A packet for a stream has arrived, and its data are in L1. Returns the error, or null. */
const char *overlay_packet(const struct overlay_site *site, uint16_t tag, uint32_t bytes);

/* The data of a packet that the stream sent have been read. */
void overlay_sent(const struct overlay_site *site, unsigned stream);

/* The outbox has room again. */
void overlay_go_on(const struct overlay_site *site);

#endif
