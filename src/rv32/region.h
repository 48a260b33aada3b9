/* Instructions that are translated together: those that a core reaches from some place without a jump whose target only
   the registers say, and that were executed before. */
#ifndef BHEMU_RV32_REGION_H
#define BHEMU_RV32_REGION_H

#include "rv32/execute.h"

enum { REGION_WORDS = 512, REGION_ROOTS = 24 };

/* What becomes of the flow of control. */
enum region_flow {
    REGION_NEXT,       /* the next instruction follows */
    REGION_BRANCH,     /* or the one at the distance that `immediate` says */
    REGION_JUMP,       /* the latter in any case */
    REGION_INDIRECT,   /* what registers say */
    REGION_INTERPRETS, /* not translated: the interpreter executes it, and is likely to go on with the next one */
    REGION_ENDS,       /* not translated, and nothing is known of what follows */
};

struct region_word {
    uint32_t pc;
    struct rv32_code code; /* its op without L1_ENTRY */
    uint8_t flow;          /* enum region_flow */
    uint8_t depth;         /* of loops around it */
    bool leads;            /* may follow something else than the word before it */
    bool entry;            /* the interpreter is likely to come here */
};

struct region {
    uint32_t root_count, count;
    uint32_t roots[REGION_ROOTS];           /* pcs from which it is reached: the first one is near all others */
    struct region_word words[REGION_WORDS]; /* in the order of their addresses */
};

/* Finds what is reached from the roots. */
void region_find(struct region *region, const struct rv32 *rv32);

/* Adds a root, if it may be one and there is room. */
void region_add_root(struct region *region, uint32_t pc);

/* Whether translated code may be left for the interpreter to execute what is at `pc`, and nothing else. */
bool region_may_leave(const struct l1 *l1, uint32_t pc);

/* Whether code that begins at `pc` can be translated. */
bool region_may_begin(const struct l1 *l1, uint32_t pc);

/* For bsearch() among what begins with its pc. */
int region_compare_pc(const void *pc, const void *word);

/* The index of the word at `pc`; `count` when it is not in the region. */
uint32_t region_index(const struct region *region, uint32_t pc);

/* Whether a loop, whose branch back is at `last`, does nothing in a round but load and compute, and the same in each
   round as long as loads find the same: a register that it writes is not read before, and not written
   twice. `first` and `last` are in the code
   of struct l1. */
bool region_only_looks(const struct rv32_code *first, const struct rv32_code *last);

/* Where a branch or jump goes. */
static inline uint32_t region_target(const struct region_word *word)
{
    return word->pc + (uint32_t)word->code.immediate * 4;
}

#endif
