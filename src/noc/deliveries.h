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

/* The earliest first. */
struct deliveries {
    struct delivery *heap;
    uint32_t count, room;
};

/* Makes room for so many. Returns false if there is no memory. */
bool deliveries_reserve(struct deliveries *deliveries, uint32_t count);

/* Returns false if there is no memory. */
bool deliveries_push(struct deliveries *deliveries, const struct delivery *delivery);

/* Takes the earliest one. */
struct delivery deliveries_pop(struct deliveries *deliveries);

bool delivery_is_before(const struct delivery *one, const struct delivery *other);

#endif
