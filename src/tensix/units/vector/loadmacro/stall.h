/* What hardware's logic that makes instructions of the vector unit wait for products knows of their readers, which is
   not all. The result of the MAD sub-unit is there two cycles later; an instruction that executes in the next cycle and
   is not known to read it gets what was there before. Source: ISA documentation SFPMAD.md, "Instruction scheduling".

   vector_check_pair(), of engine/operation.h, is here too. Which instructions execute in consecutive cycles is known of
   those that a REPLAY gives, and while something is scheduled by SFPLOADMACRO; of others functional mode does not know,
   and they get the result. */
#ifndef BHEMU_TENSIX_UNITS_VECTOR_LOADMACRO_STALL_H
#define BHEMU_TENSIX_UNITS_VECTOR_LOADMACRO_STALL_H

#include "tensix/units/vector/loadmacro/scheduled.h"

/* The LRegs for which it makes a regular instruction wait. */
uint32_t vector_known_uses(const struct vector_scheduled *instruction);

/* Warns of an instruction that reads some of `written`, LRegs of the product before it, unless it is known to read, or
   taken to read in error, some of `waited_for`, those that the product is known to write. */
enum step vector_check_products(struct tensix *tensix, const struct vector_scheduled *instruction, uint32_t written,
                                uint32_t waited_for);

#endif
