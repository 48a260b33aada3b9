/* Data of tiles and registers that DPRINT shows. */
#ifndef BHEMU_HOST_METAL_PRINT_DATA_H
#define BHEMU_HOST_METAL_PRINT_DATA_H

#include <stdint.h>
#include <string.h>

#include "watch/print_text.h"

enum { METAL_SLICE_HEAD = 16 }; /* bytes of a slice before its data */

static inline uint32_t metal_word(const uint8_t *bytes)
{
    uint32_t word;
    memcpy(&word, bytes, sizeof word);
    return word;
}

/* A value of a block format: eight or four bits, and an exponent. */
float metal_block_value(unsigned bits, unsigned value, unsigned exponent);

struct metal_spec;

/* A slice of a tile: TileSlice. spec: how each datum is shown; null: as C++ streams do. */
void metal_add_slice(struct print_text *text, const uint8_t *bytes, unsigned size, const struct metal_spec *spec);

/* A word of a register file in one of METAL_TILE's formats. */
void metal_add_registers(struct print_text *text, uint32_t word, unsigned format, unsigned width);

#endif
