/* The RX classifier of an Ethernet tile, which frames pass before they reach an RX queue. It extracts headers
   (chip/ethernet/extract.c) and looks them up in a table of 64 patterns (TCAM); the first pattern that matches names a
   row of the flow table. That row says whether the frame is dropped, stripped of its tags and IP and UDP headers, or
   gets metadata in front, whether its arrival time is recorded, and which queue it goes to
   (chip/ethernet/classifier.c). Not emulated, with a diagnostic: the counters that labels select. MAC and IP addresses
   are numbers: the first word has their low 32 bits. Sources: ISA documentation EthernetTile/EthernetRxClassifier.md;
   tt-metal eth_ptp.hpp (what software writes). */
#ifndef BHEMU_CHIP_ETHERNET_CLASSIFIER_H
#define BHEMU_CHIP_ETHERNET_CLASSIFIER_H

#include <stdbool.h>
#include <stdint.h>

#include "debug/diagnostic.h"

#define CLASSIFIER_BASE 0xFFB9C000u
#define CLASSIFIER_END 0xFFB9D008u

enum { CLASSIFIER_WORDS = 0x1008 / 4, CLASSIFIER_ROWS = 64, CLASSIFIER_PREFIX = 8 };

/* Words of a pattern, and of the headers compared with it. Each value has its augmentation in the bits above it. */
enum classifier_word {
    TUPLE_TYPE, /* enum classifier_kind */
    TUPLE_PROTOCOL,
    TUPLE_ETHERTYPE,
    TUPLE_SOURCE,
    TUPLE_DESTINATION = TUPLE_SOURCE + 4,
    TUPLE_FLAGS = TUPLE_DESTINATION + 4, /* holds the augmentations of MAC addresses */
    TUPLE_SOURCE_PORT,
    TUPLE_DESTINATION_PORT,
    TUPLE_PRIORITY,
    TUPLE_WORDS,
};

enum classifier_kind { FRAME_NOT_IP = 0, FRAME_IPV4 = 1, FRAME_IPV6 = 3 };

/* Words of a row of the flow table. */
enum classifier_flow { FLOW_ACTIONS, FLOW_VLAN, FLOW_LABELS, FLOW_SW_METADATA, FLOW_WORDS };

struct classifier {
    uint32_t words[CLASSIFIER_WORDS]; /* the registers, from CLASSIFIER_BASE on */
    uint32_t value[CLASSIFIER_ROWS][TUPLE_WORDS], mask[CLASSIFIER_ROWS][TUPLE_WORDS];
    uint32_t flow[CLASSIFIER_ROWS][FLOW_WORDS];
    uint64_t enabled;
};

/* The headers of a frame, which the decision depends on. */
struct classifier_headers {
    uint32_t tuple[TUPLE_WORDS];
    uint32_t s_tag, c_tag; /* 0: none */
    uint8_t errors;        /* bits of HEADER_ERROR_CONTROL: headers that are not supported */
    uint8_t tags, ip, udp; /* sizes of these headers in bytes */
    uint8_t end_of_packet; /* the end-of-packet code */
};

/* The decision about a frame. */
struct classifier_verdict {
    bool keep;
    bool by_flow;        /* `queue` is valid; otherwise the queue follows from the address */
    bool stamp, by_rule; /* stamp: record the arrival time, with the label; by_rule: a pattern matched */
    uint8_t queue, label;
    uint8_t prefix; /* number of bytes of prefix_bytes to put in front */
    uint8_t strip_tags,
        strip_headers; /* numbers of bytes to remove behind the MAC addresses, and behind the EtherType */
    uint8_t prefix_bytes[CLASSIFIER_PREFIX];
};

void classifier_reset(struct classifier *classifier);

/* Whether there is a register at an address from CLASSIFIER_BASE on, below CLASSIFIER_END. */
bool classifier_has(uint32_t address);
uint32_t classifier_read(const struct classifier *classifier, uint32_t address);
void classifier_write(struct classifier *classifier, uint32_t address, uint32_t value);

/* Extracts the headers of a frame of at least 14 bytes. */
void classifier_extract(const struct classifier *classifier, const uint8_t *frame, uint32_t size,
                        struct classifier_headers *headers);

/* routing: the register MAC_RX_ROUTING, which lists the good end-of-packet codes. */
enum step classifier_decide(const struct classifier *classifier, const uint8_t *frame, uint32_t size,
                            uint32_t good_codes, uint32_t routing, struct classifier_verdict *verdict,
                            struct diagnostics *diagnostics);

#endif
