/* The registers through which a debugger, on the host or on another core, reaches the DR registers of the cores.
   Source: ISA documentation (Wormhole) BabyRISCV/DebugInterface.md ("Debug register access"). */
#include "rv32/debug.h"
#include "tile/handlers.h"
#include "util/bits.h"

enum { DR_BITS = 11, IS_WRITE_SHIFT = 16, CORE_SHIFT = 17, CORE_BITS = 2 };
enum { ECHO_WRITE_SHIFT = 13 };
#define TRIGGER (1u << 31)
#define VALUE_VALID (1u << 30)

enum step risc_debug_control(struct tile *tile, uint32_t value)
{
    uint32_t *control = debug_word(tile, MMIO_ADDRESS_RISC_DBG_CNTL_0);
    uint32_t *status = debug_word(tile, MMIO_ADDRESS_RISC_DBG_STATUS_0);
    uint32_t index = bits_get(value, 0, DR_BITS), core = bits_get(value, CORE_SHIFT, CORE_BITS);
    bool is_write = value >> IS_WRITE_SHIFT & 1, triggers = value & ~*control & TRIGGER;
    uint32_t valid = *status & VALUE_VALID;
    if (triggers && is_write) {
        bool in_reset = tile->state->core[core].halt == RV32_IN_RESET;
        if (!in_reset || debug_registers_kept(tile, core)) {
            uint32_t written = *debug_word(tile, MMIO_ADDRESS_RISC_DBG_CNTL_1);
            if (rv32_debug_write(&tile->core[core], index, written) == STEP_STOP) {
                return STEP_STOP;
            }
        }
        valid = 0;
    } else if (triggers) {
        *debug_word(tile, MMIO_ADDRESS_RISC_DBG_STATUS_1) = rv32_debug_read(&tile->core[core], index);
        valid = VALUE_VALID;
    }
    *control = value;
    *status = index | (uint32_t)is_write << core << ECHO_WRITE_SHIFT | valid | (value & TRIGGER);
    return STEP_DONE;
}
