/* Conversions between number formats, as expressions on words like those of vector_words.h: of SFPCAST, and of
   SFP_STOCH_RND, which rounds with 23 bits: random ones, or the same in all lanes. Internal to vector_*.c.
   Sources: ISA documentation SFPCAST_*.md, SFPSTOCHRND_*.md. */
#ifndef BHEMU_TENSIX_UNITS_VECTOR_ROUNDING_H
#define BHEMU_TENSIX_UNITS_VECTOR_ROUNDING_H

#include <stdint.h>

/* What to round with: in vb of a plan. */
enum rounding { ROUND_TO_NEAREST, ROUND_AT_RANDOM, ROUND_TO_ZERO };
enum { ROUNDING_BITS = 0x7fffff, HALF_OF_ROUNDING_BITS = 0x400000 };

/* Unless at random. */
static inline uint32_t fixed_rounding(uint32_t mode)
{
    return mode == ROUND_TO_NEAREST ? HALF_OF_ROUNDING_BITS : mode == ROUND_TO_ZERO ? ROUNDING_BITS : 0;
}

/* `expression` with a name for something that it has more than once, and that is to be computed once. */
#define WITH(name, of, expression)                                                                                     \
    ({                                                                                                                 \
        __auto_type name = SHARED(of);                                                                                 \
        (expression);                                                                                                  \
    })

/* Of what is greater than -2^30: then adding this sets bit 31. */
#define IS_POSITIVE(x) NEGATIVE(ADD(x, CONSTANT(0x7fffffff)))

/* ---- integers to floats ---- */

/* A magnitude below 2^31, with its leading one in bit 31, truncated to FP32. */
#define FLOAT_OF_ALIGNED(aligned, zeros) ADD(SHIFT_LEFT(SUB(CONSTANT(157), zeros), 23), SHIFT_RIGHT(aligned, 8))

/* One where the bits that do not fit, with the lowest that does, ask for the next float: ties to even; and minus one
   where they exceed seven random bits. */
#define ROUNDS_TO_EVEN(aligned)                                                                                        \
    SHIFT_RIGHT(ADD(ADD(AND(aligned, CONSTANT(0xff)), AND(SHIFT_RIGHT(aligned, 8), CONSTANT(1))), CONSTANT(0x7f)), 8)
#define ROUNDS_AT_RANDOM(aligned, random)                                                                              \
    NEGATIVE(SUB(AND(SHIFT_RIGHT(random, 9), CONSTANT(0xfe)), AND(aligned, CONSTANT(0xfe))))

/* Sign and magnitude; `rounded` is of `aligned`. */
#define INTEGER_TO_FLOAT(integer, rounded)                                                                             \
    WITH(magnitude, AND(integer, CONSTANT(~SIGN_BIT)),                                                                 \
         WITH(zeros, LEADING_ZEROS(magnitude),                                                                         \
              WITH(aligned, SHIFT_LEFT_BY(magnitude, AND(zeros, CONSTANT(31))),                                        \
                   OR(AND(integer, CONSTANT(SIGN_BIT)),                                                                \
                      AND(IS_POSITIVE(magnitude), rounded(FLOAT_OF_ALIGNED(aligned, zeros)))))))
#define ROUNDED_TO_EVEN(x) ADD(x, ROUNDS_TO_EVEN(aligned))
#define ROUNDED_AT_RANDOM(x) SUB(x, ROUNDS_AT_RANDOM(aligned, b))

/* ---- floats; b are the bits to round with ---- */

/* Fewer mantissa bits, the lowest `dropped` rounded away with as many of b; rounding up happens too easily, at
   equality. Zero and denormals become +0, NaN infinity. */
#define ROUND_FLOAT(x, dropped)                                                                                        \
    AND(IS_POSITIVE(AND(x, CONSTANT(EXPONENT_BITS))),                                                                  \
        SELECT(NEGATIVE(ADD(OR(x, CONSTANT(~EXPONENT_BITS)), CONSTANT(1))),                                            \
               ADD(AND(x, CONSTANT(~((1u << (dropped)) - 1))),                                                         \
                   AND(NOT(NEGATIVE(SUB(AND(x, CONSTANT((1u << (dropped)) - 1)), SHIFT_RIGHT(b, 23 - (dropped))))),    \
                       CONSTANT(1u << (dropped)))),                                                                    \
               AND(x, CONSTANT(~MANTISSA_BITS))))

/* The magnitude as an integer of at most `immediate`. What is below a half becomes 0 and what has no place, from 2^16
   on, NaN too, the limit. In between the leading one, in bit 31 at first, moves to the right, and the 23 bits below the
   integer part to the left. */
enum { EXPONENT_OF_HALF = 126, EXPONENT_OF_65536 = 143 };
#define MAGNITUDE_OF_FLOAT(x)                                                                                          \
    WITH(exponent, SHIFT_RIGHT(SHIFT_LEFT(x, 1), 24),                                                                  \
         WITH(mantissa, OR(SHIFT_LEFT(x, 8), CONSTANT(SIGN_BIT)),                                                      \
              WITH(places, SUB(exponent, CONSTANT(EXPONENT_OF_HALF)),                                                  \
                   LIMITED(ADD(INTEGER_PART(mantissa, places), CARRY(FRACTION_PART(mantissa, places))), exponent,      \
                           places))))
#define INTEGER_PART(mantissa, places)                                                                                 \
    SHIFT_RIGHT(SHIFT_RIGHT_BY(mantissa, AND(SUB(CONSTANT(31), places), CONSTANT(31))), 1)
#define FRACTION_PART(mantissa, places) SHIFT_RIGHT(SHIFT_LEFT_BY(mantissa, AND(places, CONSTANT(31))), 9)
#define CARRY(fraction) ADD(NEGATIVE(SUB(fraction, b)), CONSTANT(1))
#define LIMITED(x, exponent, places)                                                                                   \
    WITH(unlimited, x,                                                                                                 \
         AND(NOT(NEGATIVE(places)),                                                                                    \
             SELECT(NEGATIVE(OR(SUB(CONSTANT(EXPONENT_OF_65536 - 1), exponent), SUB(CONSTANT(immediate), unlimited))), \
                    CONSTANT(immediate), unlimited)))

/* With its sign, unless it is 0. */
#define SIGNED_OF_FLOAT(x)                                                                                             \
    WITH(rounded, MAGNITUDE_OF_FLOAT(x), OR(rounded, AND(AND(x, CONSTANT(SIGN_BIT)), SUB(CONSTANT(0u), rounded))))

/* ---- what translated code makes of them ---- */

/* vector_prng_step() */
#define NEXT_RANDOM(x)                                                                                                 \
    WITH(shifted, SHIFT_RIGHT(x, 1),                                                                                   \
         OR(shifted, SHIFT_LEFT(NOT(XOR(XOR(SHIFT_RIGHT(x, 31), SHIFT_RIGHT(x, 21)), XOR(shifted, x))), 31)))

/* clang-format off */
#define VECTOR_ROUNDING_OPERATIONS \
    VECTOR_WORD_OPERATION(to_float_at_random, INTEGER_TO_FLOAT(c, ROUNDED_AT_RANDOM)) \
    VECTOR_WORD_OPERATION(to_tf32, ROUND_FLOAT(c, 13)) \
    VECTOR_WORD_OPERATION(to_bf16, ROUND_FLOAT(c, 16)) \
    VECTOR_WORD_OPERATION(to_unsigned, MAGNITUDE_OF_FLOAT(c)) \
    VECTOR_WORD_OPERATION(to_signed, SIGNED_OF_FLOAT(c)) \
    VECTOR_WORD_OPERATION(next_random, NEXT_RANDOM(c))
/* clang-format on */

#endif
