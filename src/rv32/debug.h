/* The debug interface of a core: its DR registers, through which a debugger pauses and resumes it, steps it, reads and
   writes its registers and memory, and sets breakpoints and watchpoints. Everything happens between two instructions:
   there is no pipeline that a debugger would have to drain first, so whatever it writes the next instruction sees.
   Sources: ISA documentation (Wormhole) BabyRISCV/DebugInterface.md; how Blackhole differs: tt-exalens. */
#ifndef BHEMU_RV32_DEBUG_H
#define BHEMU_RV32_DEBUG_H

#include "rv32/rv32.h"

/* What DR register `index` holds; 0 for what does not exist. */
uint32_t rv32_debug_read(struct rv32 *rv32, unsigned index);

/* Writes a DR register; a write to the command register does what its bits say. STEP_STOP: a diagnostic. */
enum step rv32_debug_write(struct rv32 *rv32, unsigned index, uint32_t value);

/* All DR registers become zero. */
void rv32_debug_reset(struct rv32_core *core);

/* Whether the core must run with rv32_debug_run() rather than rv32_run(). */
static inline bool rv32_debug_watches(const struct rv32_core *core)
{
    return core->debug.modes != 0 || core->debug.pausing;
}

/* Whether a debugger has asked for something: slow execution mode, breakpoints, watchpoints. */
static inline bool rv32_debug_attached(const struct rv32_core *core)
{
    return core->debug.command >> 31 || core->debug.modes != 0;
}

/* Whether the core is paused, and no debugger has announced itself by slow execution mode. */
static inline bool rv32_debug_abandoned(const struct rv32_core *core)
{
    return core->halt == RV32_PAUSED && !(core->debug.command >> 31);
}

/* rv32_run(), with an eye on breakpoints, watchpoints, and a pause that waits for an instruction to finish. */
uint32_t rv32_debug_run(struct rv32 *rv32, uint32_t budget);

/* ebreak and ecall: pauses the core behind the instruction. */
void rv32_debug_break(struct rv32_core *core);

#endif
