/* The signals of a Tensix tile's debug daisychain, except those of cores (debug_signals.h). */
#ifndef BHEMU_TILE_DEBUG_BUS_H
#define BHEMU_TILE_DEBUG_BUS_H

#include "tile/debug_signals.h"
#include "tile/tile.h"

/* Group C of B: the state of its mailbox from itself. */
void debug_signals_b(struct debug_signals *signals, const struct tile *tile);

/* Groups C and D of a T core: mailboxes, PCBuf, MOP expander. */
void debug_signals_group_c(struct debug_signals *signals, const struct tile *tile, unsigned thread);
enum step debug_signals_group_d(struct debug_signals *signals, const struct tile *tile, unsigned thread);

/* What stands before the wait gate. */
void debug_signals_frontend(struct debug_signals *signals, const struct frontend *frontend);

/* Puts the signals of a place with performance counters. false: `at` is no such place; otherwise *step is the
   result. */
bool debug_signals_perf(struct debug_signals *signals, struct tile *tile, const struct debug_select *at,
                        enum step *step);

#endif
