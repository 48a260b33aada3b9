/* A core in timed mode: how many cycles its instructions take. In order, with a time for each register at which its
   value is there, so that a load delays the instruction that needs it; a queue of stores; what is fetched, loaded and
   stored takes as long as its memory does. Constants: tables/timing.def. */
#ifndef BHEMU_RV32_TIMED_H
#define BHEMU_RV32_TIMED_H

#include "rv32/rv32.h"

/* What the time of a core depends on. Plain data, all zero at first: a section of the tile's state. */
struct rv32_timing {
    uint64_t ready[RV32_REGISTERS]; /* when the value of each register is there */
};

/* How far a core may go in its turn. */
struct rv32_turn {
    uint64_t until;     /* at this time another agent of the tile may act: what reaches beyond registers and local RAM
                           happens before, or not in this turn */
    uint64_t end;       /* no instruction begins then or later */
    bool stop_at_event; /* somebody waits for what the core may do: the turn ends after each access beyond L1 and local
                           RAM, and after each store to L1 */
    uint64_t event;     /* result: when the last of these happened; CLOCK_NEVER: there was none */
};

/* rv32_run() in timed mode, beginning at the core's clock, which goes on with it. Returns how many instructions have
   retired: at least one if the clock is before `until` and `end`, unless the core waits, halts or is stopped. */
uint32_t rv32_run_timed(struct rv32 *rv32, struct rv32_turn *turn);

#endif
