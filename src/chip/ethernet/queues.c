/* TX and RX queues of an Ethernet tile, and the TX header table: registers, and what TX queues send. It goes over the
   wire of the chip (chip/ethernet/wire.h) to the tile at the other end of the link, or, if the chip has none, arrives
   at this tile at once. What arrives: chip/ethernet/receive.c. Only a link that is down loses anything: raw packets are
   never sent then, and TT-link packets wait in their queue until the link is up again. Source: ISA documentation
   EthernetTile/EthernetTxRx.md. */
#include <string.h>

#include "chip/ethernet/frames.h"
#include "chip/ethernet/link_constants.h"
#include "chip/ethernet/queues.h"

#define TX_BASE 0xFFB90000u
#define RX_BASE 0xFFB94000u
#define HEADER_BASE 0xFFB98200u

enum { QUEUE_STRIDE = 0x1000, HEADER_STRIDE = 0x80 };

enum { CMD_RAW = 1, CMD_L1_WRITE = 2, CMD_MMIO_WRITE = 4, CMD_ONGOING = 1 << 16 };
enum { WORD_BYTES = 96 };

/* As firmware leaves them on silicon: all queues carry TT-link packets (measured, Knight-Ops/metalium-rs
   docs/learnings/ttsim-divergence.md, rows 56 and 57), each with the entry of the header table that has its number.
   Their destinations are broadcast, multicast and unicast, which MAC_RX_ADDR_ROUTING sends to RX queues 0, 1 and 2
   (verified on silicon, tt-metal eth_ptp.hpp of September 2026; SEL_SW is 0x111 of queue 1, blackhole-py
   distributed/tp2/link.py, and 0x222 of queue 2, metalium-rs). */
enum { KEEPALIVE = 1, MAX_PACKET = 0x1012, ENTRY_FOR_ALL = 0x111 };
enum { MAC_RX_ADDR_ROUTING_RESET = 0xa50, ACCEPTS_AHEAD = 8 };
static const uint32_t destinations[ETHERNET_QUEUES][2] = {{UINT32_MAX, 0xffff}, {1, 0x100}, {0, 0x200}};

void ethernet_queues_reset(struct ethernet *ethernet)
{
    for (unsigned queue = 0; queue < ETHERNET_QUEUES; queue++) {
        ethernet->tx[queue][TXQ_CTRL] = KEEPALIVE;
        ethernet->tx[queue][TXQ_MAX_PKT_SIZE_BYTES] = MAX_PACKET;
        ethernet->tx[queue][TXQ_DATA_PACKET_ACCEPT_AHEAD] = ACCEPTS_AHEAD;
        ethernet->tx[queue][TXQ_LOCAL_SEQ_UPDATE_TIMEOUT] = LINK_SEQUENCE_UPDATE;
        ethernet->tx[queue][TXQ_TXPKT_CFG_SEL_SW] = ENTRY_FOR_ALL * queue;
        ethernet->tx[queue][TXQ_TXPKT_CFG_SEL_HW] = queue;
        ethernet->headers[queue][0x18 / 4] = destinations[queue][0];
        ethernet->headers[queue][0x1c / 4] = destinations[queue][1];
        ethernet->rx[queue][RXQ_CTRL] = PACKET_MODE;
        ethernet->rx[queue][RXQ_HDR_CTRL] = ETHERNET_MAC_HEADER;
    }
    ethernet->mac_rx_addr_routing = MAC_RX_ADDR_ROUTING_RESET;
    ethernet->mac_rx_routing = 0;
}

void ethernet_count_sent(uint32_t *tx, uint32_t bytes)
{
    tx[TXQ_PKT_START_CNT]++;
    tx[TXQ_PKT_END_CNT]++;
    tx[TXQ_WORD_CNT] += (bytes + WORD_BYTES - 1) / WORD_BYTES;
}

uint32_t ethernet_link_frame(uint32_t bytes)
{
    return ETHERNET_MAC_HEADER + LINK_TT_LINK_HEADER + bytes;
}

bool ethernet_queue_is_linked(const struct ethernet *ethernet, unsigned queue)
{
    return ethernet->rx[queue][RXQ_CTRL] & PACKET_MODE;
}

uint32_t ethernet_tile_header_format(const struct ethernet *ethernet, unsigned queue)
{
    return ethernet->rx[queue][RXQ_TILE_HEADER_FORMAT];
}

/* The most that a packet of a queue carries. */
static uint32_t packet_bytes(const struct ethernet *ethernet, unsigned queue)
{
    uint32_t most = ethernet->tx[queue][TXQ_MAX_PKT_SIZE_BYTES] & ~(uint32_t)(L1_UNIT - 1);
    return most ? most : L1_UNIT;
}

uint32_t ethernet_link_units(const struct ethernet *ethernet, unsigned queue)
{
    return packet_bytes(ethernet, queue) / L1_UNIT;
}

static bool in_l1(uint32_t address, uint32_t size)
{
    return address <= ETHERNET_L1_SIZE && size <= ETHERNET_L1_SIZE - address;
}

static bool carries_register(const struct wire_message *message)
{
    return message->kind == WIRE_MMIO_WRITE || message->kind == WIRE_STREAM_WRITE;
}

/* The frame of the packet of a message in front of which `before` packets were. */
static uint32_t frame_of(const struct wire_message *message, uint32_t before)
{
    uint32_t left = message->size - before * message->packet_bytes;
    return message->kind == WIRE_FRAME    ? message->size
           : carries_register(message)    ? ethernet_link_frame(L1_UNIT)
           : left < message->packet_bytes ? ethernet_link_frame(left)
                                          : ethernet_link_frame(message->packet_bytes);
}

uint64_t ethernet_wire_bytes(const struct wire_message *message)
{
    uint64_t all = 0;
    for (uint32_t i = 0; i < message->packets; i++) {
        all += frame_of(message, i);
    }
    return all;
}

uint32_t ethernet_last_frame(const struct wire_message *message)
{
    return frame_of(message, message->packets - 1);
}

/* Counts what a queue sends; `leaves`: the link is up. */
static void count_message(struct ethernet *ethernet, const struct wire_message *message, bool leaves)
{
    for (uint32_t i = 0; i < message->packets; i++) {
        ethernet_count_sent(ethernet->tx[message->queue], frame_of(message, i));
    }
    if (leaves) {
        ethernet->mac.frames_sent += message->packets;
        ethernet->mac.bytes_sent += ethernet_wire_bytes(message);
    }
}

bool ethernet_link_is_up(const struct ethernet *ethernet)
{
    return !ethernet->wire->wired || port_is_up(&ethernet->wire->port, ethernet->channel);
}

/* The link is down: nobody acknowledges TT-link packets, and raw ones are lost. */
static void hold(struct ethernet *ethernet, const struct wire_message *message)
{
    if (message->kind != WIRE_FRAME) {
        ethernet->wire->port.unsent[ethernet->channel][message->queue] += message->packets;
    }
}

/* How many TT-link packets a queue takes before those in front of them are sent. */
static unsigned packets_ahead(const struct ethernet *ethernet, unsigned queue)
{
    unsigned ahead = ethernet->tx[queue][TXQ_DATA_PACKET_ACCEPT_AHEAD];
    return ahead ? ahead : 1;
}

enum step ethernet_transmit(struct ethernet *ethernet, uint64_t now, struct wire_message *message, const void *bytes)
{
    struct wire *wire = ethernet->wire;
    bool up = ethernet_link_is_up(ethernet);
    message->channel = (uint8_t)ethernet->channel;
    if (!wire->wired) {
        enum step step = ethernet_receive(ethernet, message, bytes);
        if (step == STEP_DONE) {
            count_message(ethernet, message, true);
        }
        return step;
    }
    if (!(wire->connected >> ethernet->channel & 1)) {
        return diagnose(&ethernet->tile.diagnostics, BH_UNDEFINED_BEHAVIOR,
                        "TX queue %u: Ethernet channel %u is linked to no other chip: nobody acknowledges packets",
                        message->queue, ethernet->channel);
    }
    count_message(ethernet, message, up);
    if (!up) {
        hold(ethernet, message);
    }
    bool frame = message->kind == WIRE_FRAME, lost = !up && frame;
    unsigned ahead = frame ? 0 : packets_ahead(ethernet, message->queue);
    if (!lost && !wire_send(wire, now, message, bytes, ethernet_wire_bytes(message), ahead)) {
        return diagnose(&ethernet->tile.diagnostics, BH_UNSUPPORTED,
                        "TX queue %u: the host has no memory for what is on its way to other chips", message->queue);
    }
    return STEP_DONE;
}

/* Sends a TT-link L1 write, split into packets. */
static enum step send_l1_write(struct ethernet *ethernet, unsigned queue)
{
    const uint32_t *tx = ethernet->tx[queue];
    uint32_t from = tx[TXQ_TRANSFER_START_ADDR], size = tx[TXQ_TRANSFER_SIZE_BYTES], to = tx[TXQ_DEST_ADDR];
    if ((from | size | to) % L1_UNIT || !in_l1(from, size) || !in_l1(to, size)) {
        return diagnose(
            &ethernet->tile.diagnostics, BH_UNDEFINED_BEHAVIOR,
            "TX queue %u: L1 write of %u bytes from 0x%x to 0x%x: all have to be multiples of %u, and within "
            "L1",
            queue, size, from, to, L1_UNIT);
    }
    uint32_t most = packet_bytes(ethernet, queue);
    struct wire_message message = {.kind = WIRE_L1_WRITE,
                                   .queue = (uint8_t)queue,
                                   .size = size,
                                   .address = to,
                                   .packets = size / most + (size % most != 0),
                                   .packet_bytes = most};
    return ethernet_transmit(ethernet, ethernet->tile.clock.now, &message,
                             size ? l1_read(&ethernet->tile.l1, ethernet_queues, from, size) : NULL);
}

static bool is_command(uint32_t address)
{
    return address >= TX_BASE && address < RX_BASE && address % QUEUE_STRIDE / 4 == TXQ_CMD;
}

static enum step send_mmio_write(struct ethernet *ethernet, unsigned queue)
{
    const uint32_t *tx = ethernet->tx[queue];
    uint32_t to = tx[TXQ_DEST_ADDR];
    if (queue == LAST_QUEUE || to % 4 || to < TX_BASE - 0x100000) {
        return diagnose(&ethernet->tile.diagnostics, BH_UNDEFINED_BEHAVIOR,
                        "TX queue %u: MMIO write to 0x%x: queues 0 and 1 send such packets, to registers", queue, to);
    }
    if (!ethernet->wire->wired && is_command(to)) {
        return diagnose(&ethernet->tile.diagnostics, BH_UNSUPPORTED,
                        "TX queue %u: MMIO write to 0x%x: a packet that comes back and starts another one", queue, to);
    }
    struct wire_message message = {.kind = WIRE_MMIO_WRITE,
                                   .queue = (uint8_t)queue,
                                   .address = to,
                                   .value = tx[TXQ_REMOTE_REG_DATA],
                                   .packets = 1};
    return ethernet_transmit(ethernet, ethernet->tile.clock.now, &message, NULL);
}

/* Sends a raw packet: headers of an entry of the header table, and the payload. */
static enum step send_raw(struct ethernet *ethernet, unsigned queue)
{
    const uint32_t *tx = ethernet->tx[queue];
    uint32_t from = tx[TXQ_TRANSFER_START_ADDR], size = tx[TXQ_TRANSFER_SIZE_BYTES];
    uint32_t header = tx[TXQ_TXPKT_CFG_SEL_SW] & 0xf, most = ETHERNET_MOST_FRAME - ETHERNET_MOST_HEADERS;
    if (!in_l1(from, size) || size > most || header >= ETHERNET_HEADERS) {
        return diagnose(
            &ethernet->tile.diagnostics, BH_UNDEFINED_BEHAVIOR,
            "TX queue %u: raw packet of %u bytes at 0x%x with header %u: at most %u bytes of L1, and %u headers", queue,
            size, from, header, most, ETHERNET_HEADERS);
    }
    const uint32_t *entry = ethernet->headers[header];
    const char *wrong = ethernet_header_wrong(entry);
    if (wrong || ethernet_header_unsupported(entry)) {
        return diagnose(&ethernet->tile.diagnostics, wrong ? BH_UNDEFINED_BEHAVIOR : BH_UNSUPPORTED,
                        "TX header %u: INSERT_CTL 0x%x: %s", header, entry[0],
                        wrong ? wrong : "an RoCE iCRC is not emulated");
    }
    uint8_t frame[ETHERNET_MOST_FRAME];
    struct wire_message message = {.kind = WIRE_FRAME, .queue = (uint8_t)queue, .packets = 1};
    message.size = ethernet_frame(entry, l1_read(&ethernet->tile.l1, ethernet_queues, from, size), size, frame);
    return ethernet_transmit(ethernet, ethernet->tile.clock.now, &message, frame);
}

/* Whether the queue has not yet accepted the last command. */
static bool is_ongoing(const struct ethernet *ethernet, unsigned queue)
{
    const struct wire *wire = ethernet->wire;
    return ethernet->tile.clock.now < wire->accepts[ethernet->channel][queue] ||
           wire->port.unsent[ethernet->channel][queue] > packets_ahead(ethernet, queue);
}

static enum step send(struct ethernet *ethernet, unsigned queue, uint32_t command)
{
    enum step step;
    if (is_ongoing(ethernet, queue)) {
        return diagnose(&ethernet->tile.diagnostics, BH_UNDEFINED_BEHAVIOR,
                        "TX queue %u: a command before the last one was accepted: bit 16 of ETH_TXQ_STATUS has to be 0",
                        queue);
    }
    switch (command) {
    case CMD_RAW: step = send_raw(ethernet, queue); break;
    case CMD_L1_WRITE: step = send_l1_write(ethernet, queue); break;
    case CMD_MMIO_WRITE: step = send_mmio_write(ethernet, queue); break;
    default:
        return diagnose(&ethernet->tile.diagnostics, BH_UNDEFINED_BEHAVIOR, "TX queue %u: there is no command 0x%x",
                        queue, command);
    }
    ethernet->tx[queue][TXQ_TRANSFER_CNT] += step == STEP_DONE;
    return step;
}

/* The sequence number that the other end has acknowledged. What comes back at once is acknowledged at once. */
static uint32_t acknowledged(const struct ethernet *ethernet, unsigned queue)
{
    uint32_t packets = ethernet->wire->wired
                           ? wire_acknowledged(ethernet->wire, ethernet->channel, queue, core_tile_now(&ethernet->tile))
                           : ethernet->rx[queue][RXQ_LOCAL_RX_SEQ_NUM];
    return packets & SEQUENCE_NUMBER;
}

static bool has_word(uint32_t address)
{
    uint32_t index = address % QUEUE_STRIDE / 4, queue = address / QUEUE_STRIDE % 4;
    if (address >= HEADER_BASE) {
        return (address - HEADER_BASE) / HEADER_STRIDE < ETHERNET_HEADERS;
    }
    return queue < ETHERNET_QUEUES && index < (address >= RX_BASE ? ETHERNET_RX_REGISTERS : ETHERNET_TX_REGISTERS);
}

/* The word at an address; null: there is none. */
static uint32_t *word_at(struct ethernet *ethernet, uint32_t address)
{
    uint32_t index = address % QUEUE_STRIDE / 4, queue = address / QUEUE_STRIDE % 4;
    if (!has_word(address)) {
        return NULL;
    }
    if (address >= HEADER_BASE) {
        uint32_t entry = (address - HEADER_BASE) / HEADER_STRIDE;
        return &ethernet->headers[entry][(address - HEADER_BASE) % HEADER_STRIDE / 4];
    }
    return address >= RX_BASE ? &ethernet->rx[queue][index] : &ethernet->tx[queue][index];
}

enum step ethernet_queue_read(struct ethernet *ethernet, uint32_t address, uint32_t *value)
{
    const uint32_t *word = word_at(ethernet, address);
    if (!word) {
        return ethernet_absent(ethernet, "read", address);
    }
    *value = *word; /* commands are not stored */
    if (address < RX_BASE && address % QUEUE_STRIDE / 4 == TXQ_STATUS) {
        *value = is_ongoing(ethernet, address / QUEUE_STRIDE % 4) ? CMD_ONGOING : 0;
    }
    if (address < RX_BASE && address % QUEUE_STRIDE / 4 == TXQ_RESEND_CNT) {
        *value = (uint32_t)ethernet->wire->port.repeated[ethernet->channel][address / QUEUE_STRIDE % 4];
    }
    if (address >= RX_BASE && address < HEADER_BASE && address % QUEUE_STRIDE / 4 == RXQ_REMOTE_RX_SEQ_NUM) {
        *value = acknowledged(ethernet, address / QUEUE_STRIDE % 4);
    }
    return STEP_DONE;
}

static bool is_read_only(uint32_t address)
{
    uint32_t index = address % QUEUE_STRIDE / 4;
    return address < RX_BASE
               ? index == TXQ_STATUS || index == TXQ_RESEND_CNT
               : address < HEADER_BASE && (index == RXQ_PACKET_DROP_CNT || index == RXQ_OUTSTANDING_WR_CNT ||
                                           index == RXQ_REMOTE_RX_SEQ_NUM);
}

/* Bits that a register keeps of what is written. */
static uint32_t kept_bits(uint32_t address)
{
    enum { MESSAGE_LENGTH_FIELD = 0x3fff };
    uint32_t index = address % QUEUE_STRIDE / 4;
    bool receives = address >= RX_BASE && address < HEADER_BASE;
    return receives && index == RXQ_CTRL                 ? PACKET_MODE | BUF_WRAP
           : receives && index == RXQ_TILE_HEADER_FORMAT ? MESSAGE_LENGTH_FIELD
                                                         : UINT32_MAX;
}

bool ethernet_queue_takes(uint32_t address)
{
    return has_word(address);
}

enum step ethernet_queue_write(struct ethernet *ethernet, uint32_t address, uint32_t value)
{
    uint32_t *word = word_at(ethernet, address);
    if (!word) {
        return ethernet_absent(ethernet, "write", address);
    }
    if (is_command(address)) {
        return send(ethernet, address / QUEUE_STRIDE % 4, value);
    }
    if (!is_read_only(address)) {
        *word = value & kept_bits(address);
    }
    return STEP_DONE;
}
