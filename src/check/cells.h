/* Who has accessed what last: a cell for each object - 16 bytes of a memory, a GPR, a word of configuration, a row of
   Dst or Src. Cells of memories are in pages, which are made when something in them is accessed. */
#ifndef BHEMU_CHECK_CELLS_H
#define BHEMU_CHECK_CELLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bhemu/event.h"

enum { CELL_BYTES = 16, CELL_WRITES = 4, CELL_READS = 4, PAGE_CELLS = 64, PAGE_BYTES = PAGE_CELLS * CELL_BYTES };
enum { CELL_WHOLE = (1 << CELL_BYTES) - 1 };

/* An access, known by its part's step; step 0: none. */
struct cell_access {
    uint32_t step;
    uint32_t place; /* places_find() */
    uint32_t bytes; /* of the cell; of registers that are configuration bits, of others one bit */
    uint32_t value; /* of a write of up to a word, ... */
    uint8_t valued; /* ... if it is known */
    uint8_t part;   /* enum check_part */
    uint8_t atomic;
    uint8_t raced;   /* a read: something that was written was not ordered before it */
    uint16_t looked; /* bytes that a core has only looked at: their value decided about a branch */
};

struct cell {
    struct cell_access write[CELL_WRITES]; /* the latest first; they do not overlap */
    struct cell_access read[CELL_READS];   /* since then, by different parts or at different places */
    uint32_t written;                      /* bytes that anybody has written */
    /* Of L1 (overruns.c): this core has overwritten what it had pushed as the stream's page of this count. */
    bool lost;
    uint8_t lost_core;
    uint16_t lost_count;
};

struct cell_page {
    uint64_t key; /* 0: this entry is free */
    struct cell cell[PAGE_CELLS];
};

/* Pages of all memories of a device, by a hash. */
struct cells {
    struct cell_page **table;
    size_t size, count, limit; /* entries, pages, pages at most */
    size_t oldest;             /* where the next page is dropped when there are too many */
    uint64_t dropped;
    struct cell_page *latest; /* the one that was accessed last; may be null */
};

void cells_free(struct cells *cells);

/* The cell at an address, a multiple of CELL_BYTES; null: no memory, or with `make` unset it was never accessed. */
struct cell *cells_at(struct cells *cells, uint32_t tile, enum bh_space space, uint64_t address, bool make);

/* The bytes of the cell at `at` that belong to [at, end). */
static inline uint32_t cell_bytes(uint64_t at, uint64_t end)
{
    uint64_t first = at % CELL_BYTES, base = at - first, last = end - base < CELL_BYTES ? end - base : CELL_BYTES;
    return (uint32_t)((UINT64_C(1) << last) - (1u << first));
}

/* Puts an access into a cell, in place of those that it makes superfluous. */
void cell_record(struct cell *cell, const struct cell_access *access, bool write);

#endif
