#include "tensix/num/sfpu_mad.h"

#include <stdbool.h>

#define SIGN 0x80000000u
#define INFINITY_BITS 0x7f800000u
#define NAN_BITS 0x7fc00000u

/* A magnitude is kept with its leading one in bit 26 (24 bits of mantissa, then three for rounding); a product may have
   it in bit 27. */
enum { LEADING_BIT = 26, EXPONENT_BIAS = 127, EXPONENT_MAX = 255 };

struct magnitude {
    int exponent;
    uint32_t bits;
};

static struct magnitude unpack(uint32_t x)
{
    int exponent = (int)(x >> 23 & 0xff);
    return (struct magnitude){exponent, exponent ? ((x & 0x7fffff) | 0x800000) << 3 : 0};
}

static bool is_nan(uint32_t x)
{
    return (x & ~SIGN) > INFINITY_BITS;
}

static bool is_infinite(uint32_t x)
{
    return (x & ~SIGN) == INFINITY_BITS;
}

/* Shifts right; what falls off leaves a one behind in the lowest bit, unless nothing else is left. */
static uint32_t align(uint32_t bits, int amount)
{
    if (amount >= 32) {
        return 0;
    }
    uint32_t shifted = bits >> amount;
    return shifted && shifted << amount != bits ? shifted | 1 : shifted;
}

/* The result where an infinity is involved; `product` has overflowed or one of its factors is infinite if so said. */
static uint32_t with_infinity(uint32_t x, uint32_t y, uint32_t z, uint32_t product_sign)
{
    bool factor_infinite = is_infinite(x) || is_infinite(y);
    bool factor_zero = (x & INFINITY_BITS) == 0 || (y & INFINITY_BITS) == 0;
    if (factor_infinite && factor_zero) {
        return NAN_BITS;
    }
    if (is_infinite(z)) {
        return factor_infinite && (z & SIGN) != product_sign ? NAN_BITS : z;
    }
    return product_sign | INFINITY_BITS;
}

uint32_t sfpu_mad(uint32_t x, uint32_t y, uint32_t z)
{
    struct magnitude a = unpack(x), b = unpack(y), c = unpack(z);
    uint32_t product_sign = (x ^ y) & SIGN, z_sign = z & SIGN;

    /* 24 x 24 bits give 48; the lowest 20 only leave a trace. */
    uint64_t full = (uint64_t)(a.bits >> 3) * (b.bits >> 3);
    struct magnitude p = {a.exponent + b.exponent - EXPONENT_BIAS, (uint32_t)(full >> 20) | ((full & 0xfffff) != 0)};

    if (is_nan(x) || is_nan(y) || is_nan(z)) {
        return NAN_BITS;
    }
    if (a.exponent == EXPONENT_MAX || b.exponent == EXPONENT_MAX || c.exponent == EXPONENT_MAX ||
        p.exponent >= EXPONENT_MAX) {
        return with_infinity(x, y, z, product_sign);
    }
    if (p.bits == 0 || p.exponent < 0) {
        return c.bits ? z : z_sign & product_sign;
    }

    int exponent = p.exponent > c.exponent ? p.exponent : c.exponent;
    p.bits = align(p.bits, exponent - p.exponent);
    c.bits = align(c.bits, exponent - c.exponent);
    uint32_t sign = p.bits >= c.bits ? product_sign : z_sign;
    uint32_t sum = product_sign == z_sign ? p.bits + c.bits : p.bits >= c.bits ? p.bits - c.bits : c.bits - p.bits;
    if (sum == 0) {
        return z_sign & product_sign;
    }

    int excess = 31 - __builtin_clz(sum) - LEADING_BIT;
    exponent += excess;
    if (exponent >= EXPONENT_MAX) {
        return sign | INFINITY_BITS;
    }
    if (exponent <= 0) { /* it may still round up to the smallest normal number */
        excess++;
        exponent = 0;
    }
    if (excess > 0) {
        sum = sum >> excess | ((sum & ((1u << excess) - 1)) != 0);
    } else {
        sum <<= -excess;
    }
    uint32_t result = ((uint32_t)exponent << 23) + (sum >> 3 & 0x7fffff);
    result += (sum & 7) + (result & 1) > 4;
    return sign | (result >> 23 ? result : 0);
}
