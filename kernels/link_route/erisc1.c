/* link_route: E1 of an Ethernet tile stores and forwards packets (runtime/route.h). */
#include "ethernet.h"
#include "route.h"

enum { QUEUE = 0 };

/* At LAYOUT_ARGUMENTS. E1 ends when so many packets were sent, and have left the other end, and so many have come, and
   were passed on. */
struct route_arguments {
    uint32_t chip, index;             /* this chip and this tile: its index, and so its channel at other tiles */
    uint32_t sends, receives;         /* packets over the link */
    uint32_t feeders[ROUTE_CHANNELS]; /* the tiles that feed the channels: x | y << 6 */
    uint32_t next[ROUTE_CHIPS];       /* for each chip the Ethernet tile from where a packet to it leads on */
};

struct router {
    const volatile struct route_arguments *arguments;
    struct noc noc;
    uint32_t sent[ROUTE_CHANNELS], all_sent, received;
    uint32_t posted[ROUTE_CHANNELS]; /* of this tile's channel at each other tile, by its index */
};

static void tell_other_end(uint32_t address, uint32_t value)
{
    route_stage(value);
    eth_write(QUEUE, ROUTE_STAGE, address, 16);
}

/* The feeder's slot is free again. */
static void tell_feeder(struct router *router, uint32_t channel)
{
    route_stage(router->sent[channel]);
    noc_write(&router->noc, ROUTE_STAGE,
              (struct noc_place){router->arguments->feeders[channel], ROUTE_FREE + 16 * router->arguments->index}, 4);
    noc_wait(&router->noc, NOC_WR_ACK_RECEIVED);
}

static uint32_t size_of(const volatile struct route_header *packet)
{
    return ROUTE_HEADER_SIZE + packet->size;
}

/* Sends the next packet of a channel, if there is one and a slot at the other end. */
static void send(struct router *router, uint32_t channel)
{
    if (route_word(ROUTE_POSTED + 16 * channel) == router->sent[channel] ||
        router->all_sent - route_word(ROUTE_RETURNED) >= ROUTE_SLOTS) {
        return;
    }
    uint32_t slot = ROUTE_OUT + channel * ROUTE_CHANNEL_SIZE + router->sent[channel] % ROUTE_SLOTS * ROUTE_SLOT_SIZE;
    eth_write(QUEUE, slot, ROUTE_IN + router->all_sent % ROUTE_SLOTS * ROUTE_SLOT_SIZE,
              size_of((const volatile struct route_header *)slot));
    tell_other_end(ROUTE_ARRIVED, ++router->all_sent);
    router->sent[channel]++;
    tell_feeder(router, channel);
}

static void deliver(struct router *router, uint32_t slot, const struct route_header *header)
{
    noc_write(&router->noc, slot + ROUTE_HEADER_SIZE, (struct noc_place){header->tile, header->address}, header->size);
    noc_wait(&router->noc, NOC_WR_ACK_RECEIVED);
    route_count(&router->noc, header->tile, ROUTE_COME);
}

/* Gives a packet to the next tile on its way. false: that has no free slot. */
static bool forward(struct router *router, uint32_t slot, const struct route_header *header)
{
    uint32_t hop = router->arguments->next[header->chip], *posted = &router->posted[route_index(hop)];
    if (!route_is_free(hop, *posted)) {
        return false;
    }
    noc_write(&router->noc, slot, route_slot(hop, router->arguments->index, *posted), size_of(header));
    noc_wait(&router->noc, NOC_WR_ACK_RECEIVED);
    route_count(&router->noc, route_tile(hop), ROUTE_POSTED + 16 * router->arguments->index);
    ++*posted;
    return true;
}

/* Passes on the next packet that has come over the link, if there is one. */
static void receive(struct router *router)
{
    if (route_word(ROUTE_ARRIVED) == router->received) {
        return;
    }
    eth_wait_arrived(QUEUE);
    uint32_t slot = ROUTE_IN + router->received % ROUTE_SLOTS * ROUTE_SLOT_SIZE;
    (void)route_word(slot); /* not what the cache has of an earlier packet */
    struct route_header header = *(const volatile struct route_header *)slot;
    if (header.chip == router->arguments->chip) {
        deliver(router, slot, &header);
    } else if (!forward(router, slot, &header)) {
        return;
    }
    tell_other_end(ROUTE_RETURNED, ++router->received);
}

void kernel_main(void)
{
    struct router router = {.arguments = (const volatile struct route_arguments *)LAYOUT_ARGUMENTS, .noc = noc_open(0)};
    while (router.received != router.arguments->receives || router.all_sent != router.arguments->sends ||
           route_word(ROUTE_RETURNED) != router.arguments->sends) {
        for (uint32_t channel = 0; channel < ROUTE_CHANNELS; channel++) {
            send(&router, channel);
        }
        receive(&router);
    }
}
