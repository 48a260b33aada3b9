/* A thread's instructions between its core and the wait gate: the state of its frontend (frontend/frontend.h), which
   is visible to the units as part of the coprocessor's. Plain data. */
#ifndef BHEMU_TENSIX_UNITS_THREAD_H
#define BHEMU_TENSIX_UNITS_THREAD_H

#include <stdbool.h>
#include <stdint.h>

enum { FIFO_CAPACITY = 32 };

/* An instruction in flight: the word, and the PC of the RISC-V instruction that pushed it or its MOP or REPLAY. */
struct pushed {
    uint32_t word;
    uint32_t pc;
};

struct instruction_fifo {
    struct pushed entries[FIFO_CAPACITY];
    uint32_t head, count;
};

enum { MOP_CONFIG_WORDS = 9, REPLAY_CAPACITY = 32 };

struct mop_expander {
    uint32_t config[MOP_CONFIG_WORDS]; /* the write-only words at TENSIX_MOP_CFG_BASE */
    uint16_t zmask_high;               /* from MOP_CFG */
    /* The expansion under way. */
    bool active;
    uint8_t template_number; /* 0: a loop with a skip mask, 1: two nested loops */
    uint8_t phase;           /* next instruction of the iteration: enum in mop_expander.c */
    uint32_t mask;           /* template 0: bit 0 belongs to the current iteration */
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

/* A wait instruction that has passed the gate, and holds the instructions that it blocks. */
struct latched_wait {
    bool latched;
    uint8_t opcode;     /* of STALLWAIT, SEMWAIT or STREAMWAIT */
    uint8_t semaphores; /* SEMWAIT: mask of semaphores */
    uint16_t block;     /* B0..B8 */
    uint16_t condition; /* STALLWAIT: C0..C12; SEMWAIT, STREAMWAIT: C0..C1 */
    uint8_t stream;     /* STREAMWAIT: StreamSelect */
    uint32_t target;    /* STREAMWAIT: wait while the register is less */
    uint32_t word, pc;  /* of the wait instruction, for diagnostics */
};

/* The resources that Auto TTSync tracks, with the names of the nine bits of RESOURCEDECL. */
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
    bool at_gate; /* `next` has left the replay expander and is at the wait gate */
    struct pushed next;
    uint64_t passed;       /* instructions that left the wait gate and executed */
    uint64_t passed_limit; /* the value of `passed` from which on no other instruction or REPLAY begins; 0: no limit */
    uint16_t resources[TTSYNC_CLASSES]; /* enum tracked_resource: the resources of each class of instructions */
};

#endif
