/* Frames that TX queues of an Ethernet tile send in raw mode: the headers that the TX header table puts in front of
   the payload, with the lengths and checksums that hardware fills in. The highest byte of a word of the table is the
   first on the wire. Source: ISA documentation EthernetTile/EthernetTxRx.md ("TX Header Table Memory Map"), and its
   sample ethdump.c. */
#include "chip/ethernet/frames.h"

#include <string.h>

/* Words of an entry of the table. */
enum {
    INSERT_CTL = 0x00 / 4,
    CUSTOM_HDR = 0x04 / 4,
    MAC_SA = 0x10 / 4,
    MAC_DA = 0x18 / 4,
    ETHERTYPE = 0x20 / 4,
    VLAN_1 = 0x24 / 4,
    VLAN_2 = 0x28 / 4,
    L3_HEADER = 0x30 / 4,
    L4_HEADER = 0x60 / 4,
};

enum {
    INSERT_VLAN_1 = 1 << 0,
    INSERT_VLAN_2 = 1 << 4,
    INSERT_L3 = 1 << 8,
    L3_TYPE_SHAMT = 12,
    INSERT_L4 = 1 << 16,
    L4_CHECKSUM = 1 << 18,
    L4_TYPE_SHAMT = 20,
    INSERT_ICRC = 1 << 26,
};

enum { IPV4 = 0, IPV6 = 1, RESERVED = 2, CUSTOM = 3, UDP = 0, TCP = 1 };
enum { IPV4_LENGTH = 20, IPV6_LENGTH = 40, UDP_LENGTH = 8, TCP_LENGTH = 20, MOST_L3 = 40, MOST_L4 = 20 };
enum { PROTOCOL_TCP = 6, PROTOCOL_UDP = 17 };

static uint32_t type_of(const uint32_t *entry, unsigned shamt)
{
    return entry[INSERT_CTL] >> shamt & 3;
}

static uint32_t l3_length(const uint32_t *entry)
{
    uint32_t type = type_of(entry, L3_TYPE_SHAMT);
    return !(entry[INSERT_CTL] & INSERT_L3) ? 0
           : type == IPV4                   ? IPV4_LENGTH
           : type == IPV6                   ? IPV6_LENGTH
                                            : entry[CUSTOM_HDR] & 0xffff;
}

static uint32_t l4_length(const uint32_t *entry)
{
    uint32_t type = type_of(entry, L4_TYPE_SHAMT);
    return !(entry[INSERT_CTL] & INSERT_L4) ? 0
           : type == UDP                    ? UDP_LENGTH
           : type == TCP                    ? TCP_LENGTH
                                            : entry[CUSTOM_HDR] >> 16;
}

const char *ethernet_header_wrong(const uint32_t *entry)
{
    uint32_t control = entry[INSERT_CTL], l3 = l3_length(entry), l4 = l4_length(entry);
    bool reserved = (control & INSERT_L3 && type_of(entry, L3_TYPE_SHAMT) == RESERVED) ||
                    (control & INSERT_L4 && type_of(entry, L4_TYPE_SHAMT) == RESERVED);
    bool odd = l3 % 2 || l3 > MOST_L3 || l4 % 2 || l4 > MOST_L4;
    return reserved ? "the kind of the L3 or L4 header is reserved"
           : odd    ? "a custom header has an odd length, or more than 40 or 20 bytes"
                    : NULL;
}

bool ethernet_header_unsupported(const uint32_t *entry)
{
    return entry[INSERT_CTL] & INSERT_L3 && entry[INSERT_CTL] & INSERT_ICRC;
}

static void put16(uint8_t *bytes, uint32_t value)
{
    bytes[0] = (uint8_t)(value >> 8);
    bytes[1] = (uint8_t)value;
}

/* Appends `size` bytes of words, highest byte first. */
static uint8_t *put_words(uint8_t *to, const uint32_t *words, uint32_t size)
{
    for (uint32_t i = 0; i < size; i++) {
        to[i] = (uint8_t)(words[i / 4] >> (24 - i % 4 * 8));
    }
    return to + size;
}

/* Appends a MAC address, whose bytes the table has in reverse order. */
static uint8_t *put_address(uint8_t *to, const uint32_t *words)
{
    put16(to, words[1]);
    return put_words(to + 2, words, 4);
}

/* The sum of 16-bit words of the Internet checksum. */
static uint32_t sum_of(const uint8_t *bytes, uint32_t size)
{
    uint32_t sum = 0;
    for (uint32_t i = 0; i < size; i++) {
        sum += (uint32_t)bytes[i] << (i % 2 ? 0 : 8);
        sum = (sum & 0xffff) + (sum >> 16);
    }
    return sum;
}

static uint32_t checksum_of(uint32_t sum)
{
    sum = (sum & 0xffff) + (sum >> 16);
    sum = (sum & 0xffff) + (sum >> 16);
    return ~sum & 0xffff;
}

static void finish_l3(uint8_t *l3, uint32_t type, uint32_t behind)
{
    if (type == IPV4) {
        put16(l3 + 2, IPV4_LENGTH + behind);
        put16(l3 + 10, 0);
        put16(l3 + 10, checksum_of(sum_of(l3, IPV4_LENGTH)));
    } else if (type == IPV6) {
        put16(l3 + 4, behind);
    }
}

/* Fills in the length and checksum of the layer 4 header at l4; with the payload it has `size` bytes. */
static void finish_l4(const uint32_t *entry, const uint8_t *l3, uint8_t *l4, uint32_t size)
{
    uint32_t type = type_of(entry, L4_TYPE_SHAMT), l3_type = type_of(entry, L3_TYPE_SHAMT);
    bool over_ip = entry[INSERT_CTL] & INSERT_L3 && (l3_type == IPV4 || l3_type == IPV6);
    unsigned at = type == UDP ? 6 : 16;
    if (type == UDP) {
        put16(l4 + 4, size);
    }
    if ((type != UDP && type != TCP) || !(entry[INSERT_CTL] & L4_CHECKSUM) || !over_ip) {
        return;
    }
    put16(l4 + at, 0);
    uint32_t addresses = l3_type == IPV4 ? sum_of(l3 + 12, 8) : sum_of(l3 + 8, 32);
    uint32_t checksum = checksum_of(addresses + (type == UDP ? PROTOCOL_UDP : PROTOCOL_TCP) + size + sum_of(l4, size));
    put16(l4 + at, type == UDP && checksum == 0 ? 0xffff : checksum);
}

uint32_t ethernet_frame(const uint32_t *entry, const uint8_t *payload, uint32_t size, uint8_t *frame)
{
    uint32_t control = entry[INSERT_CTL], l3 = l3_length(entry), l4 = l4_length(entry);
    uint8_t *at = put_address(frame, &entry[MAC_DA]);
    at = put_address(at, &entry[MAC_SA]);
    if (control & INSERT_VLAN_1) {
        at = put_words(at, &entry[VLAN_1], 4);
        at = control & INSERT_VLAN_2 ? put_words(at, &entry[VLAN_2], 4) : at;
    }
    put16(at, entry[ETHERTYPE] & 1 ? entry[ETHERTYPE] >> 16 : l3 + l4 + size);
    uint8_t *l3_at = at + 2, *l4_at = put_words(l3_at, &entry[L3_HEADER], l3);
    at = put_words(l4_at, &entry[L4_HEADER], l4);
    memcpy(at, payload, size);
    if (l3) {
        finish_l3(l3_at, type_of(entry, L3_TYPE_SHAMT), l4 + size);
    }
    if (l4) {
        finish_l4(entry, l3_at, l4_at, l4 + size);
    }
    return (uint32_t)(at - frame) + size;
}
