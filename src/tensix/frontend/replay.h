/* What a REPLAY instruction does to the replay expander (frontend.h). */
#ifndef BHEMU_TENSIX_FRONTEND_REPLAY_H
#define BHEMU_TENSIX_FRONTEND_REPLAY_H

#include "isa/tensix_isa.h"
#include "tensix/frontend/frontend.h"

static inline bool is_replay(uint32_t word)
{
    return word >> 24 == TENSIX_OPCODE_REPLAY;
}

/* How many instructions it loads or executes. A count of 0 stands for 32. */
static inline uint32_t replay_count(struct args_REPLAY args)
{
    return args.len ? args.len : REPLAY_CAPACITY;
}

static inline void replay_begin(struct replay_expander *replay, struct args_REPLAY args, uint32_t pc)
{
    replay->index = replay->first = args.start_idx % REPLAY_CAPACITY;
    replay->left = replay_count(args);
    replay->pc = pc;
    replay->mode = !args.load_mode              ? REPLAY_EXECUTES
                   : args.execute_while_loading ? REPLAY_LOADS_AND_PASSES
                                                : REPLAY_LOADS;
}

/* `count` of what is left, at the most, have been loaded or have left. */
static inline void replay_advance(struct replay_expander *replay, uint32_t count)
{
    replay->index = (replay->index + count) % REPLAY_CAPACITY;
    replay->left -= count;
    if (replay->left == 0) {
        replay->mode = REPLAY_PASSES;
    }
}

#endif
