/* Stochastic rounding of a magnitude: it is rounded up if the dropped bits are no less than a random number. */
#ifndef BHEMU_TENSIX_NUM_ROUNDING_H
#define BHEMU_TENSIX_NUM_ROUNDING_H

#include <stdint.h>

/* The length of random numbers, and the number of dropped bits that are compared with them; lower ones are ignored. */
enum { STOCHASTIC_BITS = 23 };

/* magnitude / 2^shift. Zero stays zero. */
static inline uint32_t round_at_random(uint32_t magnitude, unsigned shift, uint32_t random)
{
    uint64_t parts = ((uint64_t)magnitude << STOCHASTIC_BITS) >> (shift < 63 ? shift : 63);
    uint32_t discarded = (uint32_t)parts & ((UINT32_C(1) << STOCHASTIC_BITS) - 1);
    return (uint32_t)(parts >> STOCHASTIC_BITS) + (magnitude && discarded >= random);
}

#endif
