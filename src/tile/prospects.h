/* What a core or a thread may still execute that others of its tile can wait for: from the instructions that stand in
   a thread's frontend, and from the code that a core can still reach. For reports of hangs. */
#ifndef BHEMU_TILE_PROSPECTS_H
#define BHEMU_TILE_PROSPECTS_H

#include <stdbool.h>
#include <stdint.h>

struct tile;

enum { PROSPECT_STORES = 32 };

struct prospects {
    uint8_t fills, frees; /* SRC_SET_A, SRC_SET_B: banks that it gives to the matrix unit, to the unpackers */
    uint8_t posts, takes; /* semaphores, a bit for each */
    uint8_t releases;     /* mutexes, a bit for each */
    bool mop, replay;     /* it pushes a MOP, or a REPLAY that executes */
    uint8_t stores; /* words of L1 that it stores to, as far as its code has their addresses; the first of them: */
    uint32_t stored[PROSPECT_STORES];
    bool unknown; /* it may go where nobody can tell: a jump to a computed address */
};

/* Of the instructions that a thread has, the one at its wait gate included: others may wait for what that one does. */
void prospects_of_thread(const struct tile *tile, unsigned thread, struct prospects *prospects);

/* Of a core, from its pc and the return addresses on its stack on. Nothing for one that is halted. */
void prospects_of_core(const struct tile *tile, unsigned core, struct prospects *prospects);

#endif
