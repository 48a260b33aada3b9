/* The ways in which sfpu_mad_lanes() computes; all give the same bits. Internal to num/sfpu_mad*. */
#ifndef BHEMU_TENSIX_NUM_SFPU_MAD_VARIANTS_H
#define BHEMU_TENSIX_NUM_SFPU_MAD_VARIANTS_H

#include "tensix/num/sfpu_mad.h"

/* While the host rounds as host_floats_begin() says: of any host, of one with AVX2, and of one with AVX-512. */
void sfpu_mad_lanes_basic(uint32_t *result, const struct sfpu_mad_operands *operands, uint32_t lanes);
void sfpu_mad_lanes_v3(uint32_t *result, const struct sfpu_mad_operands *operands, uint32_t lanes);
void sfpu_mad_lanes_v4(uint32_t *result, const struct sfpu_mad_operands *operands, uint32_t lanes);

#endif
