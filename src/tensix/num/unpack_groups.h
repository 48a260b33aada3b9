/* A whole group of block floats, 16 data with one exponent, that begins with a byte of L1: to Src data with eight
   exponent bits, in vectors of whatever length the host has (rows unpack_row_bfp8 and unpack_row_bfp4 of the
   benchmark). `bits` of a datum: 8, 4 or 2. Source: ISA documentation Unpackers/FormatConversion.md,
   FloatBitPatterns.md. */
#ifndef BHEMU_TENSIX_NUM_UNPACK_GROUPS_H
#define BHEMU_TENSIX_NUM_UNPACK_GROUPS_H

#include <stdint.h>

enum { UNPACK_GROUP = 16 };

/* A magnitude of zero with a sign becomes `negative_zero`. */
void unpack_group(const uint8_t *datums, unsigned bits, uint32_t exponent, uint32_t negative_zero,
                  uint32_t src[UNPACK_GROUP]);

#endif
