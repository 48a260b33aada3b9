/* The pseudo-random number generators of the vector unit: one of 32 bits for each lane, a shift register with taps.
   Source: ISA documentation VectorUnit.md (PRNG), BackendConfiguration.md; the seeding is ttsim's. */
#ifndef BHEMU_TENSIX_UNITS_VECTOR_PRNG_H
#define BHEMU_TENSIX_UNITS_VECTOR_PRNG_H

#include <stdint.h>

/* The state after `state`: the taps are bits 31, 21, 1 and 0; their parity, inverted, comes in at the top. */
static inline uint32_t vector_prng_step(uint32_t state)
{
    uint32_t parity = state >> 31 ^ state >> 21 ^ state >> 1 ^ state;
    return ~parity << 31 | state >> 1;
}

#endif
