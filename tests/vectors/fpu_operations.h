/* The form of fpu_operations.bin: matrix products, element products and sums of the matrix unit, as another model
   computes them.

   The file: a text of FPU_VECTORS_TEXT bytes, padded with zeros, that says where it comes from; then cases of 32-bit
   words, little endian, as struct fpu_vectors_case. Data are as num/fpu.h takes them. The sums are those of fidelity
   phase 0 whatever the case's phase is. */
#ifndef BHEMU_TESTS_VECTORS_FPU_OPERATIONS_H
#define BHEMU_TESTS_VECTORS_FPU_OPERATIONS_H

#include "tensix/num/fpu.h"

enum { FPU_VECTORS_TEXT = 512 };

enum {
    FPU_VECTORS_EXPONENT_8B = 1 << 0,
    FPU_VECTORS_DST32 = 1 << 1,
    FPU_VECTORS_PHASE_SHIFT = 2, /* two bits */
    FPU_VECTORS_SRCA_TF32 = 1 << 4,
    FPU_VECTORS_SRCB_TF32 = 1 << 5,
};

struct fpu_vectors_case {
    uint32_t mode;
    uint32_t a[FPU_DEPTH][FPU_COLUMNS], b[FPU_GROUP][FPU_DEPTH], dst[FPU_GROUP][FPU_COLUMNS];
    uint32_t matrix_product[FPU_GROUP][FPU_COLUMNS]; /* dst + b @ a */
    uint32_t product[FPU_GROUP][FPU_COLUMNS];        /* dst + a * b, for the first eight rows of a */
    uint32_t sum[FPU_GROUP][FPU_COLUMNS];            /* dst + (a + b) */
};

#endif
