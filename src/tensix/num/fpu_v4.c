/* For hosts with AVX-512. */
#if defined(__x86_64__) && !defined(__clang__)
#include <immintrin.h>
#include <stdbool.h>
#include <stdint.h>

#pragma GCC target("arch=x86-64-v4")
#define FPU_LEVEL(name) name##_v4
#include "tensix/num/fpu_rows.inc"

#include "tensix/num/fpu_dst.inc"
#include "tensix/num/fpu_integer.inc"
#else
typedef int fpu_needs_gcc; /* a file must have something */
#endif
