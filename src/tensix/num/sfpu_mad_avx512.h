/* The multiply-add on 16 lanes in the host's registers, for hosts with AVX-512, which shifts by any count and counts
   leading zeros. The steps are those of sfpu_mad_lanes.c. Internal to num/sfpu_mad_*.c, and only for x86-64. */
#ifndef BHEMU_TENSIX_NUM_SFPU_MAD_AVX512_H
#define BHEMU_TENSIX_NUM_SFPU_MAD_AVX512_H

#include <immintrin.h>
#include <stdint.h>

#define AVX512 __attribute__((target("avx512f,avx512bw,avx512cd,avx512dq,avx512vl")))

enum { EXPONENT_BIAS = 127, EXPONENT_MAX = 255 };

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

/* In integers. Returns the lanes for which this is not the way either: see is_special() of sfpu_mad_lanes.c. */
AVX512 static inline __mmask16 multiply_add_integer(__m512i x, __m512i y, __m512i z, __m512i *result)
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

enum {
    NEAREST = _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC,
    UP = _MM_FROUND_TO_POS_INF | _MM_FROUND_NO_EXC,
    DOWN = _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC
};

/* A denormal counts as zero. */
AVX512 static inline __m512i without_denormals(__m512i x)
{
    return _mm512_mask_and_epi32(x, _mm512_testn_epi32_mask(x, all((uint32_t)EXPONENT_MAX << 23)), x, all(0x80000000));
}

/* Where multiply_add_integer() is not the way: the host's own sum if an infinity or NaN goes in, but with the one NaN
   that there is; else the product has overflowed. */
AVX512 static inline __m512i multiply_add_special(__m512i x, __m512i y, __m512i z)
{
    enum { NAN_ = 0x81, INFINITE_OR_NAN = 0x99 };
    __m512 a = _mm512_castsi512_ps(without_denormals(x)), b = _mm512_castsi512_ps(without_denormals(y));
    __m512 c = _mm512_castsi512_ps(without_denormals(z)), sum = _mm512_fmadd_round_ps(a, b, c, NEAREST);
    __mmask16 goes_in = _kor_mask16(
        _mm512_fpclass_ps_mask(a, INFINITE_OR_NAN),
        _kor_mask16(_mm512_fpclass_ps_mask(b, INFINITE_OR_NAN), _mm512_fpclass_ps_mask(c, INFINITE_OR_NAN)));
    __m512i sums = _mm512_mask_mov_epi32(_mm512_castps_si512(sum), _mm512_fpclass_ps_mask(sum, NAN_), all(0x7fc00000));
    __m512i overflow = _mm512_or_si512(_mm512_and_si512(_mm512_xor_si512(x, y), all(0x80000000)), all(0x7f800000));
    return _mm512_mask_mov_epi32(overflow, goes_in, sums);
}

/* x * y + z, whatever they are. */
AVX512 static inline __m512i multiply_add_any(__m512i x, __m512i y, __m512i z)
{
    __m512i sums;
    __mmask16 special = multiply_add_integer(x, y, z, &sums);
    return _mm512_mask_mov_epi32(sums, special, multiply_add_special(x, y, z));
}

/* A float between 2^23 and 2^24 units has units in its lowest bit. So x + bias, where bias lies in that range, is x in
   units once rounded, and x so rounded once bias is taken off again. To odd: the number below x, with its lowest bit
   set where that of the number above is, since they differ by one where anything is lost.

   What the exponents decide is computed beside the products, in integers, which takes the host fewer cycles. */
enum { BELOW_OR_LOWEST_BIT_OF_ABOVE = TABLE_A | (TABLE_B & TABLE_C) };

/* Constants of multiply_add_float(). They are read from memory, which costs the host less than to move each from a
   general register into a vector. Exponents stand where a float has them, in bits 30:23. */
#define EXPONENT(value) ((uint32_t)(value) << 23)
static const struct constants {
    uint32_t one, sign, magnitude, infinity, half_of_bias, half_of_units, product_bias, addend_bias, smallest,
        fit_exponents, smallest_product, fit_products;
} constants = {
    .one = 1,
    .sign = 0x80000000,
    .magnitude = 0x7fffffff,
    .infinity = EXPONENT(EXPONENT_MAX),
    .half_of_bias = 0x00400000,
    .half_of_units = EXPONENT(2) - 1, /* from 2^23 units to just below half of 2^exponent */
    .product_bias = EXPONENT(EXPONENT_BIAS + 3),
    .addend_bias = EXPONENT(3),
    .smallest = EXPONENT(-75 + EXPONENT_BIAS - 3),
    .fit_exponents = EXPONENT(126 - -75),
    .smallest_product = EXPONENT(2),
    .fit_products = EXPONENT(EXPONENT_MAX - 2),
};

/* Keeps the compiler from knowing what they are. */
static inline const struct constants *from_memory(void)
{
    const struct constants *c = &constants;
    __asm__("" : "+r"(c));
    return c;
}

/* x in `lanes` of less than 2^23 units, not negative, rounded to odd; but zero if it is less than one unit. bias: 2^23
   units. */
AVX512 static inline __m512 positive_to_odd(const struct constants *c, __m512 x, __m512i bias, __mmask16 lanes)
{
    __m512i below = _mm512_castps_si512(_mm512_add_round_ps(_mm512_castsi512_ps(bias), x, DOWN));
    __m512i above = _mm512_castps_si512(_mm512_add_round_ps(_mm512_castsi512_ps(bias), x, UP));
    below = _mm512_mask_ternarylogic_epi32(below, _mm512_cmpneq_epi32_mask(below, bias), above, all(c->one),
                                           BELOW_OR_LOWEST_BIT_OF_ABOVE);
    return _mm512_mask_sub_round_ps(x, lanes, _mm512_castsi512_ps(below), _mm512_castsi512_ps(bias), NEAREST);
}

/* x of less than 2^22 units rounded to odd. bias: 1.5 * 2^23 units. */
AVX512 static inline __m512 to_odd(const struct constants *c, __m512 x, __m512 bias)
{
    __m512i below = _mm512_castps_si512(_mm512_add_round_ps(bias, x, DOWN));
    __m512i above = _mm512_castps_si512(_mm512_add_round_ps(bias, x, UP));
    __m512i odd = _mm512_ternarylogic_epi32(below, above, all(c->one), BELOW_OR_LOWEST_BIT_OF_ABOVE);
    return _mm512_sub_round_ps(_mm512_castsi512_ps(odd), bias, NEAREST);
}

/* Those of the lanes in `finite` for which multiply_add_float() is the way, where inputs may be zero or denormal.
   above_smallest: what the larger exponent has above the smallest that fits; it does not matter to a product of zero.
 */
AVX512 static inline __mmask16 fit_with_zeros(const struct constants *c, __m512 x, __m512 y, __m512 z, __mmask16 finite,
                                              __m512i above_smallest)
{
    enum { ZERO = 0x06, DENORMAL = 0x20 };
    __mmask16 zero = _kor_mask16(_mm512_fpclass_ps_mask(x, ZERO), _mm512_fpclass_ps_mask(y, ZERO));
    __mmask16 denormal =
        _kor_mask16(_kor_mask16(_mm512_fpclass_ps_mask(x, DENORMAL), _mm512_fpclass_ps_mask(y, DENORMAL)),
                    _mm512_fpclass_ps_mask(z, DENORMAL));
    __mmask16 in_range = _mm512_cmplt_epu32_mask(above_smallest, all(c->fit_exponents));
    return _kandn_mask16(denormal, _kand_mask16(finite, _kor_mask16(in_range, zero)));
}

/* Returns the lanes for which this is the way. */
AVX512 static inline __mmask16 multiply_add_float(const struct constants *c, __m512 x, __m512 y, __m512 z,
                                                  __m512 *result)
{
    __m512i infinity = all(c->infinity);
    __m512i x_exponent = _mm512_and_si512(_mm512_castps_si512(x), infinity);
    __m512i y_exponent = _mm512_and_si512(_mm512_castps_si512(y), infinity);
    __m512i addend_exponent = _mm512_and_si512(_mm512_castps_si512(z), infinity);
    __m512i smallest = _mm512_min_epi32(_mm512_min_epi32(x_exponent, y_exponent), addend_exponent);
    __mmask16 both = _mm512_test_epi32_mask(smallest, smallest); /* neither product nor addend is zero */

    /* 2^23 units of product, of addend, and of the larger of them, where a unit is 2^-26 of what the exponent says. The
       exponent of a product of 2^129 or more does not fit into its place, but then the sum is infinite. */
    __m512i product_units = _mm512_add_epi32(_mm512_sub_epi32(y_exponent, all(c->product_bias)), x_exponent);
    __m512i bias = _mm512_max_epi32(_mm512_sub_epi32(addend_exponent, all(c->addend_bias)), product_units);

    /* Infinities and NaN remain in the sum. Otherwise nothing overflows or underflows from here on. */
    __m512 sum = _mm512_fmadd_round_ps(x, y, z, NEAREST);
    __m512i magnitude = _mm512_and_si512(_mm512_castps_si512(sum), all(c->magnitude));
    __mmask16 fit = _mm512_cmplt_epi32_mask(magnitude, infinity);
    __m512i above_smallest = _mm512_sub_epi32(bias, all(c->smallest));
    if (_kortestc_mask16_u8(both, both)) {
        fit = _mm512_mask_cmplt_epu32_mask(fit, above_smallest, all(c->fit_exponents));
    } else {
        fit = fit_with_zeros(c, x, y, z, fit, above_smallest);
        if (_kortestz_mask16_u8(both, both)) { /* as in a product, whose addend is always zero */
            *result = sum;
            return fit;
        }
    }

    /* Nothing is to be done for a sum of zero, less one of which is large. */
    __mmask16 cancels = _mm512_mask_cmplt_epu32_mask(both, _mm512_sub_epi32(magnitude, all(c->one)),
                                                     _mm512_add_epi32(bias, all(c->half_of_units)));
    /* The exponent of the product is three more than that of the addend. */
    __mmask16 leads = _mm512_mask_cmpge_epi32_mask(both, product_units, addend_exponent);
    __mmask16 differs = _kor_mask16(cancels, leads);
    if (!_kortestz_mask16_u8(differs, differs)) {
        /* All signs are inverted where the addend is negative, to be inverted back at the end. Then the product is
           rounded up, so that its rest is not positive, and the sum of rest and addend does not outgrow 24 bits. */
        __m512i sign = _mm512_and_si512(_mm512_castps_si512(z), all(c->sign));
        x = _mm512_castsi512_ps(_mm512_xor_si512(_mm512_castps_si512(x), sign));
        __m512 addend = _mm512_castsi512_ps(_mm512_xor_si512(_mm512_castps_si512(z), sign));
        addend = positive_to_odd(c, addend, bias, _mm512_cmpgt_epi32_mask(product_units, addend_exponent));
        __m512 high = _mm512_mul_round_ps(x, y, UP);
        __m512 low = to_odd(c, _mm512_fmsub_round_ps(x, y, high, NEAREST),
                            _mm512_castsi512_ps(_mm512_or_si512(bias, all(c->half_of_bias))));
        __m512 first = _mm512_mask_mov_ps(low, cancels, high), second = _mm512_mask_mov_ps(high, cancels, low);
        __m512 rounded = _mm512_add_round_ps(_mm512_add_round_ps(addend, first, NEAREST), second, NEAREST);
        sum = _mm512_castsi512_ps(
            _mm512_mask_xor_epi32(_mm512_castps_si512(sum), differs, _mm512_castps_si512(rounded), sign));
    }
    *result = sum;
    return fit;
}

/* x * y. Returns the lanes for which this is the way: whose factors are neither zero nor denormal, and whose product is
   finite, and so large that it is not rounded as a denormal. */
AVX512 static inline __mmask16 multiply_float(const struct constants *c, __m512 x, __m512 y, __m512 *result)
{
    __m512i infinity = all(c->infinity);
    __m512i x_exponent = _mm512_and_si512(_mm512_castps_si512(x), infinity);
    __m512i y_exponent = _mm512_and_si512(_mm512_castps_si512(y), infinity);
    __m512i smallest = _mm512_min_epu32(x_exponent, y_exponent);
    *result = _mm512_mul_round_ps(x, y, NEAREST);
    __m512i magnitude = _mm512_and_si512(_mm512_castps_si512(*result), all(c->magnitude));
    __m512i above_smallest = _mm512_sub_epi32(magnitude, all(c->smallest_product));
    return _mm512_mask_cmplt_epu32_mask(_mm512_test_epi32_mask(smallest, smallest), above_smallest,
                                        all(c->fit_products));
}

#endif
