/* Zero compression: each kept datum has a count of the zeroes left out after it, 0 to 15. In L1, row start indices of
   16 bits come first; then the exponents of a block float format; then groups of 32 data, each followed by its 32
   counts of four bits. The first and the last datum of a row are always kept. A row consists of the data of one PACR,
   and of those PACRs before it that have Concat set. The documentation does not say which zeroes are left out; here as
   many as possible. Source: ISA documentation Packers/Compression.md, OutputAddressGenerator.md. */
#ifndef BHEMU_TENSIX_UNITS_PACK_COMPRESS_H
#define BHEMU_TENSIX_UNITS_PACK_COMPRESS_H

#include "tensix/units/pack/convert.h"
#include "tensix/units/state.h"

/* Whether L1 has room for `datums` more data even if none is left out, and for all padding. */
bool pack_compressed_fits(const struct pack_tile *tile, const struct pack_conversion *conversion, uint64_t datums);

/* Appends data; `row_ends`: the last one ends a row; `last`: the tile ends and is padded. */
void pack_compress(struct tensix *tensix, const struct pack_conversion *conversion, const uint32_t *datums,
                   unsigned count, bool row_ends, bool last, bool write);

#endif
