/* Packets set out, in timed mode: when they get through the network (noc/worms.h, noc/timing.h) and how long a tile
   takes to answer decide when what happens to a flight. */
#ifndef BHEMU_NOC_SENDING_H
#define BHEMU_NOC_SENDING_H

#include "noc/recipients.h"
#include "noc/traffic.h"

extern const struct worm_events sending_events;

/* A packet of a request is at its NIU. */
void send_request(struct flight *flight, const struct recipients *recipients);

/* The tile to which it came at delivery->time has done it: the response sets out. */
void send_response(const struct delivery *delivery);

/* The same, but nobody gets one any more. */
void send_no_response(const struct delivery *delivery);

/* If it came to a DRAM tile, plans when its channel has done it (FLIGHT_SERVED), and returns true. */
bool serve_in_dram(struct delivery *delivery);

#endif
