/* The operators of the expressions in units/vector/words.h and units/vector/dst_formats.h, for words of C. Internal to
   units/vector/. */
#ifndef BHEMU_TENSIX_UNITS_VECTOR_WORDS_IN_C_H
#define BHEMU_TENSIX_UNITS_VECTOR_WORDS_IN_C_H

#include <stdint.h>

#define CONSTANT(number) (number)
#define SHARED(x) (x)
#define ADD(x, y) ((x) + (y))
#define SUB(x, y) ((x) - (y))
#define MULTIPLY(x, y) ((x) * (y))
#define MULTIPLY_UPPER(x, y) multiply_upper(x, y)
#define TO_FLOAT(x) INTEGER_TO_FLOAT(x, ROUNDED_TO_EVEN)
#define MINIMUM(x, y) minimum(x, y)
#define AND(x, y) ((x) & (y))
#define OR(x, y) ((x) | (y))
#define XOR(x, y) ((x) ^ (y))
#define NOT(x) (~(x))
#define SHIFT_LEFT(x, count) ((x) << (count))
#define SHIFT_RIGHT(x, count) ((x) >> (count))
#define NEGATIVE(x) (0u - ((x) >> 31))
#define SHIFT_LEFT_BY(x, y) ((x) << (y))
#define SHIFT_RIGHT_BY(x, y) ((x) >> (y))
#define SELECT(field, x, y) (((x) & (field)) | ((y) & ~(field)))
#define IF_NEGATIVE(sign, x, y) SELECT(NEGATIVE(sign), x, y)
#define EITHER(x, y) (x)
#define ABSOLUTE(x) (((x) ^ NEGATIVE(x)) - NEGATIVE(x))
#define SHIFT_RIGHT_SIGNED(x, count) ((uint32_t)((int32_t)(x) >> (count)))
#define SHIFT_RIGHT_SIGNED_BY(x, y) SHIFT_RIGHT_SIGNED(x, y)
#define LEADING_ZEROS(x) leading_zeros(x)

static inline uint32_t minimum(uint32_t x, uint32_t y)
{
    return x < y ? x : y;
}

static inline uint32_t multiply_upper(uint32_t x, uint32_t y)
{
    return (uint32_t)((uint64_t)x * y >> 32);
}

static inline uint32_t leading_zeros(uint32_t x)
{
    return x ? (uint32_t)__builtin_clz(x) : 32;
}

#endif
