/* What programs of validation/ do with the coprocessor: they push, wait until that is done, and read the clock. */
#ifndef BHEMU_VALIDATION_COPROCESSOR_H
#define BHEMU_VALIDATION_COPROCESSOR_H

#include "validation/program.h"

#define TENSIX_INSTRUCTION_BUFFER ((volatile uint32_t *)0) /* where the header's TT_NAME() would push: unused */
#include "kernel/tensix.h"

/* STALLWAIT: what it blocks, and what it waits for. */
enum { STALL_TDMA = 1, STALL_SYNC = 2, STALL_UNPACK = 8, STALL_MATH = 0x40, STALL_CFG = 0x80, STALL_SFPU = 0x100 };
enum {
    WAIT_THCON = 1,
    WAIT_UNPACK0 = 2,
    WAIT_UNPACK1 = 4,
    WAIT_PACK0 = 8,
    WAIT_MATH = 0x10,
    WAIT_SRCB_VALID = 0x100,
    WAIT_SFPU = 0x800
};

/* Marks: the low word of the wall clock, kept in L1, at an address that takes two instructions, as on silicon. */
enum { MARKS = 0x120040 };

void store(struct program *program, uint32_t address, uint32_t value);

/* Waits until what was pushed has been executed, or has left the MOP expander. */
void wait_for_coprocessor(struct program *program);
void wait_for_mop_expander(struct program *program);

/* STALLWAIT on the Sync Unit until `what`, and until that has been executed. */
void drain(struct program *program, uint32_t what);

void mark(struct program *program, unsigned index);

/* Pushes words one after the other. */
void emit_words(struct program *program, const uint32_t *words, uint32_t count);

/* Pushes a word by storing it. */
void push_by_store(struct program *program, uint32_t word);

#define EMIT(program, ...)                                                                                             \
    do {                                                                                                               \
        const uint32_t words[] = {__VA_ARGS__};                                                                        \
        emit_words(program, words, sizeof words / sizeof *words);                                                      \
    } while (0)

void record_replay(struct program *program, const uint32_t *words, uint32_t count);

/* The nine words of a MOP, as soon as the one before has left the expander. */
void write_mop(struct program *program, const uint32_t config[9]);

/* A MOP of so many rounds of `word`, the last of which is `last`. */
void configure_mop(struct program *program, uint32_t rounds, uint32_t word, uint32_t last);

/* A MOP of a single `word`. */
void configure_single_mop(struct program *program, uint32_t word);

/* Runs programs[0] on cores[0] and so on, each to its end, and gives the cycles from mark 0 to mark 1. */
double run_marked(struct program *programs, const enum bh_core *cores, unsigned count);

#endif
