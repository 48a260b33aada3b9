/* Arithmetic of the matrix unit (FPU), bit for bit.

   Operands. A datum of SrcA or SrcB is 32 bits as registers.h keeps it: its FP32 look-alike with ten mantissa bits.
   A datum of Dst is given and returned the same way, whatever Dst holds: FP32 as it is, BF16 in the high half, FP16
   with its sign in bit 31, its five exponent bits in 27:23 and its mantissa in 22:13. Integers in Dst are 32 bits, sign
   and magnitude.

   Floating point is not IEEE 754: a zero exponent means zero whatever the mantissa is, a maximal one is a number like
   any other, and what is too large becomes infinity (FP16: the largest pattern). The multipliers are five bits (SrcA)
   by seven (SrcB) wide; a fidelity phase says which bits of the mantissas enter. Products are aligned and summed in
   groups of eight. A sum of products, or of two data, is then aligned with Dst, summed again and rounded once more. All
   roundings are to nearest; which way ties go differs from place to place and is said there.

   Each operation comes twice: fpu_reference_*(), one result at a time, which reads like the specification, and a
   version for rows of 16 columns, which gives the same bits fast. Nothing here depends on the host's floating point.
   Sources: ISA documentation MVMUL.md, ELWMUL.md, ELWADD.md, SrcASrcB.md, FloatBitPatterns.md; the order and width of
   the inner sums as ttsim has them. */
#ifndef BHEMU_TENSIX_NUM_FPU_H
#define BHEMU_TENSIX_NUM_FPU_H

#include <stdbool.h>
#include <stdint.h>

#include "tensix/num/registers.h"

enum { FPU_COLUMNS = 16, FPU_DEPTH = 16, FPU_GROUP = 8 };

/* The significant bits of a datum of SrcA or SrcB, by the format of the bank. */
#define FPU_BF16_BITS UINT32_C(0xffff0000)
#define FPU_TF32_BITS UINT32_C(0xffffe000)
#define FPU_FP16_BITS UINT32_C(0x8fffe000)

struct fpu_mode {
    uint32_t srca_bits, srcb_bits; /* FPU_..._BITS */
    bool exponent_8b;              /* BF16 and TF32; false: FP16 */
    bool dst32;                    /* Dst holds FP32; false: BF16 or FP16 as exponent_8b says */
    bool keep_srcb_denormals;      /* ALU_ACC_CTRL_Zero_Flag_disabled_src: a zero exponent in SrcB is not zero */
    uint8_t fidelity_phase;        /* 0..3 */
};

/* dst + the sum over k of a[k] * b[k]. */
uint32_t fpu_reference_dot(const struct fpu_mode *mode, const uint32_t a[FPU_DEPTH], const uint32_t b[FPU_DEPTH],
                           uint32_t dst);
/* dst + a * b. */
uint32_t fpu_reference_multiply(const struct fpu_mode *mode, uint32_t a, uint32_t b, uint32_t dst);
/* dst + (a + b); for a + b alone, dst is 0. */
uint32_t fpu_reference_add(const struct fpu_mode *mode, uint32_t a, uint32_t b, uint32_t dst);

/* dst[i][j] += the sum over k of b[i][k] * a[k][j], for i < rows. Here and below `rows` is four or eight. */
void fpu_multiply_matrices(const struct fpu_mode *mode, const uint32_t a[FPU_DEPTH][FPU_COLUMNS],
                           const uint32_t b[][FPU_DEPTH], uint32_t dst[][FPU_COLUMNS], unsigned rows);
/* dst[i][j] += a[i][j] * b[i][j], for i < rows. */
void fpu_multiply_elements(const struct fpu_mode *mode, const uint32_t a[][FPU_COLUMNS],
                           const uint32_t b[][FPU_COLUMNS], uint32_t dst[][FPU_COLUMNS], unsigned rows);
/* dst[i][j] += a[i][j] + b[i][j], for i < rows. */
void fpu_add_elements(const struct fpu_mode *mode, const uint32_t a[][FPU_COLUMNS], const uint32_t b[][FPU_COLUMNS],
                      uint32_t dst[][FPU_COLUMNS], unsigned rows);
/* dst[i][j] = a[i][j] + b[i][j], for i < rows. */
void fpu_sum_elements(const struct fpu_mode *mode, const uint32_t a[][FPU_COLUMNS], const uint32_t b[][FPU_COLUMNS],
                      uint32_t dst[][FPU_COLUMNS], unsigned rows);

/* The three functions that add to dst, with random rounding (num/rounding.h) of the last step, to the precision of
   Dst; alignments still round to nearest. As slow as the reference; for any number of rows. */
void fpu_multiply_matrices_at_random(const struct fpu_mode *mode, const uint32_t a[FPU_DEPTH][FPU_COLUMNS],
                                     const uint32_t b[][FPU_DEPTH], uint32_t dst[][FPU_COLUMNS], unsigned rows,
                                     const uint32_t random[][FPU_COLUMNS]);
void fpu_multiply_elements_at_random(const struct fpu_mode *mode, const uint32_t a[][FPU_COLUMNS],
                                     const uint32_t b[][FPU_COLUMNS], uint32_t dst[][FPU_COLUMNS], unsigned rows,
                                     const uint32_t random[][FPU_COLUMNS]);
void fpu_add_elements_at_random(const struct fpu_mode *mode, const uint32_t a[][FPU_COLUMNS],
                                const uint32_t b[][FPU_COLUMNS], uint32_t dst[][FPU_COLUMNS], unsigned rows,
                                const uint32_t random[][FPU_COLUMNS]);

/* Reads and writes rows of Dst in the layout of the functions above, `stride` rows apart; invalid rows read as zero. */
void fpu_read_dst(const struct fpu_mode *mode, const struct dst_register_file *dst, uint32_t row, unsigned stride,
                  unsigned rows, uint32_t data[][FPU_COLUMNS]);
void fpu_write_dst(const struct fpu_mode *mode, struct dst_register_file *dst, uint32_t row, unsigned stride,
                   unsigned rows, const uint32_t data[][FPU_COLUMNS]);

/* The same three for integers; of the mode only keep_srcb_denormals and fidelity_phase matter. Sums with Dst saturate
   at plus and minus 2^31 - 1. Addition has no fidelity phases. */
void fpu_multiply_integer_matrices(const struct fpu_mode *mode, const uint32_t a[FPU_DEPTH][FPU_COLUMNS],
                                   const uint32_t b[][FPU_DEPTH], uint32_t dst[][FPU_COLUMNS], unsigned rows);
void fpu_multiply_integer_elements(const struct fpu_mode *mode, const uint32_t a[][FPU_COLUMNS],
                                   const uint32_t b[][FPU_COLUMNS], uint32_t dst[][FPU_COLUMNS], unsigned rows);
void fpu_add_integer_elements(const struct fpu_mode *mode, const uint32_t a[][FPU_COLUMNS],
                              const uint32_t b[][FPU_COLUMNS], uint32_t dst[][FPU_COLUMNS], unsigned rows);

#endif
