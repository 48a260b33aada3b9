/* All of the packer's stages in one pass, for the most frequent conversions: from 16-bit cells with BF16 to BF16 or to
   block floats of `bits` bits (`flush`: PACK_EARLY_BF16_FLUSHED), and from 32-bit data to the same. `row`: the numbers
   of `count` rows of Dst.
   Data go to `bytes`; shared exponents, one for each row, go to `exponents`, and are written last, in case the two
   overlap. Every function returns the largest exponent of the rows after the early conversion. */
#ifndef BHEMU_TENSIX_NUM_PACK_ROWS_H
#define BHEMU_TENSIX_NUM_PACK_ROWS_H

#include <stdbool.h>
#include <stdint.h>

#include "tensix/num/registers.h"

enum { PACK_GROUP = 4 };

/* `count` rows of Dst, at most PACK_GROUP. `group`: they are PACK_GROUP consecutive rows, the first a multiple of it,
   which is faster. */
struct pack_rows {
    const uint32_t *row;
    unsigned count;
    bool group;
};

uint32_t pack_rows_bf16_to_bf16(const struct dst_register_file *dst, const struct pack_rows *rows, bool flush,
                                uint8_t *bytes);
uint32_t pack_rows_bf16_to_bfp(const struct dst_register_file *dst, const struct pack_rows *rows, bool flush,
                               unsigned bits, uint8_t *bytes, uint8_t *exponents);
uint32_t pack_rows_32b(const struct dst_register_file *dst, const struct pack_rows *rows, uint8_t *bytes);

#endif
