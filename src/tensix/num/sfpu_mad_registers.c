#include "tensix/num/sfpu_mad_registers.h"

#include <stddef.h>

#include "tensix/num/sfpu_mad_variants.h"

#if defined(BHEMU_KEEPS_VECTOR_REGISTERS)
#include "tensix/num/sfpu_mad_avx512.h"

enum { HALF = 16, LANES = 0xffff };
#define ONE 0x3f800000u

/* `sums`, with those in `unfit` replaced. */
__attribute__((noinline)) AVX512 static __m512 replace_unfit(__m512 x, __m512 y, __m512 z, __mmask16 unfit, __m512 sums)
{
    __m512i any = multiply_add_any(_mm512_castps_si512(x), _mm512_castps_si512(y), _mm512_castps_si512(z));
    return _mm512_mask_mov_ps(sums, unfit, _mm512_castsi512_ps(any));
}

AVX512 static __m512 multiply_add_half(__m512 x, __m512 y, __m512 z, uint32_t lanes)
{
    __m512 sums;
    __mmask16 unfit = (__mmask16)(~multiply_add_float(from_memory(), x, y, z, &sums) & lanes);
    return __builtin_expect(unfit != 0, 0) ? replace_unfit(x, y, z, unfit, sums) : sums;
}

AVX512 static __m512 multiply_half(__m512 x, __m512 y, __m512 unused, uint32_t lanes)
{
    __m512 products;
    __mmask16 unfit = (__mmask16)(~multiply_float(from_memory(), x, y, &products) & lanes);
    return __builtin_expect(unfit != 0, 0) ? multiply_add_half(x, y, _mm512_setzero_ps(), lanes) : products;
}

/* A sum of two normal numbers, or zeros, is exact where it is denormal. */
AVX512 static __m512 add_half(__m512 x, __m512 y, __m512 unused, uint32_t lanes)
{
    enum { DENORMAL = 0x20, INFINITE_OR_NAN = 0x99 };
    __m512 sums = _mm512_add_round_ps(x, y, NEAREST);
    __mmask16 denormal = _kor_mask16(_mm512_fpclass_ps_mask(x, DENORMAL), _mm512_fpclass_ps_mask(y, DENORMAL));
    __mmask16 unfit =
        (__mmask16)(_kor_mask16(denormal, _mm512_fpclass_ps_mask(sums, DENORMAL | INFINITE_OR_NAN)) & lanes);
    return __builtin_expect(unfit != 0, 0) ? replace_unfit(x, _mm512_set1_ps(1), y, unfit, sums) : sums;
}

const void *sfpu_mad_in_registers(enum sfpu_mad_function function)
{
    switch (function) {
    case SFPU_MULTIPLY_ADD: return (const void *)multiply_add_half;
    case SFPU_MULTIPLY: return (const void *)multiply_half;
    default: return (const void *)add_half;
    }
}

static bool is_one(const uint32_t *x, uint32_t sign)
{
    bool one = true;
    for (unsigned lane = 0; lane < 2 * HALF; lane++) {
        one &= (x[lane] ^ sign) == ONE;
    }
    return one;
}

AVX512 bool sfpu_mad_lanes_registers(uint32_t *result, const struct sfpu_mad_operands *given, uint32_t lanes)
{
    const struct sfpu_mad_operands in_memory = sfpu_mad_in_memory(given), *operands = &in_memory;
    const __m512i x_sign = all(operands->x_sign), z_sign = all(operands->z_sign);
    for (unsigned first = 0; first < 2 * HALF; first += HALF, lanes >>= HALF) {
        __m512 x = _mm512_castsi512_ps(_mm512_xor_si512(_mm512_loadu_si512(operands->x + first), x_sign));
        __m512 z = _mm512_castsi512_ps(_mm512_xor_si512(_mm512_loadu_si512(operands->z + first), z_sign));
        __m512 y = _mm512_loadu_ps(operands->y + first), sums;
        if (!given->z && !given->z_sign) {
            sums = multiply_half(x, y, z, lanes & LANES);
        } else if (is_one(operands->x, operands->x_sign)) {
            sums = add_half(y, z, z, lanes & LANES);
        } else {
            sums = multiply_add_half(x, y, z, lanes & LANES);
        }
        _mm512_mask_storeu_ps(result + first, (__mmask16)lanes, sums);
    }
    return true;
}

#else

bool sfpu_mad_lanes_registers(uint32_t *result, const struct sfpu_mad_operands *operands, uint32_t lanes)
{
    return false;
}

const void *sfpu_mad_in_registers(enum sfpu_mad_function function)
{
    return NULL;
}

#endif
