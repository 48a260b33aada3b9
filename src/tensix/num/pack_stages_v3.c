/* For hosts with AVX2. */
#if defined(__x86_64__) && !defined(__clang__)
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#pragma GCC target("arch=x86-64-v3")
#define PACK_STAGES pack_stages_v3
#include "tensix/num/pack_stages.inc"
#else
typedef int pack_stages_need_gcc; /* a file must have something */
#endif
