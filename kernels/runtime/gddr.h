/* What the core of a DRAM tile, DRISC, has of its own: copies between its L1 and the tile's channel of GDDR, and the
   mode of the tile's NIUs. Addresses and sizes of copies are multiples of 16. Source: tt-metal gddr_dma_regs.h,
   drisc_mode.h. */
#ifndef BHEMU_KERNELS_GDDR_H
#define BHEMU_KERNELS_GDDR_H

#include "mmio.h"

enum {
    GDDR_STATUS = 0x00 / 4,
    GDDR_WRITE_TRANSFER_START_ADDR = 0x10 / 4,
    GDDR_WRITE_DEST_ADDR_LOW = 0x14 / 4,
    GDDR_WRITE_DEST_ADDR_HIGH = 0x18 / 4,
    GDDR_READ_TRANSFER_SOURCE_LOW = 0x30 / 4,
    GDDR_READ_TRANSFER_SOURCE_HIGH = 0x34 / 4,
    GDDR_READ_TRANSFER_DEST = 0x38 / 4,
    GDDR_TRANSFER_ATTRIBUTES = 0x50 / 4,
};

/* GDDR_TRANSFER_ATTRIBUTES, beside the size in units of 16 bytes. */
#define GDDR_START_WRITE (1u << 28)
#define GDDR_START_READ (1u << 31)

/* Registers of stream 0 or 1 of the engine that copies. */
static inline volatile uint32_t *gddr_stream(uint32_t stream)
{
    return (volatile uint32_t *)(0xfc000000 + stream * 0x100);
}

/* Copies from GDDR to L1, and from L1 to GDDR; does not wait for it. A stream has up to 255 of the first and 15 of the
   second under way, which end in their order. */
static inline void gddr_read(uint32_t stream, uint32_t from, uint32_t to, uint32_t size)
{
    volatile uint32_t *registers = gddr_stream(stream);
    registers[GDDR_READ_TRANSFER_SOURCE_LOW] = from;
    registers[GDDR_READ_TRANSFER_SOURCE_HIGH] = 0;
    registers[GDDR_READ_TRANSFER_DEST] = to;
    registers[GDDR_TRANSFER_ATTRIBUTES] = GDDR_START_READ | size / 16;
}

static inline void gddr_write(uint32_t stream, uint32_t from, uint32_t to, uint32_t size)
{
    volatile uint32_t *registers = gddr_stream(stream);
    registers[GDDR_WRITE_TRANSFER_START_ADDR] = from;
    registers[GDDR_WRITE_DEST_ADDR_LOW] = to;
    registers[GDDR_WRITE_DEST_ADDR_HIGH] = 0;
    registers[GDDR_TRANSFER_ATTRIBUTES] = GDDR_START_WRITE | size / 16;
}

/* Waits until no more than `most` reads of a stream are under way; until all of its writes are in GDDR. */
static inline void gddr_wait_reads(uint32_t stream, uint32_t most)
{
    while ((gddr_stream(stream)[GDDR_STATUS] >> 8 & 0xff) > most) {
    }
}

static inline void gddr_wait_writes(uint32_t stream)
{
    while (gddr_stream(stream)[GDDR_STATUS] & 0xf00f0009) {
    }
}

/* NIU_CFG_0 of NoC 0 or 1, bit 15. While it is set, others reach GDDR at this tile over that NoC, and the core starts
   no requests; else it does, and others reach its L1 there instead. It stays as it is when a program ends. */
static inline void gddr_set_mode(uint32_t noc, uint32_t gddr)
{
    volatile uint32_t *config = (volatile uint32_t *)(0xffb20100 + noc * 0x10000);
    *config = (load_complete(config) & ~(1u << 15)) | gddr << 15;
    (void)load_complete(config);
}

#endif
