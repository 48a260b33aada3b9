/* The row of SrcA or SrcB that STOREIND writes, for observers. */
#ifndef BHEMU_TENSIX_UNITS_SCALAR_OPERANDS_H
#define BHEMU_TENSIX_UNITS_SCALAR_OPERANDS_H

#include "tensix/units/operands.h"

/* Call it while diagnostics are silent. */
void scalar_operands(struct tensix *tensix, unsigned thread, uint32_t word, struct operand_rows *written);

#endif
