/* The 128 (or 256) signals of a place on the debug daisychain, and the signals of RISC-V cores, which are the same in
   all tiles with cores. Sources: ISA documentation DebugDaisychain.md (Wormhole); tt-exalens (Blackhole). */
#ifndef BHEMU_TILE_DEBUG_SIGNALS_H
#define BHEMU_TILE_DEBUG_SIGNALS_H

#include <stdint.h>

#include "debug/diagnostic.h"
#include "rv32/rv32.h"

enum { DEBUG_SIGNAL_WORDS = 8, DEBUG_READ_WORDS = 4 };

struct debug_signals {
    uint32_t words[DEBUG_SIGNAL_WORDS];
};

/* DBG_BUS_CNTL_REG: the selected signals, the word of them that DBG_RD_DATA shows, and whether the daisychain is on. */
struct debug_select {
    unsigned signals, chain, word;
    bool enabled;
};
struct debug_select debug_select(uint32_t control);

enum {
    DEBUG_CHAIN_FRONTEND = 1,
    DEBUG_CHAIN_COUNTERS = 3,
    DEBUG_CHAIN_PERF_HIGH = 4,
    DEBUG_CHAIN_PERF_LOW = 5,
    DEBUG_CHAIN_ADDRESSES = 6,
    DEBUG_CHAIN_CORES = 7
};

/* Ors `value` into the signals from `position` on. */
void debug_signals_put(struct debug_signals *signals, unsigned position, uint32_t value);

/* Groups A and B of a core: its pc, in all three places. The emulator samples between two instructions, when nothing
   is being fetched, decoded, requested from memory or about to retire: the bits for these are 0. */
void debug_signals_core(struct debug_signals *signals, const struct rv32_core *core, bool group_b);

/* DBG_L1_MEM_REG0, 1 and 2, which control the writing of signals to L1, and the next address in units of 16 bytes. */
struct debug_capture {
    const uint32_t *address, *end;
    uint32_t *control, *next;
    struct l1 *l1;
    uint32_t limit; /* end of the L1 that it may write, in bytes */
    struct diagnostics *diagnostics;
};

/* Whether writing `value` to DBG_L1_MEM_REG2 triggers a capture of signals to L1. */
bool debug_capture_triggers(const struct debug_capture *capture, uint32_t value);

/* Writes DBG_L1_MEM_REG2. Samples at intervals are all taken at once, and so are equal. STEP_STOP: nothing was
   written. */
enum step debug_capture_write(const struct debug_capture *capture, uint32_t value, const struct debug_signals *signals);

#endif
