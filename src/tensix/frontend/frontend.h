/* The frontend of one Tensix thread: what happens to an instruction between the RISC-V core that pushes it and the unit
   that executes it.

     core T -> FIFO (32) -> MOP expander -> FIFO (core B enters here) -> replay expander -> wait gate -> unit

   Every stage passes instructions in order. A full FIFO holds back the pushing core. A latched wait (STALLWAIT, SEMWAIT,
   STREAMWAIT) holds the first instruction of a blocked class, and everything behind it, until its condition clears.
   Sources: chapter "stallwait conditions"; ISA documentation PushTensixInstruction.md, MOPExpander.md, REPLAY.md. */
#ifndef BHEMU_TENSIX_FRONTEND_FRONTEND_H
#define BHEMU_TENSIX_FRONTEND_FRONTEND_H

#include <stdbool.h>
#include <stdint.h>

#include "debug/diagnostic.h"

struct tensix;

enum { FIFO_CAPACITY = 32, MOP_CONFIG_WORDS = 9, REPLAY_CAPACITY = 32 };

/* An instruction on its way: the word, and the PC of the RISC-V instruction that pushed it or its MOP or REPLAY. */
struct pushed {
    uint32_t word;
    uint32_t pc;
};

struct instruction_fifo {
    struct pushed entries[FIFO_CAPACITY];
    uint32_t head, count;
};

struct mop_expander {
    uint32_t config[MOP_CONFIG_WORDS]; /* the write-only words at TENSIX_MOP_CFG_BASE */
    uint16_t zmask_high;               /* from MOP_CFG */
    /* The expansion under way. */
    bool active;
    uint8_t template_; /* 0: unpack, 1: double loop */
    uint32_t zmask;
    uint32_t outer, inner; /* iterations done */
    uint32_t outer_count, inner_count;
    uint32_t position; /* within the iteration */
    uint32_t pc;
};

struct replay_expander {
    struct pushed buffer[REPLAY_CAPACITY];
    /* Loading or executing, `left` more instructions from `index`. */
    bool loading, executing;
    bool execute_while_loading;
    uint32_t index, left;
    uint32_t pc;
};

/* A wait instruction that has passed the gate and holds what it blocks. */
struct latched_wait {
    bool latched;
    uint8_t opcode;      /* of STALLWAIT, SEMWAIT or STREAMWAIT */
    uint16_t block;      /* B0..B8 */
    uint16_t condition;  /* STALLWAIT: C0..C12; SEMWAIT: C0..C1; STREAMWAIT: as its arguments say */
    uint8_t semaphores;  /* SEMWAIT: which */
    uint32_t stream[2];  /* STREAMWAIT: which register of which stream, and the value to compare with */
};

struct frontend {
    struct instruction_fifo fifo;
    struct mop_expander mop;
    struct instruction_fifo after_mop;
    struct replay_expander replay;
    struct latched_wait wait;
    bool at_gate; /* `next` has left the replay expander and stands before the wait gate */
    struct pushed next;
    uint64_t passed; /* instructions that left the wait gate and executed */
};

/* Pushes a word as core T does, before the MOP expander. false: the FIFO is full, nothing happened. */
bool frontend_push(struct frontend *frontend, uint32_t word, uint32_t pc);

/* Pushes a word as core B does, after the MOP expander. false: the FIFO is full, nothing happened. */
bool frontend_push_after_mop(struct frontend *frontend, uint32_t word, uint32_t pc);

/* Whether the MOP expander (and what is before it) holds nothing more to expand. */
bool frontend_mop_idle(const struct frontend *frontend);

/* Whether no instruction is anywhere in the frontend. */
bool frontend_idle(const struct frontend *frontend);

/* Brings the next instruction of `thread` to the wait gate and, if nothing holds it, executes it.
   STEP_WAIT: there is none, or it waits. */
enum step frontend_step(struct tensix *tensix, unsigned thread);

/* Whether the condition of a latched wait still asks to keep waiting. */
bool wait_gate_holds(const struct tensix *tensix, unsigned thread);

#endif
