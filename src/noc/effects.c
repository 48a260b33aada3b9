#include "noc/effects.h"

#include "noc/atomics.h"

enum {
    TAG_FIRST = 1 << 7,
    TAG_LAST = 1 << 8,
    DOUBLE_STORE_DISABLE = 1 << 13, /* NIU_CFG_0 */
    INLINE_BYTES = 16,              /* those that an inline write to L1 reaches */
    L1_UNIT = 16,
};

enum step effect_deliver(const struct journey *journey, struct noc_endpoint *endpoint, uint64_t address,
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

enum step effect_check_transfer(const struct journey *journey, const struct noc_endpoint *source, uint64_t from,
                                const struct noc_endpoint *destination, uint64_t to, uint64_t size, unsigned alignment)
{
    if (endpoint_is_memory(source, from) && endpoint_is_memory(destination, to) && !((from ^ to) & alignment)) {
        return STEP_DONE; /* nearly all */
    }
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

void effect_acknowledge(const struct journey *journey, const struct noc_endpoint *to, unsigned counter,
                        struct extent extent)
{
    struct niu *niu = endpoint_niu(to, journey->request->noc);
    if (niu) {
        niu_count(niu, counter, 1);
        niu_complete(niu, journey->request->transaction_id);
    }
    journey_tell(journey, to, BH_EVENT_NOC_ACKNOWLEDGED, extent.offset, extent.size);
}

/* Reads. */

void effect_read_served(const struct journey *journey, const struct noc_endpoint *source, struct extent extent)
{
    struct niu *niu = endpoint_niu(source, journey->request->noc);
    if (niu) {
        niu_count(niu, NIU_SLV_REQ_ACCEPTED, 1);
        niu_count(niu, NIU_SLV_RD_REQ_RECEIVED, 1);
        niu_count(niu, NIU_SLV_RD_RESP_SENT, 1);
        niu_count(niu, NIU_SLV_RD_DATA_WORD_SENT, noc_flits(extent.size));
    }
    journey_tell(journey, source, BH_EVENT_NOC_ARRIVED, extent.offset, extent.size);
}

void effect_read_returned(const struct journey *journey, const struct noc_endpoint *destination, struct extent extent)
{
    endpoint_count(destination, journey->request->noc, NIU_MST_RD_DATA_WORD_RECEIVED, noc_flits(extent.size));
    effect_acknowledge(journey, destination, NIU_MST_RD_RESP_RECEIVED, extent);
}

/* Writes. */

void effect_write_sent(const struct journey *journey, uint32_t flits)
{
    const struct noc_request *request = journey->request;
    struct niu *niu = endpoint_niu(journey->initiator, request->noc);
    unsigned posted = request->response_marked ? 0 : POSTED;
    if (niu) {
        niu_count(niu, NIU_MST_NONPOSTED_WR_REQ_SENT + posted, 1);
        niu_count(niu, NIU_MST_NONPOSTED_WR_DATA_WORD_SENT + posted, flits);
        niu_count(niu, NIU_MST_WRITE_REQS_OUTGOING_ID + request->transaction_id, -1u);
    }
}

void effect_write_arrived(const struct journey *journey, const struct noc_endpoint *endpoint, struct extent extent)
{
    uint32_t flits = extent.size ? noc_flits(extent.size) : 1;
    struct niu *niu = endpoint_niu(endpoint, journey->request->noc);
    unsigned posted = journey->request->response_marked ? 0 : POSTED;
    if (niu) {
        niu_count(niu, NIU_SLV_NONPOSTED_WR_REQ_STARTED + posted, 1);
        niu_count(niu, NIU_SLV_NONPOSTED_WR_DATA_WORD_RECEIVED + posted, flits);
        niu_count(niu, NIU_SLV_NONPOSTED_WR_REQ_RECEIVED + posted, 1);
    }
    journey_tell(journey, endpoint, BH_EVENT_NOC_ARRIVED, extent.offset, extent.size);
    if (niu && !posted) {
        niu_count(niu, NIU_SLV_WR_ACK_SENT, 1);
    }
}

void effect_write_acknowledged(const struct journey *journey, const struct noc_endpoint *to, struct extent extent)
{
    if (journey->request->response_marked) {
        effect_acknowledge(journey, to, NIU_MST_WR_ACK_RECEIVED, extent);
    }
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

enum step effect_write_packet(const struct journey *journey, struct noc_endpoint *endpoint, const struct packet *packet)
{
    uint64_t to = journey->request->back_address + packet->done;
    enum step step = effect_deliver(journey, endpoint, to, packet->data, packet->size);
    return step == STEP_DONE && packet->done == 0 ? store_header(journey, endpoint, packet->data) : step;
}

enum step effect_tell_overlay(const struct journey *journey, const struct noc_endpoint *endpoint, uint64_t done,
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

/* Writes with byte enables. */

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

struct noc_source noc_source_of(const struct noc_request *request)
{
    uint64_t address = request->target_address;
    if (request->kind != NOC_WRITE_BYTES) {
        return (struct noc_source){address, (uint32_t)request->length};
    }
    uint32_t needed = request->length ? BYTE_ENABLES - (unsigned)__builtin_clzll(request->length) : 0;
    return (struct noc_source){address & ~(uint64_t)(L1_UNIT - 1), needed};
}

enum step effect_read_enabled(const struct journey *journey, bool to_register, const uint8_t *kept,
                              uint8_t data[BYTE_ENABLES])
{
    const struct noc_request *request = journey->request;
    const struct noc_source all = noc_source_of(request);
    const struct noc_source from = to_register ? (struct noc_source){request->target_address, REGISTER_BYTES} : all;
    memset(data, 0, BYTE_ENABLES);
    if (!kept) {
        return journey_read(journey, journey->initiator, from.address, data, from.size);
    }
    memcpy(data, kept + (from.address - all.address), from.size);
    journey_accessed(journey, journey->initiator, false, from.address, from.size, data);
    return STEP_DONE;
}

enum step effect_write_enabled(const struct journey *journey, struct noc_endpoint *endpoint, bool to_register,
                               const uint8_t data[BYTE_ENABLES])
{
    const struct noc_request *request = journey->request;
    uint64_t to = request->back_address & ~(uint64_t)(L1_UNIT - 1);
    return to_register ? journey_write(journey, endpoint, request->back_address, data, REGISTER_BYTES)
                       : write_enabled(journey, endpoint, to, data, request->length);
}

struct extent effect_enabled_extent(const struct journey *journey, bool to_register)
{
    return (struct extent){.size =
                               to_register ? REGISTER_BYTES : (uint32_t)__builtin_popcountll(journey->request->length)};
}

enum step effect_write_inline(const struct journey *journey, struct noc_endpoint *endpoint)
{
    const struct noc_request *request = journey->request;
    uint64_t address = request->target_address;
    if (!endpoint->l1) {
        return journey_wrong(
            journey, BH_UNDEFINED_BEHAVIOR,
            "inline write to %s: inline writes are for Tensix and Ethernet tiles, and for the registers of "
            "DRAM tiles",
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

/* Atomics. */

enum step effect_check_atomic(const struct journey *journey, const struct noc_endpoint *endpoint, const char *what,
                              uint64_t address)
{
    if (!endpoint->l1 || !endpoint_is_memory(endpoint, address) || address % 4) {
        return journey_wrong(journey, BH_UNDEFINED_BEHAVIOR,
                             "atomic request: its %s is 0x%llx of %s; it has to be an aligned word of the L1 of a "
                             "Tensix, Ethernet or DRAM tile",
                             what, (unsigned long long)address, journey_name(journey, endpoint->x, endpoint->y).text);
    }
    return STEP_DONE;
}

enum step effect_check_returned(const struct journey *journey, const struct noc_endpoint *back)
{
    const uint64_t address = journey->request->back_address;
    if (back->side && !back->l1 && endpoint_is_memory(back, address) && address % 4 == 0) {
        return journey_wrong(journey, BH_NON_CONTRACTUAL,
                             "atomic request: its old value goes to 0x%llx of %s, which is not L1; cards let it "
                             "overwrite memory there. Without NOC_CMD_RESP_MARKED it goes nowhere",
                             (unsigned long long)address, journey_name(journey, back->x, back->y).text);
    }
    return effect_check_atomic(journey, back, "return address", address);
}

void effect_atomic_sent(const struct journey *journey)
{
    unsigned posted = journey->request->response_marked ? 0 : POSTED;
    endpoint_count(journey->initiator, journey->request->noc, NIU_MST_NONPOSTED_ATOMIC_SENT + posted, 1);
}

enum step effect_operate(const struct journey *journey, struct noc_endpoint *endpoint, uint32_t *result)
{
    const struct noc_request *request = journey->request;
    uint64_t base = request->target_address & ~(uint64_t)(L1_UNIT - 1);
    uint8_t unit[L1_UNIT];
    enum step step = effect_check_atomic(journey, endpoint, "target", request->target_address);
    if (step == STEP_DONE) {
        step = get(journey, endpoint, base, unit, sizeof unit);
    }
    if (step == STEP_DONE) {
        memcpy(result, unit + (request->target_address % L1_UNIT & ~3u), sizeof *result);
        noc_atomic(request->instruction, request->data, unit);
        step = put(journey, endpoint, base, unit, sizeof unit);
    }
    return step;
}

void effect_atomic_arrived(const struct journey *journey, const struct noc_endpoint *endpoint)
{
    unsigned noc = journey->request->noc, posted = journey->request->response_marked ? 0 : POSTED;
    endpoint_count(endpoint, noc, NIU_SLV_REQ_ACCEPTED, 1);
    endpoint_count(endpoint, noc, NIU_SLV_NONPOSTED_ATOMIC_RECEIVED + posted, 1);
    journey_tell(journey, endpoint, BH_EVENT_NOC_ARRIVED, 0, sizeof(uint32_t));
    if (!posted) {
        endpoint_count(endpoint, noc, NIU_SLV_ATOMIC_RESP_SENT, 1);
    }
}

enum step effect_atomic_returned(const struct journey *journey, struct noc_endpoint *back, uint32_t result)
{
    enum step step = put(journey, back, journey->request->back_address, &result, sizeof result);
    effect_acknowledge(journey, back, NIU_MST_ATOMIC_RESP_RECEIVED, (struct extent){.size = sizeof result});
    return step;
}
