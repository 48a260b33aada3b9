#include "noc/deliveries.h"

#include <stdlib.h>

bool delivery_is_before(const struct delivery_key *one, const struct delivery_key *other)
{
    return one->time < other->time || (one->time == other->time && one->order < other->order);
}

/* The same without a jump, which would be foreseen half of the time. */
static inline bool is_before(struct delivery_key one, struct delivery_key other)
{
    return (one.time < other.time) | ((one.time == other.time) & (one.order < other.order));
}

bool deliveries_reserve(struct deliveries *deliveries, uint32_t count)
{
    if (count <= deliveries->room) {
        return true;
    }
    uint32_t room = deliveries->room ? 2 * deliveries->room : 16;
    struct delivery *slot = realloc(deliveries->slot, room * sizeof *slot);
    deliveries->slot = slot ? slot : deliveries->slot;
    struct delivery_key *heap = slot ? realloc(deliveries->heap, room * sizeof *heap) : NULL;
    if (!heap) {
        return false;
    }
    for (uint32_t i = deliveries->room; i < room; i++) {
        heap[i].slot = i;
    }
    deliveries->heap = heap;
    deliveries->room = room;
    return true;
}

bool deliveries_push(struct deliveries *deliveries, const struct delivery *delivery)
{
    if (!deliveries_reserve(deliveries, deliveries->count + 1)) {
        return false;
    }
    struct delivery_key *heap = deliveries->heap;
    uint32_t at = deliveries->count++;
    const struct delivery_key key = {delivery->time, delivery->order, heap[at].slot};
    deliveries->slot[key.slot] = *delivery;
    for (; at && is_before(key, heap[(at - 1) / 2]); at = (at - 1) / 2) {
        heap[at] = heap[(at - 1) / 2];
    }
    heap[at] = key;
    return true;
}

/* Moves the earlier child up, from the first place down to the last, where the key then mostly belongs. */
static void settle(struct deliveries *deliveries, struct delivery_key key)
{
    struct delivery_key *heap = deliveries->heap;
    uint32_t at = 0, count = deliveries->count;
    for (uint32_t child; (child = 2 * at + 1) < count; at = child) {
        child += child + 1 < count && is_before(heap[child + 1], heap[child]);
        heap[at] = heap[child];
    }
    for (; at && is_before(key, heap[(at - 1) / 2]); at = (at - 1) / 2) {
        heap[at] = heap[(at - 1) / 2];
    }
    heap[at] = key;
}

struct delivery deliveries_pop(struct deliveries *deliveries)
{
    struct delivery_key first = deliveries->heap[0], last = deliveries->heap[--deliveries->count];
    if (deliveries->count) {
        settle(deliveries, last);
    }
    deliveries->heap[deliveries->count].slot = first.slot;
    return deliveries->slot[first.slot];
}

void deliveries_forget(struct deliveries *deliveries)
{
    free(deliveries->heap);
    free(deliveries->slot);
    *deliveries = (struct deliveries){0};
}
