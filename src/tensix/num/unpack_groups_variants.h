/* unpack_group() for each level of the host's vector instructions; all give the same bits. Internal to
   num/unpack_groups*. */
#ifndef BHEMU_TENSIX_NUM_UNPACK_GROUPS_VARIANTS_H
#define BHEMU_TENSIX_NUM_UNPACK_GROUPS_VARIANTS_H

#include "tensix/num/unpack_groups.h"

typedef void unpack_group_function(const uint8_t *datums, unsigned bits, uint32_t exponent, uint32_t negative_zero,
                                   uint32_t src[UNPACK_GROUP]);

unpack_group_function unpack_group_basic;
#if defined(__x86_64__) && !defined(__clang__)
unpack_group_function unpack_group_v3, unpack_group_v4;
#endif

#endif
