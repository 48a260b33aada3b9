#include "tensix/num/pack_accumulate.h"

#include <stdbool.h>

#include "tensix/num/clones.h"

enum { INFINITY_32 = 0x7f800000, MAGNITUDE_32 = 0x7fffffff, HIDDEN = 1 << 23, GUARD = 3 };
enum { REBIAS = 127 - 15, LARGEST_16 = 0x7fff };

#define SIGN_32 UINT32_C(0x80000000)

/* The exact sum of two numbers, but for bits far below, which leave a sticky one. */
struct sum {
    bool negative;
    int32_t exponent;  /* biased by 127 */
    uint32_t mantissa; /* 24 bits, the top one set, and below them three of guard; 0: the sum is zero */
};

static inline uint32_t shift_right_sticky(uint32_t value, uint32_t shift)
{
    shift = shift > 31 ? 31 : shift; /* of no more than 27 bits nothing is left then */
    uint32_t dropped = value & ((UINT32_C(1) << shift) - 1);
    return value >> shift | (dropped != 0);
}

static inline uint32_t mantissa_of(uint32_t datum)
{
    return (datum >> 23 & 0xff) ? ((datum & (HIDDEN - 1)) | HIDDEN) << GUARD : 0;
}

/* Of two finite numbers in FP32's layout, where exponent 255 is an ordinary one and exponent 0 means zero. */
static inline struct sum add(uint32_t x, uint32_t y)
{
    bool ordered = (x & MAGNITUDE_32) >= (y & MAGNITUDE_32);
    uint32_t larger = ordered ? x : y, smaller = ordered ? y : x;
    uint32_t exponent = larger >> 23 & 0xff, smaller_exponent = smaller >> 23 & 0xff;
    uint32_t mantissa = mantissa_of(larger);
    uint32_t aligned = shift_right_sticky(mantissa_of(smaller), exponent - smaller_exponent);
    bool subtract = (x ^ y) >> 31;
    uint32_t total = subtract ? mantissa - aligned : mantissa + aligned;
    int32_t shift = __builtin_clz(total | 1) - (32 - 24 - GUARD);
    uint32_t carried = shift_right_sticky(total, 1);
    struct sum sum = {
        .negative = total || !subtract ? larger >> 31 : 0,
        .exponent = (int32_t)exponent - shift,
        .mantissa = shift < 0 ? carried : total << (shift & 31),
    };
    return sum;
}

/* Rounds to nearest even so that `bits` of mantissa stay; exponent and mantissa side by side, as in memory. */
static inline uint32_t round_to_even(struct sum sum, unsigned bits)
{
    unsigned dropped = 23 + GUARD - bits;
    uint32_t kept = sum.mantissa >> dropped, rest = sum.mantissa & ((UINT32_C(1) << dropped) - 1);
    uint32_t half = UINT32_C(1) << (dropped - 1);
    kept += rest > half || (rest == half && (kept & 1));
    return ((uint32_t)(sum.exponent - 1) << bits) + kept; /* the hidden bit adds the one */
}

static inline uint32_t flush(uint32_t datum)
{
    return (datum & MAGNITUDE_32) < HIDDEN ? datum & SIGN_32 : datum;
}

static inline uint32_t fp32_of(struct sum sum)
{
    uint32_t magnitude = round_to_even(sum, 23);
    magnitude = sum.exponent >= 255 ? INFINITY_32 : magnitude;
    magnitude = !sum.mantissa || sum.exponent <= 0 ? 0 : magnitude;
    return (uint32_t)sum.negative << 31 | magnitude;
}

static inline uint32_t accumulate_fp32(uint32_t held, uint32_t added)
{
    uint32_t held_magnitude = held & MAGNITUDE_32, added_magnitude = added & MAGNITUDE_32;
    bool held_infinite = held_magnitude == INFINITY_32, added_infinite = added_magnitude == INFINITY_32;
    bool nan = held_magnitude > INFINITY_32 || added_magnitude > INFINITY_32;
    nan |= held_infinite && added_infinite && held != added;
    uint32_t sum = fp32_of(add(flush(held), flush(added)));
    sum = added_infinite ? added : sum;
    sum = held_infinite ? held : sum;
    return nan ? 0x7fc00000 : sum;
}

static inline uint16_t accumulate_bf16(uint16_t held, uint16_t added)
{
    enum { INFINITY_16 = 0x7f80 };
    uint32_t held_magnitude = held & LARGEST_16, added_magnitude = added & LARGEST_16;
    bool added_infinite = added_magnitude == INFINITY_16;
    bool nan = held_magnitude == INFINITY_16 && added_infinite && held != added;
    struct sum sum = add(flush((uint32_t)held << 16), flush((uint32_t)added << 16));
    uint32_t magnitude = round_to_even(sum, 7);
    magnitude = sum.exponent >= 255 ? INFINITY_16 : magnitude;
    magnitude = !sum.mantissa || sum.exponent <= 0 ? 0 : magnitude;
    uint32_t result = (uint32_t)sum.negative << 15 | magnitude;
    result = held_magnitude >= INFINITY_16 ? (held & 0x8000u) | INFINITY_16 : result;
    result = added_infinite ? added : result;
    return (uint16_t)(nan ? 0x7fc0 : result);
}

static inline uint32_t fp16_to_fp32(uint16_t datum)
{
    uint32_t magnitude = datum & LARGEST_16;
    return (uint32_t)(datum & 0x8000) << 16 | (magnitude >= 0x400 ? (magnitude << 13) + (REBIAS << 23) : 0);
}

static inline uint16_t accumulate_fp16(uint16_t held, uint16_t added)
{
    struct sum sum = add(fp16_to_fp32(held), fp16_to_fp32(added));
    bool cancelled = !sum.mantissa;
    uint32_t rounded = fp32_of(sum);
    sum.exponent = (int32_t)(rounded >> 23 & 0xff) - REBIAS;
    sum.mantissa = ((rounded & (HIDDEN - 1)) | HIDDEN) << GUARD;
    uint32_t magnitude = round_to_even(sum, 10);
    magnitude = magnitude > LARGEST_16 ? LARGEST_16 : magnitude;
    magnitude = sum.exponent == 0 ? 0 : magnitude;
    magnitude = sum.exponent < 0 ? LARGEST_16 : magnitude;
    uint32_t of_cancellation = (held >> 10 & 31) >= 30 ? LARGEST_16 : 0;
    return (uint16_t)((uint32_t)sum.negative << 15 | (cancelled ? of_cancellation : magnitude));
}

uint32_t pack_accumulate_fp32(uint32_t held, uint32_t added)
{
    return accumulate_fp32(held, added);
}

uint16_t pack_accumulate_bf16(uint16_t held, uint16_t added)
{
    return accumulate_bf16(held, added);
}

uint16_t pack_accumulate_fp16(uint16_t held, uint16_t added)
{
    return accumulate_fp16(held, added);
}

/* Sixteen at a time, which the compiler makes vector code of, and then the rest. */
#define ACCUMULATE(sum)                                                                                                \
    unsigned i = 0;                                                                                                    \
    for (; i + 16 <= count; i += 16) {                                                                                 \
        const unsigned start = i;                                                                                      \
        for (unsigned lane = 0; lane < 16; lane++) {                                                                   \
            i = start + lane;                                                                                          \
            data[i] = (sum);                                                                                           \
        }                                                                                                              \
        i = start;                                                                                                     \
    }                                                                                                                  \
    for (; i < count; i++) {                                                                                           \
        data[i] = (sum);                                                                                               \
    }

FPU_CLONES void pack_accumulate_fp32_data(const uint32_t *held, uint32_t *data, unsigned count)
{
    ACCUMULATE(accumulate_fp32(held[i], data[i]));
}

FPU_CLONES void pack_accumulate_bf16_data(const uint16_t *held, uint32_t *data, unsigned count)
{
    ACCUMULATE(accumulate_bf16(held[i], (uint16_t)data[i]));
}

FPU_CLONES void pack_accumulate_fp16_data(const uint16_t *held, uint32_t *data, unsigned count)
{
    ACCUMULATE(accumulate_fp16(held[i], (uint16_t)data[i]));
}
