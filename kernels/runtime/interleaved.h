/* Tensors of tiles in DRAM that go around the channels: tile i is in channel i % 8. */
#ifndef BHEMU_KERNELS_INTERLEAVED_H
#define BHEMU_KERNELS_INTERLEAVED_H

#include "arguments.h"
#include "noc.h"

enum { DRAM_CHANNELS = 8 };

/* A tile of the tensor at `address`. Each channel is at three tiles of the NoC; this is the first. */
static inline struct noc_place interleaved_tile(uint32_t address, uint32_t tile)
{
    uint32_t channel = tile % DRAM_CHANNELS;
    uint32_t x = 17 + channel / 4, y = 12 + channel % 4 * 3;
    return (struct noc_place){x | y << 6, address + tile / DRAM_CHANNELS * TILE_SIZE};
}

#endif
