/* How rows of instructions run fast: the engine of a tile's coprocessor. It is handed bursts (burst.h) and executes
   what it can of them at once, with the bits that the instructions leave one by one. A tile without one (tensix.h)
   executes one instruction after the other. */
#ifndef BHEMU_TENSIX_ENGINE_ENGINE_H
#define BHEMU_TENSIX_ENGINE_ENGINE_H

#include "debug/diagnostic.h"
#include "tensix/engine/avx512/lower.h"
#include "tensix/engine/trace.h"

struct tensix;

/* Plain data but for the code of the host, which it has the address of; made anew from nothing. */
struct engine {
    struct trace_compiler compiler;
    struct trace_cache cache;
};

/* Executes for `thread` what a burst begins with, `most` instructions at the most, no further than to an instruction
   that latches a wait, gives back a bank of Src or has something scheduled. No wait is latched, and nothing scheduled,
   at first. Returns how many have executed; `diagnostics->now` is of the last. *step: STEP_DONE, or what came of the
   one behind them: it waits, or gave a diagnostic. Fewer than all and STEP_DONE: the next is for the frontend alone. */
uint32_t engine_run(struct tensix *tensix, unsigned thread, const struct burst *burst, uint32_t most, enum step *step);

/* Another word has come to stand in the replay buffer of a thread. */
static inline void engine_replay_loaded(struct engine *engine, unsigned thread)
{
    engine->cache.buffer_loads[thread]++;
}

#endif
