/* For hosts with AVX-512. */
#if defined(__x86_64__) && !defined(__clang__)
#include <immintrin.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#pragma GCC target("arch=x86-64-v4")
#define POOL_MAXIMUM pool_maximum_v4
#include "tensix/num/pool.inc"
#else
typedef int pool_needs_gcc; /* a file must have something */
#endif
