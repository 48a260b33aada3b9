/* A region: instructions that are translated together. They are reached from its roots without indirect jumps, and
   have been executed before. */
#ifndef BHEMU_RV32_REGION_H
#define BHEMU_RV32_REGION_H

#include "rv32/execute.h"

enum { REGION_WORDS = 512, REGION_ROOTS = 24 };

/* The possible flow of control after an instruction. */
enum region_flow {
    REGION_NEXT,       /* the next instruction follows */
    REGION_BRANCH,     /* to the next instruction, or to the one at distance `immediate` */
    REGION_JUMP,       /* the latter in any case */
    REGION_INDIRECT,   /* to an address in a register */
    REGION_INTERPRETS, /* not translated: the interpreter executes it, and is likely to continue with the next one */
    REGION_ENDS,       /* not translated, and the next instruction is unknown */
};

/* Instructions of a block at the most. */
enum { REGION_STRAIGHT = 32 };

struct region_word {
    uint32_t pc;
    struct rv32_code code; /* its op has no L1_ENTRY */
    uint8_t flow;          /* enum region_flow */
    uint8_t depth;         /* number of loops around it */
    bool leads;            /* can be reached otherwise than from the word before it */
    bool entry;            /* the interpreter is likely to come here */
};

struct region {
    uint32_t root_count, count;
    uint32_t roots[REGION_ROOTS];           /* entry pcs; all are near the first one */
    struct region_word words[REGION_WORDS]; /* in ascending order of addresses */
};

/* Finds the instructions that are reached from the roots. */
void region_find(struct region *region, const struct rv32 *rv32);

/* Adds a root, if translation may begin there and there is room. */
void region_add_root(struct region *region, uint32_t pc);

/* Whether translated code may return to the interpreter for the instruction at `pc` alone. */
bool region_may_leave(const struct l1 *l1, uint32_t pc);

/* Whether the branch back at `pc` may close a polling loop whose iterations translated code skips. */
bool region_may_skip(const struct l1 *l1, uint32_t pc);

/* Whether translated code may begin at `pc`. */
bool region_may_begin(const struct l1 *l1, uint32_t pc);

/* For bsearch() in arrays of structs that begin with the pc. */
int region_compare_pc(const void *pc, const void *word);

/* The index of the word at `pc`; `count` when it is not in the region. */
uint32_t region_index(const struct region *region, uint32_t pc);

/* Whether a loop, whose backward branch is at `last`, is a polling loop: an iteration only loads and computes, and is
   the same each time as long as loads return the same values, since no register that it writes is read before, or
   written twice. `first` and `last` are in the code of struct l1. */
bool region_only_looks(const struct rv32_code *first, const struct rv32_code *last);

/* Where a branch or jump goes. */
static inline uint32_t region_target(const struct region_word *word)
{
    return word->pc + (uint32_t)word->code.immediate * 4;
}

#endif
