/* Transfers of overlay streams of an Ethernet tile to the tile at the other end of the link, which is the same tile:
   TT-link packets of TX queue 0, which arrive at RX queue 0 at once. Data go to L1, and the first 16 bytes of a
   message also to the message header array; handshakes and flow control are writes to registers of streams. Sources:
   ISA documentation EthernetTile/EthernetTxRx.md (NoC Overlay packets, ETH_RXQ_TILE_HEADER_FORMAT),
   NoC/Overlay/TransferBetweenTiles.md. No public source says how the queues for such packets are selected. */
#include <string.h>

#include "chip/ethernet/ethernet.h"
#include "tile/mmio.h"

enum {
    QUEUE = 0,
    PACKET_BYTES = 16, /* size of a packet that writes a register */
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
    uint32_t overlay = ethernet->overlay.words[0][(MMIO_ADDRESS_STREAM_MSG_HEADER_FORMAT & 0xfff) / 4];
    return (queue & FORMAT_OFFSET) * BYTE == (overlay & FORMAT_OFFSET & ~(uint32_t)(BYTE - 1)) &&
           (queue >> FORMAT_BITS_SHAMT & FORMAT_BITS) == (overlay >> FORMAT_BITS_SHAMT & FORMAT_BITS);
}

static bool in_l1(uint64_t address, uint64_t size)
{
    return address <= ETHERNET_L1_SIZE && size <= ETHERNET_L1_SIZE - address;
}

static void write_l1(struct ethernet *ethernet, uint32_t to, uint32_t from, uint32_t size)
{
    const uint8_t *source = l1_read(&ethernet->l1, ethernet_queues, from, size);
    memmove(l1_begin_write(&ethernet->l1, to), source, size);
    l1_end_write(&ethernet->l1, ethernet_queues, to, size);
}

/* Sends a packet of data. Returns the error, or null if the packet has arrived. */
static const char *carry_data(struct ethernet *ethernet, const struct overlay_site *site,
                              const struct noc_request *request)
{
    uint64_t header = (uint64_t)request->data * HEADER_BYTES;
    bool store = request->packet_tag & TAG_HEADER_STORE;
    if (!in_l1(request->target_address, request->length) || !in_l1(request->back_address, request->length) ||
        (store && !in_l1(header, HEADER_BYTES))) {
        return "it is not in L1";
    }
    if (!formats_agree(ethernet)) {
        return "ETH_RXQ_TILE_HEADER_FORMAT of RX queue 0 names another field than STREAM_MSG_HEADER_FORMAT";
    }
    uint8_t first[HEADER_BYTES];
    memcpy(first, l1_peek(&ethernet->l1, (uint32_t)request->target_address), sizeof first);
    write_l1(ethernet, (uint32_t)request->back_address, (uint32_t)request->target_address, (uint32_t)request->length);
    if (store) {
        l1_put(&ethernet->l1, ethernet_queues, (uint32_t)header, first, sizeof first);
    }
    ethernet_count_link_packet(ethernet, QUEUE, (uint32_t)request->length);
    const char *wrong = overlay_packet(site, request->packet_tag, (uint32_t)request->length);
    if (!wrong && request->reader) {
        overlay_sent(site, request->reader - 1u);
    }
    return wrong;
}

void ethernet_link(struct ethernet *ethernet, const struct noc_request *request)
{
    struct diagnostics *diagnostics = &ethernet->diagnostics;
    struct overlay_site site = ethernet_overlay(ethernet);
    struct diagnostic_origin now = diagnostics->now;
    const char *wrong = NULL;
    diagnostics->now = request->origin;
    if (!ethernet_queue_is_linked(ethernet, QUEUE)) {
        wrong = "RX queue 0 is not in TT-link mode (ETH_RXQ_CTRL)";
    } else if (request->kind == NOC_WRITE) {
        wrong = carry_data(ethernet, &site, request);
    } else {
        ethernet_count_link_packet(ethernet, QUEUE, PACKET_BYTES);
        (void)ethernet_register_write(ethernet, (uint32_t)request->target_address, request->data);
    }
    if (wrong) {
        (void)diagnose(diagnostics, BH_UNDEFINED_BEHAVIOR, "packet of an overlay stream over Ethernet: %s", wrong);
    }
    diagnostics->now = now;
}
