/* Coordinates of tiles. NoC 0 is a torus of 17 x 12 NIUs; the Tensix tiles have x in 1..7 and 10..16 and y in 2..11,
   and are numbered row by row. Nothing is harvested, so that translated coordinates are those of NoC 0 for Tensix
   tiles. Sources: ISA documentation NoC/README.md; emulator specification, device-grid. */
#ifndef BHEMU_NOC_COORDINATES_H
#define BHEMU_NOC_COORDINATES_H

#include <stdbool.h>

enum { NOC_WIDTH = 17, NOC_HEIGHT = 12, TENSIX_COLUMNS = 14, TENSIX_ROWS = 10, TENSIX_TILES = 140 };

enum tile_kind { TILE_NONE, TILE_TENSIX, TILE_DRAM, TILE_ETHERNET, TILE_PCIE, TILE_ARC, TILE_L2CPU, TILE_SECURITY };

/* The number of the Tensix tile at translated coordinates (x, y). false: there is none. */
bool tensix_index(unsigned x, unsigned y, unsigned *index);

/* The coordinates of Tensix tile `index`. */
void tensix_coordinates(unsigned index, unsigned *x, unsigned *y);

/* What stands at translated coordinates (x, y), and its name for diagnostics. */
enum tile_kind tile_kind_at(unsigned x, unsigned y);
const char *tile_kind_name(enum tile_kind kind);

#endif
