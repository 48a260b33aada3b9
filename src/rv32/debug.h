/* The debug interface of a core: its DR registers, through which a debugger pauses and resumes it, steps it, reads and
   writes its registers and memory, and sets breakpoints and watchpoints. Everything happens between two instructions:
   there is no pipeline to drain first, and the next instruction sees all changes. Sources: ISA documentation
   (Wormhole) BabyRISCV/DebugInterface.md; how Blackhole differs: tt-exalens. */
#ifndef BHEMU_RV32_DEBUG_H
#define BHEMU_RV32_DEBUG_H

#include "rv32/rv32.h"

/* The value of DR register `index`; 0 for registers that do not exist. */
uint32_t rv32_debug_read(struct rv32 *rv32, unsigned index);

/* Writes a DR register; a write to the command register executes the command. STEP_STOP: a diagnostic. */
enum step rv32_debug_write(struct rv32 *rv32, unsigned index, uint32_t value);

/* All DR registers become zero. */
void rv32_debug_reset(struct rv32_core *core);

/* Whether the core must run with rv32_debug_run() rather than rv32_run(). */
static inline bool rv32_debug_watches(const struct rv32_core *core)
{
    return core->debug.modes != 0 || core->debug.pausing;
}

/* Whether a debugger has enabled slow execution mode, breakpoints or watchpoints. */
static inline bool rv32_debug_attached(const struct rv32_core *core)
{
    return core->debug.command >> 31 || core->debug.modes != 0;
}

/* Whether the core is paused without a debugger attached in slow execution mode. */
static inline bool rv32_debug_abandoned(const struct rv32_core *core)
{
    return core->halt == RV32_PAUSED && !(core->debug.command >> 31);
}

/* Like rv32_run(), but checks breakpoints, watchpoints, and for a pause that is due when an instruction completes. */
uint32_t rv32_debug_run(struct rv32 *rv32, uint32_t budget);

/* ebreak and ecall: pauses the core behind the instruction. */
void rv32_debug_break(struct rv32_core *core);

#endif
