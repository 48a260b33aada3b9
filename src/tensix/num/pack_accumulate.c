#include "tensix/num/pack_accumulate.h"

#include <string.h>

#include "tensix/num/clones.h"

enum { INFINITY_32 = 0x7f800000, MAGNITUDE_32 = 0x7fffffff, HIDDEN = 1 << 23, GUARD = 3 };
enum { REBIAS = 127 - 15, LARGEST_16 = 0x7fff };

#define SIGN_32 UINT32_C(0x80000000)

/* The sum of two numbers: exact, except that far lower bits are merged into a sticky one. No branches from here on, so
   that loops can be vectorised. */
struct sum {
    uint32_t sign;     /* 0 or 1 */
    int32_t exponent;  /* biased by 127 */
    uint32_t mantissa; /* 24 bits with the top one set, and three guard bits below; 0: the sum is zero */
};

static inline uint32_t shift_right_sticky(uint32_t value, uint32_t shift)
{
    shift = shift > 31 ? 31 : shift; /* 31 shifts out all of the at most 27 bits */
    uint32_t dropped = value & ((UINT32_C(1) << shift) - 1);
    return value >> shift | (dropped != 0);
}

static inline uint32_t mantissa_of(uint32_t datum)
{
    uint32_t mantissa = ((datum & (HIDDEN - 1)) | HIDDEN) << GUARD;
    return datum & INFINITY_32 ? mantissa : 0;
}

/* Adds two finite numbers in FP32's layout, where exponent 255 is an ordinary one and exponent 0 means zero. */
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

/* Rounds to nearest even to `bits` of mantissa; returns exponent and mantissa in FP32's order. */
static inline uint32_t round_to_even(struct sum sum, unsigned bits)
{
    unsigned dropped = 23 + GUARD - bits;
    uint32_t odd = sum.mantissa >> dropped & 1;
    uint32_t kept = (sum.mantissa + (UINT32_C(1) << (dropped - 1)) - 1 + odd) >> dropped;
    return ((uint32_t)(sum.exponent - 1) << bits) + kept; /* adding the hidden bit increments the exponent */
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

/* ---- the same by the host's sums of floats ----
   What is added are zeroes and normal numbers, and sums that are denormal become zero: by the host, if it flushes, or
   here. So these are the sums of IEEE 754, where the host rounds to even. To round one of 16 bits twice, first to 24
   bits of mantissa, is as good as once: those are more than twice as many as its own, and two. */

static inline uint32_t sum_of(uint32_t x, uint32_t y)
{
    float a, b;
    memcpy(&a, &x, sizeof a);
    memcpy(&b, &y, sizeof b);
    a += b;
    memcpy(&x, &a, sizeof x);
    return x;
}

/* Rounds to nearest even. */
static inline uint32_t without_low_bits(uint32_t value, unsigned dropped)
{
    return (value + (UINT32_C(1) << (dropped - 1)) - 1 + (value >> dropped & 1)) >> dropped;
}

static inline uint32_t sum_fp32(uint32_t held, uint32_t added)
{
    return flush(sum_of(flush(held), flush(added)));
}

static inline uint32_t sum_bf16(uint32_t held, uint32_t added)
{
    return without_low_bits(sum_fp32(held << 16, added << 16), 16);
}

static inline uint32_t sum_fp16(uint32_t held, uint32_t added)
{
    uint32_t sum = sum_of(fp16_to_fp32(held), fp16_to_fp32(added)), as_fp32 = sum & MAGNITUDE_32;
    uint32_t cancelled = (held >> 10 & 31) >= 30 ? LARGEST_16 : 0;
    uint32_t magnitude = without_low_bits(as_fp32, 13) - ((uint32_t)REBIAS << 10), exponent = as_fp32 >> 23;
    magnitude = magnitude > LARGEST_16 ? LARGEST_16 : magnitude;
    magnitude = exponent == REBIAS ? 0 : magnitude;
    magnitude = exponent < REBIAS ? LARGEST_16 : magnitude;
    return (sum & SIGN_32) >> 16 | (as_fp32 == 0 ? cancelled : magnitude);
}

/* Whether the host rounds to nearest even, and has no floating-point traps enabled. */
static bool host_sums_floats(void)
{
#if defined(__x86_64__)
    enum { ROUNDING_AND_MASKS = 0x7f80, TO_EVEN_AND_ALL_MASKED = 0x1f80 };
    return (__builtin_ia32_stmxcsr() & ROUNDING_AND_MASKS) == TO_EVEN_AND_ALL_MASKED;
#else
    return false;
#endif
}

/* ---- sixteen at a time, of which the compiler makes vector code ---- */

enum { LANES = 16 };

static inline uint32_t load(const uint8_t *data, size_t size, size_t i)
{
    uint32_t word;
    uint16_t half;
    if (size == sizeof half) {
        memcpy(&half, data + i * size, size);
        return half;
    }
    memcpy(&word, data + i * size, size);
    return word;
}

static inline void store(uint8_t *data, size_t size, size_t i, uint32_t value)
{
    uint16_t half = (uint16_t)value;
    if (size == sizeof half) {
        memcpy(data + i * size, &half, size);
    } else {
        memcpy(data + i * size, &value, size);
    }
}

typedef uint32_t adder(uint32_t held, uint32_t added);

/* Whether any of sixteen data has all exponent bits set. `exponent`: these bits, with the sign above them. */
static inline bool any_infinite(const uint8_t *held, const uint8_t *data, size_t size, uint32_t exponent)
{
    uint32_t sums = 0, lowest = exponent & -exponent;
    AS_VECTOR
    for (size_t i = 0; i < LANES; i++) {
        sums |= (load(held, size, i) & exponent) + lowest;
        sums |= (load(data, size, i) & exponent) + lowest;
    }
    return sums & (exponent + lowest);
}

static inline void add_each(adder *add_one, size_t size, uint8_t *restrict held, const uint8_t *restrict data,
                            size_t count)
{
    AS_VECTOR
    for (size_t i = 0; i < count; i++) {
        store(held, size, i, add_one(load(held, size, i), load(data, size, i)));
    }
}

/* Sixteen at a time: `by_floats` if all are finite, otherwise `by_integers`. */
__attribute__((always_inline)) static inline void add_many(adder *by_floats, adder *by_integers, size_t size,
                                                           uint32_t infinity, uint8_t *held, const uint8_t *data,
                                                           size_t count)
{
    bool sums_floats = host_sums_floats();
    for (; count >= LANES; count -= LANES, held += LANES * size, data += LANES * size) {
        if (sums_floats && !any_infinite(held, data, size, infinity)) {
            add_each(by_floats, size, held, data, LANES);
        } else {
            add_each(by_integers, size, held, data, LANES);
        }
    }
    add_each(by_integers, size, held, data, count);
}

CLONES(void, pack_accumulate_fp32_data, (void *held, const void *data, unsigned count), (held, data, count))
{
    add_many(sum_fp32, accumulate_fp32, sizeof(uint32_t), INFINITY_32, held, data, count);
}

CLONES(void, pack_accumulate_bf16_data, (void *held, const void *data, unsigned count), (held, data, count))
{
    add_many(sum_bf16, accumulate_bf16, sizeof(uint16_t), 0x7f80, held, data, count);
}

CLONES(void, pack_accumulate_fp16_data, (void *held, const void *data, unsigned count), (held, data, count))
{
    enum { NONE_IS_INFINITE = 0 };
    add_many(sum_fp16, accumulate_fp16, sizeof(uint16_t), NONE_IS_INFINITE, held, data, count);
}

CLONES(void, pack_accumulate_int32_data, (void *held, const void *data, unsigned count), (held, data, count))
{
    add_each(pack_accumulate_int32, sizeof(uint32_t), held, data, count);
}
