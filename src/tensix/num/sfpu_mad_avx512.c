/* The multiply-add on 32 lanes for hosts with AVX-512, which shifts by any count and counts leading zeros. The steps
   are those of sfpu_mad_lanes.c. */
#include "tensix/num/sfpu_mad_variants.h"

#if defined(__x86_64__)
#include <immintrin.h>

#define AVX512 __attribute__((target("avx512f,avx512bw,avx512cd,avx512dq,avx512vl")))

enum { HALF_OF_LANES = 16, EXPONENT_BIAS = 127, EXPONENT_MAX = 255 };

AVX512 static inline __m512i all(uint32_t value)
{
    return _mm512_set1_epi32((int)value);
}

AVX512 static inline __m512i exponent_of(__m512i x)
{
    return _mm512_srli_epi32(_mm512_slli_epi32(x, 1), 24);
}

/* Truth tables of three inputs for _mm512_ternarylogic_epi32(): a & ~b, or b, from the table of each. */
enum { TABLE_A = 0xf0, TABLE_B = 0xcc, TABLE_C = 0xaa };

/* The mantissa with its leading one in bit `23 + shift`, zero for denormals. */
AVX512 static inline __m512i mantissa_of(__m512i x, __m512i exponent, unsigned shift)
{
    __m512i shifted = _mm512_slli_epi32(x, shift);
    return _mm512_maskz_ternarylogic_epi32(_mm512_test_epi32_mask(exponent, exponent), shifted, all(0x7fffffu << shift),
                                           all(0x800000u << shift), (TABLE_A & TABLE_B) | TABLE_C);
}

/* Bits 63:32 of the products of 32-bit lanes; their lowest bit set where bits 31:0 are not zero. */
AVX512 static inline __m512i multiply(__m512i x, __m512i y)
{
    enum { ODD_LANES = 0xaaaa };
    __m512i even = _mm512_mul_epu32(x, y);
    __m512i odd = _mm512_mul_epu32(_mm512_srli_epi64(x, 32), _mm512_srli_epi64(y, 32));
    __m512i high = _mm512_mask_blend_epi32(ODD_LANES, _mm512_srli_epi64(even, 32), odd);
    __m512i low = _mm512_mask_blend_epi32(ODD_LANES, even, _mm512_slli_epi64(odd, 32));
    return _mm512_mask_or_epi32(high, _mm512_test_epi32_mask(low, low), high, all(1));
}

/* Returns the lanes for which this is not the way: see multiply_add() of sfpu_mad_lanes.c. */
AVX512 static inline __mmask16 multiply_add(__m512i x, __m512i y, __m512i z, __m512i *result)
{
    __m512i zero = _mm512_setzero_si512();
    __m512i x_exponent = exponent_of(x), y_exponent = exponent_of(y), addend_exponent = exponent_of(z);
    __m512i product = multiply(mantissa_of(x, x_exponent, 8), mantissa_of(y, y_exponent, 4));
    __m512i addend = mantissa_of(z, addend_exponent, 3);
    __m512i product_exponent = _mm512_sub_epi32(_mm512_add_epi32(x_exponent, y_exponent), all(EXPONENT_BIAS));
    __m512i largest =
        _mm512_max_epi32(_mm512_max_epi32(x_exponent, y_exponent), _mm512_max_epi32(product_exponent, addend_exponent));
    __mmask16 special = _mm512_cmpge_epi32_mask(largest, all(EXPONENT_MAX));

    __mmask16 counts = _mm512_mask_cmpge_epi32_mask(_mm512_test_epi32_mask(product, product), product_exponent, zero);
    product = _mm512_maskz_mov_epi32(counts, product);
    product_exponent = _mm512_maskz_mov_epi32(counts, product_exponent);

    __m512i product_sign = _mm512_xor_si512(x, y); /* in bit 31 */
    __m512i difference = _mm512_sub_epi32(product_exponent, addend_exponent);
    __mmask16 addend_leads = _mm512_movepi32_mask(difference);
    __m512i big = _mm512_mask_mov_epi32(product, addend_leads, addend);
    __m512i small = _mm512_mask_mov_epi32(addend, addend_leads, product);
    __m512i big_sign = _mm512_mask_mov_epi32(product_sign, addend_leads, z);
    __m512i exponent = _mm512_max_epi32(product_exponent, addend_exponent);
    __m512i distance = _mm512_abs_epi32(difference);
    __m512i aligned = _mm512_srlv_epi32(small, distance);
    __mmask16 lost = _mm512_cmpneq_epi32_mask(_mm512_sllv_epi32(aligned, distance), small);
    aligned = _mm512_mask_or_epi32(aligned, _mm512_mask_test_epi32_mask(lost, aligned, aligned), aligned, all(1));

    __mmask16 subtract = _mm512_movepi32_mask(_mm512_xor_si512(product_sign, z));
    __m512i sum = _mm512_mask_sub_epi32(_mm512_add_epi32(big, aligned), subtract, big, aligned);
    __m512i magnitude = _mm512_abs_epi32(sum);
    __mmask16 nothing = _mm512_testn_epi32_mask(sum, sum);
    __m512i sign = _mm512_mask_and_epi32(_mm512_xor_si512(big_sign, sum), nothing, product_sign, z);

    __m512i zeros = _mm512_lzcnt_epi32(magnitude);
    __m512i normal = _mm512_sllv_epi32(magnitude, zeros), mantissa = _mm512_srli_epi32(normal, 8);
    exponent = _mm512_sub_epi32(exponent, zeros); /* 5 less than it is */
    /* Half a unit, less one where that would round an even number up. The leading one adds one to the exponent. */
    __m512i rest = _mm512_add_epi32(_mm512_and_si512(normal, all(0xff)), _mm512_and_si512(mantissa, all(1)));
    __m512i packed = _mm512_add_epi32(_mm512_slli_epi32(_mm512_add_epi32(exponent, all(4)), 23), mantissa);
    packed = _mm512_mask_add_epi32(packed, _mm512_cmpgt_epi32_mask(rest, all(0x80)), packed, all(1));
    packed = _mm512_mask_mov_epi32(packed, _mm512_cmpge_epi32_mask(exponent, all(EXPONENT_MAX - 5)),
                                   all((uint32_t)EXPONENT_MAX << 23));
    __mmask16 underflow = _mm512_cmple_epi32_mask(exponent, all((uint32_t)-5)) | nothing;
    packed = _mm512_mask_mov_epi32(packed, underflow, zero);
    packed = _mm512_mask_mov_epi32(packed, _mm512_mask_cmpeq_epi32_mask(underflow, mantissa, all(0xffffff)),
                                   all(0x00800000));
    *result = _mm512_ternarylogic_epi32(sign, all(0x80000000), packed, (TABLE_A & TABLE_B) | TABLE_C);
    return special;
}

bool sfpu_mad_has_avx512(void)
{
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl");
}

AVX512 void sfpu_mad_lanes_avx512(uint32_t *result, const struct sfpu_mad_operands *operands, uint32_t lanes)
{
    __m512i sums[2], x_sign = all(operands->x_sign), z_sign = all(operands->z_sign);
    uint32_t special = 0;
#pragma GCC unroll 2
    for (unsigned i = 0; i < 2; i++) {
        __m512i x = _mm512_xor_si512(_mm512_loadu_si512(operands->x + HALF_OF_LANES * i), x_sign);
        __m512i y = _mm512_loadu_si512(operands->y + HALF_OF_LANES * i);
        __m512i z = _mm512_xor_si512(_mm512_loadu_si512(operands->z + HALF_OF_LANES * i), z_sign);
        special |= (uint32_t)multiply_add(x, y, z, &sums[i]) << HALF_OF_LANES * i;
    }
    special &= lanes;
    while (__builtin_expect(special != 0, 0)) {
        unsigned lane = (unsigned)__builtin_ctz(special);
        uint32_t sum =
            sfpu_mad(operands->x[lane] ^ operands->x_sign, operands->y[lane], operands->z[lane] ^ operands->z_sign);
        __mmask16 here = (__mmask16)(1u << lane % HALF_OF_LANES);
        sums[lane / HALF_OF_LANES] = _mm512_mask_mov_epi32(sums[lane / HALF_OF_LANES], here, all(sum));
        special &= special - 1;
    }
    _mm512_mask_storeu_epi32(result, (__mmask16)lanes, sums[0]);
    _mm512_mask_storeu_epi32(result + HALF_OF_LANES, (__mmask16)(lanes >> HALF_OF_LANES), sums[1]);
}

#else

bool sfpu_mad_has_avx512(void)
{
    return false;
}

void sfpu_mad_lanes_avx512(uint32_t *result, const struct sfpu_mad_operands *operands, uint32_t lanes)
{
    sfpu_mad_lanes_portable(result, operands, lanes);
}

#endif
