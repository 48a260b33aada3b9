/* Carries requests out: reads, writes, inline writes, atomic operations. */
#include <string.h>

#include "memory/l1.h"
#include "noc/atomics.h"
#include "noc/observe.h"
#include "noc/recipients.h"

enum {
    TAG_DELIVER_TO_OVERLAY = 1 << 6,
    TAG_FIRST = 1 << 7,
    TAG_LAST = 1 << 8,
    TAG_HEADER_STORE = 1 << 9,
    HEADER_BYTES = 16,
    DOUBLE_STORE_DISABLE = 1 << 13, /* NIU_CFG_0 */
    BYTE_ENABLES = 64,              /* bytes that a write with byte enables reaches */
    INLINE_BYTES = 16,              /* those that an inline write to L1 reaches */
    L1_UNIT = 16,
    REGISTER_BYTES = 4,
    WRITE_ALIGNMENT = 0xf, /* low bits in which source and destination of a write are the same */
};

/* The host's pointer to an endpoint's bytes, if the access only copies them; else null. */
static inline uint8_t *bytes_at(const struct noc_endpoint *endpoint, bool write, uint64_t address, uint32_t size)
{
    return endpoint->bytes ? endpoint->bytes(endpoint->context, write, address, size) : NULL;
}

/* Writes bytes, by a plain copy where that is enough. */
static enum step put(const struct journey *journey, struct noc_endpoint *endpoint, uint64_t address, const void *data,
                     uint32_t size)
{
    uint8_t *place = bytes_at(endpoint, true, address, size);
    if (!place) {
        return journey_write(journey, endpoint, address, data, size);
    }
    memcpy(place, data, size);
    if (endpoint->l1) {
        l1_written(endpoint->l1, (uint32_t)address, size);
    }
    journey_accessed(journey, endpoint, true, address, size, place);
    return STEP_DONE;
}

/* Writes contiguous bytes, or adds them to L1 (NOC_CMD_L1_ACC_AT_EN). */
static enum step deliver(const struct journey *journey, struct noc_endpoint *endpoint, uint64_t address,
                         const uint8_t *data, uint32_t size)
{
    const struct noc_request *request = journey->request;
    if (!request->accumulate || !endpoint->l1 || !endpoint_is_memory(endpoint, address)) {
        return put(journey, endpoint, address, data, size);
    }
    uint8_t sum[NOC_PACKET_BYTES];
    enum step step = journey_read(journey, endpoint, address, sum, size);
    for (uint32_t i = 0; i + L1_UNIT <= size && step == STEP_DONE; i += L1_UNIT) {
        if (!noc_accumulate(request->instruction & 0xf, data + i, sum + i)) {
            return journey_wrong(journey, BH_UNDEFINED_BEHAVIOR, "NOC_L1_ACC_AT_INSTRN 0x%x: there is no such format",
                                 request->instruction);
        }
    }
    return step == STEP_DONE ? journey_write(journey, endpoint, address, sum, size) : step;
}

/* Alignment and sizes. */

static enum step check_transfer(const struct journey *journey, const struct noc_endpoint *source, uint64_t from,
                                const struct noc_endpoint *destination, uint64_t to, uint64_t size, unsigned alignment)
{
    const char *what = journey->request->kind == NOC_READ ? "read" : "write";
    bool registers = !endpoint_is_memory(source, from) || !endpoint_is_memory(destination, to);
    if (endpoint_has_nothing(source, from) || endpoint_has_nothing(destination, to)) {
        return STEP_DONE; /* the access gives the diagnostic */
    }
    if (registers && size != REGISTER_BYTES) {
        return journey_wrong(
            journey, BH_UNDEFINED_BEHAVIOR,
            "%s of %llu bytes from 0x%llx of %s to 0x%llx of %s: with a register on either side it has to be 4 bytes",
            what, (unsigned long long)size, (unsigned long long)from, journey_name(journey, source->x, source->y).text,
            (unsigned long long)to, journey_name(journey, destination->x, destination->y).text);
    }
    unsigned mask = registers ? REGISTER_BYTES - 1 : alignment;
    if ((from ^ to) & mask) {
        return journey_wrong(journey, BH_UNDEFINED_BEHAVIOR,
                             "%s from 0x%llx of %s to 0x%llx of %s: the addresses have to be the same modulo %u", what,
                             (unsigned long long)from, journey_name(journey, source->x, source->y).text,
                             (unsigned long long)to, journey_name(journey, destination->x, destination->y).text,
                             mask + 1);
    }
    return STEP_DONE;
}

/* Counts the arrival of a response at the initiator. */

/* Which bytes of the request a packet has. */
struct extent {
    uint64_t offset;
    uint32_t size;
};

static void acknowledge(const struct journey *journey, const struct noc_endpoint *to, unsigned counter,
                        struct extent extent)
{
    struct niu *niu = endpoint_niu(to, journey->request->noc);
    if (niu) {
        niu_count(niu, counter, 1);
        niu_complete(niu, journey->request->transaction_id);
    }
    journey_tell(journey, to, BH_EVENT_NOC_ACKNOWLEDGED, extent.offset, extent.size);
}

/* Copies a packet from memory to memory. false: that is not possible, and nothing happened. */
static bool copy_packet(const struct journey *journey, const struct noc_endpoint *source, uint64_t from,
                        const struct noc_endpoint *destination, uint64_t to, uint32_t size)
{
    const uint8_t *data = journey->request->accumulate ? NULL : bytes_at(source, false, from, size);
    uint8_t *place = data ? bytes_at(destination, true, to, size) : NULL;
    if (!place) {
        return false;
    }
    journey_accessed(journey, source, false, from, size, data);
    memmove(place, data, size); /* a tile may read from itself */
    if (destination->l1) {
        l1_written(destination->l1, (uint32_t)to, size);
    }
    journey_accessed(journey, destination, true, to, size, place);
    return true;
}

/* Reads. */

/* As copy_packet(), through the endpoints' read and write functions. */
static __attribute__((noinline)) enum step pass_packet(const struct journey *journey, struct noc_endpoint *source,
                                                       uint64_t from, struct noc_endpoint *destination, uint64_t to,
                                                       uint32_t size)
{
    uint8_t data[NOC_PACKET_BYTES];
    enum step step = journey_read(journey, source, from, data, size);
    return step == STEP_DONE ? deliver(journey, destination, to, data, size) : step;
}

static void count_read(const struct journey *journey, const struct noc_endpoint *source,
                       const struct noc_endpoint *destination, struct extent extent)
{
    unsigned noc = journey->request->noc;
    uint32_t flits = noc_flits(extent.size);
    endpoint_count(journey->initiator, noc, NIU_MST_RD_REQ_SENT, 1);
    endpoint_count(source, noc, NIU_SLV_REQ_ACCEPTED, 1);
    endpoint_count(source, noc, NIU_SLV_RD_REQ_RECEIVED, 1);
    endpoint_count(source, noc, NIU_SLV_RD_RESP_SENT, 1);
    endpoint_count(source, noc, NIU_SLV_RD_DATA_WORD_SENT, flits);
    endpoint_count(destination, noc, NIU_MST_RD_DATA_WORD_RECEIVED, flits);
    journey_tell(journey, source, BH_EVENT_NOC_ARRIVED, extent.offset, extent.size);
    acknowledge(journey, destination, NIU_MST_RD_RESP_RECEIVED, extent);
}

static enum step carry_read(const struct journey *journey)
{
    const struct noc_request *request = journey->request;
    struct noc_endpoint *source = journey_endpoint(journey, request->target.x, request->target.y);
    struct noc_endpoint *destination = source ? journey_endpoint(journey, request->back.x, request->back.y) : NULL;
    if (!destination) {
        return STEP_STOP;
    }
    enum step step = check_transfer(journey, source, request->target_address, destination, request->back_address,
                                    request->length, source->read_alignment);
    for (uint64_t done = 0; step == STEP_DONE && done < request->length; done += NOC_PACKET_BYTES) {
        uint64_t left = request->length - done, from = request->target_address + done,
                 to = request->back_address + done;
        uint32_t size = left < NOC_PACKET_BYTES ? (uint32_t)left : NOC_PACKET_BYTES;
        if (!copy_packet(journey, source, from, destination, to, size)) {
            step = pass_packet(journey, source, from, destination, to, size);
        }
        if (step == STEP_DONE) {
            count_read(journey, source, destination, (struct extent){done, size});
        }
    }
    return step;
}

/* Writes. */

/* One packet has arrived at one recipient. */
static void count_write(const struct journey *journey, const struct noc_endpoint *endpoint, struct extent extent,
                        const struct noc_endpoint *acknowledged)
{
    uint32_t flits = extent.size ? noc_flits(extent.size) : 1;
    unsigned noc = journey->request->noc, posted = journey->request->response_marked ? 0 : POSTED;
    endpoint_count(endpoint, noc, NIU_SLV_NONPOSTED_WR_REQ_STARTED + posted, 1);
    endpoint_count(endpoint, noc, NIU_SLV_NONPOSTED_WR_DATA_WORD_RECEIVED + posted, flits);
    endpoint_count(endpoint, noc, NIU_SLV_NONPOSTED_WR_REQ_RECEIVED + posted, 1);
    journey_tell(journey, endpoint, BH_EVENT_NOC_ARRIVED, extent.offset, extent.size);
    if (!posted) {
        endpoint_count(endpoint, noc, NIU_SLV_WR_ACK_SENT, 1);
        acknowledge(journey, acknowledged, NIU_MST_WR_ACK_RECEIVED, extent);
    }
}

static void count_write_sent(const struct journey *journey, uint32_t flits)
{
    const struct noc_request *request = journey->request;
    unsigned posted = request->response_marked ? 0 : POSTED;
    endpoint_count(journey->initiator, request->noc, NIU_MST_NONPOSTED_WR_REQ_SENT + posted, 1);
    endpoint_count(journey->initiator, request->noc, NIU_MST_NONPOSTED_WR_DATA_WORD_SENT + posted, flits);
    endpoint_count(journey->initiator, request->noc, NIU_MST_WRITE_REQS_OUTGOING_ID + request->transaction_id, -1u);
}

/* NOC_PACKET_TAG_HEADER_STORE: the receiver keeps the first 16 bytes of a posted write a second time, unless it is
   neither a Tensix nor an Ethernet tile and its NIU is configured not to. */
static enum step store_header(const struct journey *journey, struct noc_endpoint *endpoint, const uint8_t *data)
{
    const struct noc_request *request = journey->request;
    const struct niu *niu = endpoint->l1 ? NULL : endpoint_niu(endpoint, request->noc);
    bool disabled = niu && niu->config[NIU_CFG_0] & DOUBLE_STORE_DISABLE;
    bool wanted = request->packet_tag & TAG_HEADER_STORE && !request->response_marked && !disabled;
    return wanted ? journey_write(journey, endpoint, (uint64_t)request->data << 4, data, HEADER_BYTES) : STEP_DONE;
}

/* DeliverToReceiverOverlay: tells the receiver's stream of a packet whose data are in place. */
static enum step tell_overlay(const struct journey *journey, const struct noc_endpoint *endpoint, uint64_t done,
                              uint32_t size)
{
    const struct noc_request *request = journey->request;
    if (!(request->packet_tag & TAG_DELIVER_TO_OVERLAY)) {
        return STEP_DONE;
    }
    unsigned tag = request->packet_tag & ~(done ? TAG_FIRST : 0u);
    tag &= ~(done + size < request->length ? TAG_LAST : 0u);
    journey->network->told = true;
    const char *wrong = endpoint->packet ? endpoint->packet(endpoint->context, (uint16_t)tag, size) : "it has none";
    return wrong ? journey_wrong(journey, BH_UNDEFINED_BEHAVIOR, "packet of %u bytes for overlay stream %u of %s: %s",
                                 size, tag & 0x3f, journey_name(journey, endpoint->x, endpoint->y).text, wrong)
                 : STEP_DONE;
}

/* A packet of a write: a pointer to its bytes at the source, or a copy of them. */
struct packet {
    uint64_t done; /* bytes of the request before it */
    uint32_t size;
    const uint8_t *data;
};

static enum step deliver_packet(const struct journey *journey, struct noc_endpoint *endpoint,
                                const struct packet *packet, const struct noc_endpoint *acknowledged)
{
    uint64_t to = journey->request->back_address + packet->done;
    enum step step = deliver(journey, endpoint, to, packet->data, packet->size);
    if (step == STEP_DONE && packet->done == 0) {
        step = store_header(journey, endpoint, packet->data);
    }
    if (step == STEP_DONE) {
        count_write(journey, endpoint, (struct extent){packet->done, packet->size}, acknowledged);
        step = tell_overlay(journey, endpoint, packet->done, packet->size);
    }
    return step;
}

static enum step deliver_to_all(const struct journey *journey, const struct recipients *recipients,
                                const struct packet *packet, const struct noc_endpoint *acknowledged)
{
    enum step step = STEP_DONE;
    count_write_sent(journey, noc_flits(packet->size));
    for (unsigned i = 0; step == STEP_DONE && i < recipients->count; i++) {
        step = deliver_packet(journey, recipients->endpoint[i], packet, acknowledged);
    }
    return step;
}

/* Delivers from a copy: the write may overlap the source, or the source is not memory. */
static __attribute__((noinline)) enum step deliver_copy(const struct journey *journey,
                                                        const struct recipients *recipients, uint64_t done,
                                                        uint32_t size, const struct noc_endpoint *acknowledged)
{
    uint8_t data[NOC_PACKET_BYTES];
    const struct packet packet = {.done = done, .size = size, .data = data};
    memset(data, 0, HEADER_BYTES);
    enum step step = journey_read(journey, journey->initiator, journey->request->target_address + done, data, size);
    return step == STEP_DONE ? deliver_to_all(journey, recipients, &packet, acknowledged) : step;
}

static enum step carry_write(const struct journey *journey)
{
    const struct noc_request *request = journey->request;
    struct noc_endpoint *acknowledged = journey_endpoint(journey, request->target.x, request->target.y);
    struct recipients recipients;
    enum step step = acknowledged ? recipients_find(journey, &request->back, &recipients) : STEP_STOP;
    bool copy = request->packet_tag & TAG_HEADER_STORE;
    for (unsigned i = 0; step == STEP_DONE && i < recipients.count; i++) {
        step = check_transfer(journey, journey->initiator, request->target_address, recipients.endpoint[i],
                              request->back_address, request->length, WRITE_ALIGNMENT);
        copy |= recipients.endpoint[i] == journey->initiator;
    }
    for (uint64_t done = 0; step == STEP_DONE && done < request->length; done += NOC_PACKET_BYTES) {
        uint64_t left = request->length - done, from = request->target_address + done;
        uint32_t size = left < NOC_PACKET_BYTES ? (uint32_t)left : NOC_PACKET_BYTES;
        const uint8_t *data = copy ? NULL : bytes_at(journey->initiator, false, from, size);
        const struct packet packet = {.done = done, .size = size, .data = data};
        if (data) {
            journey_accessed(journey, journey->initiator, false, from, size, data);
        }
        step = data ? deliver_to_all(journey, &recipients, &packet, acknowledged)
                    : deliver_copy(journey, &recipients, done, size, acknowledged);
    }
    if (request->reader && step == STEP_DONE) {
        journey->network->told = true;
        journey->initiator->sent(journey->initiator->context, request->reader);
    }
    return step;
}

/* Writes the bytes of the window at `address` that `enables` selects, in as few accesses as possible. */
static enum step write_enabled(const struct journey *journey, struct noc_endpoint *endpoint, uint64_t address,
                               const uint8_t *data, uint64_t enables)
{
    enum step step = STEP_DONE;
    while (enables && step == STEP_DONE) {
        unsigned first = (unsigned)__builtin_ctzll(enables);
        uint64_t rest = ~(enables >> first);
        unsigned length = rest ? (unsigned)__builtin_ctzll(rest) : BYTE_ENABLES - first;
        step = journey_write(journey, endpoint, address + first, data + first, length);
        enables &= first + length < BYTE_ENABLES ? ~UINT64_C(0) << (first + length) : 0;
    }
    return step;
}

static enum step carry_write_bytes(const struct journey *journey)
{
    const struct noc_request *request = journey->request;
    struct noc_endpoint *acknowledged = journey_endpoint(journey, request->target.x, request->target.y);
    struct recipients recipients;
    enum step step = acknowledged ? recipients_find(journey, &request->back, &recipients) : STEP_STOP;
    if (step != STEP_DONE) {
        return step;
    }
    uint64_t from = request->target_address & ~(uint64_t)(L1_UNIT - 1),
             to = request->back_address & ~(uint64_t)(L1_UNIT - 1);
    bool registers = recipients.count && !endpoint_is_memory(recipients.endpoint[0], request->back_address);
    uint8_t data[BYTE_ENABLES] = {0};
    uint32_t needed = request->length ? BYTE_ENABLES - (unsigned)__builtin_clzll(request->length) : 0;
    step = registers ? journey_read(journey, journey->initiator, request->target_address, data, REGISTER_BYTES)
                     : journey_read(journey, journey->initiator, from, data, needed);
    if (step != STEP_DONE) {
        return step;
    }
    count_write_sent(journey, 1);
    for (unsigned i = 0; step == STEP_DONE && i < recipients.count; i++) {
        struct noc_endpoint *endpoint = recipients.endpoint[i];
        step = registers ? journey_write(journey, endpoint, request->back_address, data, REGISTER_BYTES)
                         : write_enabled(journey, endpoint, to, data, request->length);
        if (step == STEP_DONE) {
            struct extent extent = {.size =
                                        registers ? REGISTER_BYTES : (uint32_t)__builtin_popcountll(request->length)};
            count_write(journey, endpoint, extent, acknowledged);
        }
    }
    return step;
}

/* Inline writes. Byte enables choose among the 16 bytes around an L1 address; a register is written whole. */

static enum step write_inline(const struct journey *journey, struct noc_endpoint *endpoint)
{
    const struct noc_request *request = journey->request;
    uint64_t address = request->target_address;
    if (!endpoint->l1) {
        return journey_wrong(journey, BH_UNDEFINED_BEHAVIOR,
                             "inline write to %s: inline writes are for Tensix and Ethernet tiles",
                             journey_name(journey, endpoint->x, endpoint->y).text);
    }
    if (!endpoint_is_memory(endpoint, address)) {
        return journey_write(journey, endpoint, address, &request->data, REGISTER_BYTES);
    }
    enum step step = journey_wrong(journey, BH_UNDEFINED_BEHAVIOR,
                                   "inline write to L1 address 0x%llx of %s: silicon does not do that safely; write "
                                   "from L1, or to a register",
                                   (unsigned long long)address, journey_name(journey, endpoint->x, endpoint->y).text);
    if (step != STEP_DONE) {
        return step;
    }
    uint32_t data[INLINE_BYTES / 4];
    for (unsigned i = 0; i < INLINE_BYTES / 4; i++) {
        data[i] = request->data;
    }
    uint32_t enables = (uint32_t)request->length;
    return write_enabled(journey, endpoint, address & ~(uint64_t)(INLINE_BYTES - 1), (const uint8_t *)data,
                         (enables | enables >> INLINE_BYTES) & 0xffff);
}

static enum step carry_write_inline(const struct journey *journey)
{
    struct recipients recipients;
    enum step step = recipients_find(journey, &journey->request->target, &recipients);
    for (unsigned i = 0; step == STEP_DONE && i < recipients.count; i++) {
        step = write_inline(journey, recipients.endpoint[i]);
        if (step == STEP_DONE) {
            count_write(journey, recipients.endpoint[i], (struct extent){.size = REGISTER_BYTES}, journey->initiator);
        }
    }
    return step;
}

/* Atomics. */

static enum step check_atomic(const struct journey *journey, const struct noc_endpoint *endpoint, const char *what,
                              uint64_t address)
{
    if (!endpoint->l1 || !endpoint_is_memory(endpoint, address) || address % 4) {
        return journey_wrong(journey, BH_UNDEFINED_BEHAVIOR,
                             "atomic request: its %s is 0x%llx of %s; it has to be an aligned word of the L1 of a "
                             "Tensix or Ethernet tile",
                             what, (unsigned long long)address, journey_name(journey, endpoint->x, endpoint->y).text);
    }
    return STEP_DONE;
}

/* Executes the operation; *result is the previous word at the target address. */
static enum step operate(const struct journey *journey, struct noc_endpoint *endpoint, uint32_t *result)
{
    const struct noc_request *request = journey->request;
    uint64_t base = request->target_address & ~(uint64_t)(L1_UNIT - 1);
    uint8_t unit[L1_UNIT];
    enum step step = check_atomic(journey, endpoint, "target", request->target_address);
    if (step == STEP_DONE) {
        const uint8_t *place = bytes_at(endpoint, false, base, L1_UNIT);
        if (place) {
            memcpy(unit, place, sizeof unit);
            journey_accessed(journey, endpoint, false, base, L1_UNIT, place);
        } else {
            step = journey_read(journey, endpoint, base, unit, sizeof unit);
        }
    }
    if (step == STEP_DONE) {
        memcpy(result, unit + (request->target_address % L1_UNIT & ~3u), sizeof *result);
        noc_atomic(request->instruction, request->data, unit);
        step = put(journey, endpoint, base, unit, sizeof unit);
    }
    return step;
}

static enum step carry_atomic(const struct journey *journey)
{
    const struct noc_request *request = journey->request;
    unsigned noc = request->noc, posted = request->response_marked ? 0 : POSTED;
    struct recipients recipients;
    enum step step = recipients_find(journey, &request->target, &recipients);
    struct noc_endpoint *back = NULL;
    if (step == STEP_DONE && request->response_marked) {
        back = journey_endpoint(journey, request->back.x, request->back.y);
        step = back ? check_atomic(journey, back, "return address", request->back_address) : STEP_STOP;
    }
    if (step == STEP_DONE) {
        endpoint_count(journey->initiator, noc, NIU_MST_NONPOSTED_ATOMIC_SENT + posted, 1);
    }
    for (unsigned i = 0; step == STEP_DONE && i < recipients.count; i++) {
        struct noc_endpoint *endpoint = recipients.endpoint[i];
        const struct extent extent = {.size = sizeof(uint32_t)};
        uint32_t result;
        step = operate(journey, endpoint, &result);
        if (step == STEP_DONE) {
            endpoint_count(endpoint, noc, NIU_SLV_REQ_ACCEPTED, 1);
            endpoint_count(endpoint, noc, NIU_SLV_NONPOSTED_ATOMIC_RECEIVED + posted, 1);
            journey_tell(journey, endpoint, BH_EVENT_NOC_ARRIVED, extent.offset, extent.size);
        }
        if (step == STEP_DONE && back) {
            endpoint_count(endpoint, noc, NIU_SLV_ATOMIC_RESP_SENT, 1);
            step = put(journey, back, request->back_address, &result, sizeof result);
            acknowledge(journey, back, NIU_MST_ATOMIC_RESP_RECEIVED, extent);
        }
    }
    return step;
}

void journey_carry(const struct journey *journey)
{
    if (journey->request->link) {
        journey->network->told = true;
        journey->initiator->link(journey->initiator->context, journey->request);
        return;
    }
    switch ((enum noc_request_kind)journey->request->kind) {
    case NOC_READ: (void)carry_read(journey); break;
    case NOC_WRITE: (void)carry_write(journey); break;
    case NOC_WRITE_BYTES: (void)carry_write_bytes(journey); break;
    case NOC_WRITE_INLINE: (void)carry_write_inline(journey); break;
    case NOC_ATOMIC: (void)carry_atomic(journey); break;
    }
}
