/* What a Tensix tile's debug daisychain shows, beyond cores' own signals (debug_signals.h). */
#ifndef BHEMU_TILE_DEBUG_BUS_H
#define BHEMU_TILE_DEBUG_BUS_H

#include "tile/debug_signals.h"
#include "tile/tile.h"

/* Group C of B: its mailbox with itself. */
void debug_signals_b(struct debug_signals *signals, const struct tile *tile);

/* Groups C and D of a T core: mailboxes, PCBuf, MOP expander. */
void debug_signals_group_c(struct debug_signals *signals, const struct tile *tile, unsigned thread);
enum step debug_signals_group_d(struct debug_signals *signals, const struct tile *tile, unsigned thread);

/* What stands before the wait gate. */
void debug_signals_frontend(struct debug_signals *signals, const struct frontend *frontend);

/* A place that shows performance counters. false: `at` is none; else *step says what became of it. */
bool debug_signals_perf(struct debug_signals *signals, struct tile *tile, const struct debug_select *at,
                        enum step *step);

#endif
