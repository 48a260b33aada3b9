/* The ways in which fpu_multiply_matrices(), fpu_multiply_elements() and fpu_add_elements() may compute; all give the
 * same bits. Internal to num/fpu*.c and its test.
 */
#ifndef BHEMU_TENSIX_NUM_FPU_VARIANTS_H
#define BHEMU_TENSIX_NUM_FPU_VARIANTS_H

#include "tensix/num/fpu.h"
#include "util/host_vectors.h"

/* What is added to the two raw exponents of a product, so that it is biased as Dst is: FP32's bias for a Dst of 32
   bits, where FP16 lacks 2 * 15 of it, else the bias of the style. The later phases multiply bits of less weight. */
static inline int32_t fpu_product_exponent_offset(const struct fpu_mode *mode)
{
    int32_t offset = mode->exponent_8b ? -127 : mode->dst32 ? 127 - 30 : -15;
    return offset - (mode->fidelity_phase & 1 ? 5 : 0) - (mode->fidelity_phase & 2 ? 7 : 0);
}

void fpu_multiply_matrices_portable(const struct fpu_mode *mode, const uint32_t a[FPU_DEPTH][FPU_COLUMNS],
                                    const uint32_t b[][FPU_DEPTH], uint32_t dst[][FPU_COLUMNS], unsigned rows);

void fpu_multiply_elements_portable(const struct fpu_mode *mode, const uint32_t a[][FPU_COLUMNS],
                                    const uint32_t b[][FPU_COLUMNS], uint32_t dst[][FPU_COLUMNS], unsigned rows);
void fpu_add_elements_portable(const struct fpu_mode *mode, const uint32_t a[][FPU_COLUMNS],
                               const uint32_t b[][FPU_COLUMNS], uint32_t dst[][FPU_COLUMNS], unsigned rows);

/* For a host that host_has_avx512(); `rows` is a multiple of four, and of matrices at most eight. */
void fpu_multiply_matrices_avx512(const struct fpu_mode *mode, const uint32_t a[FPU_DEPTH][FPU_COLUMNS],
                                  const uint32_t b[][FPU_DEPTH], uint32_t dst[][FPU_COLUMNS], unsigned rows);

void fpu_multiply_elements_avx512(const struct fpu_mode *mode, const uint32_t a[][FPU_COLUMNS],
                                  const uint32_t b[][FPU_COLUMNS], uint32_t dst[][FPU_COLUMNS], unsigned rows);
void fpu_add_elements_avx512(const struct fpu_mode *mode, const uint32_t a[][FPU_COLUMNS],
                             const uint32_t b[][FPU_COLUMNS], uint32_t dst[][FPU_COLUMNS], unsigned rows);

#endif
