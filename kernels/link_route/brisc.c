/* link_route: a tile sends a stretch of its L1 to a tile of a chip that may be far away, in packets, and waits for as
   many as others send to it (runtime/route.h). B. */
#include "route.h"

struct link_route_arguments {
    uint32_t hop;        /* the Ethernet tile from where the way begins: x | y << 6 | index << 12 */
    uint32_t chip, tile; /* where it goes: the tile as x | y << 6 */
    uint32_t from, to, size;
    uint32_t receives; /* packets */
};

static void send(struct noc *noc, const struct link_route_arguments *route, uint32_t posted, uint32_t done,
                 uint32_t size)
{
    struct noc_place slot = route_slot(route->hop, 0, posted);
    *(volatile struct route_header *)ROUTE_STAGE =
        (struct route_header){route->chip, route->tile, route->to + done, size};
    (void)route_word(ROUTE_STAGE + ROUTE_HEADER_SIZE - 4);
    noc_write(noc, ROUTE_STAGE, slot, ROUTE_HEADER_SIZE);
    noc_write(noc, route->from + done, (struct noc_place){slot.at, slot.address + ROUTE_HEADER_SIZE}, size);
    noc_wait(noc, NOC_WR_ACK_RECEIVED);
    route_count(noc, slot.at, ROUTE_POSTED);
}

void kernel_main(void)
{
    struct link_route_arguments route = *(const volatile struct link_route_arguments *)LAYOUT_ARGUMENTS;
    struct noc noc = noc_open(0);
    for (uint32_t posted = 0, done = 0; done < route.size; posted++, done += ROUTE_PAYLOAD) {
        while (!route_is_free(route.hop, posted)) {
        }
        send(&noc, &route, posted, done, route.size - done < ROUTE_PAYLOAD ? route.size - done : ROUTE_PAYLOAD);
    }
    while (route_word(ROUTE_COME) != route.receives) {
    }
}
