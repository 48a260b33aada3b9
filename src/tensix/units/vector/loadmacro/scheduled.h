/* One instruction within a cycle of the vector unit: its sub-unit, what it reads and writes, and its execution with
   operands that SFPLOADMACRO has chosen. Internal to vector_*.c. */
#ifndef BHEMU_TENSIX_UNITS_VECTOR_LOADMACRO_SCHEDULED_H
#define BHEMU_TENSIX_UNITS_VECTOR_LOADMACRO_SCHEDULED_H

#include "tensix/units/vector/parts.h"

/* Sets of what instructions read and write: bit i for LReg[i], and one for the lane flags. */
enum { VECTOR_FLAGS = 1 << SFPU_LREGS, VECTOR_ALL_LREGS = (1 << SFPU_LREGS) - 1 };

/* The sub-unit that executes an opcode of the vector unit. */
enum vector_sub_unit vector_sub_unit_of(unsigned opcode);

/* Whether it takes two cycles until its result is there. */
bool vector_takes_two_cycles(uint32_t word);

/* A template as SFPLOADMACRO schedules it for a sub-unit other than that for stores: `vd` is the LReg that was loaded,
   `sequence` the eight bits for this sub-unit. */
struct vector_scheduled vector_schedule(uint32_t word, uint32_t vd, uint32_t sequence);

/* An instruction that software issues, in the same terms. */
struct vector_scheduled vector_regular(uint32_t word);

/* What it may read and write. */
uint32_t vector_reads(const struct vector_scheduled *instruction);
uint32_t vector_writes(const struct vector_scheduled *instruction);

/* The LRegs that hardware's logic that makes instructions wait for products takes an instruction of the MAD sub-unit to
   write. It takes INDIRECT_VD of SFPLUTFP32 from Mod1Mirror, its result goes by Mod1 (SFPLUTFP32.md). */
uint32_t vector_known_product(const struct vector_scheduled *product);

/* Executes it. Results that are late do not go to the LRegs but to *late or *swap. Stores, and what changes the stack
   of lane flags, execute in `lanes` only; all others in all lanes. */
enum step vector_execute_scheduled(struct tensix *tensix, const struct vector_scheduled *instruction, uint32_t lanes,
                                   struct vector_late *late, struct vector_swap *swap);

/* Writes what was late. */
void vector_write_late(struct vector_unit *vector, const struct vector_late *late);

#endif
