#include "noc/network.h"

#include <string.h>

#include "noc/effects.h"
#include "noc/traffic.h"

void network_connect(struct network *network, const struct noc_endpoint *endpoint)
{
    network->endpoint[endpoint->y][endpoint->x] = *endpoint;
}

static void connect_outbox(struct network *network, struct noc_endpoint *connected, unsigned initiator)
{
    network->initiator[initiator] = connected;
    if (network->traffic) {
        connected->inbox = connected->expect ? &network->traffic->inbox[initiator] : NULL;
        connected->payloads = &network->traffic->inbox[initiator].payloads;
    }
}

void network_connect_initiator(struct network *network, const struct noc_endpoint *endpoint, unsigned initiator)
{
    network_connect(network, endpoint);
    connect_outbox(network, &network->endpoint[endpoint->y][endpoint->x], initiator);
}

void network_connect_dram_core(struct network *network, const struct noc_endpoint *endpoint, unsigned number,
                               unsigned initiator)
{
    network->dram_core[number] = *endpoint;
    connect_outbox(network, &network->dram_core[number], initiator);
}

bool network_requested(const struct network *network)
{
    uint64_t waiting = 0;
    for (unsigned word = 0; word < NETWORK_BITMAP_WORDS; word++) {
        waiting |= network->waiting[word];
    }
    return waiting != 0;
}

bool network_pending(const struct network *network)
{
    return network_requested(network) || (network->traffic && traffic_pending(network->traffic));
}

/* Carries out the first `count` requests of an outbox. Those behind them were started during this exchange, and stay.
 */
static void empty(struct network *network, unsigned initiator, uint32_t count)
{
    struct noc_endpoint *endpoint = network->initiator[initiator];
    struct noc_outbox *outbox = endpoint->outbox;
    for (uint32_t i = 0; i < count && !endpoint->diagnostics->stopped; i++) {
        struct journey journey = {network, endpoint, &outbox->request[i], outbox->started - outbox->count + i, 0};
        journey_carry(&journey);
    }
    bool full = outbox->count == NOC_OUTBOX_SIZE;
    outbox->count -= count;
    if (outbox->count) {
        memmove(outbox->request, outbox->request + count, outbox->count * sizeof *outbox->request);
        memmove(outbox->kept, outbox->kept + count, outbox->count * sizeof *outbox->kept);
    }
    if (full && endpoint->room) {
        network->told = true;
        endpoint->room(endpoint->context);
    }
    network_notice(network, initiator);
}

/* Whether what a request does at a place is done when it is carried out: at memory, or at registers of another tile
   with L1. What others do may come back to the initiator's tile, which is in its turn: a reset, say. */
static inline bool is_done_at_once(struct network *network, const struct noc_endpoint *own, unsigned noc,
                                   const struct noc_place *place, uint64_t address)
{
    unsigned x = noc ? NOC_WIDTH - 1u - place->x : place->x, y = noc ? NOC_HEIGHT - 1u - place->y : place->y;
    if (x >= NOC_WIDTH || y >= NOC_HEIGHT) {
        return false;
    }
    const struct noc_endpoint *endpoint = network_endpoint(network, x, y); /* also if only a look has connected it */
    if (endpoint->l1) {
        return endpoint_is_memory(endpoint, address) || (endpoint != own && !endpoint->side);
    }
    return endpoint_is_dram(endpoint) && endpoint_is_memory(endpoint, address);
}

/* Whether the initiator's tile may go on in its turn right behind the request. */
static bool is_direct(struct network *network, const struct noc_endpoint *own, const struct noc_request *request)
{
    if (request->link || request->reader || request->packet_tag & TAG_DELIVER_TO_OVERLAY) {
        return false;
    }
    if (request->broadcast) {
        return endpoint_is_memory(own, request->target_address) && endpoint_is_memory(own, request->back_address);
    }
    return is_done_at_once(network, own, request->noc, &request->target, request->target_address) &&
           is_done_at_once(network, own, request->noc, &request->back, request->back_address);
}

bool network_carry_at_once(struct network *network, unsigned initiator)
{
    struct noc_endpoint *endpoint = network->initiator[initiator];
    struct noc_outbox *outbox = endpoint->outbox;
    if (outbox->count != 1 || !is_direct(network, endpoint, outbox->request)) {
        return false;
    }
    const struct journey journey = {network, endpoint, outbox->request, outbox->started - 1, 0};
    journey_carry(&journey);
    outbox->count = 0;
    return true;
}

unsigned network_carry_all(struct network *network, unsigned initiator)
{
    uint32_t count = network->initiator[initiator]->outbox->count;
    if (count) {
        network->waiting[initiator / 64] &= ~(UINT64_C(1) << initiator % 64);
        empty(network, initiator, count);
    }
    return count;
}

unsigned network_exchange(struct network *network, uint64_t now)
{
    if (network->traffic) {
        return traffic_exchange(network, now);
    }
    uint64_t waiting[NETWORK_BITMAP_WORDS];
    uint32_t counts[NETWORK_INITIATORS];
    unsigned carried = 0;
    if (!network_pending(network)) {
        return 0;
    }
    for (unsigned word = 0; word < NETWORK_BITMAP_WORDS; word++) {
        waiting[word] = network->waiting[word];
        network->waiting[word] = 0;
        for (uint64_t bits = waiting[word]; bits; bits &= bits - 1) {
            unsigned initiator = word * 64 + (unsigned)__builtin_ctzll(bits);
            counts[initiator] = network->initiator[initiator]->outbox->count;
        }
    }
    for (unsigned word = 0; word < NETWORK_BITMAP_WORDS; word++) {
        for (uint64_t bits = waiting[word]; bits; bits &= bits - 1) {
            unsigned initiator = word * 64 + (unsigned)__builtin_ctzll(bits);
            empty(network, initiator, counts[initiator]);
            carried += counts[initiator];
        }
    }
    return carried;
}
