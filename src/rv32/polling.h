/* Functional mode: cores whose turn begins in a loop in which they poll for what has not changed since their last turn.
   Such a turn is not executed: the loop repeats, and only registers that change within a time round are set to what
   they are where the turn ends. What a turn does depends on the core's registers, on the loop's code and on the words
   that it loads, all of which are compared before. */
#ifndef BHEMU_RV32_POLLING_H
#define BHEMU_RV32_POLLING_H

#include "rv32/rv32.h"

enum { POLLING_LONGEST = 12, POLLING_REGISTERS = 8, POLLING_WORDS = 4, POLLING_CORES = 5 };

/* A loop without other jumps than the one back, which a core goes round without changing anything. */
struct polling {
    uint32_t first;                   /* pc of its first instruction */
    uint32_t rewritten;               /* struct l1's when it was looked at */
    uint8_t length, phase;            /* instructions; which one is next */
    uint8_t words, registers;         /* how many there are of the following */
    uint8_t used;                     /* whether a turn was left out */
    uint8_t reg[POLLING_REGISTERS];   /* registers that it uses, and their values now */
    uint8_t written[POLLING_LONGEST]; /* of each instruction: which of these it writes, or POLLING_REGISTERS, */
    uint32_t result[POLLING_LONGEST]; /* and what */
    uint32_t value[POLLING_REGISTERS];
    uint32_t seen[POLLING_WORDS]; /* values of the words that it loads from */
    const uint8_t *word[POLLING_WORDS];
};

/* Which cores of a tile are in such loops, and when to look at others. */
struct pollings {
    uint8_t known;                   /* a bit each */
    uint8_t due[POLLING_CORES];      /* turns of a core near one place that are not looked at yet, */
    uint8_t patience[POLLING_CORES]; /* and how many it will be after the next look in vain */
};

/* A core whose next turn is known. Whether it goes on as before, through all of the turn; if not, it is no longer
 * known. */
bool polling_goes_on(struct rv32 *rv32, struct pollings *pollings, struct polling *polling, uint32_t budget);

/* After a turn that ended near where it began: finds out whether the core polls. */
void polling_look(const struct rv32 *rv32, struct pollings *pollings, struct polling *polling);

/* rv32_run() of a core that has more than a few cycles. `polling`: its own; `pollings`: those of all cores that have
   the same clock. */
static inline uint32_t polling_run(struct rv32 *rv32, struct pollings *pollings, struct polling *polling,
                                   uint32_t budget)
{
    enum { NEAR = 4 * POLLING_LONGEST };
    unsigned core = rv32->core->id;
    uint32_t pc = rv32->core->pc;
    if (pollings->known >> core & 1 && polling_goes_on(rv32, pollings, polling, budget)) {
        return budget;
    }
    uint32_t retired = rv32_run(rv32, budget);
    if (retired == budget && rv32->core->pc - pc + NEAR < 2 * NEAR) {
        if (pollings->due[core]) {
            pollings->due[core]--;
        } else {
            polling_look(rv32, pollings, polling);
        }
    }
    return retired;
}

#endif
