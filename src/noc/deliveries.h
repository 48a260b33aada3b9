/* What is to happen to packets under way, the earliest first: a heap. */
#ifndef BHEMU_NOC_DELIVERIES_H
#define BHEMU_NOC_DELIVERIES_H

#include <stdbool.h>
#include <stdint.h>

struct flight;
struct worm;
struct noc_endpoint;

struct delivery {
    uint64_t time;
    uint64_t order; /* among those of the same time */
    struct flight *flight;
    struct worm *worm; /* of a passage, or null */
    struct noc_endpoint *endpoint;
    uint64_t taken_at, free_at; /* of FLIGHT_HOLDS */
    uint16_t recipient;
    uint8_t event; /* enum flight_event */
};

/* The earliest first: a heap of what orders them, which is small, and says where each is. */
struct delivery_key {
    uint64_t time, order;
    uint32_t slot; /* behind the last one of the heap: of those that are free */
};

struct deliveries {
    struct delivery_key *heap;
    struct delivery *slot;
    uint32_t count, room;
};

/* One of them, in the order of the heap. */
static inline struct delivery *deliveries_at(const struct deliveries *deliveries, uint32_t index)
{
    return &deliveries->slot[deliveries->heap[index].slot];
}

/* Makes room for so many. Returns false if there is no memory. */
bool deliveries_reserve(struct deliveries *deliveries, uint32_t count);

/* Returns false if there is no memory. */
bool deliveries_push(struct deliveries *deliveries, const struct delivery *delivery);

/* Takes the earliest one. */
struct delivery deliveries_pop(struct deliveries *deliveries);

bool delivery_is_before(const struct delivery_key *one, const struct delivery_key *other);

/* Forgets all of them. */
void deliveries_forget(struct deliveries *deliveries);

#endif
