/* Registers, pattern table, flow table and decision of an Ethernet tile's RX classifier. Source:
   chip/ethernet/classifier.h. */
#include "chip/ethernet/classifier.h"

#include <string.h>

#include "util/bits.h"

/* Registers, in bytes from CLASSIFIER_BASE. */
enum {
    TCAM_ROW_MAPPING = 0xc00,
    NO_MATCH_LABELS = 0xd00,
    NO_MATCH_ACTIONS = 0xd04,
    NO_MATCH_VLAN = 0xd08,
    NO_MATCH_SW_METADATA = 0xd0c,
    TCAM_ROW_UPDATE = 0xd40,
    TCAM_ROW_STATUS = 0xd44,
    TCAM_FLUSH = 0xd60,
    TCAM_WRITE = 0xd80,
    TCAM_UPDATE = 0xdf0,
    TCAM_READ = 0xe00,
    FTABLE_LABELS = 0xe80,
    FTABLE_ACTIONS = 0xe84,
    FTABLE_VLAN = 0xe88,
    FTABLE_SW_METADATA = 0xe8c,
    FTABLE_UPDATE = 0xea0,
    OVERRIDE_DECISION = 0x1000,
    HEADER_ERROR_CONTROL = 0x1004,
};

#define GO (1u << 31)
enum { ROW = 0x3f };

/* Of each word of a pattern: its offset among the write registers and among the read registers; the bit of TCAM_UPDATE
   that enables writing it; the kinds of frames that have it; its valid bits. */
static const struct {
    uint16_t write, read;
    uint8_t update;
    bool not_ip, ip;
    uint32_t bits;
} tuple_words[TUPLE_WORDS] = {
    [TUPLE_TYPE] = {0xd80, 0xe00, 21, true, true, 3},
    [TUPLE_PROTOCOL] = {0xdbc, 0xe4c, 16, false, true, 0xf00ff},
    [TUPLE_ETHERTYPE] = {0xdc0, 0xe50, 22, true, false, 0xfffff},
    [TUPLE_SOURCE] = {0xd90, 0xe10, 20, true, true, UINT32_MAX},
    [TUPLE_SOURCE + 1] = {0xd94, 0xe14, 20, true, true, UINT32_MAX},
    [TUPLE_SOURCE + 2] = {0xd98, 0xe18, 20, true, true, UINT32_MAX},
    [TUPLE_SOURCE + 3] = {0xd9c, 0xe1c, 20, true, true, UINT32_MAX},
    [TUPLE_DESTINATION] = {0xda0, 0xe20, 19, true, true, UINT32_MAX},
    [TUPLE_DESTINATION + 1] = {0xda4, 0xe24, 19, true, true, UINT32_MAX},
    [TUPLE_DESTINATION + 2] = {0xda8, 0xe28, 19, true, true, UINT32_MAX},
    [TUPLE_DESTINATION + 3] = {0xdac, 0xe2c, 19, true, true, UINT32_MAX},
    [TUPLE_FLAGS] = {0xdb0, 0xe30, 0, true, false, 0xf000f}, /* with the addresses */
    [TUPLE_SOURCE_PORT] = {0xdb4, 0xe34, 18, false, true, 0xfffff},
    [TUPLE_DESTINATION_PORT] = {0xdb8, 0xe48, 17, false, true, 0xfffff},
    [TUPLE_PRIORITY] = {0xdc4, 0xe54, 23, true, false, 7},
};

static const uint16_t flow_registers[FLOW_WORDS] = {FTABLE_ACTIONS, FTABLE_VLAN, FTABLE_LABELS, FTABLE_SW_METADATA};
static const uint16_t no_match_registers[FLOW_WORDS] = {NO_MATCH_ACTIONS, NO_MATCH_VLAN, NO_MATCH_LABELS,
                                                        NO_MATCH_SW_METADATA};

bool classifier_has(uint32_t address)
{
    static const struct {
        uint16_t first, end;
    } ranges[] = {{0x000, 0x008}, {0x400, 0x470}, {0x800, 0x834}, {0x840, 0x88c}, {0x8a0, 0x8c4}, {0x900, 0x980},
                  {0xc00, 0xd10}, {0xd40, 0xd48}, {0xd60, 0xd64}, {0xd80, 0xd84}, {0xd90, 0xdc8}, {0xdf0, 0xdf4},
                  {0xe00, 0xe04}, {0xe10, 0xe38}, {0xe48, 0xe58}, {0xe80, 0xe90}, {0xea0, 0xea4}, {0x1000, 0x1008}};
    uint32_t offset = address - CLASSIFIER_BASE;
    for (unsigned i = 0; i < COUNT_OF(ranges); i++) {
        if (offset >= ranges[i].first && offset < ranges[i].end) {
            return true;
        }
    }
    return false;
}

static void flush(struct classifier *classifier)
{
    memset(classifier->value, 0xff, sizeof classifier->value);
    memset(classifier->mask, 0xff, sizeof classifier->mask);
    classifier->enabled = 0;
}

void classifier_reset(struct classifier *classifier)
{
    *classifier = (struct classifier){};
    flush(classifier);
}

uint32_t classifier_read(const struct classifier *classifier, uint32_t address)
{
    return classifier->words[(address - CLASSIFIER_BASE) / 4];
}

/* Patterns. */

static void update_row(struct classifier *classifier, uint32_t value)
{
    enum { ENABLE = 1 << 8, WRITE = 1 << 16 };
    unsigned row = value & ROW;
    uint64_t bit = UINT64_C(1) << row;
    if (value & WRITE) {
        classifier->enabled = value & ENABLE ? classifier->enabled | bit : classifier->enabled & ~bit;
    } else {
        classifier->words[TCAM_ROW_STATUS / 4] = row | (classifier->enabled & bit ? ENABLE : 0);
    }
}

static void write_pattern(struct classifier *classifier, uint32_t value, uint32_t *pattern)
{
    enum { NOT_IP = 1 << 10, UPDATE_DESTINATION = 1 << 19, UPDATE_SOURCE = 1 << 20, OF_DESTINATION = 0xffff };
    for (unsigned i = 0; i < TUPLE_WORDS; i++) {
        uint32_t bits = tuple_words[i].bits, word = classifier->words[tuple_words[i].write / 4];
        if (i == TUPLE_FLAGS) {
            bits &= (value & UPDATE_DESTINATION ? OF_DESTINATION : 0) | (value & UPDATE_SOURCE ? ~OF_DESTINATION : 0);
        } else if (!(value >> tuple_words[i].update & 1)) {
            continue;
        }
        if (value & NOT_IP ? tuple_words[i].not_ip : tuple_words[i].ip) {
            pattern[i] = (pattern[i] & ~bits) | (word & bits);
        }
    }
}

static void read_pattern(struct classifier *classifier, const uint32_t *pattern, uint32_t kind)
{
    for (unsigned i = 0; i < TUPLE_WORDS; i++) {
        if (kind == FRAME_NOT_IP ? tuple_words[i].not_ip : tuple_words[i].ip) {
            classifier->words[tuple_words[i].read / 4] = pattern[i] & tuple_words[i].bits;
        }
    }
    classifier->words[tuple_words[TUPLE_TYPE].read / 4] = kind;
}

static void update_pattern(struct classifier *classifier, uint32_t value)
{
    enum { MASK = 1 << 8, WRITE = 1 << 9 };
    unsigned row = value & ROW;
    uint32_t *pattern = value & MASK ? classifier->mask[row] : classifier->value[row];
    if (value & WRITE) {
        write_pattern(classifier, value, pattern);
    } else {
        read_pattern(classifier, pattern, classifier->value[row][TUPLE_TYPE] & tuple_words[TUPLE_TYPE].bits);
    }
}

static void update_flow(struct classifier *classifier, uint32_t value)
{
    enum { WRITE = 1 << 8 };
    for (unsigned i = 0; i < FLOW_WORDS; i++) {
        uint32_t *flow = &classifier->flow[value & ROW][i], *word = &classifier->words[flow_registers[i] / 4];
        if (value & WRITE) {
            *flow = *word;
        } else {
            *word = *flow;
        }
    }
}

void classifier_write(struct classifier *classifier, uint32_t address, uint32_t value)
{
    uint32_t offset = address - CLASSIFIER_BASE;
    if (offset == TCAM_ROW_STATUS) { /* only hardware changes this register */
        return;
    }
    classifier->words[offset / 4] = value;
    if (offset == TCAM_FLUSH && value == 1) {
        flush(classifier);
    } else if (offset == TCAM_ROW_UPDATE && value & GO) {
        update_row(classifier, value);
    } else if (offset == TCAM_UPDATE && value & GO) {
        update_pattern(classifier, value);
    } else if (offset == FTABLE_UPDATE && value & GO) {
        update_flow(classifier, value);
    }
}

/* Looking up. */

static bool matches(const struct classifier *classifier, unsigned row, const uint32_t *tuple)
{
    bool not_ip = tuple[TUPLE_TYPE] == FRAME_NOT_IP;
    for (unsigned i = 0; i < TUPLE_WORDS; i++) {
        bool compared = not_ip ? tuple_words[i].not_ip : tuple_words[i].ip;
        unsigned of_address = i >= TUPLE_SOURCE && i < TUPLE_FLAGS ? (i - TUPLE_SOURCE) % 4 : 0;
        unsigned address_words = not_ip ? 2 : tuple[TUPLE_TYPE] == FRAME_IPV4 ? 1 : 4;
        uint32_t bits = not_ip && of_address == 1 ? 0xffff : tuple_words[i].bits;
        uint32_t care = bits & ~classifier->mask[row][i];
        if (compared && of_address < address_words && (tuple[i] ^ classifier->value[row][i]) & care) {
            return false;
        }
    }
    return true;
}

/* Finds the flow table's row of the first matching pattern, or else the row for unmatched frames. Returns whether a
   pattern matched. */
static bool find_flow(const struct classifier *classifier, const uint32_t *tuple, uint32_t flow[FLOW_WORDS])
{
    enum { PRIORITY = 7, FLOW_SHAMT = 16 };
    unsigned best = CLASSIFIER_ROWS, best_priority = 0;
    for (unsigned row = 0; row < CLASSIFIER_ROWS; row++) {
        unsigned priority = classifier->words[TCAM_ROW_MAPPING / 4 + row] & PRIORITY;
        bool better = best == CLASSIFIER_ROWS || priority > best_priority;
        if (classifier->enabled >> row & 1 && better && matches(classifier, row, tuple)) {
            best = row;
            best_priority = priority;
        }
    }
    unsigned index =
        best < CLASSIFIER_ROWS ? classifier->words[TCAM_ROW_MAPPING / 4 + best] >> FLOW_SHAMT & ROW : CLASSIFIER_ROWS;
    for (unsigned i = 0; i < FLOW_WORDS; i++) {
        flow[i] = index < CLASSIFIER_ROWS ? classifier->flow[index][i] : classifier->words[no_match_registers[i] / 4];
    }
    return best < CLASSIFIER_ROWS;
}

/* Deciding. */

enum {
    ACTION_QUEUE = 3,
    ACTION_DROP = 1 << 2,
    ACTION_STRIP = 1 << 3,
    ACTION_TIMESTAMP = 1 << 4,
    ACTION_SW_METADATA = 1 << 5,
    ACTION_HW_METADATA = 1 << 6,
};

static bool tags_are_missing(uint32_t wanted, const struct classifier_headers *headers)
{
    enum { C_WANTED = 1 << 15, VLAN = 0xfff };
    uint32_t c_tag = headers->c_tag, s_tag = headers->s_tag;
    return (wanted & C_WANTED && (c_tag == 0 || (c_tag ^ wanted) & VLAN)) ||
           (wanted >> 31 && (s_tag == 0 || (s_tag ^ wanted >> 16) & VLAN));
}

static void put_big(uint8_t *bytes, uint32_t word)
{
    for (unsigned i = 0; i < 4; i++) {
        bytes[i] = (uint8_t)(word >> (24 - 8 * i));
    }
}

static void prepend(struct classifier_verdict *verdict, const uint32_t *flow, uint32_t size, uint32_t code)
{
    enum { LENGTH = 0x3fff, CODE_SHAMT = 14, QUEUE_SHAMT = 20, TIMESTAMP_SHAMT = 22, LABEL_SHAMT = 24, LABEL = 0x1f };
    if (flow[FLOW_ACTIONS] & ACTION_SW_METADATA) {
        put_big(verdict->prefix_bytes, flow[FLOW_SW_METADATA]);
        verdict->prefix = 4;
    }
    if (flow[FLOW_ACTIONS] & ACTION_HW_METADATA) {
        bool timestamp = flow[FLOW_ACTIONS] & ACTION_TIMESTAMP;
        put_big(verdict->prefix_bytes + verdict->prefix,
                (size & LENGTH) | code << CODE_SHAMT | (flow[FLOW_ACTIONS] & ACTION_QUEUE) << QUEUE_SHAMT |
                    (uint32_t)timestamp << TIMESTAMP_SHAMT | (flow[FLOW_LABELS] & LABEL) << LABEL_SHAMT);
        verdict->prefix += 4;
    }
}

/* What is not emulated, or must not be. */
static enum step check(const struct classifier *classifier, const uint32_t *flow, uint32_t routing,
                       struct diagnostics *diagnostics)
{
    enum { LABEL = 0x1f, RESERVED = 1 };
    uint32_t actions = flow[FLOW_ACTIONS], decision = classifier->words[OVERRIDE_DECISION / 4] & 3;
    if (routing & RESERVED || decision == 3) {
        return diagnose(diagnostics, BH_UNDEFINED_BEHAVIOR,
                        "RX classifier: MAC_RX_ROUTING %u, OVERRIDE_DECISION %u: such a value is reserved", routing & 3,
                        decision);
    }
    if (actions & ACTION_STRIP && actions & (ACTION_SW_METADATA | ACTION_HW_METADATA)) {
        return diagnose(
            diagnostics, BH_UNDEFINED_BEHAVIOR,
            "RX classifier: actions 0x%x remove headers and put metadata in front, of which only one can be", actions);
    }
    if (flow[FLOW_LABELS] & ~(uint32_t)LABEL) {
        return diagnose(diagnostics, BH_UNSUPPORTED, "RX classifier: labels 0x%x: counters are not emulated",
                        flow[FLOW_LABELS]);
    }
    return STEP_DONE;
}

enum step classifier_decide(const struct classifier *classifier, const uint8_t *frame, uint32_t size,
                            uint32_t good_codes, uint32_t routing, struct classifier_verdict *verdict,
                            struct diagnostics *diagnostics)
{
    enum { BY_FLOW = 2, KEEP_ALL = 0, DROP_ALL = 1, LABEL = 0x1f };
    struct classifier_headers headers;
    uint32_t flow[FLOW_WORDS], decision = classifier->words[OVERRIDE_DECISION / 4] & 3;
    *verdict = (struct classifier_verdict){};
    classifier_extract(classifier, frame, size, &headers);
    if (!(good_codes >> headers.end_of_packet & 1)) {
        return STEP_DONE;
    }
    verdict->by_rule = find_flow(classifier, headers.tuple, flow);
    enum step step = check(classifier, flow, routing, diagnostics);
    if (step != STEP_DONE) {
        return step;
    }
    uint32_t actions = flow[FLOW_ACTIONS];
    verdict->by_flow = (routing & 3) == BY_FLOW;
    verdict->queue = actions & ACTION_QUEUE;
    if (headers.errors) {
        verdict->keep = !(headers.errors & ~classifier->words[HEADER_ERROR_CONTROL / 4]);
        return STEP_DONE;
    }
    verdict->keep = decision == KEEP_ALL ||
                    (decision != DROP_ALL && !(actions & ACTION_DROP) && !tags_are_missing(flow[FLOW_VLAN], &headers));
    if (actions & ACTION_STRIP) {
        verdict->strip_tags = headers.tags;
        verdict->strip_headers = (uint8_t)(headers.ip + headers.udp);
    }
    verdict->stamp = verdict->keep && actions & ACTION_TIMESTAMP;
    verdict->label = flow[FLOW_LABELS] & LABEL;
    prepend(verdict, flow, size, headers.end_of_packet);
    return STEP_DONE;
}
