/* The sum of two tensors in L1 by T0, T1 and T2, which have eltwise_add's programs; for core B. */
#ifndef BHEMU_KERNELS_ADDERS_H
#define BHEMU_KERNELS_ADDERS_H

#include "arguments.h"
#include "mmio.h"

enum { SOFT_RESET_T = 0x7000, A = LAYOUT_TENSORS, B = A + 0x20000, SUM = B + 0x20000 };

static void set_arguments(uint32_t tiles)
{
    volatile struct arguments *arguments = (volatile struct arguments *)LAYOUT_ARGUMENTS;
    arguments->input_a = A;
    arguments->input_b = B;
    arguments->output = SUM;
    arguments->rows = tiles;
    arguments->columns = 1;
    arguments->inner = 1;
    (void)load_complete(&arguments->inner);
}

/* Adds so many tiles at A and B, and waits for them. */
static void add(uint32_t tiles)
{
    set_arguments(tiles);
    completions_clear();
    *SOFT_RESET = load_complete(SOFT_RESET) & ~(uint32_t)SOFT_RESET_T;
    for (uint32_t core = KERNEL_TRISC0; core <= KERNEL_TRISC2; core++) {
        while (load_shared((const volatile uint32_t *)LAYOUT_COMPLETION + core) != COMPLETION_DONE) {
        }
    }
}

#endif
