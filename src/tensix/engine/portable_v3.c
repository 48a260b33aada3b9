/* For hosts with AVX2. */
#if defined(__x86_64__) && !defined(__clang__)
#include <string.h>

#include "tensix/engine/portable_levels.h"
#include "tensix/units/addr/rwc.h"
#include "tensix/units/dispatch.h"
#include "tensix/units/vector/dst.h"
#include "tensix/units/vector/lut.h"

#pragma GCC target("arch=x86-64-v3")
#define VECTOR_BYTES 32
#define PORTABLE_LEVEL portable_v3
#include "tensix/engine/portable.inc"
#else
typedef int portable_needs_gcc; /* a file must have something */
#endif
