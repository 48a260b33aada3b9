/* Fast paths of the baby cores' single-precision arithmetic: normal operands, a normal result, no NaN. Each function
   returns whether the case was covered; then the result is that of float.h. They raise no flag, and so do not cover
   inexact results, unless `inexact` tells that such results need no flag and no diagnostic: because the flag is set
   already, and the requested rounding mode is that of the hardware. */
#ifndef BHEMU_RV32_FLOAT_SINGLE_H
#define BHEMU_RV32_FLOAT_SINGLE_H

#include <stdbool.h>
#include <stdint.h>

#define SINGLE_SIGN 0x80000000u
#define SINGLE_INFINITY 0x7f800000u

enum { SINGLE_MANTISSA = 23, SINGLE_BIAS = 127 };

static inline bool single_is_nan(uint32_t a)
{
    return (a & ~SINGLE_SIGN) > SINGLE_INFINITY;
}

static inline uint32_t single_field(uint32_t a)
{
    return a >> SINGLE_MANTISSA & 0xff;
}

/* Neither zero, a denormal, an infinity nor a NaN. */
static inline bool single_is_normal(uint32_t a)
{
    return single_field(a) - 1 < 254;
}

static inline uint32_t single_significand(uint32_t a)
{
    return (a & 0x7fffff) | 0x800000;
}

/* Rounds value, whose leading one is in bit 63, to nearest even; `field` is the exponent field for a leading one
   there. */
static inline bool single_round(uint32_t sign, int field, uint64_t value, bool inexact, uint32_t *result)
{
    enum { REST = 63 - SINGLE_MANTISSA };
    uint64_t rest = value & ((UINT64_C(1) << REST) - 1), half = UINT64_C(1) << (REST - 1);
    uint32_t kept = (uint32_t)(value >> REST);
    kept += rest > half || (rest == half && (kept & 1));
    *result = sign | (((uint32_t)field << SINGLE_MANTISSA) + (kept - (UINT32_C(1) << SINGLE_MANTISSA)));
    return field > 0 && field < 254 && (inexact || rest == 0);
}

static inline bool single_add(uint32_t a, uint32_t b, bool inexact, uint32_t *result)
{
    enum { ROOM = 38 }; /* bits below the significand, so that a sum has its leading one in bit 62 */
    if (!single_is_normal(a) || !single_is_normal(b)) {
        return false;
    }
    if (a << 1 < b << 1) {
        uint32_t larger = b;
        b = a;
        a = larger;
    }
    uint32_t distance = single_field(a) - single_field(b);
    uint64_t sum = (uint64_t)single_significand(a) << ROOM, other = (uint64_t)single_significand(b) << ROOM;
    if (distance > ROOM) {
        other = 1; /* sticky bit */
    } else {
        other >>= distance; /* nothing is lost: ROOM bits are free */
    }
    sum = (a ^ b) & SINGLE_SIGN ? sum - other : sum + other;
    if (sum == 0) {
        return false;
    }
    int leading = __builtin_clzll(sum);
    return single_round(a & SINGLE_SIGN, (int)single_field(a) + 2 - leading, sum << leading, inexact, result);
}

static inline bool single_multiply(uint32_t a, uint32_t b, bool inexact, uint32_t *result)
{
    if (!single_is_normal(a) || !single_is_normal(b)) {
        return false;
    }
    uint64_t product = (uint64_t)single_significand(a) * single_significand(b) << 16; /* leading one in bit 62 or 63 */
    int leading = (int)(~product >> 63);
    int field = (int)(single_field(a) + single_field(b)) - SINGLE_BIAS + 1 - leading;
    return single_round((a ^ b) & SINGLE_SIGN, field, product << leading, inexact, result);
}

/* An integer with the same order as floating-point numbers, -0 just below +0; and one with both zeros equal. */
static inline int32_t single_order(uint32_t a)
{
    return (int32_t)(a ^ ((uint32_t)((int32_t)a >> 31) >> 1));
}

static inline int32_t single_value_order(uint32_t a)
{
    int32_t magnitude = (int32_t)(a & ~SINGLE_SIGN);
    return a & SINGLE_SIGN ? -magnitude : magnitude;
}

/* Rounded to nearest even. */
static inline bool single_to_integer(uint32_t a, bool is_signed, bool inexact, uint32_t *result)
{
    enum { LARGEST_FIELD = SINGLE_BIAS + 29 }; /* rounded, below 2^30, whatever the sign */
    int shift = SINGLE_BIAS + SINGLE_MANTISSA - (int)single_field(a);
    if (!single_is_normal(a) || single_field(a) > LARGEST_FIELD || shift > 32 || (!is_signed && a & SINGLE_SIGN)) {
        return false;
    }
    uint64_t value = (uint64_t)single_significand(a) << (32 - shift); /* 32 bits behind the point */
    uint32_t magnitude = (uint32_t)(value >> 32), rest = (uint32_t)value;
    magnitude += rest > SINGLE_SIGN || (rest == SINGLE_SIGN && (magnitude & 1));
    *result = a & SINGLE_SIGN ? -magnitude : magnitude;
    return inexact || rest == 0;
}

static inline bool single_from_integer(uint32_t a, bool is_signed, bool inexact, uint32_t *result)
{
    bool negative = is_signed && a >> 31;
    uint64_t magnitude = negative ? -a : a;
    if (magnitude == 0) {
        *result = 0;
        return true;
    }
    int leading = __builtin_clzll(magnitude);
    return single_round(negative ? SINGLE_SIGN : 0, SINGLE_BIAS + 63 - leading, magnitude << leading, inexact, result);
}

#endif
