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

struct tensix;

enum { MOP_CONFIG_WORDS = 9, REPLAY_CAPACITY = 32 };

struct mop_expander {
    uint32_t config[MOP_CONFIG_WORDS]; /* the write-only words at TENSIX_MOP_CFG_BASE */
    uint16_t zmask_high;               /* from MOP_CFG */
    /* The expansion under way. */
    bool active;
    uint8_t template_number; /* 0: a loop with a skip mask, 1: two nested loops */
    uint8_t phase;           /* which instruction of the iteration comes next: enum in mop_expander.c */
    uint32_t mask;           /* template 0: bit 0 is that of the current iteration */
    uint32_t outer, inner;   /* iterations left, the current one included */
    uint32_t inner_count;
    uint32_t pc;
};

enum replay_mode { REPLAY_PASSES, REPLAY_LOADS, REPLAY_LOADS_AND_PASSES, REPLAY_EXECUTES };

struct replay_expander {
    uint32_t words[REPLAY_CAPACITY];
    enum replay_mode mode;
    uint32_t index, left; /* loading or executing: `left` more instructions from `index` */
    uint32_t first;       /* loading: where it began */
    uint32_t pc;
};

/* A wait instruction that has passed the gate and holds what it blocks. */
struct latched_wait {
    bool latched;
    uint8_t opcode;     /* of STALLWAIT, SEMWAIT or STREAMWAIT */
    uint8_t semaphores; /* SEMWAIT: which */
    uint16_t block;     /* B0..B8 */
    uint16_t condition; /* STALLWAIT: C0..C12; SEMWAIT, STREAMWAIT: C0..C1 */
    uint8_t stream;     /* STREAMWAIT: StreamSelect */
    uint32_t target;    /* STREAMWAIT: keep waiting while the register is less */
    uint32_t word, pc;  /* of the wait instruction, for diagnostics */
};

/* What Auto TTSync tracks, as the nine bits of RESOURCEDECL name them. */
enum tracked_resource {
    TRACK_CONFIG_READ = 1 << 0,
    TRACK_CONFIG_WRITE = 1 << 1,
    TRACK_GPR_READ = 1 << 5,
    TRACK_GPR_WRITE = 1 << 6,
    TRACK_TDMA_READ = 1 << 7,
    TRACK_TDMA_WRITE = 1 << 8,
};
enum { TTSYNC_CLASSES = 16 };

struct frontend {
    struct instruction_fifo fifo;
    struct mop_expander mop;
    struct instruction_fifo after_mop;
    struct replay_expander replay;
    struct latched_wait wait;
    bool at_gate; /* `next` has left the replay expander and stands before the wait gate */
    struct pushed next;
    uint64_t passed;                    /* instructions that left the wait gate and executed */
    uint64_t passed_limit;              /* how many may have before another begins, or a REPLAY; 0: any number */
    uint16_t resources[TTSYNC_CLASSES]; /* enum tracked_resource: what each class of instructions uses */
};

void frontend_reset(struct frontend *frontend);

/* Pushes a word for `thread` as its core T does, before the MOP expander; after_mop: as core B does. When the FIFO is
   full the thread executes what it can first. STEP_WAIT: it is full and stays so for now, nothing happened. */
enum step frontend_push(struct tensix *tensix, unsigned thread, uint32_t word, uint32_t pc, bool after_mop);

/* Lets `thread` execute until it has nothing left, must wait, or has passed as many instructions as it may: at most one
   leaves a frontend each cycle. A REPLAY that has begun comes to its end all the same. Returns how many passed. */
uint32_t frontend_drain(struct tensix *tensix, unsigned thread);

/* Whether the thread only stands because it has passed as many instructions as it may for now. */
static inline bool frontend_exhausted(const struct frontend *frontend)
{
    return frontend->passed_limit && frontend->passed >= frontend->passed_limit &&
           frontend->replay.mode != REPLAY_EXECUTES;
}

/* Whether the MOP expander (and what is before it) holds nothing more to expand. */
bool frontend_mop_idle(const struct frontend *frontend);

/* Whether no instruction is anywhere in the frontend. */
static inline bool frontend_idle(const struct frontend *frontend)
{
    return !frontend->at_gate && frontend->fifo.count == 0 && frontend->after_mop.count == 0 && !frontend->mop.active &&
           frontend->replay.mode != REPLAY_EXECUTES;
}

/* The first word of `thread` moves on by one stage: into an expander, or to the wait gate, where it is executed unless
   something holds it. STEP_WAIT: there is none, or it waits. */
enum step frontend_step(struct tensix *tensix, unsigned thread);

/* A core T is about to read or write what Auto TTSync may track: `resource` is TRACK_CONFIG_WRITE, TRACK_GPR_READ, ...
   The thread executes what it can first, so that accesses happen in program order. STEP_WAIT: an instruction that
   conflicts is still on its way and tracking is on; silicon holds the core back too. */
enum step frontend_synchronize(struct tensix *tensix, unsigned thread, enum tracked_resource resource);

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

/* Begins the expansion of a MOP instruction; it may turn out to be empty, leaving the expander inactive. */
void mop_start(struct mop_expander *mop, uint32_t word, uint32_t pc);

/* Whether the condition of a latched wait still asks to keep waiting. */
bool wait_gate_holds(const struct tensix *tensix, unsigned thread);

/* Whether a latched wait blocks instructions with this opcode. */
bool wait_gate_blocks(const struct latched_wait *wait, unsigned opcode);

#endif
