/* Extracts the headers of received frames for the RX classifier of an Ethernet tile: EtherType and tags, which
   registers may override, IPv4, IPv6 or neither, ports, and the augmentation of each value. Source: ISA documentation
   EthernetTile/EthernetRxClassifier.md ("Extract some headers"). */
#include "chip/ethernet/classifier.h"

#include "util/bits.h"

/* Registers, in bytes from CLASSIFIER_BASE. */
enum {
    USER_DEFINED_ETHERTYPE = 0x000,
    USER_DEFINED_VLAN_TAG = 0x400,
    USER_DEFINED_STAG = 0x408,
    USER_DEFINED_CTAG = 0x410,
    USER_DEFINED_L3_HDR = 0x418,
    USER_DEFINED_SRC_IP_ADDR = 0x420,
    USER_DEFINED_DST_IP_ADDR = 0x440,
    USER_DEFINED_L4_HDR_FIELDS = 0x460,
    USER_DEFINED_L4_HDR_PORT = 0x468,
    USER_MAC_DA = 0x800,
    USER_REDUCED_DA = 0x810,
    REDUCED_DA = 0x818,
    USER_ETHERTYPE = 0x840,
    USER_REDUCED_ETHERTYPE = 0x848,
    REDUCED_ETHERTYPE = 0x850,
    USER_PROTOCOL = 0x8a0,
    USER_REDUCED_PROTOCOL = 0x8a8,
    REDUCED_PROTOCOL = 0x8b0,
    USER_PORT_REDUCTION_PORT = 0x900,
    USER_PORT_REDUCTION_RULE = 0x940,
};

enum { USER_ENTRIES = 2, PORT_RULES = 16, AUGMENTATION_SHAMT = 16, AUGMENTATION = 0xf };
enum { MACS = 12, TAG = 4, IPV4_HEADER = 20, IPV6_HEADER = 40, UDP_HEADER = 8, TCP_HEADER = 20 };
enum { S_TAG = 0x88a8, C_TAG = 0x8100, MACSEC = 0x88e5, IPV4 = 0x0800, IPV6 = 0x86dd, MAC_CONTROL = 0x8808 };
enum { PROTOCOL_TCP = 6, PROTOCOL_UDP = 17, LEAST_ETHERTYPE = 0x0600 };
enum { BAD_IPV4 = 1 << 0, BAD_IPV6 = 1 << 1, BAD_TCP = 1 << 2 };

struct view {
    const struct classifier *classifier;
    const uint8_t *frame;
    uint32_t size;
    struct classifier_headers *headers;
    uint32_t ethertype; /* after overriding by registers */
    uint32_t l3;        /* offset of the layer 3 header */
};

static uint32_t reg(const struct view *view, uint32_t offset, unsigned i)
{
    return view->classifier->words[offset / 4 + i];
}

static uint32_t big16(const uint8_t *bytes)
{
    return (uint32_t)bytes[0] << 8 | bytes[1];
}

static uint32_t big32(const uint8_t *bytes)
{
    return big16(bytes) << 16 | big16(bytes + 2);
}

/* The end-of-packet code: flow control and similar frames by EtherType and operation; all others have no error. */
static uint8_t end_of_packet(const uint8_t *frame, uint32_t size)
{
    enum { PAUSE = 1, PRIORITY_PAUSE = 0x101, DATA = 0, UNSUPPORTED = 5 };
    if (size < MACS + 4 || big16(frame + MACS) != MAC_CONTROL) {
        return DATA;
    }
    uint32_t operation = big16(frame + MACS + 2);
    return operation == PAUSE ? 1 : operation == PRIORITY_PAUSE ? 2 : UNSUPPORTED;
}

/* Tags and EtherType. */
static void extract_ethertype(struct view *view)
{
    struct classifier_headers *headers = view->headers;
    const uint8_t *at = view->frame + MACS;
    uint32_t left = view->size - MACS;
    if (left >= 2 * TAG + 2 && big16(at) == S_TAG && big16(at + TAG) == C_TAG) {
        headers->s_tag = big32(at);
        headers->c_tag = big32(at + TAG);
        headers->tags = 2 * TAG;
    } else if (left >= TAG + 2 && big16(at) == C_TAG) {
        headers->c_tag = big32(at);
        headers->tags = TAG;
    }
    view->ethertype = big16(at + headers->tags);
    view->l3 = MACS + headers->tags + 2;
    for (unsigned i = 0; i < USER_ENTRIES && view->ethertype != MACSEC; i++) {
        uint32_t entry = reg(view, USER_DEFINED_ETHERTYPE, i);
        if (view->ethertype == (entry & 0xffff) && entry) {
            view->ethertype = entry >> 16;
            break;
        }
    }
    for (unsigned i = 0; i < USER_ENTRIES; i++) {
        enum { REPLACE_C = 1, REPLACE_BOTH = 3 };
        uint32_t entry = reg(view, USER_DEFINED_VLAN_TAG, i), replace = entry >> 16 & 3;
        if (view->ethertype == (entry & 0xffff) && (replace == REPLACE_C || replace == REPLACE_BOTH)) {
            headers->c_tag = reg(view, USER_DEFINED_CTAG, i);
            headers->s_tag = replace == REPLACE_BOTH ? reg(view, USER_DEFINED_STAG, i) : headers->s_tag;
            break;
        }
    }
}

/* The augmentation of a value: from the first entry with this value in software's table, else in the fixed one. */
static uint32_t augmentation_of(const struct view *view, uint32_t value, uint32_t user, uint32_t user_reduced,
                                const uint16_t *known, unsigned count, uint32_t reduced, uint32_t bits)
{
    for (unsigned i = 0; i < USER_ENTRIES; i++) {
        if (value == (reg(view, user, i) & bits)) {
            return reg(view, user_reduced, i) & AUGMENTATION;
        }
    }
    for (unsigned i = 0; i < count; i++) {
        if (value == known[i]) {
            return reg(view, reduced, i) & AUGMENTATION;
        }
    }
    return 0;
}

static uint32_t ethertype_augmentation(const struct view *view)
{
    static const uint16_t known[] = {0 /* a length */, IPV4,   IPV6,   0x0806, 0x8035, 0x0842, 0x8902, 0x22e7,
                                     0x22e9,           0x8940, 0x88f7, 0x888e, 0x88cc, 0x8915, 0x88b7};
    bool user = view->ethertype == (reg(view, USER_ETHERTYPE, 0) & 0xffff) ||
                view->ethertype == (reg(view, USER_ETHERTYPE, 1) & 0xffff);
    uint32_t value = view->ethertype < LEAST_ETHERTYPE && !user ? 0 : view->ethertype;
    if (value == 0 && !user) {
        return reg(view, REDUCED_ETHERTYPE, 0) & AUGMENTATION;
    }
    return augmentation_of(view, value, USER_ETHERTYPE, USER_REDUCED_ETHERTYPE, known, COUNT_OF(known),
                           REDUCED_ETHERTYPE, 0xffff);
}

static uint32_t destination_augmentation(const struct view *view)
{
    static const struct {
        uint64_t value, mask;
    } known[] = {{0x0180c200000e, 0xffffffffffff}, {0x0180c2000000, 0xfffffffffff0}, {0x0180c2000010, 0xfffffffffff0},
                 {0x0180c2000020, 0xfffffffffff0}, {0x0180c2000030, 0xffffffffffff}, {0x0180c2000000, 0xffffff000000},
                 {0x011b19000000, 0xffffffffffff}};
    uint64_t address = (uint64_t)big16(view->frame) << 32 | big32(view->frame + 2);
    for (unsigned i = 0; i < USER_ENTRIES; i++) {
        uint64_t user = reg(view, USER_MAC_DA, 2 * i) | (uint64_t)(reg(view, USER_MAC_DA, 2 * i + 1) & 0xffff) << 32;
        if (address == user) {
            return reg(view, USER_REDUCED_DA, i) & AUGMENTATION;
        }
    }
    for (unsigned i = 0; i < COUNT_OF(known); i++) {
        if ((address & known[i].mask) == known[i].value) {
            return reg(view, REDUCED_DA, i) & AUGMENTATION;
        }
    }
    return 0;
}

static void extract_not_ip(const struct view *view)
{
    enum { PCP_SHAMT = 13, PCP = 7 };
    uint32_t *tuple = view->headers->tuple;
    uint32_t outer = view->headers->s_tag ? view->headers->s_tag : view->headers->c_tag;
    tuple[TUPLE_TYPE] = FRAME_NOT_IP;
    tuple[TUPLE_ETHERTYPE] = view->ethertype | ethertype_augmentation(view) << AUGMENTATION_SHAMT;
    tuple[TUPLE_DESTINATION] = big32(view->frame + 2);
    tuple[TUPLE_DESTINATION + 1] = big16(view->frame);
    tuple[TUPLE_SOURCE] = big32(view->frame + 8);
    tuple[TUPLE_SOURCE + 1] = big16(view->frame + 6);
    tuple[TUPLE_FLAGS] = destination_augmentation(view);
    tuple[TUPLE_PRIORITY] = outer >> PCP_SHAMT & PCP;
}

/* Ports of TCP, of UDP or of both, as software's register selects. */
static uint32_t with_port_augmentation(const struct view *view, uint32_t port, bool destination, bool tcp, bool udp)
{
    enum { RANGE = 1 << 4, OF_DESTINATION = 1 << 8, OF_TCP = 1 << 12 };
    for (unsigned i = 0; i < PORT_RULES; i++) {
        uint32_t rule = reg(view, USER_PORT_REDUCTION_RULE, i), ports = reg(view, USER_PORT_REDUCTION_PORT, i);
        uint32_t low = ports & 0xffff, high = ports >> 16;
        bool applies = !(rule & OF_DESTINATION) != destination && (rule & OF_TCP ? tcp : udp);
        if (applies && (rule & RANGE ? low <= port && port <= high : low == port || port == high)) {
            return port | (rule & AUGMENTATION) << AUGMENTATION_SHAMT;
        }
    }
    return port;
}

static void extract_ports(const struct view *view, uint32_t protocol, uint32_t l4)
{
    enum { AS_TCP = 1 << 8, AS_UDP = 1 << 12 };
    struct classifier_headers *headers = view->headers;
    bool tcp = protocol == PROTOCOL_TCP, udp = protocol == PROTOCOL_UDP, there = false;
    uint32_t source = 0, destination = 0, length = tcp ? TCP_HEADER : UDP_HEADER;
    for (unsigned i = 0; i < USER_ENTRIES && !there; i++) {
        uint32_t fields = reg(view, USER_DEFINED_L4_HDR_FIELDS, i), ports = reg(view, USER_DEFINED_L4_HDR_PORT, i);
        if (protocol == (fields & 0xff)) {
            there = true;
            tcp = fields & AS_TCP;
            udp = fields & AS_UDP;
            source = ports >> 16;
            destination = ports & 0xffff;
        }
    }
    if (!there && (tcp || udp) && l4 && l4 + length <= view->size) {
        const uint8_t *header = view->frame + l4;
        there = true;
        source = big16(header);
        destination = big16(header + 2);
        headers->errors |= tcp && header[12] >> 4 != TCP_HEADER / 4 ? BAD_TCP : 0;
        headers->udp = udp ? UDP_HEADER : 0;
    }
    if (there) {
        headers->tuple[TUPLE_SOURCE_PORT] = with_port_augmentation(view, source, false, tcp, udp);
        headers->tuple[TUPLE_DESTINATION_PORT] = with_port_augmentation(view, destination, true, tcp, udp);
    }
}

static void extract_protocol(const struct view *view, uint32_t protocol, uint32_t l4)
{
    static const uint16_t known[] = {1, 2, PROTOCOL_TCP, PROTOCOL_UDP, 0x3a};
    uint32_t augmentation = augmentation_of(view, protocol, USER_PROTOCOL, USER_REDUCED_PROTOCOL, known,
                                            COUNT_OF(known), REDUCED_PROTOCOL, 0xff);
    view->headers->tuple[TUPLE_PROTOCOL] = protocol | augmentation << AUGMENTATION_SHAMT;
    extract_ports(view, protocol, l4);
}

/* Takes the IP header's position from a register. false: no register gives one for this EtherType. */
static bool extract_user_ip(const struct view *view)
{
    enum { AS_IPV4 = 5, AS_IPV6 = 7, WORDS = 4 };
    for (unsigned i = 0; i < USER_ENTRIES; i++) {
        uint32_t entry = reg(view, USER_DEFINED_L3_HDR, i), kind = entry >> 24 & 7;
        if (view->ethertype != (entry & 0xffff) || entry == 0) {
            continue;
        }
        if (kind != AS_IPV4 && kind != AS_IPV6) {
            extract_not_ip(view);
            return true;
        }
        uint32_t *tuple = view->headers->tuple;
        tuple[TUPLE_TYPE] = kind == AS_IPV4 ? FRAME_IPV4 : FRAME_IPV6;
        for (unsigned word = 0; word < (kind == AS_IPV4 ? 1 : WORDS); word++) {
            tuple[TUPLE_SOURCE + word] = reg(view, USER_DEFINED_SRC_IP_ADDR, i + (3 - word) * 2);
            tuple[TUPLE_DESTINATION + word] = reg(view, USER_DEFINED_DST_IP_ADDR, i + (3 - word) * 2);
        }
        extract_protocol(view, entry >> 16 & 0xff, 0);
        return true;
    }
    return false;
}

static void extract_ipv4(const struct view *view)
{
    const uint8_t *header = view->frame + view->l3;
    uint32_t *tuple = view->headers->tuple;
    tuple[TUPLE_TYPE] = FRAME_IPV4;
    tuple[TUPLE_SOURCE] = big32(header + 12);
    tuple[TUPLE_DESTINATION] = big32(header + 16);
    view->headers->errors |= (header[0] & 0xf) != IPV4_HEADER / 4 ? BAD_IPV4 : 0;
    view->headers->ip = IPV4_HEADER;
    extract_protocol(view, header[9], view->l3 + IPV4_HEADER);
}

static void extract_ipv6(const struct view *view)
{
    static const uint8_t unsupported[] = {0, 43, 44, 50, 51, 60, 135, 139, 140, 253, 254};
    const uint8_t *header = view->frame + view->l3;
    uint32_t *tuple = view->headers->tuple;
    tuple[TUPLE_TYPE] = FRAME_IPV6;
    for (unsigned word = 0; word < 4; word++) {
        tuple[TUPLE_SOURCE + word] = big32(header + 8 + 4 * (3 - word));
        tuple[TUPLE_DESTINATION + word] = big32(header + 24 + 4 * (3 - word));
    }
    for (unsigned i = 0; i < COUNT_OF(unsupported); i++) {
        view->headers->errors |= header[6] == unsupported[i] ? BAD_IPV6 : 0;
    }
    view->headers->ip = IPV6_HEADER;
    extract_protocol(view, header[6], view->l3 + IPV6_HEADER);
}

void classifier_extract(const struct classifier *classifier, const uint8_t *frame, uint32_t size,
                        struct classifier_headers *headers)
{
    struct view view = {.classifier = classifier, .frame = frame, .size = size, .headers = headers};
    *headers = (struct classifier_headers){.end_of_packet = end_of_packet(frame, size)};
    extract_ethertype(&view);
    if (extract_user_ip(&view)) {
        return;
    }
    if (view.ethertype == IPV4 && view.l3 + IPV4_HEADER <= size) {
        extract_ipv4(&view);
    } else if (view.ethertype == IPV6 && view.l3 + IPV6_HEADER <= size) {
        extract_ipv6(&view);
    } else {
        extract_not_ip(&view);
    }
}
