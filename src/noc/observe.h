/* What observers are told of requests: that they are sent, arrive, and are acknowledged, and what memory they reach.
   Each tells nothing if nobody wants to hear of that tile. */
#ifndef BHEMU_NOC_OBSERVE_H
#define BHEMU_NOC_OBSERVE_H

#include "noc/journey.h"
#include "observe/observed.h"

/* The last request of an outbox has been started: by an NIU, or by a stream. */
void noc_tell_sent_request(struct observed *observed, const struct noc_outbox *outbox);

static inline void noc_tell_sent(struct observed *observed, const struct noc_outbox *outbox)
{
    if (__builtin_expect(observed != NULL, 0)) {
        noc_tell_sent_request(observed, outbox);
    }
}

/* A packet of `size` bytes, `offset` bytes into the request, has arrived; the response to it has come back. */
void journey_tell_packet(const struct journey *journey, const struct noc_endpoint *endpoint, enum bh_event_kind kind,
                         uint64_t offset, uint32_t size);

static inline void journey_tell(const struct journey *journey, const struct noc_endpoint *endpoint,
                                enum bh_event_kind kind, uint64_t offset, uint32_t size)
{
    if (__builtin_expect(endpoint && endpoint->observed != NULL, 0)) {
        journey_tell_packet(journey, endpoint, kind, offset, size);
    }
}

/* The request has read or written these bytes. */
void journey_tell_access(const struct journey *journey, const struct noc_endpoint *endpoint, bool write,
                         uint64_t address, uint32_t size, const void *data);

static inline void journey_accessed(const struct journey *journey, const struct noc_endpoint *endpoint, bool write,
                                    uint64_t address, uint32_t size, const void *data)
{
    if (__builtin_expect(endpoint->observed != NULL, 0)) {
        journey_tell_access(journey, endpoint, write, address, size, data);
    }
}

/* Which space an address of an endpoint is in. */
static inline enum bh_space endpoint_space(const struct noc_endpoint *endpoint, uint64_t address)
{
    return !endpoint_is_memory(endpoint, address) ? BH_SPACE_REGISTER : endpoint->l1 ? BH_SPACE_L1 : BH_SPACE_DRAM;
}

#endif
