#include "tensix/units/pack/writes.h"

#include "tensix/units/observe.h"

static void arrive(struct tensix *tensix, const struct pack_writes *writes, unsigned index)
{
    const struct pack_write *write = &writes->of[index];
    if (__builtin_expect(tensix->observed != NULL, 0)) {
        const struct diagnostic_origin *cause = &tensix->observed->tensix->pack_writes[index];
        tensix->observed->cause = cause->agent == BH_AGENT_THREAD ? cause : NULL;
    }
    l1_put(tensix->l1, pack_actor, write->address, writes->bytes + write->at, write->size);
    if (__builtin_expect(tensix->observed != NULL, 0)) {
        tensix->observed->cause = NULL;
    }
}

bool pack_writes_arrive(struct tensix *tensix, uint64_t time)
{
    struct pack_writes *writes = &tensix->state->timing.pack.writes;
    uint32_t arrived = 0;
    for (; arrived < writes->count && writes->of[arrived].due <= time; arrived++) {
        arrive(tensix, writes, arrived);
    }
    if (arrived) {
        writes->count -= arrived;
        writes->fresh = writes->fresh < writes->count ? writes->fresh : writes->count;
        memmove(writes->of, writes->of + arrived, writes->count * sizeof *writes->of);
        if (__builtin_expect(tensix->observed != NULL, 0)) {
            struct diagnostic_origin *causes = tensix->observed->tensix->pack_writes;
            memmove(causes, causes + arrived, writes->count * sizeof *causes);
        }
    }
    return arrived != 0;
}

static bool overlaps(const struct pack_writes *writes, uint32_t address, uint32_t size)
{
    bool any = false;
    for (uint32_t i = 0; i < writes->count; i++) {
        any |= writes->of[i].address < address + size && address < writes->of[i].address + writes->of[i].size;
    }
    return any;
}

/* Moves the bytes that are on their way to the begin of the memory for them. */
static void make_room(struct pack_writes *writes)
{
    uint32_t first = writes->count ? writes->of[0].at : writes->used;
    memmove(writes->bytes, writes->bytes + first, writes->used - first);
    writes->used -= first;
    for (uint32_t i = 0; i < writes->count; i++) {
        writes->of[i].at -= first;
    }
}

/* With jitter: to L1 when the PACR is due; before that to nowhere. */
static uint8_t *write_with_jitter(struct tensix *tensix, uint32_t address, uint32_t size)
{
    if (tensix->state->lag.at_work) {
        return l1_begin_write(tensix->l1, address);
    }
    return memcpy(tensix->state->timing.pack.writes.bytes, l1_peek(tensix->l1, address), size);
}

uint8_t *pack_write_later(struct tensix *tensix, uint32_t address, uint32_t size)
{
    struct pack_writes *writes = &tensix->state->timing.pack.writes;
    if (tensix->jitter) {
        return write_with_jitter(tensix, address, size);
    }
    if (writes->used + size > PACK_WRITTEN_BYTES) {
        make_room(writes);
    }
    if (writes->count == PACK_WRITES || writes->used + size > PACK_WRITTEN_BYTES || overlaps(writes, address, size)) {
        (void)pack_writes_arrive(tensix, CLOCK_NEVER);
    }
    uint8_t *bytes = writes->bytes + writes->used;
    if (__builtin_expect(tensix->observed != NULL, 0)) {
        tensix->observed->tensix->pack_writes[writes->count] = tensix->diagnostics->now;
    }
    writes->of[writes->count++] = (struct pack_write){
        .due = tensix->state->timing.pack.accepts, .address = address, .size = size, .at = writes->used};
    writes->used += size;
    writes->fresh++;
    memcpy(bytes, l1_peek(tensix->l1, address), size);
    return bytes;
}

void pack_write_ends(struct tensix *tensix, uint32_t address, uint32_t size)
{
    struct pack_writes *writes = &tensix->state->timing.pack.writes;
    if (tensix->state->lag.at_work) {
        l1_end_write(tensix->l1, pack_actor, address, size);
        return;
    }
    for (uint32_t i = writes->count; i > 0; i--) {
        if (writes->of[i - 1].address == address) {
            writes->of[i - 1].size = size;
            break;
        }
    }
}

void pack_writes_due(struct pack_writes *writes, uint64_t time)
{
    for (uint32_t i = writes->count - writes->fresh; i < writes->count; i++) {
        writes->of[i].due = time;
    }
}
