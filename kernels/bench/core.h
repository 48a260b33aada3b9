/* Which core a program of bench/ is linked for: its place among the completion words. */
#ifndef BHEMU_KERNELS_BENCH_CORE_H
#define BHEMU_KERNELS_BENCH_CORE_H

#include "layout.h"
#include "mmio.h"

static const enum kernel_core bench_core = (enum kernel_core)((COMPLETION - LAYOUT_COMPLETION) / 4);

#endif
