/* What a host tells a kernel: written to LAYOUT_ARGUMENTS before the first core is released.
   Addresses are byte addresses in L1, multiples of 16. A tensor is a row-major matrix of tiles; a tile is 32x32 BF16
   data, cut into four faces of 16x16 in row-major order, each row-major: TILE_SIZE bytes. */
#ifndef BHEMU_KERNELS_ARGUMENTS_H
#define BHEMU_KERNELS_ARGUMENTS_H

#include <stdint.h>

#include "layout.h"

enum { TILE_SIZE = 32 * 32 * 2, FACE_ROWS = 16, ROW_DATA = 16, FACE_DATA = 256, TILE_DATA = 1024, TILE_FACES = 4 };

struct arguments {
    uint32_t input_a;
    uint32_t input_b; /* kernels with one input ignore it */
    uint32_t output;
    uint32_t rows;            /* of tiles in the output, and in input_a */
    uint32_t columns;         /* of tiles in the output, and in input_b */
    uint32_t inner;           /* matrix multiplication: columns of tiles in input_a, rows of tiles in input_b */
    uint32_t fidelity_phases; /* matrix multiplication: 1 (LoFi) to 4 (HiFi4) */
};

static inline const volatile struct arguments *arguments(void)
{
    return (const volatile struct arguments *)LAYOUT_ARGUMENTS;
}

#endif
