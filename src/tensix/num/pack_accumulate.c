#include "tensix/num/pack_accumulate.h"

#include <stdbool.h>

enum { INFINITY_32 = 0x7f800000, MAGNITUDE_32 = 0x7fffffff, HIDDEN = 1 << 23, GUARD = 3 };
enum { REBIAS = 127 - 15, LARGEST_16 = 0x7fff };

#define SIGN_32 UINT32_C(0x80000000)

/* The exact sum of two numbers, but for bits far below, which leave a sticky one. */
struct sum {
    bool negative;
    int32_t exponent;  /* biased by 127 */
    uint32_t mantissa; /* 24 bits, the top one set, and below them three of guard; 0: the sum is zero */
};

static uint32_t shift_right_sticky(uint32_t value, uint32_t shift)
{
    if (shift > 31) {
        return value != 0;
    }
    uint32_t dropped = value & ((UINT32_C(1) << shift) - 1);
    return value >> shift | (dropped != 0);
}

/* Of two finite numbers in FP32's layout, where exponent 255 is an ordinary one and exponent 0 means zero. */
static struct sum add(uint32_t x, uint32_t y)
{
    uint32_t larger = (x & MAGNITUDE_32) >= (y & MAGNITUDE_32) ? x : y;
    uint32_t smaller = larger == x ? y : x;
    uint32_t exponent = larger >> 23 & 0xff, smaller_exponent = smaller >> 23 & 0xff;
    uint32_t mantissa = exponent ? ((larger & (HIDDEN - 1)) | HIDDEN) << GUARD : 0;
    uint32_t aligned = smaller_exponent ? ((smaller & (HIDDEN - 1)) | HIDDEN) << GUARD : 0;
    aligned = shift_right_sticky(aligned, exponent - smaller_exponent);
    bool subtract = (x ^ y) & SIGN_32;
    struct sum sum = {.negative = larger >> 31, .exponent = (int32_t)exponent};
    sum.mantissa = subtract ? mantissa - aligned : mantissa + aligned;
    if (!sum.mantissa) {
        sum.negative = !subtract && sum.negative;
        return sum;
    }
    int shift = __builtin_clz(sum.mantissa) - (32 - 24 - GUARD);
    if (shift < 0) {
        sum.mantissa = shift_right_sticky(sum.mantissa, 1);
    } else {
        sum.mantissa <<= shift;
    }
    sum.exponent -= shift;
    return sum;
}

/* Rounds to nearest even so that `bits` of mantissa stay; exponent and mantissa side by side, as in memory. */
static uint32_t round_to_even(struct sum sum, unsigned bits)
{
    unsigned dropped = 23 + GUARD - bits;
    uint32_t kept = sum.mantissa >> dropped, rest = sum.mantissa & ((UINT32_C(1) << dropped) - 1);
    uint32_t half = UINT32_C(1) << (dropped - 1);
    kept += rest > half || (rest == half && (kept & 1));
    return ((uint32_t)(sum.exponent - 1) << bits) + kept; /* the hidden bit adds the one */
}

static uint32_t flush(uint32_t datum)
{
    return (datum & MAGNITUDE_32) < HIDDEN ? datum & SIGN_32 : datum;
}

static uint32_t fp32_of(struct sum sum)
{
    uint32_t sign = sum.negative ? SIGN_32 : 0;
    if (!sum.mantissa || sum.exponent <= 0) {
        return sign;
    }
    uint32_t magnitude = sum.exponent < 255 ? round_to_even(sum, 23) : INFINITY_32;
    return sign | magnitude;
}

uint32_t pack_accumulate_fp32(uint32_t held, uint32_t added)
{
    uint32_t held_magnitude = held & MAGNITUDE_32, added_magnitude = added & MAGNITUDE_32;
    bool nan = held_magnitude > INFINITY_32 || added_magnitude > INFINITY_32;
    bool infinities = held_magnitude == INFINITY_32 && added_magnitude == INFINITY_32;
    if (nan || (infinities && held != added)) {
        return 0x7fc00000;
    }
    if (held_magnitude == INFINITY_32) {
        return held;
    }
    if (added_magnitude == INFINITY_32) {
        return added;
    }
    return fp32_of(add(flush(held), flush(added)));
}

uint16_t pack_accumulate_bf16(uint16_t held, uint16_t added)
{
    enum { INFINITY_16 = 0x7f80 };
    uint32_t held_magnitude = held & LARGEST_16, added_magnitude = added & LARGEST_16;
    if (held_magnitude == INFINITY_16 && added_magnitude == INFINITY_16 && held != added) {
        return 0x7fc0;
    }
    if (added_magnitude == INFINITY_16) {
        return added;
    }
    if (held_magnitude >= INFINITY_16) {
        return (uint16_t)((held & 0x8000) | INFINITY_16);
    }
    struct sum sum = add(flush((uint32_t)held << 16), flush((uint32_t)added << 16));
    uint16_t sign = sum.negative ? 0x8000 : 0;
    if (!sum.mantissa || sum.exponent <= 0) {
        return sign;
    }
    return (uint16_t)(sign | (sum.exponent < 255 ? round_to_even(sum, 7) : INFINITY_16));
}

static uint32_t fp16_to_fp32(uint16_t datum)
{
    uint32_t magnitude = datum & LARGEST_16;
    return (uint32_t)(datum & 0x8000) << 16 | (magnitude >= 0x400 ? (magnitude << 13) + (REBIAS << 23) : 0);
}

uint16_t pack_accumulate_fp16(uint16_t held, uint16_t added)
{
    struct sum sum = add(fp16_to_fp32(held), fp16_to_fp32(added));
    uint16_t sign = sum.negative ? 0x8000 : 0;
    if (!sum.mantissa) {
        return (uint16_t)(sign | ((held >> 10 & 31) >= 30 ? LARGEST_16 : 0));
    }
    uint32_t rounded = fp32_of(sum);
    sum.exponent = (int32_t)(rounded >> 23 & 0xff) - REBIAS;
    sum.mantissa = ((rounded & (HIDDEN - 1)) | HIDDEN) << GUARD;
    if (sum.exponent <= 0) {
        return (uint16_t)(sign | (sum.exponent < 0 ? LARGEST_16 : 0));
    }
    uint32_t magnitude = round_to_even(sum, 10);
    return (uint16_t)(sign | (magnitude < 0x8000 ? magnitude : LARGEST_16));
}
