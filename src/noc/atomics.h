/* The atomic operations that a NoC request can ask for, on 16 bytes of L1. Source: ISA documentation NoC/Atomics.md and
   its diagrams Bits32_NOC_AT_LEN_BE_*. Additions of floating-point numbers are those of the packer's accumulation
   (tensix/num/pack_accumulate.h): the same adders stand in front of L1. */
#ifndef BHEMU_NOC_ATOMICS_H
#define BHEMU_NOC_ATOMICS_H

#include <stdbool.h>
#include <stdint.h>

/* Whether NOC_AT_LEN_BE names an operation. */
bool noc_atomic_exists(uint32_t instruction);

/* Carries out the operation that NOC_AT_LEN_BE names, with NOC_AT_DATA, on the aligned 16 bytes `unit`. The operation
   has to exist. */
void noc_atomic(uint32_t instruction, uint32_t data, uint8_t unit[16]);

/* Adds four words to the aligned 16 bytes `unit`, in one of the formats of parallel addition. false: there is no such
   format. */
bool noc_accumulate(unsigned format, const uint8_t added[16], uint8_t unit[16]);

#endif
