/* Block floats in memory: 16 data share the exponent, and each has a sign above its magnitude. A datum is
   magnitude * 2^(exponent - bias - (bits - 2)), so that the largest ones have their leading one in the top bit of the
   magnitude. Source: ISA documentation, BlockFloat. */
#ifndef BHEMU_HOST_BLOCK_FLOAT_H
#define BHEMU_HOST_BLOCK_FLOAT_H

#include <stdbool.h>
#include <stdint.h>

enum { BLOCK_FLOAT_GROUP = 16 };

struct block_float {
    uint8_t bits;   /* of a datum, with its sign: 8, 4 or 2 */
    uint8_t narrow; /* the exponent has five bits, as that of FP16; else eight */
};

/* The exponent is that of the largest datum, as tt-metal's host has it. Data are rounded to nearest, ties to even, to
   at most the largest magnitude, which infinities and NaN get, too, with the largest exponent. What is rounded to zero
   has no sign: a sign without a magnitude is no zero. data: a byte each. */
void block_float_encode(const struct block_float *format, const double value[BLOCK_FLOAT_GROUP], uint8_t *exponent,
                        uint8_t data[BLOCK_FLOAT_GROUP]);

/* The reverse, exactly, as unpackers have it: a sign without a magnitude is minus infinity, or -65536 of narrow ones.
 */
void block_float_decode(const struct block_float *format, uint8_t exponent, const uint8_t data[BLOCK_FLOAT_GROUP],
                        double value[BLOCK_FLOAT_GROUP]);

#endif
