/* Floating-point arithmetic of the baby cores, on bits: single precision, half precision, and BF16, which takes the
   place of half precision when cfg0 says so. Denormal inputs of arithmetic count as zero and denormal results become
   zero; comparisons, minimum, maximum, sign injection and classification take denormals as they are. Any NaN that
   arithmetic gives is the canonical one. Independent of the host's floating-point environment.
   Sources: ISA documentation BabyRISCV/InstructionSet.md, CSRs.md (cfg0); RISC-V Unprivileged ISA, chapters F and Zfh;
   single-precision multiply-add: tensix/num/sfpu_mad.h. */
#ifndef BHEMU_RV32_FLOAT_H
#define BHEMU_RV32_FLOAT_H

#include <stdbool.h>
#include <stdint.h>

/* Exception flags, as fcsr has them in bits 4:0. */
enum float_flag { FLOAT_INEXACT = 1, FLOAT_UNDERFLOW = 2, FLOAT_OVERFLOW = 4, FLOAT_INVALID = 16 };

/* Rounding modes, numbered as in fcsr and in instructions; the hardware has only these two. */
enum float_rounding { FLOAT_NEAREST_EVEN = 0, FLOAT_TOWARDS_ZERO = 1 };

struct float_format {
    uint8_t exponent_bits, mantissa_bits;
    uint8_t rounding; /* enum float_rounding */
};

extern const struct float_format float_single, float_half, float_bf16, float_bf16_nearest;

/* In all functions below, operands and results are bits of the format, and raised exceptions are added to *flags. They
   are faster if FLOAT_INEXACT is set already. */

/* a * b + c, rounded once. */
uint32_t float_fused(struct float_format format, uint32_t a, uint32_t b, uint32_t c, uint32_t *flags);

/* a * b + c as the cores compute it: in single precision the product is kept to 27 bits, otherwise float_fused(). */
uint32_t float_multiply_add(struct float_format format, uint32_t a, uint32_t b, uint32_t c, uint32_t *flags);

uint32_t float_add(struct float_format format, uint32_t a, uint32_t b, uint32_t *flags);
uint32_t float_multiply(struct float_format format, uint32_t a, uint32_t b, uint32_t *flags);

/* If one operand is a NaN, the result is the other one; -0 is less than +0. */
uint32_t float_minimum(struct float_format format, uint32_t a, uint32_t b, uint32_t *flags);
uint32_t float_maximum(struct float_format format, uint32_t a, uint32_t b, uint32_t *flags);

/* False if an operand is a NaN; equality raises nothing for quiet NaNs. */
bool float_equal(struct float_format format, uint32_t a, uint32_t b, uint32_t *flags);
bool float_less(struct float_format format, uint32_t a, uint32_t b, uint32_t *flags);
bool float_less_equal(struct float_format format, uint32_t a, uint32_t b, uint32_t *flags);

/* The mask of fclass. */
uint32_t float_classify(struct float_format format, uint32_t a);

/* Converts to an integer of `bits` bits; out-of-range values saturate, a NaN becomes the largest integer. The result
   of a signed conversion is sign-extended. */
uint32_t float_to_integer(struct float_format format, uint32_t a, unsigned bits, bool is_signed,
                          enum float_rounding rounding, uint32_t *flags);
uint32_t float_from_integer(struct float_format format, uint32_t value, bool is_signed, uint32_t *flags);

uint32_t float_convert(struct float_format from, struct float_format to, uint32_t a, uint32_t *flags);

static inline uint32_t float_sign(struct float_format format)
{
    return UINT32_C(1) << (format.exponent_bits + format.mantissa_bits);
}

static inline uint32_t float_infinity(struct float_format format)
{
    return float_sign(format) - (UINT32_C(1) << format.mantissa_bits);
}

/* The canonical NaN. */
static inline uint32_t float_nan(struct float_format format)
{
    return float_infinity(format) | UINT32_C(1) << (format.mantissa_bits - 1);
}

static inline bool float_is_nan(struct float_format format, uint32_t a)
{
    return (a & (float_sign(format) - 1)) > float_infinity(format);
}

#endif
