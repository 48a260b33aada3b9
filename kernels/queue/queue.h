/* What the programs of queue share, besides what the host knows (protocol.h). */
#ifndef BHEMU_KERNELS_QUEUE_H
#define BHEMU_KERNELS_QUEUE_H

#include "credits.h"
#include "protocol.h"

_Static_assert((int)QUEUE_CREDITS_STREAM == (int)CREDITS_STREAM, "pages are counted as credits are");

/* Bits 63:58 of an address of the PCIe tile: the host's memory through the iATU. */
#define QUEUE_HOST_WINDOW (4u << 26)

/* A transfer of the host's memory: of what is at `offset` there to this tile, or the other way. */
static inline void queue_transfer(struct noc *noc, enum noc_initiator initiator, uint32_t host, uint32_t offset,
                                  uint32_t local, uint32_t size, uint32_t id)
{
    volatile uint32_t *registers = noc->niu + initiator * (0x800 / 4);
    uint32_t read = initiator == NOC_READS;
    while (registers[NOC_CMD_CTRL]) {
    }
    registers[NOC_TARG_ADDR_LO] = read ? offset : local;
    registers[NOC_TARG_ADDR_MID] = read ? QUEUE_HOST_WINDOW : 0;
    registers[NOC_TARG_ADDR_HI] = read ? host : noc->self;
    registers[NOC_RET_ADDR_LO] = read ? local : offset;
    registers[NOC_RET_ADDR_MID] = read ? 0 : QUEUE_HOST_WINDOW;
    registers[NOC_RET_ADDR_HI] = read ? noc->self : host;
    registers[NOC_PACKET_TAG] = id << 10;
    registers[NOC_CTRL] = (read ? NOC_READ : NOC_WRITE) | NOC_RESPONSE;
    registers[NOC_AT_LEN_BE] = size;
    registers[NOC_CMD_CTRL] = 1;
    noc->expected[read ? NOC_RD_RESP_RECEIVED : NOC_WR_ACK_RECEIVED]++;
}

/* Requests under a transaction id that have no response yet. */
static inline uint32_t queue_outstanding(const struct noc *noc, uint32_t id)
{
    enum { OUTSTANDING = 16 }; /* the first of such counters */
    return noc->niu[0x200 / 4 + OUTSTANDING + id];
}

static inline uint32_t queue_stream(uint32_t stream, uint32_t index)
{
    return STREAM_REGISTERS + stream * 0x1000 + index * 4;
}

#endif
