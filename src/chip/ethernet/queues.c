/* TX and RX queues of an Ethernet tile, and the TX header table. Data sent by TX queue q arrive at once: TT-link
   packets at RX queue q of the same tile, without passing the RX classifier; raw ones pass it (frames:
   chip/ethernet/frames.h, chip/ethernet/classifier.h). Nothing is lost, so that nothing is sent again. Source: ISA
   documentation EthernetTile/EthernetTxRx.md, EthernetRxClassifier.md ("Decide which RX queue to deliver the frame
   to"). */
#include <string.h>

#include "chip/ethernet/ethernet.h"
#include "chip/ethernet/frames.h"

#define TX_BASE 0xFFB90000u
#define RX_BASE 0xFFB94000u
#define HEADER_BASE 0xFFB98200u

enum { QUEUE_STRIDE = 0x1000, HEADER_STRIDE = 0x80 };

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
    RXQ_TILE_HEADER_FORMAT = 0x48 / 4,
    RXQ_PACKET_DROP_CNT = 0x4c / 4,
    RXQ_OUTSTANDING_WR_CNT = 0x50 / 4,
};

enum { CMD_RAW = 1, CMD_L1_WRITE = 2, CMD_MMIO_WRITE = 4 };
enum { PACKET_MODE = 1 << 1, BUF_WRAP = 1 << 2 };
enum {
    LINK_HEADER = 18,
    WORD_BYTES = 96,
    L1_UNIT = 16,
    LAST_QUEUE = ETHERNET_QUEUES - 1,
    MAX_PACKET = 1500,
};

void ethernet_queues_reset(struct ethernet *ethernet)
{
    for (unsigned queue = 0; queue < ETHERNET_QUEUES; queue++) {
        bool link = queue != LAST_QUEUE;
        ethernet->tx[queue][TXQ_CTRL] = link;
        ethernet->tx[queue][TXQ_MAX_PKT_SIZE_BYTES] = MAX_PACKET;
        ethernet->rx[queue][RXQ_CTRL] = link ? PACKET_MODE : 0;
        ethernet->rx[queue][RXQ_HDR_CTRL] = ETHERNET_MAC_HEADER;
    }
    ethernet->tx[1][TXQ_TXPKT_CFG_SEL_SW] = 0x111;
    ethernet->tx[1][TXQ_TXPKT_CFG_SEL_HW] = 1;
    ethernet->headers[0][0x18 / 4] = UINT32_MAX; /* destination: everybody */
    ethernet->headers[0][0x1c / 4] = 0xffff;
    ethernet->headers[1][0x18 / 4] = 1; /* a multicast address */
    ethernet->headers[1][0x1c / 4] = 0x100;
}

static uint32_t words_of(uint32_t bytes)
{
    return (bytes + WORD_BYTES - 1) / WORD_BYTES;
}

static void count_sent(uint32_t *tx, uint32_t bytes)
{
    tx[TXQ_PKT_START_CNT]++;
    tx[TXQ_PKT_END_CNT]++;
    tx[TXQ_WORD_CNT] += words_of(bytes);
}

static void count_received(uint32_t *rx, uint32_t bytes)
{
    rx[RXQ_PKT_START_CNT]++;
    rx[RXQ_PKT_END_CNT]++;
    rx[RXQ_WORD_CNT] += words_of(bytes);
}

/* Counts a frame as sent and received. */
static void count_packet(uint32_t *tx, uint32_t *rx, uint32_t bytes)
{
    count_sent(tx, bytes);
    count_received(rx, bytes);
}

bool ethernet_queue_is_linked(const struct ethernet *ethernet, unsigned queue)
{
    return ethernet->rx[queue][RXQ_CTRL] & PACKET_MODE;
}

uint32_t ethernet_tile_header_format(const struct ethernet *ethernet, unsigned queue)
{
    return ethernet->rx[queue][RXQ_TILE_HEADER_FORMAT];
}

uint32_t ethernet_link_units(const struct ethernet *ethernet, unsigned queue)
{
    uint32_t units = ethernet->tx[queue][TXQ_MAX_PKT_SIZE_BYTES] / L1_UNIT;
    return units ? units : 1;
}

void ethernet_count_link_packet(struct ethernet *ethernet, unsigned queue, uint32_t bytes)
{
    count_packet(ethernet->tx[queue], ethernet->rx[queue], ETHERNET_MAC_HEADER + LINK_HEADER + bytes);
    ethernet->rx[queue][RXQ_BYTE_CNT] += bytes;
}

static bool in_l1(uint32_t address, uint32_t size)
{
    return address <= ETHERNET_L1_SIZE && size <= ETHERNET_L1_SIZE - address;
}

/* Sends a TT-link L1 write, split into packets; the RX queue drops them unless it expects TT-link packets. */
static enum step send_l1_write(struct ethernet *ethernet, unsigned queue)
{
    uint32_t *tx = ethernet->tx[queue], *rx = ethernet->rx[queue];
    uint32_t from = tx[TXQ_TRANSFER_START_ADDR], size = tx[TXQ_TRANSFER_SIZE_BYTES], to = tx[TXQ_DEST_ADDR];
    if ((from | size | to) % L1_UNIT || !in_l1(from, size) || !in_l1(to, size)) {
        return diagnose(
            &ethernet->diagnostics, BH_UNDEFINED_BEHAVIOR,
            "TX queue %u: L1 write of %u bytes from 0x%x to 0x%x: all have to be multiples of %u, and within "
            "L1",
            queue, size, from, to, L1_UNIT);
    }
    uint32_t most = tx[TXQ_MAX_PKT_SIZE_BYTES] & ~(uint32_t)(L1_UNIT - 1);
    most = most ? most : L1_UNIT;
    for (uint32_t done = 0; done < size; done += most) {
        uint32_t bytes = size - done < most ? size - done : most;
        count_packet(tx, rx, ETHERNET_MAC_HEADER + LINK_HEADER + bytes);
        rx[RXQ_BYTE_CNT] += bytes;
    }
    if (size) {
        const uint8_t *source = l1_read(&ethernet->l1, ethernet_queues, from, size);
        memmove(l1_begin_write(&ethernet->l1, to), source, size);
        l1_end_write(&ethernet->l1, ethernet_queues, to, size);
    }
    return STEP_DONE;
}

static enum step send_mmio_write(struct ethernet *ethernet, unsigned queue)
{
    uint32_t *tx = ethernet->tx[queue], to = tx[TXQ_DEST_ADDR];
    if (queue == LAST_QUEUE || to % 4 || to < TX_BASE - 0x100000) {
        return diagnose(&ethernet->diagnostics, BH_UNDEFINED_BEHAVIOR,
                        "TX queue %u: MMIO write to 0x%x: queues 0 and 1 send such packets, to registers", queue, to);
    }
    if (to >= TX_BASE && to < RX_BASE && to % QUEUE_STRIDE / 4 == TXQ_CMD) {
        return diagnose(&ethernet->diagnostics, BH_UNSUPPORTED,
                        "TX queue %u: MMIO write to 0x%x: a packet that comes back and starts another one", queue, to);
    }
    enum step step = ethernet_register_write(ethernet, to, tx[TXQ_REMOTE_REG_DATA]);
    if (step == STEP_DONE) {
        count_packet(tx, ethernet->rx[queue], ETHERNET_MAC_HEADER + LINK_HEADER + L1_UNIT);
    }
    return step;
}

/* Appends to the buffer of an RX queue in raw mode. */
static void receive_raw(struct ethernet *ethernet, uint32_t *rx, const uint8_t *bytes, uint32_t size)
{
    uint32_t start = rx[RXQ_BUF_START_WORD_ADDR] << 4, length = rx[RXQ_BUF_SIZE_WORDS] << 4;
    bool dropped = false;
    for (uint32_t i = 0; i < size; i++) {
        if (rx[RXQ_BUF_PTR] >= length || !in_l1(start + rx[RXQ_BUF_PTR], 1)) {
            dropped = true;
            break;
        }
        l1_put(&ethernet->l1, ethernet_queues, start + rx[RXQ_BUF_PTR], &bytes[i], 1);
        rx[RXQ_BUF_PTR]++;
        rx[RXQ_BYTE_CNT]++;
        if (rx[RXQ_BUF_PTR] == length && rx[RXQ_CTRL] & BUF_WRAP) {
            rx[RXQ_BUF_PTR] = 0;
        }
    }
    rx[RXQ_PACKET_DROP_CNT] += dropped;
}

/* The RX queue that MAC_RX_ADDR_ROUTING selects for a frame: two bits for each combination of destination kind
   (broadcast, multicast, unicast) and style (data, MMIO). */
static unsigned route(const struct ethernet *ethernet, const uint8_t *frame, uint32_t size)
{
    enum { MMIO_BYTE = 216 / 8, BROADCAST = 0, MULTICAST = 4, UNICAST = 8, MMIO_STYLE = 2 };
    static const uint8_t everybody[6] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
    unsigned kind = memcmp(frame, everybody, sizeof everybody) == 0 ? BROADCAST : frame[0] & 1 ? MULTICAST : UNICAST;
    kind += size > MMIO_BYTE && frame[MMIO_BYTE] & 1 ? MMIO_STYLE : 0;
    return ethernet->mac_rx_addr_routing >> kind & 3;
}

/* Removes `length` bytes at `at`. Returns the new size. */
static uint32_t cut(uint8_t *frame, uint32_t size, uint32_t at, uint32_t length)
{
    memmove(frame + at, frame + at + length, size - at - length);
    return size - length;
}

/* Receives a frame. `frame` has CLASSIFIER_PREFIX bytes of room in front of it. */
static enum step receive(struct ethernet *ethernet, uint8_t *frame, uint32_t size)
{
    enum { MACS = 12 };
    struct classifier_verdict verdict;
    enum step step = classifier_decide(&ethernet->classifier, frame, size, ethernet->eop_status_good,
                                       ethernet->mac_rx_routing, &verdict, &ethernet->diagnostics);
    if (step != STEP_DONE || !verdict.keep) {
        return step;
    }
    if (verdict.stamp) {
        ethernet_timer_stamp(&ethernet->timer, ethernet->clock.now, verdict.label, verdict.by_rule);
    }
    size = cut(frame, size, MACS, verdict.strip_tags);
    size = cut(frame, size, ETHERNET_MAC_HEADER, verdict.strip_headers);
    frame -= verdict.prefix;
    size += verdict.prefix;
    memcpy(frame, verdict.prefix_bytes, verdict.prefix);
    unsigned queue = verdict.by_flow ? verdict.queue : route(ethernet, frame, size);
    if (queue > LAST_QUEUE) {
        return diagnose(&ethernet->diagnostics, BH_UNDEFINED_BEHAVIOR, "%s sends a frame to RX queue %u; there are %u",
                        verdict.by_flow ? "the flow table" : "MAC_RX_ADDR_ROUTING", queue, ETHERNET_QUEUES);
    }
    uint32_t *rx = ethernet->rx[queue];
    count_received(rx, size);
    if (rx[RXQ_CTRL] & PACKET_MODE) { /* no TT-link packet */
        rx[RXQ_PACKET_DROP_CNT]++;
        return STEP_DONE;
    }
    uint32_t strip = rx[RXQ_HDR_CTRL] < size ? rx[RXQ_HDR_CTRL] : size;
    receive_raw(ethernet, rx, frame + strip, size - strip);
    return STEP_DONE;
}

/* Sends a raw packet: headers of an entry of the header table, and the payload. */
static enum step send_raw(struct ethernet *ethernet, unsigned queue)
{
    enum { FRAME_SIZE = 16384 };
    uint32_t *tx = ethernet->tx[queue];
    uint32_t from = tx[TXQ_TRANSFER_START_ADDR], size = tx[TXQ_TRANSFER_SIZE_BYTES];
    uint32_t header = tx[TXQ_TXPKT_CFG_SEL_SW] & 0xf, most = FRAME_SIZE - ETHERNET_MOST_HEADERS - CLASSIFIER_PREFIX;
    if (!in_l1(from, size) || size > most || header >= ETHERNET_HEADERS) {
        return diagnose(
            &ethernet->diagnostics, BH_UNDEFINED_BEHAVIOR,
            "TX queue %u: raw packet of %u bytes at 0x%x with header %u: at most %u bytes of L1, and %u headers", queue,
            size, from, header, most, ETHERNET_HEADERS);
    }
    const uint32_t *entry = ethernet->headers[header];
    const char *wrong = ethernet_header_wrong(entry);
    if (wrong || ethernet_header_unsupported(entry)) {
        return diagnose(&ethernet->diagnostics, wrong ? BH_UNDEFINED_BEHAVIOR : BH_UNSUPPORTED,
                        "TX header %u: INSERT_CTL 0x%x: %s", header, entry[0],
                        wrong ? wrong : "an RoCE iCRC is not emulated");
    }
    uint8_t bytes[FRAME_SIZE], *frame = bytes + CLASSIFIER_PREFIX;
    uint32_t length = ethernet_frame(entry, l1_read(&ethernet->l1, ethernet_queues, from, size), size, frame);
    count_sent(tx, length);
    return receive(ethernet, frame, length);
}

static enum step send(struct ethernet *ethernet, unsigned queue, uint32_t command)
{
    enum step step;
    switch (command) {
    case CMD_RAW: step = send_raw(ethernet, queue); break;
    case CMD_L1_WRITE: step = send_l1_write(ethernet, queue); break;
    case CMD_MMIO_WRITE: step = send_mmio_write(ethernet, queue); break;
    default:
        return diagnose(&ethernet->diagnostics, BH_UNDEFINED_BEHAVIOR, "TX queue %u: there is no command 0x%x", queue,
                        command);
    }
    ethernet->tx[queue][TXQ_TRANSFER_CNT] += step == STEP_DONE;
    return step;
}

/* The word at an address; null: there is none. */
static uint32_t *word_at(struct ethernet *ethernet, uint32_t address)
{
    uint32_t index = address % QUEUE_STRIDE / 4, queue = address / QUEUE_STRIDE % 4;
    if (address >= HEADER_BASE) {
        uint32_t entry = (address - HEADER_BASE) / HEADER_STRIDE;
        return entry < ETHERNET_HEADERS ? &ethernet->headers[entry][(address - HEADER_BASE) % HEADER_STRIDE / 4] : NULL;
    }
    if (queue >= ETHERNET_QUEUES) {
        return NULL;
    }
    if (address >= RX_BASE) {
        return index < ETHERNET_RX_REGISTERS ? &ethernet->rx[queue][index] : NULL;
    }
    return index < ETHERNET_TX_REGISTERS ? &ethernet->tx[queue][index] : NULL;
}

enum step ethernet_queue_read(struct ethernet *ethernet, uint32_t address, uint32_t *value)
{
    const uint32_t *word = word_at(ethernet, address);
    if (!word) {
        return ethernet_absent(ethernet, "read", address);
    }
    *value = *word; /* commands complete at once and are not stored */
    return STEP_DONE;
}

static bool is_read_only(uint32_t address)
{
    uint32_t index = address % QUEUE_STRIDE / 4;
    return address < RX_BASE
               ? index == TXQ_STATUS
               : address < HEADER_BASE && (index == RXQ_PACKET_DROP_CNT || index == RXQ_OUTSTANDING_WR_CNT);
}

enum step ethernet_queue_write(struct ethernet *ethernet, uint32_t address, uint32_t value)
{
    uint32_t *word = word_at(ethernet, address);
    if (!word) {
        return ethernet_absent(ethernet, "write", address);
    }
    if (address < RX_BASE && address % QUEUE_STRIDE / 4 == TXQ_CMD) {
        return send(ethernet, address / QUEUE_STRIDE % 4, value);
    }
    if (!is_read_only(address)) {
        *word = value;
    }
    return STEP_DONE;
}
