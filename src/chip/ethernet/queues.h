/* The registers of TX and RX queues, and what arrives at RX queues. Source: ISA documentation
   EthernetTile/EthernetTxRx.md; RESEND_CNT and DATA_PACKET_ACCEPT_AHEAD: tt-metal tt_eth_ss_regs.h. */
#ifndef BHEMU_CHIP_ETHERNET_QUEUES_H
#define BHEMU_CHIP_ETHERNET_QUEUES_H

#include "chip/ethernet/ethernet.h"
#include "chip/ethernet/wire.h"

/* Indices of TX registers. */
enum {
    TXQ_CTRL = 0x00 / 4,
    TXQ_CMD = 0x04 / 4,
    TXQ_STATUS = 0x08 / 4,
    TXQ_MAX_PKT_SIZE_BYTES = 0x0c / 4,
    TXQ_TRANSFER_START_ADDR = 0x14 / 4,
    TXQ_TRANSFER_SIZE_BYTES = 0x18 / 4,
    TXQ_DEST_ADDR = 0x1c / 4,
    TXQ_TRANSFER_CNT = 0x30 / 4,
    TXQ_PKT_START_CNT = 0x34 / 4,
    TXQ_PKT_END_CNT = 0x3c / 4,
    TXQ_WORD_CNT = 0x40 / 4,
    TXQ_REMOTE_REG_DATA = 0x44 / 4,
    TXQ_LOCAL_SEQ_UPDATE_TIMEOUT = 0x4c / 4,
    TXQ_RESEND_CNT = 0x68 / 4,               /* how often it began to send again */
    TXQ_DATA_PACKET_ACCEPT_AHEAD = 0x6c / 4, /* packets to take before those in front are sent */
    TXQ_TXPKT_CFG_SEL_SW = 0x80 / 4,
    TXQ_TXPKT_CFG_SEL_HW = 0x84 / 4,
};

/* Indices of RX registers. */
enum {
    RXQ_CTRL = 0x00 / 4,
    RXQ_BYTE_CNT = 0x04 / 4,
    RXQ_BUF_PTR = 0x08 / 4,
    RXQ_BUF_START_WORD_ADDR = 0x0c / 4,
    RXQ_BUF_SIZE_WORDS = 0x10 / 4,
    RXQ_WORD_CNT = 0x14 / 4,
    RXQ_HDR_CTRL = 0x18 / 4,
    RXQ_PKT_START_CNT = 0x24 / 4,
    RXQ_PKT_END_CNT = 0x28 / 4,
    RXQ_LOCAL_RX_SEQ_NUM = 0x40 / 4,  /* of the next TT-link packet */
    RXQ_REMOTE_RX_SEQ_NUM = 0x44 / 4, /* the last one that the other end is known to have sent of its own RX queue */
    RXQ_TILE_HEADER_FORMAT = 0x48 / 4,
    RXQ_PACKET_DROP_CNT = 0x4c / 4,
    RXQ_OUTSTANDING_WR_CNT = 0x50 / 4,
};

enum { PACKET_MODE = 1 << 1, BUF_WRAP = 1 << 2 }; /* of ETH_RXQ_CTRL */

enum { LAST_QUEUE = ETHERNET_QUEUES - 1, L1_UNIT = 16, SEQUENCE_NUMBER = 0xff };

/* Counts a frame of so many bytes, all headers included. */
void ethernet_count_sent(uint32_t *tx, uint32_t bytes);
void ethernet_count_received(uint32_t *rx, uint32_t bytes);

/* The frame of a TT-link packet that carries so many bytes. */
uint32_t ethernet_link_frame(uint32_t bytes);

/* All that a message takes on the wire; its last packet. */
uint64_t ethernet_wire_bytes(const struct wire_message *message);
uint32_t ethernet_last_frame(const struct wire_message *message);

/* Sends a message of the queue that it names, of which `bytes` are message->size: over the wire, or, if the chip has
   none, back to this tile, where it arrives at once. While the link is down a frame is lost. */
enum step ethernet_transmit(struct ethernet *ethernet, uint64_t now, struct wire_message *message, const void *bytes);

#endif
