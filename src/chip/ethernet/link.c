/* Transfers of overlay streams of an Ethernet tile to the tile at the other end of the link: TT-link packets of TX
   queue 0, which arrive at RX queue 0 (chip/ethernet/queues.h). Data go to L1, and the first 16 bytes of a message also
   to the message header array; handshakes and flow control are writes to registers of streams. Sources: ISA
   documentation EthernetTile/EthernetTxRx.md (NoC Overlay packets, ETH_RXQ_TILE_HEADER_FORMAT),
   NoC/Overlay/TransferBetweenTiles.md. No public source says how the queues for such packets are selected. */
#include <string.h>

#include "chip/ethernet/queues.h"
#include "tile/mmio.h"

enum {
    QUEUE = 0,
    HEADER_BYTES = 16,
    TAG_HEADER_STORE = 1 << 9,
    FORMAT_OFFSET = 0x7f,
    FORMAT_BITS_SHAMT = 7,
    FORMAT_BITS = 0x7f,
    BYTE = 8,
};

/* The RX queue has to be configured to find a message's length where the overlay has it. */
static bool formats_agree(const struct ethernet *ethernet)
{
    uint32_t queue = ethernet_tile_header_format(ethernet, QUEUE);
    uint32_t overlay = ethernet->overlay.words[(MMIO_ADDRESS_STREAM_MSG_HEADER_FORMAT & 0xfff) / 4][0];
    return (queue & FORMAT_OFFSET) * BYTE == (overlay & FORMAT_OFFSET & ~(uint32_t)(BYTE - 1)) &&
           (queue >> FORMAT_BITS_SHAMT & FORMAT_BITS) == (overlay >> FORMAT_BITS_SHAMT & FORMAT_BITS);
}

static bool in_l1(uint64_t address, uint64_t size)
{
    return address <= ETHERNET_L1_SIZE && size <= ETHERNET_L1_SIZE - address;
}

static enum step refuse(struct ethernet *ethernet, const char *why)
{
    return diagnose(&ethernet->tile.diagnostics, BH_UNDEFINED_BEHAVIOR, "packet of an overlay stream over Ethernet: %s",
                    why);
}

/* A packet of data. message->value is where a copy of the message's header goes, in units of 16 bytes, if its tag says
   so. */
static enum step receive_data(struct ethernet *ethernet, const struct wire_message *message, const void *bytes)
{
    uint32_t *rx = ethernet->rx[QUEUE];
    if (!formats_agree(ethernet)) {
        return refuse(ethernet,
                      "ETH_RXQ_TILE_HEADER_FORMAT of RX queue 0 names another field than STREAM_MSG_HEADER_FORMAT");
    }
    uint8_t header[HEADER_BYTES] = {0};
    memcpy(header, bytes, message->size < HEADER_BYTES ? message->size : HEADER_BYTES);
    memmove(l1_begin_write(&ethernet->tile.l1, message->address), bytes, message->size);
    l1_end_write(&ethernet->tile.l1, ethernet_queues, message->address, message->size);
    if (message->tag & TAG_HEADER_STORE) {
        l1_put(&ethernet->tile.l1, ethernet_queues, message->value * HEADER_BYTES, header, sizeof header);
    }
    ethernet_count_received(rx, ethernet_link_frame(message->size));
    rx[RXQ_BYTE_CNT] += message->size;
    struct overlay_site site = ethernet_overlay(ethernet);
    const char *wrong = overlay_packet(&site, message->tag, message->size);
    return wrong ? refuse(ethernet, wrong) : STEP_DONE;
}

enum step ethernet_receive_stream(struct ethernet *ethernet, const struct wire_message *message, const void *bytes)
{
    if (message->kind == WIRE_STREAM_DATA) {
        return receive_data(ethernet, message, bytes);
    }
    ethernet_count_received(ethernet->rx[QUEUE], ethernet_link_frame(L1_UNIT));
    ethernet->rx[QUEUE][RXQ_BYTE_CNT] += L1_UNIT;
    (void)core_tile_register_write(&ethernet->tile, message->address, message->value);
    return STEP_DONE;
}

/* The data of a request leave the tile. */
static void send_data(struct ethernet *ethernet, const struct noc_request *request, uint64_t now)
{
    uint64_t header = (uint64_t)request->data * HEADER_BYTES;
    bool store = request->packet_tag & TAG_HEADER_STORE;
    if (!in_l1(request->target_address, request->length) || !in_l1(request->back_address, request->length) ||
        (store && !in_l1(header, HEADER_BYTES))) {
        (void)refuse(ethernet, "it is not in L1");
        return;
    }
    uint32_t size = (uint32_t)request->length;
    struct wire_message message = {.kind = WIRE_STREAM_DATA,
                                   .queue = QUEUE,
                                   .size = size,
                                   .address = (uint32_t)request->back_address,
                                   .value = request->data,
                                   .tag = request->packet_tag,
                                   .packets = 1,
                                   .packet_bytes = size};
    const uint8_t *bytes = l1_read(&ethernet->tile.l1, ethernet_queues, (uint32_t)request->target_address, size);
    if (ethernet_transmit(ethernet, now, &message, bytes) == STEP_DONE && request->reader) {
        struct overlay_site site = ethernet_overlay(ethernet);
        overlay_sent(&site, request->reader - 1u);
    }
}

void ethernet_link(struct ethernet *ethernet, const struct noc_request *request, uint64_t time)
{
    struct diagnostics *diagnostics = &ethernet->tile.diagnostics;
    struct diagnostic_origin now = diagnostics->now;
    diagnostics->now = request->origin;
    diagnostics->now.cycle = time; /* when what the stream sends next begins */
    if (request->kind == NOC_WRITE) {
        send_data(ethernet, request, time);
    } else {
        struct wire_message message = {.kind = WIRE_STREAM_WRITE,
                                       .queue = QUEUE,
                                       .address = (uint32_t)request->target_address,
                                       .value = request->data,
                                       .packets = 1};
        (void)ethernet_transmit(ethernet, time, &message, NULL);
    }
    diagnostics->now = now;
}

void ethernet_send_links(struct ethernet *ethernet, uint64_t end)
{
    struct noc_outbox *outbox = &ethernet->tile.outbox;
    for (uint32_t i = 0; i < outbox->count; i++) { /* more may come meanwhile, behind these */
        struct noc_request *request = &outbox->request[i];
        if (request->link && !request->carried && request->start < end) {
            request->carried = true;
            ethernet_link(ethernet, request, request->start);
        }
    }
}
