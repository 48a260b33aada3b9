/* Random rounding (num/rounding.h) in the packer: the early conversions that drop bits, and block floats. The rest of
   these conversions (denormals, NaN, saturation) is in num/pack_formats.h. Nothing is rounded beyond the largest
   number of the result's format. Source: ISA documentation Packers/FormatConversion.md, SFPSTOCHRND. */
#ifndef BHEMU_TENSIX_NUM_PACK_ROUNDING_H
#define BHEMU_TENSIX_NUM_PACK_ROUNDING_H

#include "tensix/num/pack_formats.h"

/* Rounds data in Dst's layout so that pack_early_rows() then converts them without rounding. */
void pack_early_at_random(enum pack_early early, unsigned shift, const pack_row *random, pack_row *rows,
                          unsigned count);

/* pack_bfp_group(), rounded at random. */
uint8_t pack_bfp_group_at_random(const uint32_t datums[16], unsigned bits, const uint32_t random[16], uint8_t *bytes);

#endif
