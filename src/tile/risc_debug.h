/* The registers through which a debugger, on the host or on another core, accesses the DR registers of a tile's cores:
   RISC_DBG_CNTL_0 and related ones, of Tensix and Ethernet tiles. Source: ISA documentation (Wormhole)
   BabyRISCV/DebugInterface.md ("Debug register access"). */
#ifndef BHEMU_TILE_RISC_DEBUG_H
#define BHEMU_TILE_RISC_DEBUG_H

#include <stdbool.h>
#include <stdint.h>

#include "debug/diagnostic.h"
#include "rv32/rv32.h"

struct risc_debug {
    uint32_t *control_0, *control_1, *status_0, *status_1; /* the registers' words */
};

/* The core that a value of RISC_DBG_CNTL_0 selects. */
unsigned risc_debug_core(uint32_t value);

/* Handles a write to RISC_DBG_CNTL_0: a rising Trigger reads or writes a DR register of `core`, which is null if the
   tile has no such core. listens: the core is not in reset, so that writes have an effect. */
enum step risc_debug_write(const struct risc_debug *registers, uint32_t value, struct rv32 *core, bool listens);

#endif
