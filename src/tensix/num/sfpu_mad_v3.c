/* For hosts with AVX2 and fused multiply-adds. */
#if defined(__x86_64__) && !defined(__clang__)
#include <stdbool.h>
#include <stdint.h>

#pragma GCC target("arch=x86-64-v3")
#define VECTOR_BYTES 32
#define SFPU_MAD_LANES sfpu_mad_lanes_v3
#include "tensix/num/sfpu_mad_lanes.inc"
#else
typedef int sfpu_mad_needs_gcc; /* a file must have something */
#endif
