/* The wire of a chip's Ethernet tiles: what they send to tiles of other chips, and what is on its way to them.

   A chip of a system is wired: each of its channels leads to one channel of another chip, or nowhere. A command of a TX
   queue becomes one message, with the clock at which its last byte will have arrived: a link transports so many bytes a
   cycle, one message after the other, and each takes the link's latency. The system takes what was sent at the end of
   each epoch, which is no longer than that latency, and puts it where it is going (system/): so a message arrives in a
   later epoch than that in which it was sent. While a link is down (chip/ethernet/port.h) raw frames on it are lost,
   and TT-link packets arrive when it is up again, since senders repeat them until then. A chip that is in no system is
   not wired: what its tiles send comes back to them at once, as in the loopback of the PCS.

   Each TT-link packet acknowledges what its sender has received on the RX queue of the same number; a TX queue that
   sends none for a while sends a sequence number update. Those take no room on the link here, and are no messages: this
   end knows when its packets arrive, and when the other one has sent its last packet.

   Plain data but for the memory of the messages. Sources: ISA documentation EthernetTile/EthernetTxRx.md (what the
   kinds of packets are; acknowledgements); tables/links.def (latency, bytes a cycle, sequence number updates). */
#ifndef BHEMU_CHIP_ETHERNET_WIRE_H
#define BHEMU_CHIP_ETHERNET_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "chip/ethernet/port.h"

enum { WIRE_AHEAD = 64 }; /* packets that a queue takes at most before those in front are sent */

enum wire_kind {
    WIRE_L1_WRITE,     /* TT-link: the bytes go to `address` of L1 */
    WIRE_MMIO_WRITE,   /* TT-link: `value` goes to a register */
    WIRE_STREAM_DATA,  /* TT-link, for an overlay stream: the bytes go to `address` of L1; see chip/ethernet/link.c */
    WIRE_STREAM_WRITE, /* TT-link, of an overlay stream: `value` goes to a register */
    WIRE_FRAME,        /* a raw packet: the bytes are the whole frame */
    WIRE_CARRIER,      /* no packet: from now on the sender's port is on (value 1) or off (0) */
    WIRE_NOTHING,      /* it was lost, or taken before those in front of it */
    WIRE_KINDS
};

struct wire_message {
    uint64_t arrives;  /* the clock at which its last byte has arrived */
    uint32_t sequence; /* counts the messages of a channel */
    uint32_t size;     /* of the bytes that follow it */
    uint32_t address, value;
    uint32_t packets,
        packet_bytes; /* TT-link: into how many packets it was split, the longest with so many bytes of it */
    uint16_t tag;     /* of a stream's packet: struct noc_request */
    uint8_t channel;  /* that sends it; where it is put for its receiver: that receives it */
    uint8_t queue, kind;
    uint8_t unused;
    uint16_t chip; /* where it is put for its receiver: the chip that receives it */
    uint8_t unused_too[4];
};

/* Messages one behind the other, each at a multiple of 8 bytes. */
struct wire_buffer {
    uint8_t *bytes;
    size_t size, room;
    size_t at; /* those in front of it were taken */
};

/* false: there is no memory for it. */
bool wire_buffer_add(struct wire_buffer *buffer, const struct wire_message *message, const void *bytes);

/* The next one, whose bytes are behind it; null: there is none. Valid until something is added. */
const struct wire_message *wire_buffer_next(const struct wire_buffer *buffer);
void wire_buffer_take(struct wire_buffer *buffer);

/* TT-link packets of a TX queue of the other end. */
struct wire_heard {
    uint64_t began,
        ended; /* when it began to send the last one that has arrived, and when that had left; 0: none has */
    uint32_t acknowledged; /* packets of this end that had arrived there by then, or when the link went down */
};

struct wire {
    bool wired;
    uint16_t connected; /* channels that lead to another chip */
    uint32_t latency;   /* of links, in cycles */
    struct link_ports port;
    uint32_t sent[WIRE_CHANNELS];
    uint64_t free[WIRE_CHANNELS];                             /* when the link will have sent all that it was given */
    uint64_t accepts[WIRE_CHANNELS][WIRE_QUEUES];             /* when each TX queue takes its next command */
    uint32_t packets[WIRE_CHANNELS][WIRE_QUEUES];             /* that each has sent, or will have */
    uint64_t sent_at[WIRE_CHANNELS][WIRE_QUEUES][WIRE_AHEAD]; /* when the last ones of them leave, by their numbers */
    uint32_t frames[WIRE_CHANNELS][WIRE_QUEUES];              /* how many of them were raw */
    struct wire_heard heard[WIRE_CHANNELS][WIRE_QUEUES];
    struct wire_buffer out;               /* in the order in which they were sent */
    struct wire_buffer in[WIRE_CHANNELS]; /* in the order in which they arrive */
};

void wire_destroy(struct wire *wire);

/* Forgets all that is under way. Ports are on, and links up where the other end is. The second is for a chip that
   others know already: they notice that ports are on again. */
void wire_reset(struct wire *wire);
void wire_restart(struct wire *wire, uint64_t now);

/* Switches the port of a channel off, or on again, at `now`; the other end notices a latency later. false: there is no
   memory. */
bool wire_switch(struct wire *wire, unsigned channel, uint64_t now, bool on);

/* To be called when plugged, on, other_on or awaited of the channel's port has changed. */
void wire_update(struct wire *wire, unsigned channel, uint64_t now);

/* Sends a message, at `now`, as `wire_bytes` bytes with all headers. Its queue takes the next command when at most
   `ahead` of its packets are left to be sent; 0: when the link begins with the message. false: there is no memory. */
bool wire_send(struct wire *wire, uint64_t now, struct wire_message *message, const void *bytes, uint64_t wire_bytes,
               unsigned ahead);

/* A TT-link message has arrived, whose last packet's frame has so many bytes. */
void wire_hear(struct wire *wire, const struct wire_message *message, uint64_t frame_bytes);

/* How many TT-link packets of a TX queue the other end has acknowledged, as far as this one knows at `now`: what it had
   received when it began to send the last packet that has arrived here. If more than WIRE_AHEAD packets were under way
   then, those of them are left out that the packet before acknowledges no more. What the other end sets its
   ETH_TXQ_LOCAL_SEQ_UPDATE_TIMEOUT to makes no difference. */
uint32_t wire_acknowledged(const struct wire *wire, unsigned channel, unsigned queue, uint64_t now);

/* The channel on which something happens next, and at which clock: a message arrives, or its port has to do something
   (port_act()). UINT64_MAX: nothing will. */
uint64_t wire_next_arrival(const struct wire *wire, unsigned *channel);

/* The next message of a channel that does not wait for the link to come up again; null: there is none. It is to be
   given to wire_take() afterwards. */
const struct wire_message *wire_next(const struct wire *wire, unsigned channel);
void wire_take(struct wire *wire, unsigned channel);

/* Whether anything is on its way to this chip, or was sent and not yet taken, or a link is about to come up. */
bool wire_is_busy(const struct wire *wire);

#endif
