/* The multiply-add on 32 lanes, by the version for the host's vectors. */
#include "tensix/num/sfpu_mad_variants.h"
#include "util/host_floats.h"

#define ONES_4 SFPU_MAD_ONE, SFPU_MAD_ONE, SFPU_MAD_ONE, SFPU_MAD_ONE
#define ONES_16 ONES_4, ONES_4, ONES_4, ONES_4
const uint32_t sfpu_mad_zeros[32] = {0}, sfpu_mad_ones[32] = {ONES_16, ONES_16};

void sfpu_mad_lanes_portable(uint32_t *result, const struct sfpu_mad_operands *operands, uint32_t lanes)
{
    host_floats before = host_floats_begin();
#if defined(__x86_64__) && !defined(__clang__)
    if (host_vectors != HOST_VECTORS_BASIC) {
        sfpu_mad_lanes_v3(result, operands, lanes);
    } else {
        sfpu_mad_lanes_basic(result, operands, lanes);
    }
#else
    sfpu_mad_lanes_basic(result, operands, lanes);
#endif
    host_floats_end(before);
}

void sfpu_mad_lanes(uint32_t *result, const struct sfpu_mad_operands *operands, uint32_t lanes)
{
    if (host_has_avx512()) {
        sfpu_mad_lanes_avx512(result, operands, lanes);
    } else {
        sfpu_mad_lanes_portable(result, operands, lanes);
    }
}
