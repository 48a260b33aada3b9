/* The engine in a DRAM tile that copies between GDDR and the L1 of the tile's core. Of its two streams each has reads
   (from GDDR to L1) and writes under way, which end in the order in which they were started. In functional mode a copy
   is done when it is started; in timed mode its bytes are there when it ends. The engine does one copy after the other,
   in bursts: it asks the channel for the next one when that begins with the one before. So engines at the tiles of a
   channel, and packets of the NoC, take turns. Since those have to be booked in the order in which they come, whoever
   carries out requests of the NoC books bursts, too (device_book_copies()); until its last one is booked, nobody knows
   when a copy ends, and nobody has to. Sources: tables/gddr_dma.def; blackhole-py docs/drisc-dma-bringup.md. */
#ifndef BHEMU_CHIP_DRAM_GDDR_DMA_H
#define BHEMU_CHIP_DRAM_GDDR_DMA_H

#include <stdbool.h>
#include <stdint.h>

#include "chip/dram/dram.h"
#include "debug/diagnostic.h"
#include "memory/l1.h"
#include "noc/timing.h"
#include "observe/observed.h"
#include "time/timing.h"

#define GDDR_DMA_FIRST 0xFC000000u
#define GDDR_DMA_END 0xFC001154u

enum { GDDR_DMA_STREAMS = 2, GDDR_DMA_STREAM_WORDS = 0x80 / 4, GDDR_DMA_CONTROL_WORDS = 0x154 / 4 };
enum { GDDR_DMA_READS = 255, GDDR_DMA_WRITES = 15 }; /* most that a stream has under way: their counts' fields */
enum { GDDR_DMA_UNDER_WAY = GDDR_DMA_STREAMS * (GDDR_DMA_READS + GDDR_DMA_WRITES) };

struct gddr_dma_copy {
    uint64_t started, ends; /* the times; CLOCK_NEVER: it is not known yet when it ends */
    uint64_t gddr;
    uint32_t l1, size, booked; /* bytes of which it is known when the channel moves them */
    uint8_t stream;
    bool read;
    bool done; /* only observers are still to be told */
};

/* Plain data. */
struct gddr_dma {
    bool used; /* the registers have their values; else those after a reset */
    uint32_t stream[GDDR_DMA_STREAMS][GDDR_DMA_STREAM_WORDS];
    uint32_t control[GDDR_DMA_CONTROL_WORDS];
    uint64_t asks_at; /* in thousandths of a cycle: for its next burst, at the earliest */
    uint16_t count;   /* of copies under way, in the order in which they were started */
    struct gddr_dma_copy copy[GDDR_DMA_UNDER_WAY];
};

/* An engine with what it reaches. */
struct gddr_dma_site {
    struct gddr_dma *dma;
    struct dram *dram;
    unsigned channel;
    struct l1 *l1;
    uint32_t l1_size;
    bool timed;
    uint64_t now;
    struct diagnostics *diagnostics;
    struct observed *observed;
};

/* Accesses of the core; address is a multiple of 4. */
enum step gddr_dma_read(const struct gddr_dma_site *site, uint32_t address, uint32_t *value);
enum step gddr_dma_write(const struct gddr_dma_site *site, uint32_t address, uint32_t value);

/* What a register of the engine is called, "STATUS of a GDDR DMA stream"; null: there is none at the address. */
const char *gddr_dma_register_name(uint32_t address);

enum { GDDR_DMA_SHORTEST = TIMING_DRAM_WRITE }; /* timed mode: cycles that a copy takes at least */

/* Timed mode: when the engine asks for its next burst, in thousandths of a cycle; CLOCK_NEVER: for none. */
uint64_t gddr_dma_asks(const struct gddr_dma *dma);

/* Books that one. */
void gddr_dma_book(struct gddr_dma *dma, struct noc_timing *timing, unsigned channel);

/* When the first of the copies under way ends; CLOCK_NEVER: there is none of which that is known. */
uint64_t gddr_dma_next_end(const struct gddr_dma *dma);

/* Ends the copies that are due by site->now. */
void gddr_dma_settle(const struct gddr_dma_site *site);

#endif
