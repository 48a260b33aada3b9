/* The pseudo-random number generators of the vector unit: one of 32 bits for each lane, a shift register with taps.
   Source: ISA documentation VectorUnit.md (PRNG), BackendConfiguration.md; the seeding is ttsim's. */
#ifndef BHEMU_TENSIX_UNITS_VECTOR_PRNG_H
#define BHEMU_TENSIX_UNITS_VECTOR_PRNG_H

#include <stdint.h>

/* The state after `state`. */
static inline uint32_t vector_prng_step(uint32_t state)
{
    uint32_t taps = (uint32_t)__builtin_popcount(state & 0x80200003);
    return (~taps << 31) | (state >> 1);
}

/* What an instruction that uses random bits gets for its lane; the lane's state moves on. */
static inline uint32_t vector_prng_advance(uint32_t *state)
{
    uint32_t result = *state;
    *state = vector_prng_step(result);
    return result;
}

#endif
