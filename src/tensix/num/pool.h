/* Pooling by maximum as GMPOOL does it on floating point: the largest, in each column, of a datum of Dst and of 16
   data of SrcA, each scaled by the power of two given by the exponent of a datum of SrcB.
   Data are compared as numbers of a sign, nine bits of exponent and ten of mantissa. The exponent has twice the
   format's bias, since it is the sum of two. A datum of SrcA with an exponent of zero is zero; a datum whose scale has
   an exponent of zero is ignored. Source: ISA documentation GMPOOL.md. */
#ifndef BHEMU_TENSIX_NUM_POOL_H
#define BHEMU_TENSIX_NUM_POOL_H

#include "tensix/num/registers.h"

enum { POOL_ROWS = 16, POOL_BLOCK_ROWS = 4 };

/* How Dst holds a number. */
enum pool_dst { POOL_DST_BF16, POOL_DST_TF32, POOL_DST_FP16 };

struct pool_mode {
    enum pool_dst dst;
    uint32_t bits;         /* significant bits of a datum of SrcA, besides its sign */
    uint32_t scale_bits;   /* significant bits of a scale's exponent */
    uint32_t scale_rebias; /* converts the bias of products' exponents to Dst's */
};

/* Dst's row at dst_place() `place`, of 32 bits if it holds TF32, becomes the maximum, and the three rows behind it
   zero. An invalid row counts as the smallest number of its format; all four become valid. */
void pool_maximum(const struct pool_mode *mode, const uint32_t srca[POOL_ROWS][ROW_COLUMNS],
                  const uint32_t scales[ROW_COLUMNS], struct dst_register_file *dst, uint32_t place);

#endif
