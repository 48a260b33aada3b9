/* For any host, and the choice of the host's. */
#define FPU_LEVEL(name) name##_basic
#include "tensix/num/fpu_rows.inc"

void fpu_multiply_matrices(const struct fpu_mode *mode, const uint32_t a[FPU_DEPTH][FPU_COLUMNS],
                           const uint32_t b[][FPU_DEPTH], uint32_t dst[][FPU_COLUMNS], unsigned rows)
{
    FPU_OF_HOST(fpu_multiply_matrices)(mode, a, b, dst, rows);
}

#define ELEMENTS(name)                                                                                                 \
    void name(const struct fpu_mode *mode, const uint32_t a[][FPU_COLUMNS], const uint32_t b[][FPU_COLUMNS],           \
              uint32_t dst[][FPU_COLUMNS], unsigned rows)                                                              \
    {                                                                                                                  \
        FPU_OF_HOST(name)(mode, a, b, dst, rows);                                                                      \
    }
ELEMENTS(fpu_multiply_elements)
ELEMENTS(fpu_add_elements)
ELEMENTS(fpu_sum_elements)
