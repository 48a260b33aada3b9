#include "tensix/num/pack_accumulate.h"

#include "tensix/num/clones.h"

enum { INFINITY_32 = 0x7f800000, MAGNITUDE_32 = 0x7fffffff, HIDDEN = 1 << 23, GUARD = 3 };
enum { REBIAS = 127 - 15, LARGEST_16 = 0x7fff };

#define SIGN_32 UINT32_C(0x80000000)

/* The exact sum of two numbers, but for bits far below, which leave a sticky one. No branches from here on, so that
   many sums are made at once. */
struct sum {
    uint32_t sign;     /* 0 or 1 */
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
    uint32_t mantissa = ((datum & (HIDDEN - 1)) | HIDDEN) << GUARD;
    return datum & INFINITY_32 ? mantissa : 0;
}

/* Of two finite numbers in FP32's layout, where exponent 255 is an ordinary one and exponent 0 means zero. */
static inline struct sum add(uint32_t x, uint32_t y)
{
    uint32_t x_magnitude = x & MAGNITUDE_32, y_magnitude = y & MAGNITUDE_32;
    uint32_t larger = x_magnitude >= y_magnitude ? x : y;
    uint32_t smaller = x_magnitude >= y_magnitude ? y : x;
    uint32_t exponent = larger >> 23 & 0xff, smaller_exponent = smaller >> 23 & 0xff;
    uint32_t aligned = shift_right_sticky(mantissa_of(smaller), exponent - smaller_exponent);
    uint32_t subtract = (x ^ y) >> 31;
    uint32_t total = mantissa_of(larger) + (subtract ? 0 - aligned : aligned);
    int32_t shift = __builtin_clz(total | 1) - (32 - 24 - GUARD);
    uint32_t carried = total >> 1 | (total & 1);
    return (struct sum){
        .sign = larger >> 31 & ((total != 0) | (subtract ^ 1)),
        .exponent = (int32_t)exponent - shift,
        .mantissa = shift < 0 ? carried : total << (shift & 31),
    };
}

/* Rounds to nearest even so that `bits` of mantissa stay; exponent and mantissa side by side, as in memory. */
static inline uint32_t round_to_even(struct sum sum, unsigned bits)
{
    unsigned dropped = 23 + GUARD - bits;
    uint32_t odd = sum.mantissa >> dropped & 1;
    uint32_t kept = (sum.mantissa + (UINT32_C(1) << (dropped - 1)) - 1 + odd) >> dropped;
    return ((uint32_t)(sum.exponent - 1) << bits) + kept; /* the hidden bit adds the one */
}

static inline uint32_t flush(uint32_t datum)
{
    return (datum & MAGNITUDE_32) < HIDDEN ? datum & SIGN_32 : datum;
}

/* The magnitude with `bits` of mantissa, where exponent 255 is infinity and exponent 0 is zero. */
static inline uint32_t magnitude_of(struct sum sum, unsigned bits)
{
    uint32_t magnitude = round_to_even(sum, bits);
    magnitude = sum.exponent >= 255 ? UINT32_C(255) << bits : magnitude;
    magnitude = sum.exponent <= 0 ? 0 : magnitude;
    return sum.mantissa == 0 ? 0 : magnitude;
}

static inline uint32_t accumulate_fp32(uint32_t held, uint32_t added)
{
    uint32_t held_magnitude = held & MAGNITUDE_32, added_magnitude = added & MAGNITUDE_32;
    struct sum sum = add(flush(held), flush(added));
    uint32_t result = sum.sign << 31 | magnitude_of(sum, 23);
    result = added_magnitude == INFINITY_32 ? added : result;
    result = held_magnitude == INFINITY_32 ? held : result;
    uint32_t opposite = (held_magnitude == INFINITY_32) & (added_magnitude == INFINITY_32) & (held != added);
    uint32_t nan = (held_magnitude > INFINITY_32) | (added_magnitude > INFINITY_32) | opposite;
    return nan ? 0x7fc00000 : result;
}

static inline uint32_t accumulate_bf16(uint32_t held, uint32_t added)
{
    enum { INFINITY_16 = 0x7f80 };
    uint32_t held_magnitude = held & LARGEST_16, added_magnitude = added & LARGEST_16;
    struct sum sum = add(flush(held << 16), flush(added << 16));
    uint32_t result = sum.sign << 15 | magnitude_of(sum, 7);
    result = held_magnitude >= INFINITY_16 ? (held & 0x8000) | INFINITY_16 : result;
    result = added_magnitude == INFINITY_16 ? added : result;
    uint32_t opposite = (held_magnitude == INFINITY_16) & (added_magnitude == INFINITY_16) & (held != added);
    return opposite ? 0x7fc0 : result;
}

static inline uint32_t fp16_to_fp32(uint32_t datum)
{
    uint32_t magnitude = datum & LARGEST_16;
    uint32_t widened = (magnitude << 13) + ((uint32_t)REBIAS << 23);
    return (datum & 0x8000) << 16 | (magnitude >= 0x400 ? widened : 0);
}

static inline uint32_t accumulate_fp16(uint32_t held, uint32_t added)
{
    struct sum sum = add(fp16_to_fp32(held), fp16_to_fp32(added));
    uint32_t cancelled = (held >> 10 & 31) >= 30 ? LARGEST_16 : 0;
    uint32_t as_fp32 = magnitude_of(sum, 23);
    struct sum rounded = {
        .exponent = (int32_t)(as_fp32 >> 23) - REBIAS,
        .mantissa = ((as_fp32 & (HIDDEN - 1)) | HIDDEN) << GUARD,
    };
    uint32_t magnitude = round_to_even(rounded, 10);
    magnitude = magnitude > LARGEST_16 ? LARGEST_16 : magnitude;
    magnitude = rounded.exponent == 0 ? 0 : magnitude;
    magnitude = rounded.exponent < 0 ? LARGEST_16 : magnitude;
    return sum.sign << 15 | (sum.mantissa == 0 ? cancelled : magnitude);
}

uint32_t pack_accumulate_int32(uint32_t held, uint32_t added)
{
    int64_t held_value = (int64_t)(held & MAGNITUDE_32), added_value = (int64_t)(added & MAGNITUDE_32);
    int64_t sum = (held & SIGN_32 ? -held_value : held_value) + (added & SIGN_32 ? -added_value : added_value);
    int64_t magnitude = sum < 0 ? -sum : sum;
    return (sum < 0 ? SIGN_32 : 0) | (uint32_t)(magnitude > MAGNITUDE_32 ? MAGNITUDE_32 : magnitude);
}

void pack_accumulate_int32_data(const uint32_t *held, uint32_t *data, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        data[i] = pack_accumulate_int32(held[i], data[i]);
    }
}

uint32_t pack_accumulate_fp32(uint32_t held, uint32_t added)
{
    return accumulate_fp32(held, added);
}

uint16_t pack_accumulate_bf16(uint16_t held, uint16_t added)
{
    return (uint16_t)accumulate_bf16(held, added);
}

uint16_t pack_accumulate_fp16(uint16_t held, uint16_t added)
{
    return (uint16_t)accumulate_fp16(held, added);
}

enum { LANES = 16 };

/* Sixteen at a time, which the compiler makes vector code of. */
#define SIXTEEN(format)                                                                                                \
    static inline void accumulate_##format##_lanes(const uint32_t *restrict held, uint32_t *restrict data)             \
    {                                                                                                                  \
        for (unsigned lane = 0; lane < LANES; lane++) {                                                                \
            data[lane] = accumulate_##format(held[lane], data[lane]);                                                  \
        }                                                                                                              \
    }

SIXTEEN(fp32)
SIXTEEN(bf16)
SIXTEEN(fp16)

static inline void widen_lanes(const uint16_t *restrict held, uint32_t *restrict wide)
{
    for (unsigned lane = 0; lane < LANES; lane++) {
        wide[lane] = held[lane];
    }
}

CLONES(void, pack_accumulate_fp32_data, (const uint32_t *held, uint32_t *data, unsigned count), (held, data, count))
{
    unsigned i = 0;
    for (; i + LANES <= count; i += LANES) {
        accumulate_fp32_lanes(held + i, data + i);
    }
    for (; i < count; i++) {
        data[i] = accumulate_fp32(held[i], data[i]);
    }
}

CLONES(void, pack_accumulate_bf16_data, (const uint16_t *held, uint32_t *data, unsigned count), (held, data, count))
{
    uint32_t wide[LANES];
    unsigned i = 0;
    for (; i + LANES <= count; i += LANES) {
        widen_lanes(held + i, wide);
        accumulate_bf16_lanes(wide, data + i);
    }
    for (; i < count; i++) {
        data[i] = accumulate_bf16(held[i], data[i]);
    }
}

CLONES(void, pack_accumulate_fp16_data, (const uint16_t *held, uint32_t *data, unsigned count), (held, data, count))
{
    uint32_t wide[LANES];
    unsigned i = 0;
    for (; i + LANES <= count; i += LANES) {
        widen_lanes(held + i, wide);
        accumulate_fp16_lanes(wide, data + i);
    }
    for (; i < count; i++) {
        data[i] = accumulate_fp16(held[i], data[i]);
    }
}
