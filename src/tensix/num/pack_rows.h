/* All of the packer's stages at once, for the rows that are packed most: from 16-bit cells that hold BF16 to BF16 or
   BFP8 (`flush`: PACK_EARLY_BF16_FLUSHED), and from 32-bit data to the same.

   The bytes go to `bytes`; BFP8's shared exponents to `exponents`, one for each row. Every function returns the largest
   exponent that the rows had after the early conversion. */
#ifndef BHEMU_TENSIX_NUM_PACK_ROWS_H
#define BHEMU_TENSIX_NUM_PACK_ROWS_H

#include <stdbool.h>
#include <stdint.h>

#include "tensix/num/registers.h"

/* `count` rows of Dst, wherever they are. */
uint32_t pack_rows_bf16_to_bf16(const struct dst_register_file *dst, const uint32_t *row, unsigned count, bool flush,
                                uint8_t *bytes);
uint32_t pack_rows_bf16_to_bfp8(const struct dst_register_file *dst, const uint32_t *row, unsigned count, bool flush,
                                uint8_t *bytes, uint8_t *exponents);
uint32_t pack_rows_32b(const struct dst_register_file *dst, const uint32_t *row, unsigned count, uint8_t *bytes);

enum { PACK_FOUR_ROWS = 4 };

/* The same for an aligned group of four rows, the first of which lies at dst_place() `place`. */
uint32_t pack_four_rows_bf16_to_bf16(const struct dst_register_file *dst, uint32_t place, bool flush, uint8_t *bytes);
uint32_t pack_four_rows_bf16_to_bfp8(const struct dst_register_file *dst, uint32_t place, bool flush, uint8_t *bytes,
                                     uint8_t exponents[PACK_FOUR_ROWS]);
uint32_t pack_four_rows_32b(const struct dst_register_file *dst, uint32_t place, uint8_t *bytes);

#endif
