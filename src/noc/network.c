#include "noc/network.h"

#include <string.h>

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
