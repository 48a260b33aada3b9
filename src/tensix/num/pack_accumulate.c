#include "tensix/num/pack_accumulate.h"

#include "tensix/num/clones.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

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

/* ---- sixteen at a time: on any host, where the compiler makes vector code of it ---- */

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

/* ---- and by the host's sums of floats ----
   What is added are zeroes and normal numbers, rounding is to even whatever the host's environment says, and sums that
   are denormal become zero: by the host, if it flushes, or here. So these are the sums of IEEE 754. To round one of
   BF16 twice, first to 24 bits, is as good as once: those are more than twice as many as its 8, and two. A function
   returns false, and does nothing, if there are infinities or what is beyond them. */
#if defined(__x86_64__)
#define AVX512 __attribute__((target("arch=x86-64-v4")))

AVX512 static inline __m512i all(uint32_t value)
{
    return _mm512_set1_epi32((int32_t)value);
}

AVX512 static inline __m512i sum_of(__m512i x, __m512i y)
{
    return _mm512_castps_si512(_mm512_add_round_ps(_mm512_castsi512_ps(x), _mm512_castsi512_ps(y),
                                                   _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC));
}

/* Numbers with an exponent of zero become zero, with their sign. */
AVX512 static inline __m512i flushed(__m512i x)
{
    __mmask16 normal = _mm512_test_epi32_mask(x, all(INFINITY_32));
    return _mm512_mask_mov_epi32(_mm512_and_si512(x, all(SIGN_32)), normal, x);
}

AVX512 static inline bool all_finite(__m512i x, __m512i y)
{
    __m512i infinity = all(INFINITY_32);
    return !(_mm512_cmpeq_epi32_mask(_mm512_and_si512(x, infinity), infinity) |
             _mm512_cmpeq_epi32_mask(_mm512_and_si512(y, infinity), infinity));
}

/* Rounds to even so that the lowest `dropped` bits go. */
AVX512 static inline __m512i rounded(__m512i x, unsigned dropped)
{
    __m512i odd = _mm512_and_si512(_mm512_srli_epi32(x, dropped), all(1));
    __m512i half = all((UINT32_C(1) << (dropped - 1)) - 1);
    return _mm512_srli_epi32(_mm512_add_epi32(_mm512_add_epi32(x, half), odd), dropped);
}

AVX512 static inline __m512i load_halves(const uint16_t *halves)
{
    return _mm512_cvtepu16_epi32(_mm256_loadu_si256((const __m256i_u *)halves));
}

AVX512 static bool fp32_sums(const uint32_t *held, uint32_t *data)
{
    __m512i x = _mm512_loadu_si512(held), y = _mm512_loadu_si512(data);
    if (!all_finite(x, y)) {
        return false;
    }
    _mm512_storeu_si512(data, flushed(sum_of(flushed(x), flushed(y))));
    return true;
}

AVX512 static bool bf16_sums(const uint16_t *held, uint32_t *data)
{
    __m512i x = _mm512_slli_epi32(load_halves(held), 16), y = _mm512_slli_epi32(_mm512_loadu_si512(data), 16);
    if (!all_finite(x, y)) {
        return false;
    }
    _mm512_storeu_si512(data, rounded(flushed(sum_of(flushed(x), flushed(y))), 16));
    return true;
}

AVX512 static inline __m512i floats_of_fp16(__m512i fp16)
{
    __m512i magnitude = _mm512_and_si512(fp16, all(LARGEST_16));
    __m512i widened = _mm512_add_epi32(_mm512_slli_epi32(magnitude, 13), all((uint32_t)REBIAS << 23));
    __m512i sign = _mm512_slli_epi32(_mm512_and_si512(fp16, all(0x8000)), 16);
    __mmask16 normal = _mm512_test_epi32_mask(fp16, all(0x7c00));
    return _mm512_mask_or_epi32(sign, normal, sign, widened);
}

AVX512 static void fp16_sums(const uint16_t *held, uint32_t *data)
{
    __m512i fp16 = load_halves(held);
    __m512i sum = sum_of(floats_of_fp16(fp16), floats_of_fp16(_mm512_loadu_si512(data)));
    __m512i as_fp32 = _mm512_and_si512(sum, all(MAGNITUDE_32)), exponent = _mm512_srli_epi32(as_fp32, 23);
    __m512i magnitude = _mm512_sub_epi32(rounded(as_fp32, 13), all((uint32_t)REBIAS << 10));
    magnitude = _mm512_min_epu32(magnitude, all(LARGEST_16));
    magnitude = _mm512_mask_mov_epi32(magnitude, _mm512_cmplt_epi32_mask(exponent, all(REBIAS)), all(LARGEST_16));
    magnitude = _mm512_maskz_mov_epi32(_mm512_cmpneq_epi32_mask(exponent, all(REBIAS)), magnitude);
    __mmask16 none = _mm512_testn_epi32_mask(as_fp32, as_fp32);
    __mmask16 large = _mm512_cmpge_epu32_mask(_mm512_and_si512(fp16, all(0x7c00)), all(30 << 10));
    magnitude = _mm512_mask_mov_epi32(magnitude, none, _mm512_maskz_mov_epi32(large, all(LARGEST_16)));
    _mm512_storeu_si512(data, _mm512_or_si512(_mm512_srli_epi32(_mm512_and_si512(sum, all(SIGN_32)), 16), magnitude));
}
#else
static bool fp32_sums(const uint32_t *held, uint32_t *data)
{
    return false;
}

static bool bf16_sums(const uint16_t *held, uint32_t *data)
{
    return false;
}

static void fp16_sums(const uint16_t *held, uint32_t *data) {}
#endif

LEVELS(void, fp32_lanes, (const uint32_t *held, uint32_t *data), (held, data))
{
    accumulate_fp32_lanes(held, data);
}

LEVELS(void, bf16_lanes, (const uint16_t *held, uint32_t *data), (held, data))
{
    uint32_t wide[LANES];
    widen_lanes(held, wide);
    accumulate_bf16_lanes(wide, data);
}

LEVELS(void, fp16_lanes, (const uint16_t *held, uint32_t *data), (held, data))
{
    uint32_t wide[LANES];
    widen_lanes(held, wide);
    accumulate_fp16_lanes(wide, data);
}

void pack_accumulate_fp32_data(const uint32_t *held, uint32_t *data, unsigned count)
{
    unsigned i = 0;
    for (; i + LANES <= count; i += LANES) {
        if (!host_has_avx512() || !fp32_sums(held + i, data + i)) {
            CLONE(fp32_lanes)(held + i, data + i);
        }
    }
    for (; i < count; i++) {
        data[i] = accumulate_fp32(held[i], data[i]);
    }
}

void pack_accumulate_bf16_data(const uint16_t *held, uint32_t *data, unsigned count)
{
    unsigned i = 0;
    for (; i + LANES <= count; i += LANES) {
        if (!host_has_avx512() || !bf16_sums(held + i, data + i)) {
            CLONE(bf16_lanes)(held + i, data + i);
        }
    }
    for (; i < count; i++) {
        data[i] = accumulate_bf16(held[i], data[i]);
    }
}

void pack_accumulate_fp16_data(const uint16_t *held, uint32_t *data, unsigned count)
{
    unsigned i = 0;
    for (; i + LANES <= count; i += LANES) {
        if (host_has_avx512()) {
            fp16_sums(held + i, data + i);
        } else {
            CLONE(fp16_lanes)(held + i, data + i);
        }
    }
    for (; i < count; i++) {
        data[i] = accumulate_fp16(held[i], data[i]);
    }
}
