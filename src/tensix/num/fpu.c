/* The version for any host, and the choice of the host's version. */
#define FPU_LEVEL(name) name##_basic
#include "tensix/num/fpu_rows.inc"

#include "tensix/num/fpu_dst.inc"
#include "tensix/num/fpu_integer.inc"

void fpu_read_dst(const struct fpu_mode *mode, const struct dst_register_file *dst, uint32_t row, unsigned stride,
                  unsigned rows, uint32_t data[][FPU_COLUMNS])
{
    FPU_OF_HOST(fpu_read_dst)(mode, dst, row, stride, rows, data);
}

void fpu_write_dst(const struct fpu_mode *mode, struct dst_register_file *dst, uint32_t row, unsigned stride,
                   unsigned rows, const uint32_t data[][FPU_COLUMNS])
{
    FPU_OF_HOST(fpu_write_dst)(mode, dst, row, stride, rows, data);
}

#define OF_HOST(name, rows_of_a)                                                                                       \
    void name(const struct fpu_mode *mode, const uint32_t a[rows_of_a][FPU_COLUMNS], const uint32_t b[][FPU_COLUMNS],  \
              uint32_t dst[][FPU_COLUMNS], unsigned rows)                                                              \
    {                                                                                                                  \
        FPU_OF_HOST(name)(mode, a, b, dst, rows);                                                                      \
    }
OF_HOST(fpu_multiply_matrices, FPU_DEPTH)
OF_HOST(fpu_multiply_integer_matrices, FPU_DEPTH)
OF_HOST(fpu_multiply_elements, )
OF_HOST(fpu_multiply_integer_elements, )
OF_HOST(fpu_add_elements, )
OF_HOST(fpu_add_integer_elements, )
OF_HOST(fpu_sum_elements, )
