/* Cores that go round in circles: whether one does, and what it looks at meanwhile. Cores of Tensix and Ethernet tiles
   alike. docs/debugging.md says what is taken for a hang. */
#ifndef BHEMU_TILE_SPINS_H
#define BHEMU_TILE_SPINS_H

#include <stdbool.h>
#include <stdint.h>

#include "rv32/rv32.h"

/* What a core that spins looks at, as core_spins() found it. */
enum polled_kind { POLLED_NOTHING, POLLED_LOCAL, POLLED_L1, POLLED_REGISTER };
struct polled {
    bool spins;   /* it does nothing else */
    uint8_t kind; /* enum polled_kind: the last thing it looked at */
    uint32_t address, value;
};

enum { CIRCLE_WORDS = 16 };

/* A circle that a core goes round: so many instructions, at addresses from first to last, and the words of L1 that they
   load, or store what is there already. */
struct circle {
    uint32_t length; /* 0: the core waits */
    bool any_access; /* it looks at what any access to the tile from outside changes: counters of the NIUs */
    bool restless;   /* it looks at what shows other cores at work: debug registers */
    uint8_t words;   /* more than CIRCLE_WORDS: there are more than word[] holds */
    uint32_t first, last, word[CIRCLE_WORDS];
};

/* Whether a load from a register of the tile takes something away from somebody. */
bool load_consumes(uint32_t address);

/* Runs one core, for at most `cycles`, until it is back at the same instruction with the same registers, without having
   had an effect, or until it waits. Such a core does the same for ever, as long as nobody else changes what it reads.
 */
bool core_spins(struct rv32 *rv32, uint64_t cycles, struct polled *polled);

/* The same, and tells the circle. *cycles becomes how long that took. */
bool core_circles(struct rv32 *rv32, uint64_t *cycles, struct polled *polled, struct circle *circle);

#endif
