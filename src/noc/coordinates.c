#include "noc/coordinates.h"

enum { FIRST_ROW = 2, WEST_FIRST = 1, WEST_LAST = 7, EAST_FIRST = 10, EAST_LAST = 16, WEST_COLUMNS = 7 };

bool tensix_index(unsigned x, unsigned y, unsigned *index)
{
    unsigned column;
    if (x >= WEST_FIRST && x <= WEST_LAST) {
        column = x - WEST_FIRST;
    } else if (x >= EAST_FIRST && x <= EAST_LAST) {
        column = x - EAST_FIRST + WEST_COLUMNS;
    } else {
        return false;
    }
    if (y < FIRST_ROW || y >= FIRST_ROW + TENSIX_ROWS) {
        return false;
    }
    *index = column + (y - FIRST_ROW) * TENSIX_COLUMNS;
    return true;
}

void tensix_coordinates(unsigned index, unsigned *x, unsigned *y)
{
    unsigned column = index % TENSIX_COLUMNS;
    *x = column < WEST_COLUMNS ? column + WEST_FIRST : column - WEST_COLUMNS + EAST_FIRST;
    *y = index / TENSIX_COLUMNS + FIRST_ROW;
}

enum tile_kind tile_kind_at(unsigned x, unsigned y)
{
    unsigned index;
    if (tensix_index(x, y, &index)) {
        return TILE_TENSIX;
    }
    if (y == 25 && x >= 20 && x <= 31) {
        return TILE_ETHERNET;
    }
    if ((x == 17 || x == 18) && y >= 12 && y <= 23) {
        return TILE_DRAM;
    }
    if (x == 19 && y == 24) {
        return TILE_PCIE;
    }
    if (x >= NOC_WIDTH || y >= NOC_HEIGHT) {
        return TILE_NONE;
    }
    /* Where nothing is translated. */
    if (x == 0 || x == 9) {
        return TILE_DRAM;
    }
    if (y == 1) {
        return x == 8 ? TILE_NONE : TILE_ETHERNET;
    }
    if (x == 8) {
        return y == 0                                 ? TILE_ARC
               : y == 2                               ? TILE_SECURITY
               : y == 3 || y == 5 || y == 7 || y == 9 ? TILE_L2CPU
                                                      : TILE_NONE;
    }
    return y == 0 && (x == 2 || x == 11) ? TILE_PCIE : TILE_NONE;
}

const char *tile_kind_name(enum tile_kind kind)
{
    static const char *const names[] = {"empty", "Tensix", "DRAM", "Ethernet", "PCIe", "ARC", "L2CPU", "security"};
    return names[kind];
}
