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

/* The bytes of L1 that the last request in the outbox sends, if it is a write; else none. */
static struct noc_source source_in_l1(const struct noc_outbox *outbox)
{
    const struct noc_request *request = &outbox->request[outbox->count - 1];
    struct noc_source source = noc_source_of(request);
    bool writes = request->kind == NOC_WRITE || request->kind == NOC_WRITE_BYTES;
    if (request->kind == NOC_WRITE_BYTES) { /* a register may take the word at the very address */
        uint32_t word_ends = (uint32_t)(request->target_address - source.address) + REGISTER_BYTES;
        source.size = source.size < word_ends ? word_ends : source.size;
    }
    return writes && l1_contains(source.address, source.size) ? source : (struct noc_source){0};
}

void payloads_keep(struct noc_payloads *payloads, const struct noc_outbox *outbox, const struct l1 *l1)
{
    const struct noc_source source = source_in_l1(outbox);
    uint8_t *data = source.size ? payloads_add(payloads, outbox->started - 1, source.size) : NULL;
    if (data) {
        memcpy(data, l1_peek(l1, (uint32_t)source.address), source.size); /* reported when the device takes it */
    }
}

void payloads_keep_short(struct noc_outbox *outbox, const struct l1 *l1)
{
    const struct noc_source source = source_in_l1(outbox);
    uint32_t last = outbox->count - 1;
    outbox->request[last].kept = source.size && source.size <= NOC_KEPT_BYTES;
    if (outbox->request[last].kept) {
        uint8_t *data = outbox->kept[last];
        memset(data, 0, HEADER_BYTES);
        memcpy(data, l1_peek(l1, (uint32_t)source.address), source.size);
    }
}

const uint8_t *payloads_of(struct noc_payloads *payloads, uint32_t number)
{
    while (payloads->first && (int32_t)(payloads->first->number - number) < 0) {
        forget_first(payloads);
    }
    return payloads->first && payloads->first->number == number ? payloads->first->data : NULL;
}
