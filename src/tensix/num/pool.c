/* The version for any host, and the choice of the host's version. */
#include "tensix/num/pool.h"

#include "util/host_vectors.h"

#define POOL_MAXIMUM pool_maximum_basic
#include "tensix/num/pool.inc"

void pool_maximum(const struct pool_mode *mode, const uint32_t srca[POOL_ROWS][ROW_COLUMNS],
                  const uint32_t scales[ROW_COLUMNS], struct dst_register_file *dst, uint32_t place)
{
#if defined(__x86_64__) && !defined(__clang__)
    pool_maximum_function *const host = host_vectors == HOST_VECTORS_V4   ? pool_maximum_v4
                                        : host_vectors == HOST_VECTORS_V3 ? pool_maximum_v3
                                                                          : pool_maximum_basic;
    host(mode, srca, scales, dst, place);
#else
    pool_maximum_basic(mode, srca, scales, dst, place);
#endif
}
