/* The versions of fpu_multiply_matrices() and its siblings for elements for each vector level of hosts; all give the
   same bits. Internal to num/fpu*.c and its test. */
#ifndef BHEMU_TENSIX_NUM_FPU_VARIANTS_H
#define BHEMU_TENSIX_NUM_FPU_VARIANTS_H

#include "tensix/num/fpu.h"
#include "util/host_vectors.h"

/* Added to the two raw exponents of a product to get Dst's bias: FP32's bias for a Dst of 32 bits, which FP16
   exponents miss by 2 * 15, else the bias of the style. The later phases multiply bits of less weight. */
static inline int32_t fpu_product_exponent_offset(const struct fpu_mode *mode)
{
    int32_t offset = mode->exponent_8b ? -127 : mode->dst32 ? 127 - 30 : -15;
    return offset - (mode->fidelity_phase & 1 ? 5 : 0) - (mode->fidelity_phase & 2 ? 7 : 0);
}

/* FPU_OF_HOST(name) is the version for the host's level. */
#define DECLARE_MATRICES(name)                                                                                         \
    void name(const struct fpu_mode *mode, const uint32_t a[FPU_DEPTH][FPU_COLUMNS], const uint32_t b[][FPU_DEPTH],    \
              uint32_t dst[][FPU_COLUMNS], unsigned rows)
#define DECLARE_ELEMENTS(name)                                                                                         \
    void name(const struct fpu_mode *mode, const uint32_t a[][FPU_COLUMNS], const uint32_t b[][FPU_COLUMNS],           \
              uint32_t dst[][FPU_COLUMNS], unsigned rows)
#define DECLARE_DST(level)                                                                                             \
    void fpu_read_dst_##level(const struct fpu_mode *mode, const struct dst_register_file *dst, uint32_t row,          \
                              unsigned stride, unsigned rows, uint32_t data[][FPU_COLUMNS]);                           \
    void fpu_write_dst_##level(const struct fpu_mode *mode, struct dst_register_file *dst, uint32_t row,               \
                               unsigned stride, unsigned rows, const uint32_t data[][FPU_COLUMNS]);
#define DECLARE_FPU(level)                                                                                             \
    DECLARE_MATRICES(fpu_multiply_matrices_##level);                                                                   \
    DECLARE_MATRICES(fpu_multiply_integer_matrices_##level);                                                           \
    DECLARE_ELEMENTS(fpu_multiply_elements_##level);                                                                   \
    DECLARE_ELEMENTS(fpu_multiply_integer_elements_##level);                                                           \
    DECLARE_ELEMENTS(fpu_add_elements_##level);                                                                        \
    DECLARE_ELEMENTS(fpu_add_integer_elements_##level);                                                                \
    DECLARE_ELEMENTS(fpu_sum_elements_##level);                                                                        \
    DECLARE_DST(level)
DECLARE_FPU(basic)
#if defined(__x86_64__) && !defined(__clang__)
DECLARE_FPU(v3)
DECLARE_FPU(v4)
#define FPU_OF_HOST(name)                                                                                              \
    (host_vectors == HOST_VECTORS_V4 ? name##_v4 : host_vectors == HOST_VECTORS_V3 ? name##_v3 : name##_basic)
#else
#define FPU_OF_HOST(name) name##_basic
#endif
#undef DECLARE_FPU
#undef DECLARE_MATRICES
#undef DECLARE_ELEMENTS
#undef DECLARE_DST

#endif
