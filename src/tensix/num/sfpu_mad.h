/* The multiply-add of the vector unit: FP32 x * y + z with one rounding, to nearest even, of a product kept to 27 bits.
   Denormal inputs count as zero and denormal results are flushed to zero with their sign; any NaN comes out as the
   canonical one, 0x7fc00000. Multiplying by one, or adding zero, is as exact as a lone addition or multiplication.
   Source: ISA documentation SFPMAD.md and Miscellaneous/FMA. */
#ifndef BHEMU_TENSIX_NUM_SFPU_MAD_H
#define BHEMU_TENSIX_NUM_SFPU_MAD_H

#include <stdint.h>

/* x * y + z on FP32 bits. */
uint32_t sfpu_mad(uint32_t x, uint32_t y, uint32_t z);

/* 32 lanes of x * y + z; the signs of x and of z are inverted by these masks first. */
struct sfpu_mad_operands {
    const uint32_t *x;
    const uint32_t *y;       /* null: 1 in all lanes */
    const uint32_t *z;       /* null: 0 in all lanes */
    uint32_t x_sign, z_sign; /* 0x80000000 or 0 */
};

/* result = x * y + z in those of the 32 lanes whose bit in `lanes` is set. result may be one of the operands. Equal to
   sfpu_mad() in every bit. */
void sfpu_mad_lanes(uint32_t *result, const struct sfpu_mad_operands *operands, uint32_t lanes);

#endif
