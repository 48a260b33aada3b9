/* The ways in which sfpu_mad_lanes() may compute; all give the same bits. Internal to num/sfpu_mad*.c, its
   test, and engine/portable_*.c. */
#ifndef BHEMU_TENSIX_NUM_SFPU_MAD_VARIANTS_H
#define BHEMU_TENSIX_NUM_SFPU_MAD_VARIANTS_H

#include <stdbool.h>

#include "tensix/num/sfpu_mad.h"
#include "util/host_vectors.h"

#define SFPU_MAD_ONE 0x3f800000u

/* The same operands with all of them in memory. */
extern const uint32_t sfpu_mad_zeros[32], sfpu_mad_ones[32];
static inline struct sfpu_mad_operands sfpu_mad_in_memory(const struct sfpu_mad_operands *operands)
{
    struct sfpu_mad_operands in_memory = *operands;
    in_memory.y = operands->y ? operands->y : sfpu_mad_ones;
    in_memory.z = operands->z ? operands->z : sfpu_mad_zeros;
    return in_memory;
}

/* What the host rounds to nearest for, if it goes by the host's floats: of any host, and of one with AVX2. */
void sfpu_mad_lanes_basic(uint32_t *result, const struct sfpu_mad_operands *operands, uint32_t lanes);
void sfpu_mad_lanes_v3(uint32_t *result, const struct sfpu_mad_operands *operands, uint32_t lanes);

/* The one of them that the host has. */
void sfpu_mad_lanes_portable(uint32_t *result, const struct sfpu_mad_operands *operands, uint32_t lanes);

/* For a host that host_has_avx512(). */
void sfpu_mad_lanes_avx512(uint32_t *result, const struct sfpu_mad_operands *operands, uint32_t lanes);

/* By the functions of sfpu_mad_registers.h: that which adds where x is 1 in all lanes, or multiplies where z is null.
   false: there are none. */
bool sfpu_mad_lanes_registers(uint32_t *result, const struct sfpu_mad_operands *operands, uint32_t lanes);

#endif
