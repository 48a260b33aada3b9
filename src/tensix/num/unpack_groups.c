/* The version for any host, and the choice of the host's version. */
#include "tensix/num/unpack_groups.h"

#include "util/host_vectors.h"

#define UNPACK_GROUP_OF_LEVEL unpack_group_basic
#include "tensix/num/unpack_groups.inc"

void unpack_group(const uint8_t *datums, unsigned bits, uint32_t exponent, uint32_t negative_zero,
                  uint32_t src[UNPACK_GROUP])
{
#if defined(__x86_64__) && !defined(__clang__)
    unpack_group_function *const host = host_vectors == HOST_VECTORS_V4   ? unpack_group_v4
                                        : host_vectors == HOST_VECTORS_V3 ? unpack_group_v3
                                                                          : unpack_group_basic;
    host(datums, bits, exponent, negative_zero, src);
#else
    unpack_group_basic(datums, bits, exponent, negative_zero, src);
#endif
}
