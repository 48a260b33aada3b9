/* The rows of Dst and the LRegs that instructions of the vector unit read and write, for observers. */
#ifndef BHEMU_TENSIX_UNITS_VECTOR_OPERANDS_H
#define BHEMU_TENSIX_UNITS_VECTOR_OPERANDS_H

#include "tensix/units/operands.h"

/* Of any instruction of the unit, besides LRegs that isa/tensix_facts.h knows: adds nothing if there is no more. */
void vector_operands(struct tensix_state *state, unsigned thread, uint32_t word, struct operand_sets *sets);

/* The four rows of Dst at an address, of a load or a store with this format. */
void vector_load_operands(struct tensix_state *state, unsigned thread, struct args_SFPLOAD args,
                          struct operand_sets *sets);
void vector_store_operands(struct tensix_state *state, unsigned thread, uint32_t mod0, uint32_t address,
                           struct operand_sets *sets);

#endif
