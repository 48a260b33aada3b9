/* What an instruction of T2's vector extension reads and writes, in timed mode: its inputs come from the register file,
   not from the retire queue, in which it has an entry for each vector register that it writes.
   Source: ISA documentation BabyRISCV/README.md. */
#ifndef BHEMU_RV32_VECTOR_TIME_H
#define BHEMU_RV32_VECTOR_TIME_H

#include "rv32/rv32.h"

struct rv32_vector_uses {
    uint32_t reads, writes; /* bits: vector registers */
    uint8_t scalar[2];      /* other registers that it reads; 0: none */
    uint8_t rd;             /* other register that it writes; 0: none */
    uint8_t requests;       /* to memory: one for each register */
    bool stores;            /* by them */
    bool sets;              /* vl and vtype */
};

struct rv32_vector_uses rv32_vector_uses(const struct rv32_core *core, uint32_t word);

/* Entries of the retire queue. */
static inline unsigned rv32_vector_entries(const struct rv32_vector_uses *uses)
{
    return uses->writes ? (unsigned)__builtin_popcount(uses->writes) : 1;
}

/* When all that it reads is in the register file. */
uint64_t rv32_time_vector_inputs(const struct rv32_timing *timing, const struct rv32_vector_uses *uses);

/* It enters EX1 at *at, which becomes later while the Load/Store Unit does not take it. Returns its latency. */
uint64_t rv32_time_vector(struct rv32 *rv32, uint64_t *at, const struct rv32_vector_uses *uses, uint32_t word);

/* Its results have left the retire queue. */
void rv32_time_vector_retired(struct rv32_timing *timing, const struct rv32_vector_uses *uses, uint64_t retired);

#endif
