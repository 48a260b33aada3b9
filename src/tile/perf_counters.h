/* Performance counters of a Tensix tile: five banks, each with a reference counter of cycles and counters of
   events, of which the mode register selects one to be read. tables/perf_counters.def lists them.

     PERF_CNT_x0  reference period in cycles
     PERF_CNT_x1  7:0 mode: 0 until stopped, 1 until the reference period is over, 2 as 0 without the reference counter;
                  16:8 the counter that OUT_H shows
     PERF_CNT_x2  bit 0 rising clears and starts, bit 1 rising stops. PERF_CNT_ALL: the same for INSTRN_THREAD and FPU
     OUT_L, OUT_H the reference counter, the selected counter; both may be read at any time

   Reference counters count the tile's clocks. In functional mode an instruction counts when it leaves the wait gate,
   once for each cycle that hardware takes at least; cycles of waiting and of busy units are not modelled, as a warning
   says. Counts are exact between ends of quanta; within a quantum threads run one after the other. In timed mode
   counters count cycles up to the time of the core that reads or stops them (frontend/counts.h); those of L1's ports
   are not modelled. Sources: tt-llk, performance_counters.md; tt-metal, perf_counters.hpp, PERF_COUNTERS.md and
   perf-counters.md. */
#ifndef BHEMU_TILE_PERF_COUNTERS_H
#define BHEMU_TILE_PERF_COUNTERS_H

#include <stdbool.h>
#include <stdint.h>

#include "debug/diagnostic.h"
#include "tensix/units/counts.h"
#include "tensix/units/issue.h"

enum perf_bank {
    PERF_BANK_INSTRN_THREAD,
    PERF_BANK_FPU,
    PERF_BANK_TDMA_UNPACK,
    PERF_BANK_TDMA_PACK,
    PERF_BANK_L1,
    PERF_BANKS
};

/* One bank: whether it counts, its counts, and the starting points of the current interval. */
struct perf_bank_state {
    bool running;
    uint64_t since;     /* the clock up to which it has counted */
    uint32_t reference; /* cycles */
    uint32_t counted[TENSIX_THREADS][ISSUE_CLASSES];
    uint32_t seen[TENSIX_THREADS]
                 [ISSUE_CLASSES]; /* value of issue_counts up to which `counted` includes instructions */
    uint32_t timed[TIMING_COUNTS], timed_seen[TIMING_COUNTS]; /* the same of timing_counts, in timed mode */
};

struct tile;

/* Stores to the registers listed above, by `agent` at its clock `now`. false: `address` is none of these registers. */
bool perf_counters_store(struct tile *tile, unsigned agent, uint32_t address, uint32_t value, uint64_t now,
                         enum step *step);

/* Loads from OUT_L and OUT_H of each bank. */
bool perf_counters_load(struct tile *tile, uint32_t address, uint64_t now, uint32_t *value, enum step *step);

/* The reference counter and one of the counters of a bank, as the debug daisychain shows them. */
uint32_t perf_counters_reference(struct tile *tile, enum perf_bank bank, uint64_t now);
enum step perf_counters_event(struct tile *tile, enum perf_bank bank, unsigned select, uint64_t now, uint32_t *value);

#endif
