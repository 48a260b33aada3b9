/* Carries requests out at once, with all that follows from them: reads, writes, inline writes, atomic operations. */
#include <string.h>

#include "noc/effects.h"
#include "noc/payloads.h"
#include "noc/recipients.h"

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
    return step == STEP_DONE ? effect_deliver(journey, destination, to, data, size) : step;
}

static void count_read(const struct journey *journey, const struct noc_endpoint *source,
                       const struct noc_endpoint *destination, struct extent extent)
{
    endpoint_count(journey->initiator, journey->request->noc, NIU_MST_RD_REQ_SENT, 1);
    effect_read_served(journey, source, extent);
    effect_read_returned(journey, destination, extent);
}

static enum step carry_read(const struct journey *journey)
{
    const struct noc_request *request = journey->request;
    struct noc_endpoint *source = journey_target(journey);
    struct noc_endpoint *destination = source ? journey_back(journey) : NULL;
    if (!destination) {
        return STEP_STOP;
    }
    enum step step = effect_check_transfer(journey, source, request->target_address, destination, request->back_address,
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

/* A packet has arrived at one recipient. */
static void count_write(const struct journey *journey, const struct noc_endpoint *endpoint, struct extent extent,
                        const struct noc_endpoint *acknowledged)
{
    effect_write_arrived(journey, endpoint, extent);
    effect_write_acknowledged(journey, acknowledged, extent);
}

static enum step deliver_packet(const struct journey *journey, struct noc_endpoint *endpoint,
                                const struct packet *packet, const struct noc_endpoint *acknowledged)
{
    enum step step = effect_write_packet(journey, endpoint, packet);
    if (step == STEP_DONE) {
        count_write(journey, endpoint, (struct extent){packet->done, packet->size}, acknowledged);
        step = effect_tell_overlay(journey, endpoint, packet->done, packet->size);
    }
    return step;
}

static enum step deliver_to_all(const struct journey *journey, const struct recipients *recipients,
                                const struct packet *packet, const struct noc_endpoint *acknowledged)
{
    enum step step = STEP_DONE;
    effect_write_sent(journey, noc_flits(packet->size));
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
    struct noc_endpoint *acknowledged = journey_target(journey);
    struct recipients recipients;
    enum step step = acknowledged ? recipients_find(journey, &request->back, &recipients) : STEP_STOP;
    const uint8_t *kept = payload_in(journey->initiator->outbox, request); /* of one packet */
    bool copy = request->packet_tag & TAG_HEADER_STORE;
    for (unsigned i = 0; step == STEP_DONE && i < recipients.count; i++) {
        step = effect_check_transfer(journey, journey->initiator, request->target_address, recipients.endpoint[i],
                                     request->back_address, request->length, WRITE_ALIGNMENT);
        copy |= recipients.endpoint[i] == journey->initiator;
    }
    for (uint64_t done = 0; step == STEP_DONE && done < request->length; done += NOC_PACKET_BYTES) {
        uint64_t left = request->length - done, from = request->target_address + done;
        uint32_t size = left < NOC_PACKET_BYTES ? (uint32_t)left : NOC_PACKET_BYTES;
        const uint8_t *data = kept ? kept : copy ? NULL : bytes_at(journey->initiator, false, from, size);
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

static enum step carry_write_bytes(const struct journey *journey)
{
    const struct noc_request *request = journey->request;
    struct noc_endpoint *acknowledged = journey_target(journey);
    struct recipients recipients;
    enum step step = acknowledged ? recipients_find(journey, &request->back, &recipients) : STEP_STOP;
    if (step != STEP_DONE) {
        return step;
    }
    bool registers = recipients.count && !endpoint_is_memory(recipients.endpoint[0], request->back_address);
    uint8_t data[BYTE_ENABLES];
    step = effect_read_enabled(journey, registers, payload_in(journey->initiator->outbox, request), data);
    if (step != STEP_DONE) {
        return step;
    }
    effect_write_sent(journey, 1);
    for (unsigned i = 0; step == STEP_DONE && i < recipients.count; i++) {
        step = effect_write_enabled(journey, recipients.endpoint[i], registers, data);
        if (step == STEP_DONE) {
            count_write(journey, recipients.endpoint[i], effect_enabled_extent(journey, registers), acknowledged);
        }
    }
    return step;
}

static enum step carry_write_inline(const struct journey *journey)
{
    struct recipients recipients;
    enum step step = recipients_find(journey, &journey->request->target, &recipients);
    for (unsigned i = 0; step == STEP_DONE && i < recipients.count; i++) {
        step = effect_write_inline(journey, recipients.endpoint[i]);
        if (step == STEP_DONE) {
            count_write(journey, recipients.endpoint[i], (struct extent){.size = REGISTER_BYTES}, journey->initiator);
        }
    }
    return step;
}

static enum step carry_atomic(const struct journey *journey)
{
    const struct noc_request *request = journey->request;
    struct recipients recipients;
    enum step step = recipients_find(journey, &request->target, &recipients);
    struct noc_endpoint *back = NULL;
    if (step == STEP_DONE && request->response_marked) {
        back = journey_back(journey);
        step = back ? effect_check_returned(journey, back) : STEP_STOP;
    }
    if (step == STEP_DONE) {
        effect_atomic_sent(journey);
    }
    for (unsigned i = 0; step == STEP_DONE && i < recipients.count; i++) {
        struct noc_endpoint *endpoint = recipients.endpoint[i];
        uint32_t result;
        step = effect_operate(journey, endpoint, &result);
        if (step == STEP_DONE) {
            effect_atomic_arrived(journey, endpoint);
        }
        if (step == STEP_DONE && back) {
            step = effect_atomic_returned(journey, back, result);
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
