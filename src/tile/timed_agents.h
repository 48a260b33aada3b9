/* The agents of a tile in timed mode, its cores and threads: who has work, and who waits for what. */
#ifndef BHEMU_TILE_TIMED_AGENTS_H
#define BHEMU_TILE_TIMED_AGENTS_H

#include "rv32/debug.h"
#include "tensix/frontend/timed.h"
#include "tile/handlers.h"

#define COPROCESSOR_DONE_CHECK 0xFFE80004u
#define MOP_EXPANDER_DONE_CHECK 0xFFE80008u
#define CONFIG_BASE 0xFFEF0000u

static inline bool is_core(unsigned agent)
{
    return agent < CLOCK_THREAD_0;
}

/* Whether a core waits for its thread to have nothing more to do. That comes when the thread's turn ends, so that no
   turn has to end for it. */
static inline bool waits_for_its_thread(const struct tile *tile, unsigned agent)
{
    const struct rv32_core *core = &tile->state->core[agent];
    return agent >= BH_CORE_T0 && agent <= BH_CORE_T2 && core->waiting &&
           core->wait_address == COPROCESSOR_DONE_CHECK && !pc_buf_override_enabled(tile, thread_of(agent));
}

static inline bool rare_core_has_work(const struct tile *tile, unsigned agent)
{
    const struct tile_state *state = tile->state;
    if (state->core[agent].waiting && waits_for_its_thread(tile, agent)) {
        return frontend_idle(
            &state->tensix.frontend[thread_of(agent)]); /* what its unpackers owe is an event of others */
    }
    return state->core[agent].halt == RV32_RUNNING ||
           (state->core[agent].halt == RV32_SELF_JUMP && pic_interrupts(tile, agent)) ||
           rv32_debug_abandoned(&state->core[agent]);
}

/* Whether the agent would go on if it were its turn, or find that it has to wait. */
static inline bool has_work(const struct tile *tile, unsigned agent)
{
    const struct tile_state *state = tile->state;
    if (!is_core(agent)) {
        return !frontend_idle(&state->tensix.frontend[agent - CLOCK_THREAD_0]);
    }
    const struct rv32_core *core = &state->core[agent];
    return (core->halt == RV32_RUNNING && !core->waiting) || rare_core_has_work(tile, agent);
}

/* Whether an agent that waits can go on only after another one of its tile has done more than compute, jump, access L1
   and its own RAM, and load words. A core waits so for its thread, for a mailbox or for a PCBuf, a thread for a bank of
   SrcA or SrcB or for a semaphore. */
static inline bool waits_for_others(const struct tile *tile, unsigned agent)
{
    if (tile->jitter) {
        return false; /* units do later what others wait for */
    }
    if (is_core(agent)) {
        const struct rv32_core *core = &tile->state->core[agent];
        return core->waiting && core->wait_address >= INSTRN_BUF_BASE;
    }
    return frontend_waits_for_others(&tile->tensix, agent - CLOCK_THREAD_0);
}

/* Whether an agent that has no work gets some by nothing but what a core requests, or from outside. */
static inline bool is_out(const struct tile *tile, unsigned agent)
{
    return !is_core(agent) || tile->state->core[agent].halt == RV32_IN_RESET;
}

/* Whether a thread's core waits until instructions have passed the gate or their expander, whatever they do. */
static inline bool waits_for_passing(const struct tile *tile, unsigned thread)
{
    const struct rv32_core *core = &tile->state->core[BH_CORE_T0 + thread];
    uint32_t address = core->wait_address;
    return core->waiting && (address < INSTRN_BUF_BASE || address >= CONFIG_BASE || address == MOP_EXPANDER_DONE_CHECK);
}

/* Whether a core T waits to push to its thread, whose FIFO is full, and others have seen what it has stored. */
static inline bool waits_to_push(const struct tile *tile, unsigned agent)
{
    const struct rv32_core *core = &tile->state->core[agent];
    return tile->core[agent].frontend && core->waiting && core->wait_address == INSTRN_BUF_BASE &&
           !tile->state->timing[agent].unseen_count && !rv32_debug_watches(core);
}

/* Whether what others do, or what arrives, may interrupt the agent. */
static inline bool takes_interrupts(const struct tile *tile, unsigned agent)
{
    return (agent == BH_CORE_B || agent == BH_CORE_NC) && pic_enabled(tile);
}

/* Who may get work when an agent pushes. */
static inline uint32_t pushes_to(unsigned agent)
{
    bool to_one = agent >= BH_CORE_T0 && agent <= BH_CORE_T2;
    return to_one ? 1u << (CLOCK_THREAD_0 + thread_of(agent)) : 7u << CLOCK_THREAD_0;
}

/* Whether a MOP of the thread is under way that may hand over banks of SrcA and SrcB one after the other: kernels whose
   Matrix Unit waits for one of them alone, and gives both back, count on their coming at once (frontend.c). */
static inline bool hands_over_in_turn(const struct tensix_state *state, unsigned thread)
{
    const struct mop_expander *mop = &state->frontend[thread].mop;
    for (unsigned i = 0; mop->active && i < MOP_CONFIG_WORDS; i++) {
        const uint32_t opcode = mop->config[i] >> 24;
        if (opcode == TENSIX_OPCODE_UNPACR || opcode == TENSIX_OPCODE_UNPACR_NOP) {
            return true;
        }
    }
    return false;
}

#endif
