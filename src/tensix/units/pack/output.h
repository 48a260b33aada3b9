/* The packer's streams to L1: data, and for block floats the exponents that groups of 16 data share. Hardware collects
   16 bytes before it writes them, here they are written at once; Last and Flush pad with zeroes up to a multiple of 16
   bytes. Source: ISA documentation OutputAddressGenerator.md, PACR.md (Blackhole), FormatConversion.md. */
#ifndef BHEMU_TENSIX_UNITS_PACK_OUTPUT_H
#define BHEMU_TENSIX_UNITS_PACK_OUTPUT_H

#include "tensix/units/pack/address.h"
#include "tensix/units/pack/convert.h"
#include "tensix/units/state.h"

enum {
    PACK_CHUNK_ROWS = PACK_INTERFACES,
    /* Full rows, and the padding of RowPadZero. */
    PACK_CHUNK_DATUMS = PACK_CHUNK_ROWS * ROW_COLUMNS + ROW_COLUMNS,
};

/* Whether L1 has room for `datums` more data, and for the padding after the last ones. */
bool pack_output_fits(const struct pack_tile *tile, const struct pack_conversion *conversion, uint64_t datums,
                      bool last);

/* Appends at most PACK_CHUNK_DATUMS results of the late conversion to the streams; `write` clear: advances the streams
   without writing. Reads `datums` in whole rows of 16. */
void pack_output_append(struct tensix *tensix, const struct pack_conversion *conversion, const uint32_t *datums,
                        unsigned count, bool last, bool write);

/* Adds `count` data, in the layout of L1, to those in L1. */
void pack_accumulate(enum pack_accumulation accumulation, uint8_t *held, const uint8_t *data, unsigned count);

/* Makes a group of 16 data of a block float format: writes its bytes and returns the shared exponent. */
uint8_t pack_make_group(struct pack_unit *pack, const struct pack_conversion *conversion, const uint32_t datums[16],
                        uint8_t *bytes);

/* Pads and writes pending data, without ending the tile. */
enum step pack_output_flush(struct tensix *tensix);

#endif
