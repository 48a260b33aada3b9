/* Tiles of which only the NIUs are emulated: empty tiles, harvested tiles, and those that answer as absent hardware
   (L2CPU, security, the PCIe instance that is not in use). Behind the NIUs of the last ones reads return ones and
   writes are dropped, with a diagnostic; an access to the others is an error. Sources: ISA documentation NoC/README.md
   (empty tiles); tt-zephyr-platforms noc_init.c (firmware configures the NIUs of harvested tiles, too, and switches the
   clock behind them off). */
#ifndef BHEMU_CHIP_ABSENT_H
#define BHEMU_CHIP_ABSENT_H

#include "chip/niu_window.h"
#include "debug/diagnostic.h"

enum { ABSENT_TILES = NOC_WIDTH * NOC_HEIGHT, ABSENT_BITMAP_WORDS = (ABSENT_TILES + 63) / 64 };

struct absent_tile {
    struct niu_window niu;
    struct diagnostics diagnostics;
};

struct absent {
    struct absent_tile tile[ABSENT_TILES]; /* row by row of NoC 0 */
    uint64_t ready[ABSENT_BITMAP_WORDS];   /* those that were reached before; the memory of others is all zeroes */
};

/* Whether the tile at coordinates of NoC 0 is one of them on every board. */
bool absent_is(unsigned x, unsigned y);

/* The first ready tile from `first` on; ABSENT_TILES: there is none. */
unsigned absent_next(const struct absent *absent, unsigned first);

/* Clears all of them: none is ready. */
void absent_forget(struct absent *absent);

/* *tile has to be zero. */
void absent_create(struct absent_tile *tile, unsigned x, unsigned y, const struct noc_translation *translation,
                   enum bh_policy_preset policy);

/* Accesses over the NoC. */
enum step absent_read(struct absent_tile *tile, uint64_t address, void *data, uint32_t size);
enum step absent_write(struct absent_tile *tile, uint64_t address, const void *data, uint32_t size);

#endif
