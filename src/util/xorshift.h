/* The random numbers of tests: xorshift64 (Marsaglia 2003), the same on every run and every machine. */
#ifndef BHEMU_UTIL_XORSHIFT_H
#define BHEMU_UTIL_XORSHIFT_H

#include <stdint.h>

/* `state` is not 0. */
static inline uint64_t xorshift64(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

/* 32 bits from the middle: the lowest are the least random. */
static inline uint32_t xorshift64_word(uint64_t *state)
{
    return (uint32_t)(xorshift64(state) >> 16);
}

#endif
