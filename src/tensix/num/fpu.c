/* For any host, and the choice of the host's. */
#define FPU_LEVEL(name) name##_basic
#include "tensix/num/fpu_rows.inc"

void fpu_multiply_matrices(const struct fpu_mode *mode, const uint32_t a[FPU_DEPTH][FPU_COLUMNS],
                           const uint32_t b[][FPU_DEPTH], uint32_t dst[][FPU_COLUMNS], unsigned rows)
{
    FPU_OF_HOST(fpu_multiply_matrices)(mode, a, b, dst, rows);
}

void fpu_multiply_elements(const struct fpu_mode *mode, const uint32_t a[][FPU_COLUMNS],
                           const uint32_t b[][FPU_COLUMNS], uint32_t dst[][FPU_COLUMNS], unsigned rows)
{
    FPU_OF_HOST(fpu_multiply_elements)(mode, a, b, dst, rows);
}

void fpu_add_elements(const struct fpu_mode *mode, const uint32_t a[][FPU_COLUMNS], const uint32_t b[][FPU_COLUMNS],
                      uint32_t dst[][FPU_COLUMNS], unsigned rows)
{
    FPU_OF_HOST(fpu_add_elements)(mode, a, b, dst, rows);
}
