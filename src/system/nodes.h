/* The processes that have the chips of a host's system (bh_system_connect()), as the host sees them: its side of
   system/message.h. system/serve.h is theirs. */
#ifndef BHEMU_SYSTEM_NODES_H
#define BHEMU_SYSTEM_NODES_H

#include "bhemu/system.h"

struct nodes;

void nodes_destroy(struct nodes *nodes);
const char *nodes_failed(const struct nodes *nodes);
struct bh_device *nodes_chip(struct nodes *nodes, unsigned chip);

/* As the functions of bhemu/system.h, and system_explain(). */
enum bh_status nodes_run(struct nodes *nodes, uint64_t cycles, struct bh_run_result *result);
enum bh_run_reason nodes_advance(struct nodes *nodes, uint64_t cycles);
enum bh_link_state nodes_link(struct nodes *nodes, struct bh_link_end end);
enum bh_status nodes_plug(struct nodes *nodes, struct bh_link_end end, bool in);
void nodes_explain(struct nodes *nodes, unsigned limit);

#endif
