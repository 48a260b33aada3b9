/* For hosts with AVX2. */
#if defined(__x86_64__) && !defined(__clang__)
#include <immintrin.h>
#include <stdint.h>
#include <string.h>

#pragma GCC target("arch=x86-64-v3")
#define UNPACK_GROUP_OF_LEVEL unpack_group_v3
#include "tensix/num/unpack_groups.inc"
#else
typedef int unpack_groups_need_gcc; /* a file must have something */
#endif
