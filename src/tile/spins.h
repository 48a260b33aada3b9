/* Detects cores that spin: loop without effect, and finds what they poll. For cores of Tensix and Ethernet tiles.
   docs/debugging.md says which states count as a hang. */
#ifndef BHEMU_TILE_SPINS_H
#define BHEMU_TILE_SPINS_H

#include <stdbool.h>
#include <stdint.h>

#include "rv32/rv32.h"

/* What a spinning core polls, as core_spins() found it. */
enum polled_kind { POLLED_NOTHING, POLLED_LOCAL, POLLED_L1, POLLED_REGISTER };
struct polled {
    bool spins;   /* the core polls nothing else */
    uint8_t kind; /* enum polled_kind: of the last polled address */
    uint32_t address, value;
};

enum { CIRCLE_WORDS = 16 };

/* The idle loop of a spinning core: its length in instructions, the addresses from first to last, and the words of L1
   that it loads, or stores without changing them. */
struct circle {
    uint32_t length; /* 0: the core waits */
    bool any_access; /* polls registers that every outside access to the tile changes: counters of the NIUs */
    bool restless;   /* polls registers that show other cores at work: debug registers */
    uint8_t words;   /* more than CIRCLE_WORDS: there are more words than word[] holds */
    uint32_t first, last, word[CIRCLE_WORDS];
};

/* Adds a word to the words of a loop, or of several loops, unless it is among them. */
void circle_add_word(uint32_t *words, uint8_t *count, uint32_t word);

/* Whether a load from a register of the tile removes a value from it. */
bool load_consumes(uint32_t address);

/* Whether a register changes by itself. */
bool load_tells_time(uint32_t address);

/* The search for a loop in what a core executes: until it reaches the same instruction with the same registers again
   without an effect in between, or until it waits. Such a core repeats this for ever, unless another agent changes what
   it reads. The search may extend over several turns. */
struct circle_search {
    enum circle_found { CIRCLE_SOUGHT, CIRCLE_FOUND, NO_CIRCLE } found;
    bool effect;
    bool on_trial; /* an instruction that may have an effect is not executed, and ends the search: all that changes are
                      the core, what it polls, and its clock */
    struct polled *polled;
    struct circle circle;          /* result */
    uint64_t run, mark, next_mark; /* instructions so far, when `seen` was recorded, when it is to be recorded next */
    struct rv32_core seen;
};

void circle_search_begin(struct circle_search *search, const struct rv32_core *core, struct polled *polled);

/* Runs the core for at most `cycles`, until the search has a result. */
void circle_search_run(struct circle_search *search, struct rv32 *rv32, uint32_t cycles);

/* A search of at most `cycles`. Returns whether the core loops or waits. `on_trial`: core and clock are afterwards as
   they were before. */
bool core_spins(struct rv32 *rv32, uint64_t cycles, bool on_trial, struct polled *polled);

#endif
