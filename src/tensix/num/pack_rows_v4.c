/* For hosts with AVX-512. */
#if defined(__x86_64__) && !defined(__clang__)
#include <immintrin.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#pragma GCC target("arch=x86-64-v4")
#define PACK_ROWS pack_rows_v4
#include "tensix/num/pack_rows.inc"
#else
typedef int pack_rows_need_gcc; /* a file must have something */
#endif
