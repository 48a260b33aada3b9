/* Conversions between number formats, as expressions on words like those of units/vector/words.h: SFPCAST, and
   SFP_STOCH_RND, which rounds with 23 bits that are random, or the same in all lanes. Internal to units/vector/ and
   the engine. Sources: ISA documentation SFPCAST_*.md, SFPSTOCHRND_*.md. */
#ifndef BHEMU_TENSIX_UNITS_VECTOR_ROUNDING_H
#define BHEMU_TENSIX_UNITS_VECTOR_ROUNDING_H

#include <stdint.h>

/* The bits to round with: vb of an operation. */
enum rounding { ROUND_TO_NEAREST, ROUND_AT_RANDOM, ROUND_TO_ZERO };
enum { ROUNDING_BITS = 0x7fffff, HALF_OF_ROUNDING_BITS = 0x400000 };

/* Unless at random. */
static inline uint32_t fixed_rounding(uint32_t mode)
{
    return mode == ROUND_TO_NEAREST ? HALF_OF_ROUNDING_BITS : mode == ROUND_TO_ZERO ? ROUNDING_BITS : 0;
}

/* `expression` with a name for a subexpression that it uses more than once, to compute it once. */
#define WITH(name, of, expression)                                                                                     \
    ({                                                                                                                 \
        __auto_type name = SHARED(of);                                                                                 \
        (expression);                                                                                                  \
    })

/* Whether x > 0, for x > -2^30: then this sum has bit 31 set. */
#define IS_POSITIVE(x) NEGATIVE(ADD(x, CONSTANT(0x7fffffff)))

/* ---- integers to floats ---- */

/* A magnitude below 2^31, with its leading one in bit 31, truncated to FP32. */
#define FLOAT_OF_ALIGNED(aligned, zeros) ADD(SHIFT_LEFT(SUB(CONSTANT(157), zeros), 23), SHIFT_RIGHT(aligned, 8))

/* One if the lost bits round up, with ties to even; and minus one if they exceed seven random bits. */
#define ROUNDS_TO_EVEN(aligned)                                                                                        \
    SHIFT_RIGHT(ADD(ADD(AND(aligned, CONSTANT(0xff)), AND(SHIFT_RIGHT(aligned, 8), CONSTANT(1))), CONSTANT(0x7f)), 8)
#define ROUNDS_AT_RANDOM(aligned, random)                                                                              \
    NEGATIVE(SUB(AND(SHIFT_RIGHT(random, 9), CONSTANT(0xfe)), AND(aligned, CONSTANT(0xfe))))

/* From sign and magnitude; `rounded` uses `aligned`. */
#define INTEGER_TO_FLOAT(integer, rounded)                                                                             \
    WITH(magnitude, AND(integer, CONSTANT(~SIGN_BIT)),                                                                 \
         WITH(zeros, LEADING_ZEROS(magnitude),                                                                         \
              WITH(aligned, SHIFT_LEFT_BY(magnitude, AND(zeros, CONSTANT(31))),                                        \
                   OR(AND(integer, CONSTANT(SIGN_BIT)),                                                                \
                      AND(IS_POSITIVE(magnitude), rounded(FLOAT_OF_ALIGNED(aligned, zeros)))))))
#define ROUNDED_TO_EVEN(x) ADD(x, ROUNDS_TO_EVEN(aligned))
#define ROUNDED_AT_RANDOM(x) SUB(x, ROUNDS_AT_RANDOM(aligned, b))

/* ---- floats; b are the bits to round with ---- */

/* Removes the lowest `dropped` mantissa bits, rounded with as many bits of b; rounds up at equality, too, as hardware
   does. Zero and denormals become +0, NaN infinity, which is also the largest result of the carry. */
#define ROUND_FLOAT(x, dropped)                                                                                        \
    WITH(magnitude, AND(x, CONSTANT(~SIGN_BIT)),                                                                       \
         AND(AND(NEGATIVE(SUB(CONSTANT(MANTISSA_BITS), magnitude)), CONSTANT(~((1u << (dropped)) - 1))),               \
             SELECT(CONSTANT(SIGN_BIT), x, MINIMUM(ROUNDED_UP(magnitude, dropped), CONSTANT(EXPONENT_BITS)))))
#define ROUNDED_UP(x, dropped) ADD(x, SUB(CONSTANT(1u << (dropped)), SHIFT_RIGHT(b, 23 - (dropped))))

/* The magnitude as an integer of at most `immediate`. Values below a half become 0, values from 2^16 on, including
   NaN, the limit. Between, the leading one moves from bit 31 to the right, and the 23 bits below the integer part to
   the left. */
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

/* With the sign of x, unless it is 0. */
#define SIGNED(x, magnitude)                                                                                           \
    WITH(rounded, magnitude, OR(rounded, AND(AND(x, CONSTANT(SIGN_BIT)), SUB(CONSTANT(0u), rounded))))

/* ---- of SFP_STOCH_RND and SFPCAST ---- */

/* clang-format off */
#define VECTOR_ROUNDINGS(ROUND, ROUND_FLOAT_BY) \
    ROUND(to_float_at_random, INTEGER_TO_FLOAT(c, ROUNDED_AT_RANDOM)) \
    ROUND_FLOAT_BY(to_tf32, ROUND_FLOAT(c, 13)) \
    ROUND_FLOAT_BY(to_bf16, ROUND_FLOAT(c, 16)) \
    ROUND_FLOAT_BY(to_unsigned, MAGNITUDE_OF_FLOAT(c)) \
    ROUND_FLOAT_BY(to_signed, SIGNED(c, MAGNITUDE_OF_FLOAT(c)))
/* clang-format on */

#endif
