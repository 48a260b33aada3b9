/* What this firmware gives a kernel. A kernel is linked against the symbols of its core's firmware; it is called, and
   returns. Addresses of L1 are in bytes. */
#ifndef BHEMU_KERNELS_METAL_METAL_H
#define BHEMU_KERNELS_METAL_METAL_H

#include "layout.h"
#include "mmio.h"

struct metal_buffer {
    uint32_t address, size, pages, page; /* page: bytes of one */
};

/* What the launch gives this core. */
struct metal_kernel {
    const volatile uint32_t *unique, *common; /* arguments */
    volatile uint32_t *semaphores;            /* every fourth word is one */
    uint32_t noc;
    uint32_t x, y; /* logical coordinates of the tile */
    struct metal_buffer buffers[METAL_BUFFERS];
};

/* On B and NC: where banks are; x | y << 6 for each NoC. */
struct metal_banks {
    uint16_t dram[2][METAL_DRAM_BANKS], l1[2][METAL_L1_BANKS];
};

extern struct metal_kernel metal;
extern struct metal_banks metal_banks;
extern uint32_t bank_to_dram_offset[METAL_DRAM_BANKS], bank_to_l1_offset[METAL_L1_BANKS];
extern uint8_t logical_columns[20], logical_rows[12];

#endif
