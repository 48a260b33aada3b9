/* The rows of SrcA, SrcB and Dst that instructions of the matrix unit read and write, for observers. Each file here
   answers for its own instructions. */
#ifndef BHEMU_TENSIX_UNITS_MATRIX_OPERANDS_H
#define BHEMU_TENSIX_UNITS_MATRIX_OPERANDS_H

#include "tensix/units/operands.h"

/* Of any instruction of the unit: adds nothing if it has no rows. */
void matrix_operands(struct tensix_state *state, unsigned thread, uint32_t word, struct operand_sets *sets);

/* Those of one file. */
typedef void matrix_operands_of(struct tensix_state *state, unsigned thread, uint32_t word, struct operand_sets *sets);
matrix_operands_of matrix_multiply_operands, matrix_elementwise_operands, matrix_pool_operands, matrix_legacy_operands,
    matrix_move_operands, matrix_clear_operands, matrix_shift_operands;

#endif
