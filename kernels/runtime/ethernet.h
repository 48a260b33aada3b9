/* TX and RX queues of an Ethernet tile, for its cores. Queues carry TT-link packets, as the tile's firmware leaves
   them. Source: ISA documentation, EthernetTile/EthernetTxRx.md. */
#ifndef BHEMU_KERNELS_ETHERNET_H
#define BHEMU_KERNELS_ETHERNET_H

#include "mmio.h"

enum {
    ETH_TXQ_CMD = 0x04 / 4,
    ETH_TXQ_STATUS = 0x08 / 4,
    ETH_TXQ_TRANSFER_START_ADDR = 0x14 / 4,
    ETH_TXQ_TRANSFER_SIZE_BYTES = 0x18 / 4,
    ETH_TXQ_DEST_ADDR = 0x1c / 4,
    ETH_RXQ_OUTSTANDING_WR_CNT = 0x50 / 4,
};

enum { ETH_TXQ_CMD_L1_WRITE = 2, ETH_TXQ_STATUS_CMD_ONGOING = 1 << 16 };

/* Registers of queue 0, 1 or 2. */
static inline volatile uint32_t *eth_tx_queue(uint32_t queue)
{
    return (volatile uint32_t *)(0xffb90000 + queue * 0x1000);
}

static inline volatile uint32_t *eth_rx_queue(uint32_t queue)
{
    return (volatile uint32_t *)(0xffb94000 + queue * 0x1000);
}

/* Copies bytes of this tile's L1 to that of the tile at the other end of the link; all are multiples of 16. Returns
   when the queue takes the next command: the bytes may be overwritten. What a queue sends arrives in order, but the
   receiver sees a write before it is in L1: eth_wait_arrived(). */
static inline void eth_write(uint32_t queue, uint32_t from, uint32_t to, uint32_t size)
{
    volatile uint32_t *tx = eth_tx_queue(queue);
    tx[ETH_TXQ_TRANSFER_START_ADDR] = from;
    tx[ETH_TXQ_TRANSFER_SIZE_BYTES] = size;
    tx[ETH_TXQ_DEST_ADDR] = to;
    tx[ETH_TXQ_CMD] = ETH_TXQ_CMD_L1_WRITE;
    load_complete(&tx[ETH_TXQ_CMD]);
    while (tx[ETH_TXQ_STATUS] & ETH_TXQ_STATUS_CMD_ONGOING) {
    }
}

/* Waits until all that the queue has received is in L1. */
static inline void eth_wait_arrived(uint32_t queue)
{
    while (eth_rx_queue(queue)[ETH_RXQ_OUTSTANDING_WR_CNT]) {
    }
}

#endif
