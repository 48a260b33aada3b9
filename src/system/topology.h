/* Which chips a system has, and what links them: from names (tables/systems.def) to what each chip is told. */
#ifndef BHEMU_SYSTEM_TOPOLOGY_H
#define BHEMU_SYSTEM_TOPOLOGY_H

#include "bhemu/system.h"
#include "chip/wired.h"

/* The place of each of topology->chip_count chips. What is wrong with the topology *error says (BH_ERROR_FORMAT). */
enum bh_status topology_place(const struct bh_topology *topology, uint32_t latency, struct wired_place *places,
                              struct bh_error *error);

#endif
