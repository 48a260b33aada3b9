/* Coordinates of tiles. Each NoC is a torus of 17 x 12 NIUs. NoC 0 counts from the top left corner, NoC 1 from the
   bottom right one: (x, y) of the one is (16 - x, 11 - y) of the other. The Tensix tiles have x in 1..7 and 10..16 and
   y in 2..11 of NoC 0, and are numbered row by row. Software and the host use translated coordinates: translation.h.
   Sources: ISA documentation NoC/README.md; ttsim (DRAM channels). */
#ifndef BHEMU_NOC_COORDINATES_H
#define BHEMU_NOC_COORDINATES_H

#include <stdbool.h>

enum { NOC_WIDTH = 17, NOC_HEIGHT = 12, TENSIX_COLUMNS = 14, TENSIX_ROWS = 10, TENSIX_TILES = 140, DRAM_CHANNELS = 8 };

enum tile_kind { TILE_NONE, TILE_TENSIX, TILE_DRAM, TILE_ETHERNET, TILE_PCIE, TILE_ARC, TILE_L2CPU, TILE_SECURITY };

/* The number of the Tensix tile at coordinates (x, y). false: there is none. */
bool tensix_index(unsigned x, unsigned y, unsigned *index);

/* The coordinates of Tensix tile `index`. */
void tensix_coordinates(unsigned index, unsigned *x, unsigned *y);

/* What stands at coordinates (x, y) of NoC 0, and its name for diagnostics. */
enum tile_kind noc_tile_kind(unsigned x, unsigned y);
const char *tile_kind_name(enum tile_kind kind);

/* Whether any Tensix tile is in a column or a row of NoC 0: NIUs elsewhere do not take broadcasts. */
bool noc_column_has_tensix(unsigned x);
bool noc_row_has_tensix(unsigned y);

/* Which DRAM channel the tile at coordinates (x, y) of NoC 0 belongs to: three tiles show the same one. */
unsigned dram_channel_at(unsigned x, unsigned y);

#endif
