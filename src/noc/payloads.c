#include "noc/payloads.h"

#include <string.h>

#include "noc/effects.h"

static void forget_first(struct noc_payloads *payloads)
{
    struct noc_payload *first = payloads->first;
    payloads->first = first->next;
    blocks_give(&payloads->blocks, first);
}

void payloads_forget(struct noc_payloads *payloads)
{
    while (payloads->first) {
        forget_first(payloads);
    }
}

uint8_t *payloads_add(struct noc_payloads *payloads, uint32_t number, uint32_t size)
{
    struct noc_payload *payload = blocks_take(&payloads->blocks, sizeof *payload + size);
    if (!payload) {
        return NULL;
    }
    *payload = (struct noc_payload){.number = number, .size = size};
    *(payloads->first ? &payloads->last->next : &payloads->first) = payload;
    payloads->last = payload;
    return payload->data;
}

void payloads_keep(struct noc_payloads *payloads, const struct noc_outbox *outbox, const struct l1 *l1)
{
    const struct noc_request *request = &outbox->request[outbox->count - 1];
    struct noc_source source = noc_source_of(request);
    bool writes = request->kind == NOC_WRITE || request->kind == NOC_WRITE_BYTES;
    uint8_t *data;
    if (writes && l1_contains(source.address, source.size) &&
        (data = payloads_add(payloads, outbox->started - 1, source.size))) {
        memcpy(data, l1_peek(l1, (uint32_t)source.address), source.size); /* reported when the device takes it */
    }
}

const uint8_t *payloads_of(struct noc_payloads *payloads, uint32_t number)
{
    while (payloads->first && (int32_t)(payloads->first->number - number) < 0) {
        forget_first(payloads);
    }
    return payloads->first && payloads->first->number == number ? payloads->first->data : NULL;
}
