/* When others see what a core stores to L1, in timed mode: when the store has left the store queue, where it may wait
   for others that join it, and L1 has written it. The core itself sees it at once. So L1 has the bytes while it is the
   core's turn, and what they replace while it is not. Code is seen at once, and what the vector unit stores. Sources:
   ISA documentation BabyRISCV/MemoryOrdering.md, L1.md; blackhole-py riscv_contention_bench.py. */
#ifndef BHEMU_RV32_STORES_SEEN_H
#define BHEMU_RV32_STORES_SEEN_H

#include "memory/l1.h"
#include "rv32/timed.h"

/* A store of `size` bytes, which is in L1 already, joins the last one in the queue or is that. `replaced`: what was
   there before. */
void rv32_store_hides(struct rv32 *rv32, const struct rv32_queued *last, uint32_t address, uint32_t size,
                      const uint8_t *replaced);

/* It is known now when L1 has written the last store in the queue: nothing joins that any more. */
static inline void rv32_store_written(struct rv32_timing *timing, uint64_t written)
{
    if (timing->unseen_count && timing->unseen[timing->unseen_count - 1].written == CLOCK_NEVER) {
        timing->unseen[timing->unseen_count - 1].written = written;
    }
}

/* After the core's turn, where nobody else looks before `time`: what L1 has then or later is not seen. */
void rv32_stores_hide(struct rv32 *rv32, uint64_t time);

/* Before the core's turn: it sees them. */
void rv32_stores_show(struct rv32 *rv32);

/* While it is not the core's turn: when the next one is seen; CLOCK_NEVER: there is none. */
static inline uint64_t rv32_stores_next(const struct rv32_timing *timing)
{
    return timing->unseen_count ? timing->unseen[0].due : CLOCK_NEVER;
}

/* Those that are due by `time` are seen. */
void rv32_stores_arrive(struct rv32 *rv32, uint64_t time);

/* The core enters reset at `time`: what it has stored leaves the queue then at the latest. What waits there for others
   does not wait until its merge timer ends, nor until what the core may have computed ahead of `time`, in its own RAM,
   has closed it; and nothing that the core stores after the reset joins it. */
void rv32_stores_leave(struct rv32 *rv32, uint64_t time);

/* While it is not the core's turn: replaces in a copy of [address, address + size) of L1 what others do not see yet. */
void rv32_stores_look(const struct rv32_timing *timing, uint32_t address, uint8_t *copy, uint32_t size);

#endif
