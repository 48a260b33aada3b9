/* queue: commands out of the host's memory. The host puts them into a ring there, and how long each is into slots of
   the fetcher's L1. The fetcher (B) reads them over PCIe, several at a time, each under a transaction id of its own,
   and hands their pages to the dispatcher (NC of another tile) through a ring there, by credits. The dispatcher carries
   them out: it writes and reads tiles and DRAM, sets workers (T0 of a rectangle of tiles) going by a broadcast and
   waits until they have counted themselves in on one of its streams, and answers into a second ring in the host's
   memory. */
#ifndef BHEMU_KERNELS_PROTOCOL_H
#define BHEMU_KERNELS_PROTOCOL_H

#include <stdint.h>

#include "../runtime/layout.h"

enum {
    QUEUE_PAGE = 256,
    QUEUE_PAGES_MAX = 8, /* of one command */
    QUEUE_SLOTS = 16,    /* uint16_t: pages of a command; the fetcher clears them */
    QUEUE_FLIGHTS = 4,   /* reads over PCIe under way */
    QUEUE_RING_PAGES = 32,
    QUEUE_HEAD = 32, /* bytes of struct queue_command; data are behind it */
    QUEUE_WORK_WORDS = 64,

    QUEUE_SLOTS_AT = LAYOUT_BUFFERS, /* fetcher */
    QUEUE_FETCHED_AT = LAYOUT_TENSORS,
    QUEUE_TAKEN_AT = LAYOUT_BUFFERS, /* dispatcher: number of bytes of answers that the host has taken so far */
    QUEUE_RING_AT = LAYOUT_TENSORS,
    QUEUE_STAGE_AT = QUEUE_RING_AT + QUEUE_RING_PAGES * QUEUE_PAGE, /* copy of the command being executed */
    QUEUE_ANSWER_AT = QUEUE_STAGE_AT + QUEUE_PAGES_MAX * QUEUE_PAGE,
    QUEUE_POINTER_AT = QUEUE_ANSWER_AT + QUEUE_PAGES_MAX * QUEUE_PAGE,
    QUEUE_GO_AT = LAYOUT_BUFFERS, /* worker: a number whose change starts it, and which it adds; 0 ends it */
    QUEUE_WORK_AT = LAYOUT_TENSORS,

    QUEUE_CREDITS_STREAM = 5,
    QUEUE_DONE_STREAM,
};

enum queue_kind { QUEUE_STOP, QUEUE_WRITE, QUEUE_ECHO, QUEUE_READ, QUEUE_GO, QUEUE_WAIT };

struct queue_command {
    uint32_t kind, pages;
    uint32_t at, address; /* at: a tile; GO: a rectangle of tiles, in the order of corners that NoC 1 needs */
    uint32_t size;        /* bytes, a multiple of 16: after the head (WRITE, ECHO), or to be read */
    uint32_t count;       /* GO: number of tiles; WAIT: total number of tiles that must have counted themselves in */
    uint32_t unused[2];
};

/* At LAYOUT_ARGUMENTS. Offsets of the host's memory are below 4 GiB; rings are multiples of QUEUE_PAGE, and what does
   not fit before a ring's end stands at its start. */
struct queue_arguments {
    uint32_t other;           /* fetcher: the dispatcher; dispatcher: the fetcher; worker: the dispatcher */
    uint32_t host;            /* the PCIe tile */
    uint32_t ring, ring_size; /* of commands, of answers */
    uint32_t answered;        /* dispatcher: address in the host's memory for the number of bytes of answers so far */
};

#endif
