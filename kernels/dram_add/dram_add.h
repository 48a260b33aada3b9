/* dram_add: output = input_a + input_b, tensors of tiles that are interleaved over the channels of DRAM, shared out
   among Tensix tiles. Each tile's B moves
   the data; its T cores run eltwise_add. */
#ifndef BHEMU_KERNELS_DRAM_ADD_H
#define BHEMU_KERNELS_DRAM_ADD_H

#include "interleaved.h"

/* Behind struct arguments: what this tile has to do. */
#define DRAM_ADD_ARGUMENTS (LAYOUT_ARGUMENTS + 0x40)

struct dram_add_arguments {
    uint32_t input_a, input_b, output; /* addresses of the whole tensors */
    uint32_t first, count;             /* tiles of them */
};

#endif
