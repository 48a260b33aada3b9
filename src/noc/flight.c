/* What a packet does where it is: see traffic.h. */
#include "noc/traffic.h"

static struct journey journey_of(const struct flight *flight, uint64_t time)
{
    return (struct journey){flight->network, flight->initiator, &flight->request, flight->number, time};
}

void flight_leaves(const struct flight *flight)
{
    const struct journey journey = journey_of(flight, 0);
    const struct noc_request *request = &flight->request;
    switch ((enum noc_request_kind)request->kind) {
    case NOC_READ: endpoint_count(flight->initiator, request->noc, NIU_MST_RD_REQ_SENT, 1); break;
    case NOC_WRITE: effect_write_sent(&journey, noc_flits(flight->extent.size)); break;
    case NOC_WRITE_BYTES: effect_write_sent(&journey, 1); break;
    case NOC_WRITE_INLINE: break; /* counted when it was started */
    case NOC_ATOMIC: effect_atomic_sent(&journey); break;
    }
    if (request->reader && flight->last) {
        flight->network->told = true;
        flight->initiator->sent(flight->initiator->context, request->reader);
    }
}

static enum step write_arrives(const struct flight *flight, struct noc_endpoint *endpoint, uint64_t time)
{
    const struct journey journey = journey_of(flight, time);
    const struct packet packet = {flight->extent.offset, flight->extent.size, flight->data};
    enum step step = effect_write_packet(&journey, endpoint, &packet);
    if (step == STEP_DONE) {
        effect_write_arrived(&journey, endpoint, flight->extent);
        step = effect_tell_overlay(&journey, endpoint, packet.done, packet.size);
    }
    return step;
}

enum step flight_arrives(struct flight *flight, struct noc_endpoint *endpoint, unsigned recipient, uint64_t time)
{
    const struct journey journey = journey_of(flight, time);
    const struct noc_request *request = &flight->request;
    enum step step = STEP_DONE;
    switch ((enum noc_request_kind)request->kind) {
    case NOC_READ:
        step =
            get(&journey, endpoint, request->target_address + flight->extent.offset, flight->data, flight->extent.size);
        if (step == STEP_DONE) {
            effect_read_served(&journey, endpoint, flight->extent);
        }
        break;
    case NOC_WRITE: step = write_arrives(flight, endpoint, time); break;
    case NOC_WRITE_BYTES:
        step = effect_write_enabled(&journey, endpoint, flight->to_register, flight->data);
        if (step == STEP_DONE) {
            effect_write_arrived(&journey, endpoint, flight->extent);
        }
        break;
    case NOC_WRITE_INLINE:
        step = effect_write_inline(&journey, endpoint);
        if (step == STEP_DONE) {
            effect_write_arrived(&journey, endpoint, flight->extent);
        }
        break;
    case NOC_ATOMIC: {
        uint32_t result;
        step = effect_operate(&journey, endpoint, &result);
        if (step == STEP_DONE) {
            effect_atomic_arrived(&journey, endpoint);
            memcpy(flight->data + recipient * sizeof result, &result, sizeof result);
        }
        break;
    }
    }
    return step;
}

void flight_returns(struct flight *flight, unsigned recipient, uint64_t time)
{
    const struct journey journey = journey_of(flight, time);
    const struct noc_request *request = &flight->request;
    switch ((enum noc_request_kind)request->kind) {
    case NOC_READ: {
        uint64_t to = request->back_address + flight->extent.offset;
        if (effect_deliver(&journey, flight->back, to, flight->data, flight->extent.size) == STEP_DONE) {
            effect_read_returned(&journey, flight->back, flight->extent);
        }
        break;
    }
    case NOC_WRITE:
    case NOC_WRITE_BYTES:
    case NOC_WRITE_INLINE: effect_write_acknowledged(&journey, flight->back, flight->extent); break;
    case NOC_ATOMIC: {
        uint32_t result;
        memcpy(&result, flight->data + recipient * sizeof result, sizeof result);
        (void)effect_atomic_returned(&journey, flight->back, result);
        break;
    }
    }
}

/* What it changes. */

/* Counters from `first` to `last`, a bit each. */
#define COUNTERS(first, last) (UINT64_MAX >> (63 - (last)) & UINT64_MAX << (first))

static uint64_t counters_of(enum flight_event event)
{
    switch (event) {
    case FLIGHT_LEAVES:
        return COUNTERS(NIU_MST_RD_REQ_SENT, NIU_MST_POSTED_WR_REQ_SENT) |
               COUNTERS(NIU_MST_WRITE_REQS_OUTGOING_ID, NIU_SLV_ATOMIC_RESP_SENT - 1);
    case FLIGHT_ARRIVES: return COUNTERS(NIU_SLV_ATOMIC_RESP_SENT, NIU_COUNTERS - 1);
    default: /* FLIGHT_RETURNS */
        return COUNTERS(NIU_MST_ATOMIC_RESP_RECEIVED, NIU_MST_RD_DATA_WORD_RECEIVED) |
               COUNTERS(NIU_MST_REQS_OUTSTANDING_ID, NIU_MST_WRITE_REQS_OUTGOING_ID - 1);
    }
}

static bool overlaps(const struct noc_watch *watch, uint64_t address, uint64_t size)
{
    return watch->l1 || (address <= watch->last && address + size > watch->first);
}

bool flight_changes(const struct flight *flight, enum flight_event event, const struct noc_watch *watch)
{
    const struct noc_request *request = &flight->request;
    uint64_t to = request->back_address + flight->extent.offset, size = flight->extent.size;
    if (counters_of(event) & watch->counters[request->noc]) {
        return true;
    }
    switch ((enum noc_request_kind)request->kind) {
    case NOC_READ: return event == FLIGHT_RETURNS && overlaps(watch, to, size);
    case NOC_WRITE: return event == FLIGHT_ARRIVES && overlaps(watch, to, size);
    case NOC_WRITE_BYTES:
        return event == FLIGHT_ARRIVES && overlaps(watch, request->back_address & ~UINT64_C(15), BYTE_ENABLES);
    case NOC_WRITE_INLINE: return event == FLIGHT_ARRIVES;
    case NOC_ATOMIC: /* of 16 bytes, and its result */
        return (event == FLIGHT_ARRIVES && overlaps(watch, request->target_address & ~UINT64_C(15), 16)) ||
               (event == FLIGHT_RETURNS && overlaps(watch, request->back_address, REGISTER_BYTES));
    }
    return true;
}

/* Whether a tile does it alone: bytes of its L1, and nothing can be wrong with them. */

static bool in_l1(const struct noc_endpoint *endpoint, uint64_t address, uint32_t size)
{
    return endpoint->inbox && l1_contains(address, size);
}

bool flight_arrives_in_tile(const struct flight *flight, const struct noc_endpoint *endpoint)
{
    const struct noc_request *request = &flight->request;
    uint64_t offset = flight->extent.offset;
    switch ((enum noc_request_kind)request->kind) {
    case NOC_READ: return in_l1(endpoint, request->target_address + offset, flight->extent.size);
    case NOC_WRITE:
        return !request->accumulate && !(request->packet_tag & (TAG_HEADER_STORE | TAG_DELIVER_TO_OVERLAY)) &&
               in_l1(endpoint, request->back_address + offset, flight->extent.size);
    case NOC_WRITE_BYTES: return !flight->to_register && in_l1(endpoint, request->back_address, 2 * BYTE_ENABLES);
    case NOC_WRITE_INLINE: return false;
    case NOC_ATOMIC: return request->target_address % 4 == 0 && in_l1(endpoint, request->target_address, 4);
    }
    return false;
}

bool flight_returns_in_tile(const struct flight *flight)
{
    const struct noc_request *request = &flight->request;
    switch ((enum noc_request_kind)request->kind) {
    case NOC_READ:
        return !request->accumulate &&
               in_l1(flight->back, request->back_address + flight->extent.offset, flight->extent.size);
    case NOC_WRITE:
    case NOC_WRITE_BYTES:
    case NOC_WRITE_INLINE: return flight->back->inbox != NULL;
    case NOC_ATOMIC: return in_l1(flight->back, request->back_address, 4);
    }
    return false;
}
