#include "noc/payloads.h"

#include <stdlib.h>
#include <string.h>

#include "noc/effects.h"

struct noc_payload {
    struct noc_payload *next;
    uint32_t number;
    uint8_t data[];
};

static void forget_first(struct noc_payloads *payloads)
{
    struct noc_payload *first = payloads->first;
    payloads->first = first->next;
    free(first);
}

void payloads_forget(struct noc_payloads *payloads)
{
    while (payloads->first) {
        forget_first(payloads);
    }
}

void payloads_keep(struct noc_payloads *payloads, const struct noc_outbox *outbox, const struct l1 *l1)
{
    const struct noc_request *request = &outbox->request[outbox->count - 1];
    struct noc_source source = noc_source_of(request);
    bool writes = request->kind == NOC_WRITE || request->kind == NOC_WRITE_BYTES;
    struct noc_payload *payload;
    if (!writes || !l1_contains(source.address, source.size) || !(payload = malloc(sizeof *payload + source.size))) {
        return;
    }
    payload->next = NULL;
    payload->number = outbox->started - 1;
    memcpy(payload->data, l1_peek(l1, (uint32_t)source.address), source.size); /* reported when the device takes it */
    *(payloads->first ? &payloads->last->next : &payloads->first) = payload;
    payloads->last = payload;
}

const uint8_t *payloads_of(struct noc_payloads *payloads, uint32_t number)
{
    while (payloads->first && (int32_t)(payloads->first->number - number) < 0) {
        forget_first(payloads);
    }
    return payloads->first && payloads->first->number == number ? payloads->first->data : NULL;
}
