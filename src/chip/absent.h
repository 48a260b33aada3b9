/* Tiles of which only the NIUs are there: empty ones, and those that are emulated as if nobody was at home (L2CPU,
   security, the PCIe instance that is not in use). Reads of what is behind the NIU return ones, writes vanish, as on a
   bus without anybody who answers; both get a diagnostic. Source: ISA documentation NoC/README.md (empty tiles). */
#ifndef BHEMU_CHIP_ABSENT_H
#define BHEMU_CHIP_ABSENT_H

#include "chip/niu_window.h"
#include "debug/diagnostic.h"

enum { ABSENT_TILES = 24 };

struct absent_tile {
    struct niu_window niu;
    struct diagnostics diagnostics;
};

struct absent {
    struct absent_tile tile[ABSENT_TILES];
    uint32_t ready; /* those that somebody has reached; the others are all zeroes */
};

/* Whether the tile at coordinates of NoC 0 is one of them. */
bool absent_is(unsigned x, unsigned y);

/* *tile has to be zero. */
void absent_create(struct absent_tile *tile, unsigned x, unsigned y, const struct noc_translation *translation,
                   enum bh_policy_preset policy);

/* Accesses over the NoC. */
enum step absent_read(struct absent_tile *tile, uint64_t address, void *data, uint32_t size);
enum step absent_write(struct absent_tile *tile, uint64_t address, const void *data, uint32_t size);

#endif
