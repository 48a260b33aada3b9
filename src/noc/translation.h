/* Translated coordinates of one chip. Some of a chip's tiles may be harvested: firmware then programs the NIUs such
   that the tiles that are there lie together. Translation takes x and y in 0..31 to a column and a row of NoC 0; in
   rows 0 and 1, x stays what it is. Tensix    x 1..7 and 10..16: the columns that are there, in the order of NoC 0;
   behind them the harvested ones DRAM      x 17 and 18, y 12..23: three rows for each channel; the column and the rows
   with a harvested channel last PCIe      (19, 24)                Ethernet   x 20..31, y 25, in the order of the die
     L2CPU     (8, 26) .. (8, 29)      security   (8, 30)
   Everything else is where NoC 0 has it. Sources: tt-zephyr-platforms noc_init.c (what firmware programs); tt-umd
   blackhole_coordinate_manager.cpp (what the host expects). */
#ifndef BHEMU_NOC_TRANSLATION_H
#define BHEMU_NOC_TRANSLATION_H

#include <stdbool.h>
#include <stdint.h>

#include "noc/coordinates.h"

enum { TRANSLATED = 32, ETHERNET_TILES = 14 };

/* The tiles that are there: bit i is the i-th one of the die. Columns of Tensix tiles and Ethernet tiles have x = 1,
   16, 2, 15, ... of NoC 0; DRAM channels 0..3 have x = 0. */
struct noc_tiles {
    uint16_t tensix_columns, ethernet;
    uint8_t dram;
};

#define ALL_TENSIX_COLUMNS ((1u << TENSIX_COLUMNS) - 1)
#define ALL_ETHERNET ((1u << ETHERNET_TILES) - 1)
#define ALL_DRAM ((1u << DRAM_CHANNELS) - 1)

struct noc_translation {
    struct noc_tiles tiles;
    struct noc_tiles
        arranged;   /* the tiles that firmware treats as present: `tiles`, unless a debugger has asked for others */
    bool off;       /* coordinates are those of each NoC */
    uint8_t pcie_x; /* the PCIe tile that is at (19, 24), of NoC 0 */
    uint8_t column[TRANSLATED], row[TRANSLATED];
};

void noc_translation_create(struct noc_translation *translation, struct noc_tiles tiles);

/* Computes the translation anew, as if the tiles of `arranged` were present. */
void noc_translation_arrange(struct noc_translation *translation, struct noc_tiles arranged, unsigned pcie_x);

/* Coordinates of NoC 0 from translated ones. false: there is no tile, not even a harvested one. */
bool noc_translate(const struct noc_translation *translation, unsigned x, unsigned y, unsigned *noc_x, unsigned *noc_y);

/* The translated coordinates by which software knows the tile at coordinates (noc_x, noc_y) of NoC 0. */
void noc_logical(const struct noc_translation *translation, unsigned noc_x, unsigned noc_y, unsigned *x, unsigned *y);

/* Whether the tile at coordinates (noc_x, noc_y) of NoC 0 is there and not harvested. */
bool noc_tile_present(const struct noc_translation *translation, unsigned noc_x, unsigned noc_y);

/* The position on the die of the i-th column of Tensix tiles, and of the i-th Ethernet tile. */
unsigned die_column(unsigned index);

/* Which of the 14 is in a column of NoC 0 that has Tensix or Ethernet tiles. */
unsigned die_index(unsigned noc_x);

#endif
