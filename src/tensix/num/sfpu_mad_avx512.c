/* The multiply-add on 32 lanes for hosts with AVX-512. */
#include "tensix/num/sfpu_mad_variants.h"

#if defined(__x86_64__)
#include <stddef.h>

#include "tensix/num/sfpu_mad_avx512.h"

#define HALF_OF_LANES ((size_t)16)

/* `sums` of the half of the lanes that begins at `first`, with those in `unfit` replaced. */
__attribute__((noinline)) AVX512 static __m512 replace_unfit(const struct sfpu_mad_operands *given, size_t first,
                                                             __mmask16 unfit, __m512 sums)
{
    const struct sfpu_mad_operands in_memory = sfpu_mad_in_memory(given), *operands = &in_memory;
    __m512i x = _mm512_xor_si512(_mm512_loadu_si512(operands->x + first), all(operands->x_sign));
    __m512i y = _mm512_loadu_si512(operands->y + first);
    __m512i z = _mm512_xor_si512(_mm512_loadu_si512(operands->z + first), all(operands->z_sign));
    return _mm512_mask_mov_ps(sums, unfit, _mm512_castsi512_ps(multiply_add_any(x, y, z)));
}

/* The values of an LReg. */
struct lreg {
    __m512 half[2];
};

AVX512 __attribute__((always_inline)) static inline struct lreg load(const uint32_t *from)
{
    return (struct lreg){{_mm512_loadu_ps(from), _mm512_loadu_ps(from + HALF_OF_LANES)}};
}

AVX512 __attribute__((always_inline)) static inline struct lreg negated(struct lreg x)
{
    __m512 sign = _mm512_set1_ps(-0.f);
    return (struct lreg){{_mm512_xor_ps(x.half[0], sign), _mm512_xor_ps(x.half[1], sign)}};
}

/* In `lanes`. Returns the results. */
AVX512 __attribute__((always_inline)) static inline struct lreg
multiply_add(const struct constants *c, const struct sfpu_mad_operands *operands, uint32_t lanes)
{
    struct lreg x = load(operands->x), y = load(operands->y ? operands->y : sfpu_mad_ones), z, sums;
    __mmask16 fit[2];
    if (operands->x_sign) {
        x = negated(x);
    }
    if (operands->z) {
        z = load(operands->z);
    } else {
#pragma GCC unroll 2
        for (unsigned i = 0; i < 2; i++) {
            fit[i] = multiply_float(c, x.half[i], y.half[i], &sums.half[i]);
        }
        __mmask16 all_fit = _kand_mask16(fit[0], fit[1]);
        if (__builtin_expect(_kortestc_mask16_u8(all_fit, all_fit), 1)) {
            return sums;
        }
        z = (struct lreg){{_mm512_setzero_ps(), _mm512_setzero_ps()}};
    }
    if (operands->z_sign) {
        z = negated(z);
    }
#pragma GCC unroll 2
    for (unsigned i = 0; i < 2; i++) {
        fit[i] = multiply_add_float(c, x.half[i], y.half[i], z.half[i], &sums.half[i]);
    }
    __mmask16 all_fit = _kand_mask16(fit[0], fit[1]);
    if (__builtin_expect(!_kortestc_mask16_u8(all_fit, all_fit), 0)) {
        for (unsigned i = 0; i < 2; i++) {
            __mmask16 unfit = (__mmask16)(~fit[i] & lanes >> i * HALF_OF_LANES);
            if (unfit) {
                sums.half[i] = replace_unfit(operands, i * HALF_OF_LANES, unfit, sums.half[i]);
            }
        }
    }
    return sums;
}

AVX512 void sfpu_mad_lanes_avx512(uint32_t *result, const struct sfpu_mad_operands *operands, uint32_t lanes)
{
    struct lreg sums = multiply_add(from_memory(), operands, lanes);
    if (__builtin_expect(lanes == UINT32_MAX, 1)) { /* what a masked store writes takes the host longer to load again */
        _mm512_storeu_ps(result, sums.half[0]);
        _mm512_storeu_ps(result + HALF_OF_LANES, sums.half[1]);
        return;
    }
    _mm512_mask_storeu_ps(result, (__mmask16)lanes, sums.half[0]);
    _mm512_mask_storeu_ps(result + HALF_OF_LANES, (__mmask16)(lanes >> HALF_OF_LANES), sums.half[1]);
}

#else

void sfpu_mad_lanes_avx512(uint32_t *result, const struct sfpu_mad_operands *operands, uint32_t lanes)
{
    sfpu_mad_lanes_portable(result, operands, lanes);
}

#endif
