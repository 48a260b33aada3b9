#include "check/cells.h"

#include <stdbool.h>
#include <stdlib.h>

enum { SPACE_SHIFT = 60, TILE_SHIFT = 48, FIRST_SIZE = 1024 };

static uint64_t key_of(uint32_t tile, enum bh_space space, uint64_t address)
{
    return (uint64_t)(space + 1) << SPACE_SHIFT | (uint64_t)tile << TILE_SHIFT | address / PAGE_BYTES;
}

static size_t slot_of(const struct cells *cells, uint64_t key)
{
    size_t slot = (key * 0x9e3779b97f4a7c15u >> 32) & (cells->size - 1);
    while (cells->table[slot] && cells->table[slot]->key != key) {
        slot = (slot + 1) & (cells->size - 1);
    }
    return slot;
}

void cells_free(struct cells *cells)
{
    for (size_t i = 0; i < cells->size; i++) {
        free(cells->table[i]);
    }
    free(cells->table);
    *cells = (struct cells){.limit = cells->limit};
}

static bool grow(struct cells *cells)
{
    struct cells larger = *cells;
    larger.size = cells->size ? 2 * cells->size : FIRST_SIZE;
    larger.table = calloc(larger.size, sizeof(void *));
    if (!larger.table) {
        return false;
    }
    for (size_t i = 0; i < cells->size; i++) {
        if (cells->table[i]) {
            larger.table[slot_of(&larger, cells->table[i]->key)] = cells->table[i];
        }
    }
    free(cells->table);
    larger.oldest = 0;
    *cells = larger;
    return true;
}

/* Takes a page out of the table: pages behind it whose search would now end at the gap move up. */
static struct cell_page *take_out(struct cells *cells, size_t gap)
{
    struct cell_page *page = cells->table[gap];
    cells->table[gap] = NULL;
    for (size_t i = (gap + 1) & (cells->size - 1); cells->table[i]; i = (i + 1) & (cells->size - 1)) {
        struct cell_page *moved = cells->table[i];
        cells->table[i] = NULL;
        cells->table[slot_of(cells, moved->key)] = moved;
    }
    cells->count--;
    return page;
}

static struct cell_page *drop(struct cells *cells)
{
    while (!cells->table[cells->oldest]) {
        cells->oldest = (cells->oldest + 1) & (cells->size - 1);
    }
    cells->dropped++;
    cells->latest = NULL;
    return take_out(cells, cells->oldest);
}

struct cell *cells_at(struct cells *cells, uint32_t tile, enum bh_space space, uint64_t address, bool make)
{
    uint64_t key = key_of(tile, space, address);
    size_t cell = address / CELL_BYTES % PAGE_CELLS;
    if (cells->latest && cells->latest->key == key) {
        return &cells->latest->cell[cell];
    }
    if (cells->size) {
        size_t slot = slot_of(cells, key);
        if (cells->table[slot]) {
            cells->latest = cells->table[slot];
            return &cells->latest->cell[cell];
        }
    }
    if (!make || (2 * cells->count >= cells->size && !grow(cells))) {
        return NULL;
    }
    struct cell_page *page = cells->count >= cells->limit ? drop(cells) : malloc(sizeof *page);
    if (!page) {
        return NULL;
    }
    *page = (struct cell_page){.key = key};
    cells->table[slot_of(cells, key)] = page;
    cells->count++;
    return &page->cell[cell];
}

/* Takes the bytes of another one, which makes them superfluous, out of an access. Returns whether it has still any. */
static inline bool take_bytes_out(struct cell_access *access, uint32_t bytes)
{
    access->bytes &= ~bytes;
    access->step = access->bytes ? access->step : 0;
    return access->step;
}

static void record_write(struct cell *cell, const struct cell_access *access)
{
    unsigned free = CELL_WRITES - 1; /* the first that is, or the oldest one */
    for (unsigned i = CELL_WRITES; i-- > 0;) {
        free = take_bytes_out(&cell->write[i], access->bytes) ? free : i;
    }
    for (unsigned i = free; i > 0; i--) {
        cell->write[i] = cell->write[i - 1];
    }
    cell->write[0] = *access;
    for (unsigned i = 0; i < CELL_READS; i++) {
        take_bytes_out(&cell->read[i], access->bytes);
    }
    cell->written |= access->bytes;
}

static void add_to_read(struct cell_access *read, const struct cell_access *access)
{
    read->bytes |= access->bytes;
    read->looked &= (uint16_t)~access->bytes;
    read->place = access->place;
}

/* What a part read at an earlier step stays apart: others may know of that step, and not of this one. So does, while
   there is room, what it reads at another place: that may be a poll. */
static void record_read(struct cell *cell, const struct cell_access *access)
{
    struct cell_access *free = NULL, *oldest = cell->read, *beside = NULL; /* beside: of the same step */
    for (unsigned i = 0; i < CELL_READS; i++) {
        struct cell_access *read = &cell->read[i];
        const bool same = read->step && read->part == access->part && read->step == access->step;
        if (same && read->place == access->place) {
            add_to_read(read, access);
            return;
        }
        if (read->part == access->part) {
            take_bytes_out(read, access->bytes);
        }
        beside = same && read->step ? read : beside;
        free = read->step ? free : read;
        oldest = read->step < oldest->step ? read : oldest;
    }
    if (!free && beside) {
        add_to_read(beside, access);
    } else {
        *(free ? free : oldest) = *access;
    }
}

void cell_record(struct cell *cell, const struct cell_access *access, bool write)
{
    if (write) {
        record_write(cell, access);
    } else {
        record_read(cell, access);
    }
}
