/* Pooling by maximum as GMPOOL does it to floating point: of each column the largest of a datum of Dst and of 16 data
   of SrcA, each scaled by the power of two that is the exponent of a datum of SrcB.

   Data are compared as numbers of a sign, nine bits of exponent and ten of mantissa. The exponent is biased by twice
   what the format has, for it is the sum of two. A datum of SrcA whose exponent is zero is zero, one whose scale has an
   exponent of zero takes no part.
   Source: ISA documentation GMPOOL.md. */
#ifndef BHEMU_TENSIX_NUM_POOL_H
#define BHEMU_TENSIX_NUM_POOL_H

#include "tensix/num/registers.h"

enum { POOL_ROWS = 16, POOL_BLOCK_ROWS = 4 };

/* How Dst holds a number. */
enum pool_dst { POOL_DST_BF16, POOL_DST_TF32, POOL_DST_FP16 };

struct pool_mode {
    enum pool_dst dst;
    uint32_t bits;         /* of a datum of SrcA that count, but for its sign */
    uint32_t scale_bits;   /* and of a scale, of its exponent */
    uint32_t scale_rebias; /* of the exponents of products, to Dst's */
};

/* Dst's row at dst_place() `place`, of 32 bits if it holds TF32, becomes the maximum, the three behind it zero. A row
   that is not valid has the least number that its format holds; all four are valid then. */
void pool_maximum(const struct pool_mode *mode, const uint32_t srca[POOL_ROWS][ROW_COLUMNS],
                  const uint32_t scales[ROW_COLUMNS], struct dst_register_file *dst, uint32_t place);

#endif
