/* The scalar unit (ThCon): 64 general purpose registers for each thread, their arithmetic, and small accesses to L1,
   MMIO, SrcA, SrcB and configuration.
   scalar.c: SETDMAREG with an immediate, arithmetic, DMANOP, FLUSHDMA. units/scalar/signals.c: SETDMAREG from the
   packers. units/scalar/memory.c: LOADIND, STOREIND, LOADREG, STOREREG. units/scalar/atomics.c: ATINCGET, ATINCGETPTR,
   ATSWAP, ATCAS. units/scalar/flop.c: REG2FLOP. Sources: chapters "gpr and dma instructions", "additional scalar unit
   instructions", "config sync instructions"; ISA documentation ScalarUnit.md and the page of each instruction. */
#ifndef BHEMU_TENSIX_UNITS_SCALAR_SCALAR_H
#define BHEMU_TENSIX_UNITS_SCALAR_SCALAR_H

#include <stdint.h>

struct tensix;

enum { GPRS = 64, GPR_HALVES = 2 * GPRS, GPR_QUAD = 4 };

struct scalar_unit {
    uint32_t gpr[3][GPRS];
};

/* The halves of the registers: half 2 * n is the low half of register n, half 2 * n + 1 the high half. */
static inline uint16_t gpr_half(const uint32_t *gpr, unsigned half)
{
    return (uint16_t)(gpr[half / 2] >> (half % 2 * 16));
}

static inline void gpr_set_half(uint32_t *gpr, unsigned half, uint16_t value)
{
    unsigned shift = half % 2 * 16;
    gpr[half / 2] = (gpr[half / 2] & ~(UINT32_C(0xffff) << shift)) | (uint32_t)value << shift;
}

/* Delivers the result of a request (LOADIND, LOADREG, ATINCGET, RDCFG): the low `bytes` bytes of register `index` and
   of those behind it become `data`. Hardware writes them cycles after the instruction has completed; here they arrive
   at once, so that no other instruction can come between, save in timed mode (units/late.h). */
void scalar_deliver(struct tensix *tensix, unsigned thread, unsigned index, const void *data, unsigned bytes);

/* The status of one packer that SETDMAREG reads. */
enum { PACKERS_READ = 4, EXPONENT_HISTOGRAM_BINS = 32 };

struct pack_status {
    uint16_t accumulated_tile_size; /* AccTileSize of the requesting thread */
    uint16_t last_tile_size;        /* LastTileSize, or 0 if another thread packed last */
    uint32_t all_zero_flags;
    uint8_t exponent_histogram[EXPONENT_HISTOGRAM_BINS];
    uint8_t exponent_histogram_max_exponent;
};

/* The packer's status as `thread` sees it. Packers that the chip does not have (Blackhole has packer 0 only) read as
   zero and ignore a reset. */
struct pack_status pack_status_read(const struct tensix *tensix, unsigned packer, unsigned thread);
void pack_reset_accumulated_tile_size(struct tensix *tensix, unsigned packer);

#endif
