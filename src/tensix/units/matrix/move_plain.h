/* Moves that stand in a row, of which there is nothing to say: what configuration makes of them is found out once for
   all that are alike (units/matrix/move.c, units/matrix/clear.c), and counters stay in a register of the host. None of
   them waits but for its bank, sets flags, changes configuration or gives back a bank. Those with a diagnostic execute
   one by one, and so does ZEROACC that makes rows defined again. */
#ifndef BHEMU_TENSIX_UNITS_MATRIX_MOVE_PLAIN_H
#define BHEMU_TENSIX_UNITS_MATRIX_MOVE_PLAIN_H

#include <stdbool.h>
#include <stdint.h>

#include "isa/tensix_isa.h"

struct tensix;

/* Whether an instruction is one of those that matrix_run_moves() looks at. All of them have opcodes below 32. */
static inline bool matrix_may_run(uint32_t word)
{
    enum {
        MOVES = 1 << TENSIX_OPCODE_MOVA2D | 1 << TENSIX_OPCODE_MOVB2A | 1 << TENSIX_OPCODE_MOVB2D |
                1 << TENSIX_OPCODE_MOVD2A | 1 << TENSIX_OPCODE_MOVD2B | 1 << TENSIX_OPCODE_MOVDBGA2D |
                1 << TENSIX_OPCODE_ZEROACC,
        CLEARS_ZERO_FLAGS = 1 << 17
    };
    uint32_t opcode = word >> 24;
    return opcode < 32 && (MOVES >> opcode & 1) && (opcode != TENSIX_OPCODE_ZEROACC || !(word & CLEARS_ZERO_FLAGS));
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

/* Executes the instructions at `words`, `count` of them, at most MATRIX_MOVES_AT_ONCE, `times` times; or once up to the
   first that is not plain. Returns how many it has executed: 0 if the first has to wait, or there is more to it. */
uint32_t matrix_run_moves(struct tensix *tensix, unsigned thread, const uint32_t *words, uint32_t count,
                          uint32_t times);

#endif
