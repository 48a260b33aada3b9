/* Tensors of tiles that are interleaved over the banks of DRAM that the firmware knows. */
#ifndef BHEMU_KERNELS_METAL_BANKS_H
#define BHEMU_KERNELS_METAL_BANKS_H

#include "arguments.h"
#include "metal.h"
#include "noc.h"

static inline struct noc_place bank_tile(uint32_t noc, uint32_t address, uint32_t tile)
{
    uint32_t bank = tile % METAL_DRAM_BANKS;
    return (struct noc_place){metal_banks.dram[noc][bank],
                              address + bank_to_dram_offset[bank] + tile / METAL_DRAM_BANKS * TILE_SIZE};
}

#endif
