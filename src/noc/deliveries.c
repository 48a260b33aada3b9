#include "noc/deliveries.h"

#include <stdlib.h>

bool delivery_is_before(const struct delivery *one, const struct delivery *other)
{
    return one->time != other->time ? one->time < other->time : one->order < other->order;
}

bool deliveries_reserve(struct deliveries *deliveries, uint32_t count)
{
    if (count <= deliveries->room) {
        return true;
    }
    uint32_t room = deliveries->room ? 2 * deliveries->room : 16;
    struct delivery *heap = realloc(deliveries->heap, room * sizeof *heap);
    if (!heap) {
        return false;
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
    uint32_t at = deliveries->count++;
    for (; at && delivery_is_before(delivery, &deliveries->heap[(at - 1) / 2]); at = (at - 1) / 2) {
        deliveries->heap[at] = deliveries->heap[(at - 1) / 2];
    }
    deliveries->heap[at] = *delivery;
    return true;
}

static void settle(struct deliveries *deliveries, uint32_t at, const struct delivery *delivery)
{
    for (uint32_t child; (child = 2 * at + 1) < deliveries->count; at = child) {
        bool other =
            child + 1 < deliveries->count && delivery_is_before(&deliveries->heap[child + 1], &deliveries->heap[child]);
        child += other;
        if (!delivery_is_before(&deliveries->heap[child], delivery)) {
            break;
        }
        deliveries->heap[at] = deliveries->heap[child];
    }
    deliveries->heap[at] = *delivery;
}

struct delivery deliveries_pop(struct deliveries *deliveries)
{
    struct delivery first = deliveries->heap[0], last = deliveries->heap[--deliveries->count];
    if (deliveries->count) {
        settle(deliveries, 0, &last);
    }
    return first;
}
