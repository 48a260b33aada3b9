/* What a host asks of the kernel "sfpu": a function of the vector unit, applied to every datum of tiles of FP32. The
   kernel's T0 and T2 are those of "operation" (COPY with 32 bits a datum in Dst), so inputs come by way of SrcA and
   have ten bits of mantissa; results have all of theirs. The arguments are written to LAYOUT_ARGUMENTS. */
#ifndef BHEMU_KERNELS_SFPU_H
#define BHEMU_KERNELS_SFPU_H

#include "../operation/operation.h"

/* How far results may be from the exact ones is stated by tests/kernels/sfpu_test.c. */
enum sfpu_function {
    SFPU_EXPONENTIAL, /* of -87 to 88; beyond, that of the nearest of these */
    SFPU_LOGARITHM,   /* of normal positive numbers */
    SFPU_RECIPROCAL,  /* of magnitudes of 2^-100 to 2^100 */
    SFPU_SQUARE_ROOT, /* of 0 and positive numbers from 2^-100 on */
    SFPU_SIGMOID,     /* of -60 to 60 */
    SFPU_TANH,        /* of -30 to 30 */
    SFPU_GELU,        /* x times the share of the normal distribution below x, of everything */
    SFPU_DROPOUT,     /* zero where 31 random bits exceed `parameter`, seeded by `seed`; else unchanged */
    SFPU_GCD,         /* of the integers 1 to 2047 of an even column and the odd one beside it, to both */
    SFPU_SORT,        /* rows r, r + 4, r + 8 and r + 12 of a face in ascending order, column by column */
    SFPU_ESTIMATE,    /* the reciprocal to seven bits, 32 data an instruction by SFPLOADMACRO; `parameter` 1: without */
    SFPU_FUNCTIONS
};

struct sfpu_arguments {
    struct operation_arguments operation;
    uint32_t function; /* enum sfpu_function */
    uint32_t parameter, seed;
};

static inline const volatile struct sfpu_arguments *sfpu_arguments(void)
{
    return (const volatile struct sfpu_arguments *)LAYOUT_ARGUMENTS;
}

#endif
