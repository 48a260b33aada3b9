/* A thread's frontend in timed mode. An instruction stands before the gate some cycles after it was pushed; each
   expander takes or gives one a cycle, the gate passes one a cycle. After a MOP its expander needs a cycle before
   anything but another MOP. A latched wait holds what it blocks for a cycle at the least, and for a cycle after its
   condition is met. Sources: ISA documentation PushTensixInstruction.md, MOPExpander.md, REPLAY.md, STALLWAIT.md;
   chapter "stallwait conditions". */
#ifndef BHEMU_TENSIX_FRONTEND_TIMED_H
#define BHEMU_TENSIX_FRONTEND_TIMED_H

#include "tensix/frontend/fifo.h"
#include "tensix/frontend/frontend.h"
#include "tensix/units/pack/writes.h"
#include "tensix/units/thread_timing.h"

struct tensix_timing;

/* How far a thread may go, and has gone. */
struct frontend_turn {
    uint64_t now;   /* its clock */
    uint64_t until; /* it passes nothing then or later, ... */
    uint64_t ahead; /* ... but instructions of the Matrix and Vector Units before this time, which nobody outside the
                       tile can tell. Not before `until` */
    bool stop_at_event; /* somebody waits for what it may do: the turn ends behind the first instruction that does it */
    /* If nobody but the thread's core waits, for room in the FIFO: has it push at `time`, when there is room, where the
       thread's next instruction passes at `gate` at the earliest. Returns whether the core waits again: the turn does
       not end. Nor does it then behind what only changes semaphores or mutexes. Else null. */
    bool (*refill)(void *context, uint64_t time, uint64_t gate);
    void *context;
    bool core_waits;       /* for instructions to pass the gate or their expander, whatever they do: each is an event */
    bool spares_registers; /* what may change registers of the tile does not pass in this turn */
    uint64_t passed_over;  /* result: when the last of these happened behind which it did not end; 0: none did */
    uint64_t event;  /* result: when it last did what others may wait for: changed what timing_acts[] says or whose a
                        bank is, made room in a FIFO, came to its end; CLOCK_NEVER: it did not */
    uint8_t acts;    /* result: what it has changed: TIMING_ACTS_ON_L1 and so on, ... */
    bool lets_go_on; /* ... and whether it has done more than timing_acts[] says */
    bool blocked;    /* result: the turn has ended because of spares_registers */
};

/* Lets `thread` pass instructions. Returns when it can go on, CLOCK_NEVER: not before somebody else acts; its clock is
   turn->now then. */
uint64_t frontend_run_timed(struct tensix *tensix, unsigned thread, struct frontend_turn *turn);

/* frontend_push() at `time`. The FIFO takes nothing while it has more than 28 instructions, but what is pushed together
   with the one that came last. */
enum step frontend_push_timed(struct tensix *tensix, unsigned thread, struct pushed instruction, bool after_mop,
                              uint64_t time);

enum { FIFO_ACCEPTS_AT = 28 };

/* The same for one of the FIFOs, whose entries were pushed at `times`; `stands`: something else counts as held by it.
   false: it is full, nothing happened. */
static inline bool fifo_takes(struct instruction_fifo *fifo, uint64_t times[FIFO_CAPACITY], bool stands,
                              struct pushed instruction, uint64_t time)
{
    uint32_t index = (fifo->head + fifo->count) % FIFO_CAPACITY;
    bool together = fifo->count && times[(index + FIFO_CAPACITY - 1) % FIFO_CAPACITY] == time;
    if ((fifo->count + stands > FIFO_ACCEPTS_AT && !together) || !fifo_push(fifo, instruction.word, instruction.pc)) {
        return false;
    }
    times[index] = time;
    return true;
}

/* By core T: into that before the MOP expander. */
static inline bool frontend_takes(struct frontend *frontend, struct frontend_timing *timing, struct pushed instruction,
                                  uint64_t time)
{
    return fifo_takes(&frontend->fifo, timing->pushed, timing->stands, instruction, time);
}

/* When the next thing arrives in L1, or in Src, that a unit has begun; CLOCK_NEVER: there is none. */
static inline uint64_t frontend_next_arrival(const struct tensix_state *state)
{
    uint64_t packed = pack_writes_next(&state->timing.pack.writes);
    uint64_t lagging = __builtin_expect(state->lag.works != 0, 0) ? lag_next(&state->lag) : CLOCK_NEVER;
    return packed < lagging ? packed : lagging;
}

/* What is due until `time` arrives. Returns whether anything did. */
static inline bool frontend_let_arrive(struct tensix *tensix, uint64_t time)
{
    bool packed = pack_writes_arrive(tensix, time);
    return lag_arrive(tensix, time) || packed;
}

/* When all that the thread has passed so far has been executed. */
uint64_t frontend_done(const struct tensix *tensix, unsigned thread);

/* wait_gate_holds() at timing->now[thread]; timing->retry[thread] says until when. */
bool wait_gate_holds_timed(struct tensix *tensix, unsigned thread);

/* Whether what waits at the gate for others to act waits for what agents of the tile do beyond L1: banks of SrcA and
   SrcB, semaphores, mutexes. */
bool frontend_waits_for_others(const struct tensix *tensix, unsigned thread);

/* When the last unit that conditions of a STALLWAIT are about has drained; 0: there is none. */
uint64_t wait_gate_drained(const struct tensix_timing *timing, unsigned thread, uint32_t condition);

/* When the thread's next instruction comes before the gate, if nothing else stands there. CLOCK_NEVER: it has none. */
uint64_t frontend_next_at(const struct tensix *tensix, unsigned thread);

/* `thread` has just latched a wait, at timing->now[thread]. */
void wait_gate_latched(struct tensix *tensix, unsigned thread);

#endif
