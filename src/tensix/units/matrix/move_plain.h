/* Runs of plain moves and ZEROACCs: the configuration is decoded once for all instructions that differ only in rows
   (units/matrix/move.c, units/matrix/clear.c), and counters stay in a register of the host. Plain instructions wait
   only for their bank, set no flags, change no configuration and give back no bank. Instructions that need a
   diagnostic execute one by one, as does a ZEROACC that makes rows defined again. */
#ifndef BHEMU_TENSIX_UNITS_MATRIX_MOVE_PLAIN_H
#define BHEMU_TENSIX_UNITS_MATRIX_MOVE_PLAIN_H

#include <stdbool.h>
#include <stdint.h>

#include "isa/tensix_isa.h"

struct tensix;

/* Opcodes that matrix_run_moves() may execute, all of them below 32. */
enum {
    MATRIX_MOVES = 1 << TENSIX_OPCODE_MOVA2D | 1 << TENSIX_OPCODE_MOVB2A | 1 << TENSIX_OPCODE_MOVB2D |
                   1 << TENSIX_OPCODE_MOVD2A | 1 << TENSIX_OPCODE_MOVD2B | 1 << TENSIX_OPCODE_MOVDBGA2D |
                   1 << TENSIX_OPCODE_ZEROACC
};
#define MATRIX_MAY_RUN(opcode) ((opcode) < 32 && (MATRIX_MOVES >> ((opcode) % 32) & 1))

/* Whether the instruction is one that matrix_run_moves() may execute. */
static inline bool matrix_may_run(uint32_t word)
{
    enum { CLEARS_ZERO_FLAGS = 1 << 17 };
    uint32_t opcode = word >> 24;
    return MATRIX_MAY_RUN(opcode) && (opcode != TENSIX_OPCODE_ZEROACC || !(word & CLEARS_ZERO_FLAGS));
}

static inline bool matrix_may_run_all(const uint32_t *words, uint32_t count)
{
    uint32_t i = 0;
    while (i < count && matrix_may_run(words[i])) {
        i++;
    }
    return i == count;
}

enum { MATRIX_MOVES_AT_ONCE = 32 };

/* Executes the `count` instructions at `words`, at most MATRIX_MOVES_AT_ONCE, `times` times; or once up to the first
   that is not plain. Returns the number executed: 0 if the first one has to wait or is not plain. */
uint32_t matrix_run_moves(struct tensix *tensix, unsigned thread, const uint32_t *words, uint32_t count,
                          uint32_t times);

#endif
