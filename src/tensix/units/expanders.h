/* For observers: which expanders an instruction has come out of that stands before the gate. Seen by comparison with
   how they stood when the thread's last instruction retired, so that frontends need no code for it. */
#ifndef BHEMU_TENSIX_UNITS_EXPANDERS_H
#define BHEMU_TENSIX_UNITS_EXPANDERS_H

#include "tensix/units/operands.h"

struct known_expanders {
    struct mop_expander mop;
    struct replay_expander replay;
};

/* Bits of enum bh_expander. */
uint8_t expanders_of(const struct known_expanders *known, const struct frontend *frontend, struct pushed instruction);

/* Appends what it has been read from: the template, the slot of the replay buffer. */
void expanders_add_reads(struct operand_list *list, unsigned thread, const struct frontend *frontend,
                         uint8_t expanders);

static inline void expanders_take(struct known_expanders *known, const struct frontend *frontend)
{
    known->mop = frontend->mop;
    known->replay = frontend->replay;
}

#endif
