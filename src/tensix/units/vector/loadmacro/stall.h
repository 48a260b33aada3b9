/* Hardware's stall logic makes instructions of the vector unit wait for products that they read, but it does not know
   all reads. The result of the MAD sub-unit is available after two cycles; an instruction that executes in the next
   cycle and is not known to read it gets the old value. Source: ISA documentation SFPMAD.md, "Instruction scheduling".
   vector_check_pair(), of units/vector/operation.h, is defined here, too. Instructions are known to execute in
   consecutive cycles if a REPLAY issues them, and while SFPLOADMACRO has scheduled instructions; in other cases
   functional mode does not know, and they get the result. */
#ifndef BHEMU_TENSIX_UNITS_VECTOR_LOADMACRO_STALL_H
#define BHEMU_TENSIX_UNITS_VECTOR_LOADMACRO_STALL_H

#include "tensix/units/vector/loadmacro/scheduled.h"

/* The LRegs for which the logic makes a regular instruction wait. *missed: those that it reads without the logic's
   knowledge. */
uint32_t vector_known_uses(const struct vector_scheduled *instruction, uint32_t *missed);

/* Warns of an instruction that reads some of `written`, LRegs of the product before it, unless it is known to read, or
   taken to read in error, some of `waited_for`, those that the product is known to write. */
enum step vector_check_products(struct tensix *tensix, const struct vector_scheduled *instruction, uint32_t written,
                                uint32_t waited_for);

#endif
