/* One Ethernet tile: 512 KiB of L1, two RISC-V cores E0 and E1, two NIUs, TX and RX queues. Memory map, for cores and
   NoC alike, beyond what chip/core_tile/core_tile.h has:
     0xffb4_0000 overlay streams (chip/ethernet/overlay.c)        0xffb9_0000 TX queues         0xffb9_4000 RX queues
     0xffb9_8000 control         0xffb9_8200 TX header table      0xffb9_8800 PTP timer
     0xffb9_c000 RX classifier   0xffb9_d800 timestamps of received frames

   The base firmware that runs on E0 of silicon is modelled (chip/ethernet/firmware.h): a core that leaves reset without
   a reset PC, and without an instruction at address 0, would run it, and so executes nothing. What TX queues send goes
   to another chip if this one is part of a system (chip/ethernet/wire.h). Otherwise no cable is plugged in, the links
   are down, and it arrives at the RX queues of the same tile, as in the loopback of the PCS.
   Sources: ISA documentation EthernetTile/README.md, BabyRISCV/README.md, EthernetTxRx.md; tt-umd blackhole_eth.hpp
   (what firmware leaves in L1); ttsim (addresses of the functions, the mailbox). */
#ifndef BHEMU_CHIP_ETHERNET_ETHERNET_H
#define BHEMU_CHIP_ETHERNET_ETHERNET_H

#include <stdbool.h>
#include <stdint.h>

#include "chip/board.h"
#include "chip/core_tile/core_tile.h"
#include "chip/ethernet/classifier.h"
#include "chip/ethernet/timer.h"
#include "chip/ethernet/wire.h"
#include "tile/overlay/overlay.h"

enum { ETHERNET_Y = 1, ETHERNET_L1_SIZE = 512 * 1024, ETHERNET_CORES = 2, ETHERNET_QUEUES = 3, ETHERNET_HEADERS = 10 };
enum { ETHERNET_TX_REGISTERS = 0x8c / 4, ETHERNET_RX_REGISTERS = 0x54 / 4, ETHERNET_HEADER_REGISTERS = 0x80 / 4 };
enum { ETHERNET_E0, ETHERNET_E1 };

static const struct actor ethernet_queues = {.agent = BH_AGENT_ETHERNET};

/* What the MAC has sent and received, all headers included. */
struct ethernet_mac {
    uint64_t frames_sent, bytes_sent, frames_received, bytes_received;
};

/* The base firmware of E0. */
struct ethernet_firmware {
    bool runs;        /* on E0: no other program does, and E0 is not in reset */
    uint8_t reports;  /* the mailbox, counted from 1, whose request ends when the link is up; 0: none */
    uint32_t program; /* to which the firmware's code hands E0 over next */
    uint64_t beat_at; /* the clock of the last heartbeat */
};

struct ethernet {
    struct core_tile tile; /* E0 and E1 are its cores 0 and 1 */
    unsigned channel;      /* the tile's number on the die */
    struct niu niu[NIUS];
    uint32_t tx[ETHERNET_QUEUES][ETHERNET_TX_REGISTERS], rx[ETHERNET_QUEUES][ETHERNET_RX_REGISTERS];
    uint32_t headers[ETHERNET_HEADERS][ETHERNET_HEADER_REGISTERS];
    uint32_t mac_rx_routing, mac_rx_addr_routing, eop_status_good;
    struct classifier classifier;
    struct ethernet_timer timer;
    struct overlay overlay;
    struct ethernet_mac mac;
    struct ethernet_firmware firmware;
    struct wire *wire; /* of the chip */
};

/* The tile after its firmware has booted. *ethernet has to be zero. code_room: see l1_connect(). */
void ethernet_create(struct ethernet *ethernet, void *code_room, unsigned channel, const struct board *board,
                     const struct noc_translation *translation, enum bh_policy_preset policy);

/* As core_tile_run(); then firmware serves what it was asked for. */
uint64_t ethernet_run(struct ethernet *ethernet, uint32_t cycles);

/* Accesses over the NoC. All or nothing. */
enum step ethernet_read(struct ethernet *ethernet, uint64_t address, void *data, uint32_t size);
enum step ethernet_write(struct ethernet *ethernet, uint64_t address, const void *data, uint32_t size);

/* Registers of overlay streams, and of the queues. */
enum step ethernet_overlay_read(struct ethernet *ethernet, uint32_t address, uint32_t *value);
enum step ethernet_overlay_write(struct ethernet *ethernet, uint32_t address, uint32_t value);
enum step ethernet_queue_read(struct ethernet *ethernet, uint32_t address, uint32_t *value);
enum step ethernet_queue_write(struct ethernet *ethernet, uint32_t address, uint32_t value);
void ethernet_queues_reset(struct ethernet *ethernet);

/* Whether there is one of them that can be written. */
bool ethernet_overlay_takes(const struct ethernet *ethernet, uint32_t address);
bool ethernet_queue_takes(uint32_t address);

/* Whether the PCS says so; that of a chip in no system is in loopback, and up. */
bool ethernet_link_is_up(const struct ethernet *ethernet);

/* The queues, as overlay streams use them: whether an RX queue receives TT-link packets; its
   ETH_RXQ_TILE_HEADER_FORMAT; the longest packet of a TX queue, in units of 16 bytes. */
bool ethernet_queue_is_linked(const struct ethernet *ethernet, unsigned queue);
uint32_t ethernet_tile_header_format(const struct ethernet *ethernet, unsigned queue);
uint32_t ethernet_link_units(const struct ethernet *ethernet, unsigned queue);

/* Executes an overlay stream's transfer over the link, which begins at `time`. */
void ethernet_link(struct ethernet *ethernet, const struct noc_request *request, uint64_t time);

/* Timed mode: executes such transfers that the outbox holds and that were started before `end`, each at its time.
   Called after each turn, this keeps them in order with the commands of TX queues, which use the same link. */
void ethernet_send_links(struct ethernet *ethernet, uint64_t end);

/* A message has arrived over the link; bytes are message->size. The second is for those of streams. */
enum step ethernet_receive(struct ethernet *ethernet, const struct wire_message *message, const void *bytes);
enum step ethernet_receive_stream(struct ethernet *ethernet, const struct wire_message *message, const void *bytes);

/* The NoC overlay of the tile. */
struct overlay_site ethernet_overlay(struct ethernet *ethernet);

/* Whether no public source says that there is a register at this address of the register region. */
bool ethernet_unknown(uint32_t address);

/* Diagnoses an access to a register that does not exist or is not emulated. */
enum step ethernet_absent(struct ethernet *ethernet, const char *what, uint32_t address);

#endif
