/* One request on its way through the NoC: who started it, and how to reach its endpoints. All errors are reported
   through journey_wrong(), so that the diagnostic names the initiator. */
#ifndef BHEMU_NOC_JOURNEY_H
#define BHEMU_NOC_JOURNEY_H

#include <stddef.h>

#include "noc/network.h"

struct journey {
    struct network *network;
    struct noc_endpoint *initiator;
    const struct noc_request *request;
    uint32_t number; /* of the request among those of the initiator */
    uint64_t time;   /* timed mode: when it happens; 0: at the time of the tile where it does */
};

/* Reports an error of the request: diagnose(), with the place where the request was started. */
enum step journey_wrong(const struct journey *journey, enum bh_category category, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* As journey_endpoint(), for an endpoint that is not connected yet, or coordinates without one. */
struct noc_endpoint *journey_new_endpoint(const struct journey *journey, unsigned x, unsigned y);

/* Of the endpoints at one place, that which an access to this address over a NoC reaches. */
static inline struct noc_endpoint *endpoint_side(struct noc_endpoint *endpoint, unsigned noc, uint64_t address)
{
    return __builtin_expect(endpoint && endpoint->side, 0) ? endpoint->side(endpoint->context, noc, address) : endpoint;
}

/* The endpoint at a place of the request, in raw coordinates of its NoC, that an access to this address reaches; null,
   and a diagnostic, if there is no such tile. */
static inline struct noc_endpoint *journey_endpoint(const struct journey *journey, const struct noc_place *place,
                                                    uint64_t address)
{
    unsigned noc = journey->request->noc, x = place->x, y = place->y;
    if (__builtin_expect(x < NOC_WIDTH && y < NOC_HEIGHT, 1)) {
        struct noc_endpoint *endpoint = noc ? &journey->network->endpoint[NOC_HEIGHT - 1 - y][NOC_WIDTH - 1 - x]
                                            : &journey->network->endpoint[y][x];
        if (__builtin_expect(endpoint->read && !endpoint->side, 1)) {
            return endpoint;
        }
    }
    return endpoint_side(journey_new_endpoint(journey, x, y), noc, address);
}

/* Those of NOC_TARG_ADDR and NOC_RET_ADDR. */
static inline struct noc_endpoint *journey_target(const struct journey *journey)
{
    return journey_endpoint(journey, &journey->request->target, journey->request->target_address);
}

static inline struct noc_endpoint *journey_back(const struct journey *journey)
{
    return journey_endpoint(journey, &journey->request->back, journey->request->back_address);
}

/* Accesses to an endpoint's address space. */
enum step journey_read(const struct journey *journey, struct noc_endpoint *endpoint, uint64_t address, void *data,
                       uint32_t size);
enum step journey_write(const struct journey *journey, struct noc_endpoint *endpoint, uint64_t address,
                        const void *data, uint32_t size);

/* A tile as diagnostics name it: by the coordinates that the program used, and by those of NoC 0 if they are others. */
struct journey_name {
    char text[96];
};

struct journey_name journey_name(const struct journey *journey, unsigned x, unsigned y);

/* Carries the request out, with all that follows from it. */
void journey_carry(const struct journey *journey);

/* The endpoint's NIU at a NoC; null: it has none that is visible. */
static inline struct niu *endpoint_niu(const struct noc_endpoint *endpoint, unsigned noc)
{
    return endpoint && endpoint->niu ? &endpoint->niu[noc] : NULL;
}

static inline void endpoint_count(const struct noc_endpoint *endpoint, unsigned noc, unsigned counter, uint32_t amount)
{
    struct niu *niu = endpoint_niu(endpoint, noc);
    if (niu) {
        niu_count(niu, counter, amount);
    }
}

static inline bool endpoint_has_nothing(const struct noc_endpoint *endpoint, uint64_t address)
{
    address &= ~endpoint->ignored;
    return address >= endpoint->memory && address < endpoint->registers;
}

static inline bool endpoint_is_memory(const struct noc_endpoint *endpoint, uint64_t address)
{
    return (address & ~endpoint->ignored) < endpoint->memory;
}

/* Whether it is the memory that a DRAM tile shows. */
static inline bool endpoint_is_dram(const struct noc_endpoint *endpoint)
{
    return !endpoint->l1 && noc_tile_kind(endpoint->x, endpoint->y) == TILE_DRAM;
}

#endif
