/* Data of writes that a tile has started, in timed mode: what L1 held when they were started. Until the device takes a
   request, at the end of its quantum, cores may have run on and have stored something else there. Requests are told
   apart by their numbers among those of the tile. */
#ifndef BHEMU_NOC_PAYLOADS_H
#define BHEMU_NOC_PAYLOADS_H

#include "memory/l1.h"
#include "noc/blocks.h"
#include "noc/niu.h"

struct noc_payload {
    struct noc_payload *next;
    uint32_t number, size; /* of the request; of data in bytes */
    uint8_t data[];
};

/* In the order of the requests. */
struct noc_payloads {
    struct noc_payload *first, *last;
    struct noc_blocks blocks; /* memory for those to come, and for the tile's packets */
};

/* The tile has started a request, the last one in its outbox: keeps the data of a write out of L1. If there is no
   memory, they are read later. */
void payloads_keep(struct noc_payloads *payloads, const struct noc_outbox *outbox, const struct l1 *l1);

/* The same in functional mode, of a write of NOC_KEPT_BYTES at most, into the outbox. Programs count on silicon's
   having read so little when they have prepared what they send next: writers of tt-metal's collective operations send
   one header twice, with a change between. Longer ones are read when the device takes them. */
void payloads_keep_short(struct noc_outbox *outbox, const struct l1 *l1);

/* The data of a request that is in the initiator's outbox; null: payloads_keep_short() has not kept them. */
static inline const uint8_t *payload_in(const struct noc_outbox *outbox, const struct noc_request *request)
{
    return request->kept ? outbox->kept[request - outbox->request] : NULL;
}

/* Room for so many bytes of a request behind those that there are. Null: there is no memory. */
uint8_t *payloads_add(struct noc_payloads *payloads, uint32_t number, uint32_t size);

/* The data of a request, from the first byte that it reads; null: they were not kept. Forgets those of requests before
   it. */
const uint8_t *payloads_of(struct noc_payloads *payloads, uint32_t number);

/* Leaves the blocks. */
void payloads_forget(struct noc_payloads *payloads);

#endif
