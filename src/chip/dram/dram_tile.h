/* The core of a DRAM tile, DRISC, with what it reaches: 128 KiB of L1 of its own, both NIUs of the tile, and the engine
   that copies between that L1 and the tile's channel of GDDR. Memory map beyond what chip/core_tile/core_tile.h has:
     0xffb1_4010 scratch registers    0xfc00_0000 GDDR DMA (chip/dram/gddr_dma.h)    0xfc10_5830 weights of GDDR's ports
   Over the NoC a DRAM tile shows GDDR. L1 is at 0x20_0000_0000 there, and the registers of the tile are at their
   addresses in any case. Bit 15 of NIU_CFG_0 (NOC2AXI mode, on after power-on) decides for each NoC: as long as it is 1
   the core can not start requests; where it is 0 (stream mode) all other addresses are the core's, too, and GDDR can
   not be reached over that NoC at this tile. Sources: tt-metal drisc_mode.h, gddr_mc_regs.h, dev_mem_map.h ("DRAM
   (DRISC) memory map"); tt-exalens dram_block.py; blackhole-py docs/drisc-dma-bringup.md, examples/drisc_*.py (that it
   works so on a card). */
#ifndef BHEMU_CHIP_DRAM_DRAM_TILE_H
#define BHEMU_CHIP_DRAM_DRAM_TILE_H

#include "chip/core_tile/core_tile.h"
#include "chip/dram/gddr_dma.h"
#include "noc/network.h"
#include "rv32/timed.h"

enum { DRISC_L1_SIZE = 128 * 1024, DRISC_SCRATCH = 4, GDDR_PORTS = 3 };

#define DRISC_L1_TAG (UINT64_C(1) << 37) /* of the address of L1 over the NoC */

struct dram_tile {
    struct core_tile tile;
    uint32_t scratch[DRISC_SCRATCH];
    uint32_t weight[GDDR_PORTS]; /* kept, without an effect */
    struct gddr_dma dma;
    struct rv32_timing timing; /* timed mode */
    struct dram *dram;
    unsigned channel;
};

/* A tile whose core is in reset. *tile has to be zero. code_room: see l1_connect(). niu: both, which are there before
   the core is. x, y: of NoC 0. */
void dram_tile_create(struct dram_tile *tile, void *code_room, struct niu *niu, struct dram *dram, unsigned x,
                      unsigned y, enum bh_policy_preset policy);

/* Timed mode. */
void dram_tile_model_time(struct dram_tile *tile);

/* Whether the core has anything to run, or a copy is under way. */
bool dram_tile_active(const struct dram_tile *tile);

/* As core_tile_run(); copies end at their times. */
uint64_t dram_tile_run(struct dram_tile *tile, uint32_t cycles);

/* Whether an address over a NoC is of the core's side of the tile rather than of GDDR. niu: that of the NoC. */
bool dram_tile_is_core(const struct niu *niu, uint64_t address);

/* Accesses to that side over the NoC. All or nothing. */
enum step dram_tile_read(struct dram_tile *tile, uint64_t address, void *data, uint32_t size);
enum step dram_tile_write(struct dram_tile *tile, uint64_t address, const void *data, uint32_t size);

#endif
