/* What arrives at an Ethernet tile: TT-link packets at the RX queue with the number of the TX queue that sent them,
   without passing the RX classifier, and raw ones through it (chip/ethernet/frames.h, chip/ethernet/classifier.h).
   Source: ISA documentation EthernetTile/EthernetTxRx.md, EthernetRxClassifier.md ("Decide which RX queue to deliver
   the frame to"). */
#include <string.h>

#include "chip/ethernet/frames.h"
#include "chip/ethernet/queues.h"

enum { WORD_BYTES = 96 };

static bool in_l1(uint32_t address, uint32_t size)
{
    return address <= ETHERNET_L1_SIZE && size <= ETHERNET_L1_SIZE - address;
}

void ethernet_count_received(uint32_t *rx, uint32_t bytes)
{
    rx[RXQ_PKT_START_CNT]++;
    rx[RXQ_PKT_END_CNT]++;
    rx[RXQ_WORD_CNT] += (bytes + WORD_BYTES - 1) / WORD_BYTES;
}

/* The packets of a TT-link message. */
static void count_packets(uint32_t *rx, const struct wire_message *message)
{
    for (uint32_t left = message->size, i = 0; i < message->packets; i++) {
        uint32_t bytes = left < message->packet_bytes ? left : message->packet_bytes;
        ethernet_count_received(rx, ethernet_link_frame(bytes));
        left -= bytes;
    }
    rx[RXQ_BYTE_CNT] += message->size;
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
        l1_put(&ethernet->tile.l1, ethernet_queues, start + rx[RXQ_BUF_PTR], &bytes[i], 1);
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
static enum step receive_frame(struct ethernet *ethernet, uint8_t *frame, uint32_t size)
{
    enum { MACS = 12 };
    struct classifier_verdict verdict;
    enum step step = classifier_decide(&ethernet->classifier, frame, size, ethernet->eop_status_good,
                                       ethernet->mac_rx_routing, &verdict, &ethernet->tile.diagnostics);
    if (step != STEP_DONE || !verdict.keep) {
        return step;
    }
    if (verdict.stamp) {
        ethernet_timer_stamp(&ethernet->timer, ethernet->tile.clock.now, verdict.label, verdict.by_rule);
    }
    size = cut(frame, size, MACS, verdict.strip_tags);
    size = cut(frame, size, ETHERNET_MAC_HEADER, verdict.strip_headers);
    frame -= verdict.prefix;
    size += verdict.prefix;
    memcpy(frame, verdict.prefix_bytes, verdict.prefix);
    unsigned queue = verdict.by_flow ? verdict.queue : route(ethernet, frame, size);
    if (queue > LAST_QUEUE) {
        return diagnose(&ethernet->tile.diagnostics, BH_UNDEFINED_BEHAVIOR,
                        "%s sends a frame to RX queue %u; there are %u",
                        verdict.by_flow ? "the flow table" : "MAC_RX_ADDR_ROUTING", queue, ETHERNET_QUEUES);
    }
    uint32_t *rx = ethernet->rx[queue];
    ethernet_count_received(rx, size);
    if (rx[RXQ_CTRL] & PACKET_MODE) { /* no TT-link packet */
        rx[RXQ_PACKET_DROP_CNT]++;
        return STEP_DONE;
    }
    uint32_t strip = rx[RXQ_HDR_CTRL] < size ? rx[RXQ_HDR_CTRL] : size;
    receive_raw(ethernet, rx, frame + strip, size - strip);
    return STEP_DONE;
}

/* A TT-link packet that writes to L1. */
static enum step receive_l1_write(struct ethernet *ethernet, const struct wire_message *message, const void *bytes)
{
    count_packets(ethernet->rx[message->queue], message);
    if (message->size) {
        memmove(l1_begin_write(&ethernet->tile.l1, message->address), bytes, message->size);
        l1_end_write(&ethernet->tile.l1, ethernet_queues, message->address, message->size);
    }
    return STEP_DONE;
}

static enum step receive_mmio_write(struct ethernet *ethernet, const struct wire_message *message)
{
    enum step step = core_tile_register_write(&ethernet->tile, message->address, message->value);
    if (step == STEP_DONE) {
        ethernet_count_received(ethernet->rx[message->queue], ethernet_link_frame(L1_UNIT));
    }
    return step;
}

static enum step refuse_packet(struct ethernet *ethernet, unsigned queue)
{
    return diagnose(&ethernet->tile.diagnostics, BH_UNDEFINED_BEHAVIOR,
                    "a TT-link packet arrives at RX queue %u, which is in raw mode (ETH_RXQ_CTRL 0x%x)", queue,
                    ethernet->rx[queue][RXQ_CTRL]);
}

static enum step receive(struct ethernet *ethernet, const struct wire_message *message, const void *bytes)
{
    uint8_t frame[CLASSIFIER_PREFIX + ETHERNET_MOST_FRAME];
    if (message->kind == WIRE_FRAME) {
        memcpy(frame + CLASSIFIER_PREFIX, bytes, message->size);
        return receive_frame(ethernet, frame + CLASSIFIER_PREFIX, message->size);
    }
    if (!ethernet_queue_is_linked(ethernet, message->queue)) {
        return refuse_packet(ethernet, message->queue);
    }
    switch (message->kind) {
    case WIRE_L1_WRITE: return receive_l1_write(ethernet, message, bytes);
    case WIRE_MMIO_WRITE: return receive_mmio_write(ethernet, message);
    default: return ethernet_receive_stream(ethernet, message, bytes);
    }
}

/* A TT-link packet has the next sequence number, and acknowledges packets of this end. */
static void count_sequence(struct ethernet *ethernet, const struct wire_message *message)
{
    uint32_t *next = &ethernet->rx[message->queue][RXQ_LOCAL_RX_SEQ_NUM];
    *next = (*next + message->packets) & SEQUENCE_NUMBER;
    if (ethernet->wire->wired) {
        wire_hear(ethernet->wire, message, ethernet_last_frame(message));
    }
}

enum step ethernet_receive(struct ethernet *ethernet, const struct wire_message *message, const void *bytes)
{
    enum step step = receive(ethernet, message, bytes);
    if (step == STEP_DONE) {
        if (message->kind != WIRE_FRAME && message->packets) {
            count_sequence(ethernet, message);
        }
        ethernet->mac.frames_received += message->packets;
        ethernet->mac.bytes_received += ethernet_wire_bytes(message);
    }
    return step;
}
