/* Reports to observers of the coprocessor: instructions of its threads, changes that they make, and reasons to wait.
   Threads of an observed tile execute one instruction at a time (frontend.c); the reports are made here, around the
   dispatch of each, so that units need no code for it. memory/l1.h reports accesses to memory. */
#ifndef BHEMU_TENSIX_UNITS_OBSERVE_H
#define BHEMU_TENSIX_UNITS_OBSERVE_H

#include "tensix/units/dispatch.h"
#include "tensix/units/expanders.h"

/* The coprocessor's registers as last reported. */
struct observed_tensix {
    uint64_t kinds; /* kinds of events for which they are up to date */
    struct sync_unit sync;
    uint8_t owner[2][SRC_BANKS]; /* of SrcA, of SrcB */
    struct scalar_unit scalar;
    struct config_unit config;
    struct addr_unit addr;
    struct known_expanders expanders[TENSIX_THREADS];
    struct diagnostic_origin pack_writes[PACK_WRITES]; /* timed mode: whose the packer's writes under way are */
};

/* Why the instruction that stands before the thread's wait gate does not pass it, as far as that can be seen. */
struct bh_wait tensix_gate_wait(const struct tensix_state *state, unsigned thread);

/* Reports changes since the last call, as changes by the agent that executes now. */
void tensix_tell_changes(struct tensix *tensix);

/* The slow paths of the functions below. */
void tensix_tell_scheduled(struct tensix *tensix, const struct vector_scheduled *instruction);
void tensix_tell_loaded(struct tensix *tensix, unsigned thread, unsigned slot, struct pushed instruction);
enum step tensix_dispatch_observed(struct tensix *tensix, unsigned thread, struct pushed instruction);
void tensix_tell_held(struct tensix *tensix, unsigned thread, struct pushed instruction);
void tensix_tell_not_accepted(struct tensix *tensix, unsigned thread, struct pushed instruction);
void tensix_tell_occupied(struct tensix *tensix, unsigned thread, struct pushed instruction);

/* tensix_dispatch_word(), told. */
static inline enum step tensix_dispatch_told(struct tensix *tensix, unsigned thread, struct pushed instruction)
{
    if (__builtin_expect(tensix->observed != NULL, 0)) {
        return tensix_dispatch_observed(tensix, thread, instruction);
    }
    return tensix_dispatch_word(tensix, thread, instruction);
}

/* Reports what SFPLOADMACRO has scheduled, which executes now. */
static inline void tensix_scheduled(struct tensix *tensix, const struct vector_scheduled *instruction)
{
    if (__builtin_expect(tensix->observed != NULL, 0)) {
        tensix_tell_scheduled(tensix, instruction);
    }
}

/* Reports that a slot of the replay buffer is loaded. */
static inline void tensix_loaded(struct tensix *tensix, unsigned thread, unsigned slot, struct pushed instruction)
{
    if (__builtin_expect(tensix->observed != NULL, 0)) {
        tensix_tell_loaded(tensix, thread, slot, instruction);
    }
}

/* Reports that the thread's latched wait holds an instruction before the gate. */
static inline void tensix_held(struct tensix *tensix, unsigned thread, struct pushed instruction)
{
    if (__builtin_expect(tensix->observed != NULL, 0)) {
        tensix_tell_held(tensix, thread, instruction);
    }
}

/* Timed mode: what a thread is told of from here on happens at timing->now[thread]. */
static inline void tensix_tells_time(struct tensix *tensix, unsigned thread)
{
    if (__builtin_expect(tensix->observed != NULL, 0)) {
        tensix->observed->cycle = tensix->state->timing.now[thread];
    }
}

/* Timed mode: reports that its unit does not accept an instruction that stands before the gate. */
static inline void tensix_not_accepted(struct tensix *tensix, unsigned thread, struct pushed instruction)
{
    if (__builtin_expect(tensix->observed != NULL, 0)) {
        tensix_tell_not_accepted(tensix, thread, instruction);
    }
}

/* Timed mode: reports how long an instruction that has passed keeps its unit. */
static inline void tensix_occupied(struct tensix *tensix, unsigned thread, struct pushed instruction)
{
    if (__builtin_expect(tensix->observed != NULL, 0)) {
        tensix_tell_occupied(tensix, thread, instruction);
    }
}

#endif
