/* Small helpers for bits, used everywhere. Bit ranges are named as the documentation names them: [high:low]. */
#ifndef BHEMU_UTIL_BITS_H
#define BHEMU_UTIL_BITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

/* Bits [shift + width - 1 : shift] of word; width in 1..32. */
static inline uint32_t bits_get(uint32_t word, unsigned shift, unsigned width)
{
    return (word >> shift) & (uint32_t)((UINT64_C(1) << width) - 1);
}

/* word with bits [shift + width - 1 : shift] replaced by value; width in 1..32. */
static inline uint32_t bits_set(uint32_t word, unsigned shift, unsigned width, uint32_t value)
{
    uint32_t mask = (uint32_t)((UINT64_C(1) << width) - 1) << shift;
    return (word & ~mask) | ((value << shift) & mask);
}

/* The low `width` bits of value, sign-extended; width in 1..32. */
static inline int32_t bits_sign_extend(uint32_t value, unsigned width)
{
    return (int32_t)(value << (32 - width)) >> (32 - width);
}

static inline uint32_t rotate_left(uint32_t word, unsigned count)
{
    return (word << (count & 31)) | (word >> (-count & 31));
}

static inline uint32_t rotate_right(uint32_t word, unsigned count)
{
    return (word >> (count & 31)) | (word << (-count & 31));
}

#endif
