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

/* The end of the first epoch that ends at this clock or later: snapshots of chips are taken there. */
uint64_t system_epoch_end(const struct bh_system *system, uint64_t clock);

/* How far a system is, beside its chips: the same in all processes. */
struct system_position {
    uint64_t clock, exchanged_at, spin_check;
    uint16_t explained, halted;
    uint32_t latency;
};
struct system_position system_position(const struct bh_system *system);
void system_set_position(struct bh_system *system, const struct system_position *position);

/* When bh_system_run() returns because nothing is left to run: the clock at which the last chip ended. */
uint64_t system_ended_at(const struct bh_system *system);

/* Returns when all processes have called it. false: one was lost. */
bool system_wait_for_all(struct bh_system *system);

/* Instructions that a chip of this process has retired since it was created. */
void system_instructions(const struct bh_system *system, unsigned chip, uint64_t *riscv, uint64_t *tensix);
void system_set_instructions(struct bh_system *system, unsigned chip, uint64_t riscv, uint64_t tensix);

/* "rank 2 (chips 4 to 7)"; `process`: what a rank is called there. */
enum { SYSTEM_PART_NAME = 60 };
const char *system_name_part(const char *process, unsigned rank, const uint16_t *owner, unsigned chips,
                             char text[SYSTEM_PART_NAME]);

/* A fair share: chips in the order of their numbers, the same number for each process, or one more. */
void system_share(uint16_t *owner, unsigned chips, unsigned ranks);

#endif
