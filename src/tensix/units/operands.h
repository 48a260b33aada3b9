/* What an instruction of a thread reads and writes of the coprocessor's registers: BH_EVENT_OPERAND of observers. It is
   found out before the instruction executes, from its word and from the state that it will find. Nothing of this runs
   while nobody observes. */
#ifndef BHEMU_TENSIX_UNITS_OPERANDS_H
#define BHEMU_TENSIX_UNITS_OPERANDS_H

#include "bhemu/event.h"
#include "tensix/units/state.h"

enum { OPERANDS_AT_MOST = 256 };

/* In the order in which observers are told. */
struct operand_list {
    uint32_t count;
    struct bh_operand of[OPERANDS_AT_MOST];
};

/* What `word` reads and writes, if `thread` executes it now. */
void operands_of_word(const struct tensix *tensix, unsigned thread, uint32_t word, struct operand_list *list);

/* Appends one. */
void operands_add(struct operand_list *list, struct bh_operand operand);

#endif
