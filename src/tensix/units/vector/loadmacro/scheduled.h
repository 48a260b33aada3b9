/* One instruction within a cycle of the vector unit: its sub-unit, the LRegs that it reads and writes, and its
   execution with operands that SFPLOADMACRO has chosen. Internal to units/vector/. */
#ifndef BHEMU_TENSIX_UNITS_VECTOR_LOADMACRO_SCHEDULED_H
#define BHEMU_TENSIX_UNITS_VECTOR_LOADMACRO_SCHEDULED_H

#include "tensix/units/vector/parts.h"

/* Sets of operands: bit i for LReg[i], and one for the lane flags. */
enum { VECTOR_FLAGS = 1 << SFPU_LREGS, VECTOR_ALL_LREGS = (1 << SFPU_LREGS) - 1 };

/* The sub-unit that executes an opcode of the vector unit. */
enum vector_sub_unit vector_sub_unit_of(unsigned opcode);

/* Whether its result is available only after two cycles. */
bool vector_takes_two_cycles(uint32_t word);

/* Schedules a template for a sub-unit other than that of stores: `vd` is the loaded LReg, `sequence` the eight bits
   for this sub-unit. */
struct vector_scheduled vector_schedule(uint32_t word, uint32_t vd, uint32_t sequence);

/* An instruction that software issues, in the same form. */
struct vector_scheduled vector_regular(uint32_t word);

/* The operands that it may read, and write. */
uint32_t vector_reads(const struct vector_scheduled *instruction);
uint32_t vector_writes(const struct vector_scheduled *instruction);

/* The LRegs that hardware's logic that makes instructions wait for products takes an instruction of the MAD sub-unit to
   write. It takes INDIRECT_VD of SFPLUTFP32 from Mod1Mirror, its result goes by Mod1 (SFPLUTFP32.md). */
uint32_t vector_known_product(const struct vector_scheduled *product);

/* The LReg that it does write, one bit; 0: none, or what LReg[7] says. */
uint32_t vector_direct_product(const struct vector_scheduled *product);

/* Executes it. Late results go to *late or *swap instead of the LRegs. Stores, and changes of the stack of lane flags,
   execute in `lanes` only; all others in all lanes. */
enum step vector_execute_scheduled(struct tensix *tensix, const struct vector_scheduled *instruction, uint32_t lanes,
                                   struct vector_late *late, struct vector_swap *swap);

/* Writes late results. */
void vector_write_late(struct vector_unit *vector, const struct vector_late *late);

#endif
