/* A process' part of a system whose chips several processes have. All of them create it alike but for `rank`, and then
   call bh_system_run() and bh_system_advance() with the same cycles; each does to its own chips what it wants. */
#ifndef BHEMU_SYSTEM_PART_H
#define BHEMU_SYSTEM_PART_H

#include "bhemu/system.h"
#include "system/exchange.h"

struct system_part {
    unsigned rank, ranks;  /* the number of this process, and how many there are */
    const uint16_t *owner; /* by chip, the number of the process that has it; null: one process has all. Has to stay. */
    struct exchange exchange;
};

/* As bh_system_create(). part may be null: all in this process. bh_system_chip() is null for chips of others. */
enum bh_status system_create(const struct bh_topology *topology, const struct bh_system_config *config,
                             const struct system_part *part, struct bh_system **system, struct bh_error *error);

/* The clock of the epoch that ended last, and why the system can not go on; null: it can. */
uint64_t system_epoch(const struct bh_system *system);
const char *system_failed(const struct bh_system *system);

/* A fair share: chips in the order of their numbers, the same number for each process, or one more. */
void system_share(uint16_t *owner, unsigned chips, unsigned ranks);

#endif
