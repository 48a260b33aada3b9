/* The frontend of one Tensix thread: what happens to an instruction between the RISC-V core that pushes it and the unit
   that executes it.

     core T -> FIFO (32) -> MOP expander -> FIFO (core B enters here) -> replay expander -> wait gate -> unit

   Every stage passes instructions in order. A full FIFO holds back the pushing core. A latched wait (STALLWAIT,
   SEMWAIT, STREAMWAIT) holds the first instruction of a blocked class, and everything behind it, until its condition
   clears. Sources: chapter "stallwait conditions"; ISA documentation PushTensixInstruction.md, MOPExpander.md,
   REPLAY.md. */
#ifndef BHEMU_TENSIX_FRONTEND_FRONTEND_H
#define BHEMU_TENSIX_FRONTEND_FRONTEND_H

#include <stdbool.h>
#include <stdint.h>

#include "debug/diagnostic.h"
#include "tensix/frontend/fifo.h"
#include "tensix/units/thread.h"

struct tensix;
struct tensix_state;

void frontend_reset(struct frontend *frontend);

/* Pushes a word for `thread` as its core T does, before the MOP expander; after_mop: as core B does. When the FIFO is
   full the thread executes what it can first. STEP_WAIT: it is full and stays so for now, nothing happened. */
enum step frontend_push(struct tensix *tensix, unsigned thread, uint32_t word, uint32_t pc, bool after_mop);

/* Lets `thread` execute until it has nothing left, must wait, or has passed as many instructions as it may: at most one
   leaves a frontend each cycle. A REPLAY that has begun comes to its end all the same. Returns how many passed: none in
   timed mode, in which threads execute when it is their time (frontend/timed.h). */
uint32_t frontend_drain(struct tensix *tensix, unsigned thread);

/* Whether the thread only stands because it has passed as many instructions as it may for now. */
static inline bool frontend_exhausted(const struct frontend *frontend)
{
    return frontend->passed_limit && frontend->passed >= frontend->passed_limit &&
           frontend->replay.mode != REPLAY_EXECUTES;
}

/* Whether the instruction of an unpacker that stands at the thread's gate waits for the Matrix Unit's bank. */
bool frontend_awaits_bank(const struct tensix_state *state, unsigned thread);

/* Functional mode: whether it may begin within its unpacker once struct unpack_unit's `may_begin` is set. */
bool frontend_awaits_begin(const struct tensix_state *state, unsigned thread);

/* Whether the MOP expander (and what is before it) holds nothing more to expand. */
bool frontend_mop_idle(const struct frontend *frontend);

/* Whether no instruction is anywhere in the frontend. */
static inline bool frontend_idle(const struct frontend *frontend)
{
    return !frontend->at_gate && frontend->fifo.count == 0 && frontend->after_mop.count == 0 && !frontend->mop.active &&
           frontend->replay.mode != REPLAY_EXECUTES;
}

/* The first word of `thread` moves on by one stage: into an expander, or to the wait gate, where it is executed unless
   something holds it. STEP_WAIT: there is none, or it waits. Not in timed mode (frontend/timed.h). */
enum step frontend_step(struct tensix *tensix, unsigned thread);

/* The first half of frontend_step(): the first word moves on by one stage while none stands before the wait gate;
 *arrived: it does now. STEP_WAIT: there is none. */
enum step frontend_advance(struct tensix *tensix, unsigned thread, bool *arrived);

/* A core T is about to read or write what Auto TTSync may track: `resource` is TRACK_CONFIG_WRITE, TRACK_GPR_READ, ...
   The thread executes what it can first, so that accesses happen in program order. STEP_WAIT: an instruction that
   conflicts is still on its way and tracking is on; silicon holds the core back too. */
enum step frontend_synchronize(struct tensix *tensix, unsigned thread, enum tracked_resource resource);

/* Whether tracking is on for the resource. */
bool frontend_tracks(const struct tensix *tensix, unsigned thread, enum tracked_resource resource);

/* A store to word `index` of the MOP expander's configuration. */
enum step frontend_write_mop_config(struct tensix *tensix, unsigned thread, unsigned index, uint32_t value);

/* Takes the next instruction out of the MOP expander while it is active. */
struct pushed mop_next(struct mop_expander *mop);

/* What comes next out of the MOP expander, the same `times` times in a row: a few instructions, each of which may be a
   REPLAY. */
enum { ROUND_WORDS = 16 };
struct rounds {
    uint32_t words[ROUND_WORDS];
    uint32_t count; /* of words */
    uint32_t times; /* at the least */
    enum { ROUNDS_OF_INNER_LOOP, ROUNDS_OF_OUTER_LOOP, ROUNDS_OF_TEMPLATE_0 } of;
};

/* Finds the rounds that the expander, which is active, gives next; and leaves out some of them. false: it is within
   one, or rounds are longer. */
bool mop_rounds(const struct mop_expander *mop, struct rounds *rounds);
void mop_leave_out_rounds(struct mop_expander *mop, const struct rounds *rounds, uint32_t times);

/* The counts that a MOP of template 1 names itself; 0: that of the configuration. */
struct mop_counts {
    uint32_t outer, inner;
};
struct mop_counts mop_given_counts(uint32_t word);

/* Begins the expansion of a MOP instruction; it may turn out to be empty, leaving the expander inactive. */
void mop_start(struct mop_expander *mop, uint32_t word, uint32_t pc);

/* Whether the condition of a latched wait still asks to keep waiting. */
bool wait_gate_holds(const struct tensix *tensix, unsigned thread);

/* Whether a latched wait blocks instructions with this opcode. */
bool wait_gate_blocks(const struct latched_wait *wait, unsigned opcode);

/* The units that lag with jitter whose end it waits for, as bits of 1 << enum timing_busy. */
uint32_t wait_gate_units(const struct latched_wait *wait);

#endif
