/* The multiply-add on 32 lanes, by the version for the host's vectors. */
#include "tensix/num/sfpu_mad_variants.h"
#include "util/host_floats.h"
#include "util/host_vectors.h"

void sfpu_mad_lanes(uint32_t *result, const struct sfpu_mad_operands *operands, uint32_t lanes)
{
    host_floats before = host_floats_begin();
#if defined(__x86_64__) && !defined(__clang__)
    switch (host_vectors) {
    case HOST_VECTORS_V4: sfpu_mad_lanes_v4(result, operands, lanes); break;
    case HOST_VECTORS_V3: sfpu_mad_lanes_v3(result, operands, lanes); break;
    default: sfpu_mad_lanes_basic(result, operands, lanes); break;
    }
#else
    sfpu_mad_lanes_basic(result, operands, lanes);
#endif
    host_floats_end(before);
}
