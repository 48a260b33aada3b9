/* Zero compression: every datum that is kept is followed by a count of the zeroes left out after it, 0 to 15. In L1
   come first the row start indices, 16 bits each; then the exponents of a block float format; then groups of 32 data,
   each group with its 32 counts of four bits behind it. The first and the last datum of a row are always kept. A row is
   what one PACR packs, and what those before it with Concat set have packed. The documentation leaves open which zeroes
   are left out; here all that can be. Source: ISA documentation Packers/Compression.md, OutputAddressGenerator.md. */
#ifndef BHEMU_TENSIX_UNITS_PACK_COMPRESS_H
#define BHEMU_TENSIX_UNITS_PACK_COMPRESS_H

#include "tensix/units/pack/convert.h"
#include "tensix/units/state.h"

/* Whether L1 has room for `datums` more data of which none is left out, and for all padding. */
bool pack_compressed_fits(const struct pack_tile *tile, const struct pack_conversion *conversion, uint64_t datums);

/* Appends data; `row_ends`: they are the last of their row; `last`: the tile ends, and is padded. */
void pack_compress(struct tensix *tensix, const struct pack_conversion *conversion, const uint32_t *datums,
                   unsigned count, bool row_ends, bool last, bool write);

#endif
