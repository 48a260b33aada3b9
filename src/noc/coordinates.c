#include "noc/coordinates.h"

#include <stdint.h>

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

bool noc_column_has_tensix(unsigned x)
{
    return (x >= WEST_FIRST && x <= WEST_LAST) || (x >= EAST_FIRST && x <= EAST_LAST);
}

bool noc_row_has_tensix(unsigned y)
{
    return y >= FIRST_ROW && y < FIRST_ROW + TENSIX_ROWS;
}

enum { DRAM_WEST = 0, DRAM_EAST = 9, MIDDLE = 8, ETHERNET_ROW = 1 };

enum tile_kind noc_tile_kind(unsigned x, unsigned y)
{
    if (x >= NOC_WIDTH || y >= NOC_HEIGHT) {
        return TILE_NONE;
    }
    if (x == DRAM_WEST || x == DRAM_EAST) {
        return TILE_DRAM;
    }
    if (x == MIDDLE) {
        return y == 0                                 ? TILE_ARC
               : y == 2                               ? TILE_SECURITY
               : y == 3 || y == 5 || y == 7 || y == 9 ? TILE_L2CPU
                                                      : TILE_NONE;
    }
    if (y == 0) {
        return x == 2 || x == 11 ? TILE_PCIE : TILE_NONE;
    }
    return y == ETHERNET_ROW ? TILE_ETHERNET : TILE_TENSIX;
}

unsigned dram_channel_at(unsigned x, unsigned y)
{
    static const uint8_t channel_of_row[NOC_HEIGHT] = {0, 0, 1, 1, 2, 3, 3, 3, 2, 2, 1, 0};
    return channel_of_row[y] + (x == DRAM_EAST ? DRAM_CHANNELS / 2 : 0);
}

const char *tile_kind_name(enum tile_kind kind)
{
    static const char *const names[] = {"empty", "Tensix", "DRAM", "Ethernet", "PCIe", "ARC", "L2CPU", "security"};
    return names[kind];
}
