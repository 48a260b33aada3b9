#include "noc/niu.h"

#include "noc/atomics.h"
#include "time/timing.h"
#include "util/bits.h"

/* NOC_CTRL */
enum {
    CMD_RD,
    CMD_AT,
    CMD_WR,
    CMD_RESERVED,
    CMD_MASK = 3,
    CMD_WR_BE = 1 << 2,
    CMD_WR_INLINE = 1 << 3,
    CMD_RESP_MARKED = 1 << 4,
    CMD_BRCST_PACKET = 1 << 5,
    CMD_VC_LINKED = 1 << 6,
    CMD_PATH_RESERVE = 1 << 8,
    CMD_BRCST_SRC_INCLUDE = 1 << 17,
    CMD_ALWAYS_ZERO = 0x7 << 10 | 0x1ff << 18,
};
#define CMD_L1_ACC_AT_EN (1u << 31)

/* NOC_PACKET_TAG */
enum { TAG_DELIVER_TO_OVERLAY = 1 << 6 };

enum {
    TILE_CLK_OFF = 1 << 12,
    TILE_HEADER_STORE_OFF = 1 << 13,
    TRANSLATE_EN = 1 << 14,
    COORDINATE = 0x3f,
    SPLIT_ALIGNMENT = 64,
};

#define LENGTH_MAX (UINT64_C(1) << 24) /* more than eight times what the 8-bit counters can count */

uint32_t noc_packets(uint64_t length)
{
    return length ? (uint32_t)((length + NOC_PACKET_BYTES - 1) / NOC_PACKET_BYTES) : 1;
}

uint32_t noc_flits(uint64_t length)
{
    return (uint32_t)((length + NOC_FLIT_BYTES - 1) / NOC_FLIT_BYTES);
}

uint64_t noc_sending(uint32_t flits)
{
    return (uint64_t)flits * TIMING_NOC_FLIT_MILLI + TIMING_NOC_PACKET_MILLI;
}

/* How long the NIU takes to send the last packet of a request, and those before it. */
static uint64_t sending_last(const struct noc_request *request, uint64_t *others)
{
    uint64_t length = request->kind == NOC_READ || request->kind == NOC_WRITE ? request->length : 0;
    uint64_t before = noc_packets(length) - 1;
    bool carries = request->kind == NOC_WRITE;
    *others = before * noc_sending(1 + (carries ? noc_flits(NOC_PACKET_BYTES) : 0));
    uint32_t flits = request->kind == NOC_WRITE_BYTES ? 1 : carries ? noc_flits(length - before * NOC_PACKET_BYTES) : 0;
    return noc_sending(1 + flits);
}

void niu_take(struct niu *niu, const struct noc_outbox *outbox)
{
    const struct noc_request *request = &outbox->request[outbox->count - 1];
    uint64_t others, last = sending_last(request, &others);
    uint64_t ready = (request->start + TIMING_NOC_START) * MILLI, taken = niu->free_at > ready ? niu->free_at : ready;
    niu->started[request->initiator] = request->start;
    if (niu->taken_at[request->initiator] != NIU_UNKNOWN) {
        niu->taken_at[request->initiator] = taken + others;
    }
    niu->free_at = taken + others + last;
}

/* Requests leave the NIU in order: while one waits, those behind it do, too. */
void niu_hold(struct niu *niu, const struct noc_request *request, uint64_t taken_at, uint64_t free_at)
{
    uint64_t *last = &niu->taken_at[request->initiator];
    if (niu->started[request->initiator] == request->start || taken_at == NIU_UNKNOWN) {
        *last = taken_at > *last ? taken_at : *last;
    }
    if (taken_at == NIU_UNKNOWN) {
        niu->waits[request->initiator] = request->start;
    }
    niu->free_at = free_at > niu->free_at ? free_at : niu->free_at;
}

void niu_taken(struct niu *niu, const struct noc_request *request, uint64_t taken_at, uint64_t free_at)
{
    uint64_t started = niu->started[request->initiator];
    niu->free_at = free_at > niu->free_at ? free_at : niu->free_at;
    if (started == request->start) {
        niu->taken_at[request->initiator] = taken_at;
    } else if (niu->waits[request->initiator] == request->start) { /* the one behind it, unless that waits by itself */
        uint64_t ready = (started + TIMING_NOC_START) * MILLI;
        niu->taken_at[request->initiator] = niu->free_at > ready ? niu->free_at : ready;
    }
}

/* Counters. */

void niu_complete(struct niu *niu, unsigned transaction_id)
{
    unsigned counter = NIU_MST_REQS_OUTSTANDING_ID + transaction_id;
    if (niu->counter[counter] == 1) {
        niu->returned_to_zero |= (uint16_t)(1u << transaction_id);
    }
    niu_count(niu, counter, -1u);
}

void niu_clear_outstanding(struct niu *niu, uint32_t mask)
{
    for (unsigned id = 0; id < NIU_TRANSACTION_IDS; id++) {
        if (mask >> id & 1) {
            niu->counter[NIU_MST_REQS_OUTSTANDING_ID + id] = 0;
        }
    }
}

uint32_t niu_returned_to_zero_number(struct niu *niu)
{
    uint32_t pending = niu->returned_to_zero & niu->config[NIU_TRANS_COUNT_RTZ_CFG] & 0xffff;
    if (!pending) {
        return 0;
    }
    uint32_t number = (uint32_t)__builtin_ctz(pending);
    bool read_clears = !(niu->config[NIU_TRANS_COUNT_RTZ_CFG] >> 28 & 1);
    if (read_clears) {
        niu->returned_to_zero &= (uint16_t) ~(1u << number);
    }
    return number;
}

/* Coordinates. */

enum { ENTRIES_PER_WORD = 6, ENTRY_BITS = 5, TABLE_ENTRIES = 32 };

static uint8_t table_entry(const uint32_t *words, unsigned index)
{
    return (uint8_t)bits_get(words[index / ENTRIES_PER_WORD], index % ENTRIES_PER_WORD * ENTRY_BITS, ENTRY_BITS);
}

static void set_table_entry(uint32_t *words, unsigned index, uint32_t value)
{
    uint32_t *word = &words[index / ENTRIES_PER_WORD];
    *word = bits_set(*word, index % ENTRIES_PER_WORD * ENTRY_BITS, ENTRY_BITS, value);
}

/* Raw coordinates, x | y << 8. */
static inline __attribute__((always_inline)) uint32_t translate(const uint32_t *config, unsigned x, unsigned y)
{
    enum { DDR_COLUMN_9 = 1 << 10, DDR_COLUMN_0 = 1 << 11 };
    if (!(config[NIU_CFG_0] & TRANSLATE_EN)) {
        return x | y << 8;
    }
    unsigned column = x % TABLE_ENTRIES, row = y % TABLE_ENTRIES;
    uint32_t ddr = config[DDR_COORD_TRANSLATE_TABLE + 5];
    bool from_0 = column == 0, from_9 = column == 9;
    bool swaps = (from_0 && ddr & DDR_COLUMN_9) || (from_9 && ddr & DDR_COLUMN_0);
    bool ddr_column = (from_0 && ddr & DDR_COLUMN_0) || (from_9 && ddr & DDR_COLUMN_9);
    if (config[DDR_COORD_TRANSLATE_COL_SWAP] >> row & 1 && swaps) {
        x = column ^ 9;
    } else if (!(config[NOC_ID_TRANSLATE_ROW_MASK] >> row & 1)) {
        x = table_entry(&config[NOC_X_ID_TRANSLATE_TABLE], column);
    }
    if (ddr_column) {
        y = table_entry(&config[DDR_COORD_TRANSLATE_TABLE], row);
    } else if (!(config[NOC_ID_TRANSLATE_COL_MASK] >> column & 1)) {
        y = table_entry(&config[NOC_Y_ID_TRANSLATE_TABLE], row);
    }
    return x | y << 8;
}

void niu_translate(const struct niu *niu, unsigned x, unsigned y, uint8_t *raw_x, uint8_t *raw_y)
{
    uint32_t raw = translate(niu->config, x, y);
    *raw_x = (uint8_t)raw;
    *raw_y = (uint8_t)(raw >> 8);
}

void niu_reset(struct niu *niu, unsigned noc, unsigned x, unsigned y, const struct noc_translation *translation)
{
    uint32_t *config = niu->config;
    niu_configured(niu);
    unsigned logical_x, logical_y;
    noc_logical(translation, x, y, &logical_x, &logical_y);
    if (translation->off && noc) {
        logical_x = NOC_WIDTH - 1 - x;
        logical_y = NOC_HEIGHT - 1 - y;
    }
    bool harvested = noc_tile_kind(x, y) != TILE_NONE && !noc_tile_present(translation, x, y);
    bool dram = noc_tile_kind(x, y) == TILE_DRAM;
    config[NIU_CFG_0] = TILE_HEADER_STORE_OFF | (translation->off ? 0 : TRANSLATE_EN) | (harvested ? TILE_CLK_OFF : 0) |
                        (dram ? NIU_AXI_SUBORDINATE : 0);
    config[NOC_ID_LOGICAL] = logical_x | logical_y << 6;
    config[NOC_ID_TRANSLATE_ROW_MASK] = translation->off ? 0 : 1 << 0 | 1 << 1;
    for (unsigned i = 0; i < TABLE_ENTRIES; i++) {
        unsigned column = translation->column[i], row = translation->row[i];
        unsigned to_x = noc ? NOC_WIDTH - 1 - column : column, to_y = noc ? NOC_HEIGHT - 1 - row : row;
        set_table_entry(&config[NOC_X_ID_TRANSLATE_TABLE], i, translation->off ? 0 : to_x);
        set_table_entry(&config[NOC_Y_ID_TRANSLATE_TABLE], i, translation->off ? 0 : to_y);
    }
    uint32_t no_broadcast = 0;
    for (unsigned i = 0; i < NOC_WIDTH; i++) {
        bool takes = noc_column_has_tensix(i) && translation->arranged.tensix_columns >> die_index(i) & 1;
        no_broadcast |= (uint32_t)!takes << (noc ? NOC_WIDTH - 1 - i : i);
    }
    config[ROUTER_CFG_1] = no_broadcast;
    no_broadcast = 0;
    for (unsigned i = 0; i < NOC_HEIGHT; i++) {
        no_broadcast |= (uint32_t)!noc_row_has_tensix(i) << (noc ? NOC_HEIGHT - 1 - i : i);
    }
    config[ROUTER_CFG_3] = no_broadcast;
}

static struct noc_place place_of(const struct niu *niu, uint32_t word, bool rectangle)
{
    uint32_t end = translate(niu->config, word & COORDINATE, word >> 6 & COORDINATE), start = end;
    if (rectangle) {
        start = translate(niu->config, word >> 12 & COORDINATE, word >> 18 & COORDINATE);
    }
    return (struct noc_place){(uint8_t)end, (uint8_t)(end >> 8), (uint8_t)start, (uint8_t)(start >> 8),
                              noc_written(word & COORDINATE, word >> 6 & COORDINATE)};
}

/* As place_of(), for one tile: usually the same as in the request before. side 0: target, 1: return coordinates. */
static inline struct noc_place tile_of(struct niu *niu, unsigned side, uint32_t word)
{
    enum { TILE = 0xfff };
    uint32_t known = (word & TILE) | NIU_TRANSLATED;
    if (__builtin_expect(niu->translated[side].word != known, 0)) {
        niu->translated[side].place = place_of(niu, word, false);
        niu->translated[side].word = known;
    }
    return niu->translated[side].place;
}

/* Starting a request. */

static enum noc_request_kind kind_of(uint32_t ctrl)
{
    switch (ctrl & CMD_MASK) {
    case CMD_RD: return NOC_READ;
    case CMD_AT: return NOC_ATOMIC;
    default: return ctrl & CMD_WR_INLINE ? NOC_WRITE_INLINE : ctrl & CMD_WR_BE ? NOC_WRITE_BYTES : NOC_WRITE;
    }
}

static bool has_length(unsigned kind)
{
    return kind == NOC_READ || kind == NOC_WRITE;
}

/* Checks NOC_CTRL for flags that are undefined or unsupported. */
static enum step check_flags(const uint32_t *registers, struct diagnostics *diagnostics)
{
    uint32_t ctrl = registers[NOC_CTRL];
    if (!(ctrl & (CMD_WR_BE | CMD_WR_INLINE | CMD_BRCST_PACKET | CMD_ALWAYS_ZERO | CMD_L1_ACC_AT_EN)) &&
        (ctrl & CMD_MASK) != CMD_RESERVED) { /* nearly all */
        return STEP_DONE;
    }
    if ((ctrl & CMD_MASK) == CMD_RESERVED) {
        return diagnose(diagnostics, BH_UNDEFINED_BEHAVIOR, "NOC_CTRL 0x%08x: request type 3 is reserved", ctrl);
    }
    if (ctrl & CMD_BRCST_PACKET && (ctrl & CMD_MASK) == CMD_RD) {
        return diagnose(diagnostics, BH_UNDEFINED_BEHAVIOR, "NOC_CTRL 0x%08x: a read cannot be a broadcast", ctrl);
    }
    if (ctrl & CMD_L1_ACC_AT_EN && (ctrl & CMD_MASK) != CMD_AT) {
        enum step step = diagnose(diagnostics, BH_UNDEFINED_BEHAVIOR,
                                  "NOC_CTRL 0x%08x: NOC_CMD_L1_ACC_AT_EN cannot be used safely on silicon", ctrl);
        if (step != STEP_DONE) {
            return step;
        }
    }
    if ((ctrl & CMD_MASK) == CMD_WR && ctrl & (CMD_WR_BE | CMD_WR_INLINE) &&
        registers[NOC_PACKET_TAG] & TAG_DELIVER_TO_OVERLAY) {
        return diagnose(diagnostics, BH_UNSUPPORTED,
                        "NOC_PACKET_TAG 0x%x: delivery to overlay streams is emulated for plain writes only",
                        registers[NOC_PACKET_TAG]);
    }
    if (ctrl & CMD_ALWAYS_ZERO) {
        return diagnose(diagnostics, BH_NON_CONTRACTUAL, "NOC_CTRL 0x%08x: reserved bits 0x%08x are set", ctrl,
                        ctrl & CMD_ALWAYS_ZERO);
    }
    return STEP_DONE;
}

/* Checks sizes, addresses and operations. */
static enum step check_request(const struct noc_request *request, struct diagnostics *diagnostics)
{
    if (has_length(request->kind) && request->length - 1 < NOC_PACKET_BYTES) { /* nearly all */
        return STEP_DONE;
    }
    if (has_length(request->kind) && request->length > LENGTH_MAX) {
        return diagnose(diagnostics, BH_UNSUPPORTED,
                        "NoC request of %llu bytes: more than 16 MiB at once is not emulated",
                        (unsigned long long)request->length);
    }
    if (has_length(request->kind) && request->length == 0) {
        return diagnose(diagnostics, BH_UNDEFINED_BEHAVIOR, "NoC request of 0 bytes (NOC_AT_LEN_BE)");
    }
    if (has_length(request->kind) && request->length > NOC_PACKET_BYTES &&
        (request->target_address | request->back_address) % SPLIT_ALIGNMENT) {
        return diagnose(
            diagnostics, BH_UNDEFINED_BEHAVIOR,
            "NoC request of %llu bytes from 0x%llx to 0x%llx: to be split into packets, both addresses have "
            "to be multiples of %u",
            (unsigned long long)request->length, (unsigned long long)request->target_address,
            (unsigned long long)request->back_address, SPLIT_ALIGNMENT);
    }
    if (request->kind == NOC_ATOMIC && !noc_atomic_exists(request->instruction)) {
        return diagnose(diagnostics, BH_UNSUPPORTED,
                        "NoC atomic request with NOC_AT_LEN_BE 0x%x: no such operation is known", request->instruction);
    }
    return STEP_DONE;
}

/* NOC_CMD_VC_LINKED: the request after a linked one has to have the same destination. */
static enum step check_link(struct niu *niu, const struct noc_request *request, uint32_t destination, bool links,
                            struct diagnostics *diagnostics)
{
    enum step step = STEP_DONE;
    if (niu->linked && (niu->linked_destination != destination || niu->linked_broadcast != request->broadcast)) {
        step = diagnose(
            diagnostics, BH_UNDEFINED_BEHAVIOR,
            "NoC %u: the request before this one was linked (NOC_CMD_VC_LINKED) and went to 0x%x; this one goes "
            "to 0x%x, and the NoC fails",
            request->noc, niu->linked_destination, destination);
    }
    if (step == STEP_DONE) {
        niu->linked = links;
        niu->linked_destination = destination;
        niu->linked_broadcast = request->broadcast;
    }
    return step;
}

static void make_request(struct noc_request *request, struct niu *niu, unsigned noc, const uint32_t *registers)
{
    uint32_t ctrl = registers[NOC_CTRL], tag = registers[NOC_PACKET_TAG];
    enum noc_request_kind kind = kind_of(ctrl);
    bool broadcast = ctrl & CMD_BRCST_PACKET, to_target = kind == NOC_ATOMIC || kind == NOC_WRITE_INLINE;
    request->kind = (uint8_t)kind;
    request->noc = (uint8_t)noc;
    request->transaction_id = tag >> 10 & 0xf;
    request->response_marked = ctrl & CMD_RESP_MARKED || (ctrl & CMD_MASK) == CMD_RD;
    request->broadcast = broadcast;
    request->reserves = broadcast && ctrl & CMD_PATH_RESERVE && !niu->linked;
    request->keeps = broadcast && ctrl & CMD_VC_LINKED;
    request->include_source = ctrl & CMD_BRCST_SRC_INCLUDE;
    request->link = request->carried = request->kept = false;
    request->accumulate = ctrl & CMD_L1_ACC_AT_EN && (ctrl & CMD_MASK) != CMD_AT;
    request->reader = 0;
    request->packet_tag = (uint16_t)tag;
    request->target_address = (uint64_t)registers[NOC_TARG_ADDR_MID] << 32 | registers[NOC_TARG_ADDR_LO];
    request->back_address = (uint64_t)registers[NOC_RET_ADDR_MID] << 32 | registers[NOC_RET_ADDR_LO];
    request->length = (uint64_t)registers[NOC_AT_LEN_BE_1] << 32 | registers[NOC_AT_LEN_BE];
    request->data = registers[NOC_AT_DATA];
    request->exclude = registers[NOC_BRCST_EXCLUDE];
    request->instruction = kind == NOC_ATOMIC ? registers[NOC_AT_LEN_BE] : registers[NOC_L1_ACC_AT_INSTRN];
    uint32_t target = registers[NOC_TARG_ADDR_HI], back = registers[NOC_RET_ADDR_HI];
    request->target = broadcast && to_target ? place_of(niu, target, true) : tile_of(niu, 0, target);
    request->back = broadcast && !to_target ? place_of(niu, back, true) : tile_of(niu, 1, back);
}

static uint32_t packets_of(const struct noc_request *request)
{
    return has_length(request->kind) ? noc_packets(request->length) : 1;
}

/* Counts the events from the start of a request until it has left the initiator's registers. */
static inline void count_start(struct niu *niu, const struct noc_request *request, uint32_t packets)
{
    unsigned posted = request->response_marked ? 0 : POSTED;
    if (request->response_marked) {
        niu_count(niu, NIU_MST_REQS_OUTSTANDING_ID + request->transaction_id, packets);
    }
    niu_count(niu, NIU_MST_CMD_ACCEPTED, packets);
    switch ((enum noc_request_kind)request->kind) {
    case NOC_READ: niu_count(niu, NIU_MST_RD_REQ_STARTED, packets); break;
    case NOC_ATOMIC:
        if (request->response_marked) {
            niu_count(niu, NIU_MST_NONPOSTED_ATOMIC_STARTED, 1);
        }
        break;
    case NOC_WRITE:
    case NOC_WRITE_BYTES:
        niu_count(niu, NIU_MST_WRITE_REQS_OUTGOING_ID + request->transaction_id, packets);
        niu_count(niu, NIU_MST_NONPOSTED_WR_REQ_STARTED + posted, packets);
        break;
    case NOC_WRITE_INLINE:
        niu_count(niu, NIU_MST_NONPOSTED_WR_REQ_STARTED + posted, 1);
        niu_count(niu, NIU_MST_NONPOSTED_WR_REQ_SENT + posted, 1);
        break;
    }
}

void niu_post(struct niu *niu, struct noc_outbox *outbox, const struct noc_request *request)
{
    count_start(niu, request, packets_of(request));
    outbox->request[outbox->count++] = *request;
    outbox->started++;
}

/* After automatic splitting the registers describe the last packet. */
static void leave_last_packet(uint32_t *registers, const struct noc_request *request, uint32_t packets)
{
    uint64_t ahead = (uint64_t)(packets - 1) * NOC_PACKET_BYTES;
    uint64_t target = request->target_address + ahead, back = request->back_address + ahead;
    registers[NOC_AT_LEN_BE] = (uint32_t)(request->length - ahead);
    registers[NOC_AT_LEN_BE_1] = 0;
    registers[NOC_TARG_ADDR_LO] = (uint32_t)target;
    registers[NOC_TARG_ADDR_MID] = (uint32_t)(target >> 32);
    registers[NOC_RET_ADDR_LO] = (uint32_t)back;
    registers[NOC_RET_ADDR_MID] = (uint32_t)(back >> 32);
}

enum step niu_start(struct niu *niu, struct noc_outbox *outbox, unsigned noc, unsigned initiator, uint64_t now,
                    struct diagnostics *diagnostics)
{
    uint32_t *registers = niu->initiator[initiator];
    if (outbox->count == NOC_OUTBOX_SIZE) {
        return STEP_WAIT;
    }
    enum step step = check_flags(registers, diagnostics);
    if (step != STEP_DONE) {
        return step;
    }
    struct noc_request *request = &outbox->request[outbox->count]; /* not in the outbox before `count` says so */
    make_request(request, niu, noc, registers);
    request->origin = diagnostics->now;
    request->start = now;
    request->initiator = (uint8_t)initiator;
    step = check_request(request, diagnostics);
    if (step != STEP_DONE) {
        return step;
    }
    bool to_target = request->kind != NOC_WRITE && request->kind != NOC_WRITE_BYTES;
    uint32_t destination = registers[to_target ? NOC_TARG_ADDR_HI : NOC_RET_ADDR_HI] & 0xffffff;
    step = check_link(niu, request, destination, registers[NOC_CTRL] & CMD_VC_LINKED, diagnostics);
    if (step != STEP_DONE) {
        return step;
    }
    const uint32_t packets = packets_of(request);
    if (packets > 1) {
        leave_last_packet(registers, request, packets);
    }
    count_start(niu, request, packets);
    outbox->count++;
    outbox->started++;
    return STEP_DONE;
}
