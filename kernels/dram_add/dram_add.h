/* dram_add: output = input_a + input_b, tensors of tiles in DRAM, shared out among Tensix tiles. Each tile's B moves
   the data; its T cores run eltwise_add. */
#ifndef BHEMU_KERNELS_DRAM_ADD_H
#define BHEMU_KERNELS_DRAM_ADD_H

#include "arguments.h"
#include "noc.h"

/* Behind struct arguments: what this tile has to do. */
#define DRAM_ADD_ARGUMENTS (LAYOUT_ARGUMENTS + 0x40)

struct dram_add_arguments {
    struct noc_place input_a, input_b, output; /* the whole tensors */
    uint32_t first, count;                     /* tiles of them */
};

#endif
