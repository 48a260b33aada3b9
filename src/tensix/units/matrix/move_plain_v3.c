/* For hosts with AVX2. */
#if defined(__x86_64__) && !defined(__clang__)
#include <immintrin.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "tensix/units/state.h"

#pragma GCC target("arch=x86-64-v3")
#define MATRIX_LEVEL(name) name##_v3
#include "tensix/units/matrix/move_plain.inc"
#else
typedef int matrix_moves_need_gcc; /* a file must have something */
#endif
