#include "tensix/units/matrix/operands.h"

#include "isa/tensix_isa.h"

void matrix_operands(struct tensix_state *state, unsigned thread, uint32_t word, struct operand_sets *sets)
{
    switch (word >> 24) {
    case TENSIX_OPCODE_MVMUL:
    case TENSIX_OPCODE_DOTPV:
    case TENSIX_OPCODE_GAPOOL: matrix_multiply_operands(state, thread, word, sets); break;
    case TENSIX_OPCODE_ELWADD:
    case TENSIX_OPCODE_ELWSUB:
    case TENSIX_OPCODE_ELWMUL: matrix_elementwise_operands(state, thread, word, sets); break;
    case TENSIX_OPCODE_GMPOOL:
    case TENSIX_OPCODE_MPOOL3S1:
    case TENSIX_OPCODE_MPOOL3S2: matrix_pool_operands(state, thread, word, sets); break;
    case TENSIX_OPCODE_CONV3S1:
    case TENSIX_OPCODE_CONV3S2:
    case TENSIX_OPCODE_MFCONV3S1:
    case TENSIX_OPCODE_APOOL3S1:
    case TENSIX_OPCODE_APOOL3S2: matrix_legacy_operands(state, thread, word, sets); break;
    case TENSIX_OPCODE_MOVA2D:
    case TENSIX_OPCODE_MOVB2D:
    case TENSIX_OPCODE_MOVDBGA2D:
    case TENSIX_OPCODE_MOVDBGB2D:
    case TENSIX_OPCODE_MOVD2A:
    case TENSIX_OPCODE_MOVD2B:
    case TENSIX_OPCODE_MOVB2A: matrix_move_operands(state, thread, word, sets); break;
    case TENSIX_OPCODE_ZEROACC:
    case TENSIX_OPCODE_ZEROSRC: matrix_clear_operands(state, thread, word, sets); break;
    case TENSIX_OPCODE_SHIFTXA:
    case TENSIX_OPCODE_SHIFTXB:
    case TENSIX_OPCODE_TRNSPSRCB: matrix_shift_operands(state, thread, word, sets); break;
    default: break;
    }
}
