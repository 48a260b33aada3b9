/* pool_maximum() for each level of the host's vector instructions; all give the same bits. Internal to num/pool*. */
#ifndef BHEMU_TENSIX_NUM_POOL_VARIANTS_H
#define BHEMU_TENSIX_NUM_POOL_VARIANTS_H

#include "tensix/num/pool.h"

typedef void pool_maximum_function(const struct pool_mode *mode, const uint32_t srca[POOL_ROWS][ROW_COLUMNS],
                                   const uint32_t scales[ROW_COLUMNS], struct dst_register_file *dst, uint32_t place);

pool_maximum_function pool_maximum_basic;
#if defined(__x86_64__) && !defined(__clang__)
pool_maximum_function pool_maximum_v3, pool_maximum_v4;
#endif

#endif
