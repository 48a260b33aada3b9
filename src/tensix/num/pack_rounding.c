#include "tensix/num/pack_rounding.h"

#include <string.h>

#include "tensix/num/rounding.h"

enum { EXPONENT_32 = 0x7f800000, MAGNITUDE_32 = 0x7fffffff, MAGNITUDE_16 = 0x7fff, LARGEST_E5M6 = 0x7ff0 };

#define SIGN_32 UINT32_C(0x80000000)

/* Eight exponent bits; infinity and NaN are not rounded. */
static uint32_t wide(uint32_t datum, unsigned dropped, uint32_t random)
{
    if ((datum & EXPONENT_32) == EXPONENT_32) {
        return datum;
    }
    return (datum & SIGN_32) | round_at_random(datum & MAGNITUDE_32, dropped, random) << dropped;
}

static uint32_t integer(uint32_t datum, unsigned shift, uint32_t random)
{
    uint32_t magnitude = round_at_random(datum & MAGNITUDE_32, shift, random), most = MAGNITUDE_32 >> shift;
    return (datum & SIGN_32) | (magnitude > most ? most : magnitude) << shift;
}

/* Denormals are flushed before BF16 is rounded to six bits. */
static uint32_t bf16_to_e8m6(uint32_t cell, uint32_t random)
{
    uint32_t datum = cell << 16;
    return datum & EXPONENT_32 ? wide(datum, 17, random) >> 16 : cell;
}

static uint32_t fp16_to_e5m6(uint32_t cell, uint32_t random)
{
    enum { DROPPED = 4 };
    uint32_t datum = dst_to_fp16((uint16_t)cell);
    uint32_t magnitude = round_at_random(datum & MAGNITUDE_16, DROPPED, random) << DROPPED;
    magnitude = magnitude > LARGEST_E5M6 ? LARGEST_E5M6 : magnitude;
    return dst_from_fp16((uint16_t)((datum & 0x8000) | magnitude));
}

static uint32_t round_early(enum pack_early early, unsigned shift, uint32_t datum, uint32_t random)
{
    switch (early) {
    case PACK_EARLY_32B_TO_TF32: return wide(datum, 13, random);
    case PACK_EARLY_32B_TO_BF16: return wide(datum, 16, random);
    case PACK_EARLY_32B_TO_E8M6: return wide(datum, 17, random);
    case PACK_EARLY_32B_TO_INT8:
    case PACK_EARLY_32B_TO_UINT8: return integer(datum, shift, random);
    case PACK_EARLY_BF16_TO_E8M6: return bf16_to_e8m6(datum, random);
    case PACK_EARLY_FP16_TO_E5M6: return fp16_to_e5m6(datum, random);
    default: return datum;
    }
}

void pack_early_at_random(enum pack_early early, unsigned shift, const pack_row *random, pack_row *rows, unsigned count)
{
    for (unsigned row = 0; row < count; row++) {
        for (unsigned column = 0; column < ROW_COLUMNS; column++) {
            rows[row][column] = round_early(early, shift, rows[row][column], random[row][column]);
        }
    }
}

/* Aligned to the shared exponent, seven bits of the mantissa with its hidden one; then truncated to the format's
   bits. */
static uint32_t bfp_magnitude(uint32_t datum, uint32_t shared, unsigned bits, uint32_t random)
{
    uint32_t exponent = datum >> 7 & 0xff;
    uint32_t mantissa = (datum & 0x7f) | (exponent ? 0x80 : 0);
    uint32_t magnitude = round_at_random(mantissa, shared - exponent + 1, random);
    magnitude = magnitude > 127 ? 127 : magnitude;
    return magnitude >> (8 - bits);
}

uint8_t pack_bfp_group_at_random(const uint32_t datums[16], unsigned bits, const uint32_t random[16], uint8_t *bytes)
{
    uint32_t shared = 0;
    for (unsigned i = 0; i < 16; i++) {
        uint32_t exponent = datums[i] >> 7 & 0xff;
        shared = exponent > shared ? exponent : shared;
    }
    memset(bytes, 0, 2 * (size_t)bits);
    for (unsigned i = 0; i < 16; i++) {
        uint32_t magnitude = bfp_magnitude(datums[i], shared, bits, random[i]);
        uint32_t sign = (datums[i] >> 15 & 1) << (bits - 1);
        uint32_t code = magnitude ? sign | magnitude : 0; /* minus zero would mean minus infinity */
        bytes[i * bits / 8] |= (uint8_t)(code << i * bits % 8);
    }
    return (uint8_t)shared;
}
