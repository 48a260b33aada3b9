#include "tensix/units/expanders.h"

/* A MOP of one instruction stands after it as it did before it: then its PC tells. */
static bool came_from_mop(const struct mop_expander *known, const struct mop_expander *now, struct pushed instruction)
{
    bool in_template = false;
    for (unsigned i = 0; i < MOP_CONFIG_WORDS; i++) {
        in_template |= now->config[i] == instruction.word;
    }
    return now->active != known->active || now->phase != known->phase || now->mask != known->mask ||
           now->outer != known->outer || now->inner != known->inner || now->inner_count != known->inner_count ||
           now->template_number != known->template_number || now->pc != known->pc ||
           (now->pc == instruction.pc && in_template);
}

/* The slot that the last instruction came from. */
static unsigned slot_of(const struct replay_expander *replay)
{
    return (replay->index + REPLAY_CAPACITY - 1) % REPLAY_CAPACITY;
}

/* As above, a REPLAY of one instruction. */
static bool came_from_replay(const struct replay_expander *known, const struct replay_expander *now,
                             struct pushed instruction)
{
    bool one = now->mode == REPLAY_PASSES && now->pc == instruction.pc && now->words[slot_of(now)] == instruction.word;
    return known->mode == REPLAY_EXECUTES || now->mode == REPLAY_EXECUTES || one;
}

uint8_t expanders_of(const struct known_expanders *known, const struct frontend *frontend, struct pushed instruction)
{
    bool mop = came_from_mop(&known->mop, &frontend->mop, instruction);
    bool replay = came_from_replay(&known->replay, &frontend->replay, instruction);
    return (uint8_t)((mop ? BH_EXPANDED_BY_MOP : 0) | (replay ? BH_EXPANDED_BY_REPLAY : 0));
}

void expanders_add_reads(struct operand_list *list, unsigned thread, const struct frontend *frontend, uint8_t expanders)
{
    struct bh_operand read = {.part = (uint8_t)thread, .unit = BH_UNIT_FRONTEND};
    if (expanders & BH_EXPANDED_BY_MOP) {
        read.file = BH_OPERAND_MOP;
        read.count = MOP_CONFIG_WORDS;
        operands_add(list, read);
    }
    if (expanders & BH_EXPANDED_BY_REPLAY) {
        read.file = BH_OPERAND_REPLAY;
        read.index = (uint16_t)slot_of(&frontend->replay);
        read.count = 1;
        operands_add(list, read);
    }
}
